"""A table for print, and its forms in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
} | {character: f"\\{character}" for character in "&%$#_{}"}


@dataclass(frozen=True)
class Cell:
    """What stands in a place of a table."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class PrintedTable:
    """A table: its header, its rows in groups that a rule divides, and notes to stand below.

    A column of the header is a pair of the title that neighbouring columns may share, or an empty one, and its own.
    """

    header: tuple[tuple[str, str], ...]
    groups: tuple[tuple[tuple[Cell, ...], ...], ...]
    notes: tuple[str, ...] = ()


def as_markdown(table: PrintedTable) -> str:
    """The table in Markdown; a column's shared title stands before its own, and groups follow without a rule."""
    titles = [f"{shared} {own}".strip() for shared, own in table.header]
    rows = [[f"**{cell.text}**" if cell.bold else cell.text for cell in row] for group in table.groups for row in group]
    alignment = [":--", *["--:"] * (len(titles) - 1)]
    lines = [_markdown_row(cells) for cells in (titles, alignment, *rows)]
    return "\n".join([*lines, "", *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def as_latex(table: PrintedTable) -> str:
    """The table as a LaTeX ``tabular`` that needs the package ``booktabs``, with its notes small below."""
    columns = len(table.header)
    body = [[_latex_row(_latex_cell(cell) for cell in row) for row in group] for group in table.groups]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (columns - 1)}}}",
        r"\toprule",
        *_latex_shared_titles(table),
        _latex_row(_latex_text(own) for _, own in table.header),
        r"\midrule",
        *[line for group in body[:-1] for line in (*group, r"\midrule")],
        *body[-1],
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.notes:
        lines += ["", rf"{{\footnotesize {' '.join(map(_latex_text, table.notes))}}}"]
    return "\n".join(lines) + "\n"


def _latex_shared_titles(table: PrintedTable) -> list[str]:
    """The header's upper row, with a rule below each title that columns share."""
    cells, rules, column = [], [], 1
    for shared, members in groupby(shared for shared, _ in table.header):
        width = len(list(members))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_latex_text(shared)}}}" if shared else " & ".join([""] * width))
        if shared:
            rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    return [_latex_row(cells), " ".join(rules)] if rules else []


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(cell: Cell) -> str:
    text = _latex_text(cell.text)
    return rf"\textbf{{{text}}}" if cell.bold else text


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)
