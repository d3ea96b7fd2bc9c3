"""Printed tables in Markdown, LaTeX and Typst."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan

import pandas as pd

from bert_attention.tables import bounds_text

# Special characters of LaTeX.
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{MINUS SIGN}": "$-$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{DAGGER}": r"\dag{}",
} | {character: f"\\{character}" for character in "&%$#_{}"}

# Rules of tables in Typst, as in LaTeX's booktabs.
_THICK, _THIN = "0.8pt", "0.4pt"

NO_VALUE = "\N{EM DASH}"
NOT_LEARNED = "°"  # mark of a result of a model that has not learned its task


class Bold(str):
    """Text of a cell that is printed in bold."""


@dataclass(frozen=True)
class PrintedTable:
    """A table for print.

    Attributes
    ----------
    header
        Two titles for each column: a title shared with its neighbors, which may be empty, and its own title.
    groups
        The rows, in groups that a rule divides. A row is the texts of its cells.
    notes
        Texts that are printed below the table.
    """

    header: Sequence[tuple[str, str]]
    groups: Sequence[Sequence[Sequence[str]]]
    notes: Sequence[str] = ()


def percent(fraction: float) -> str:
    """Format a fraction in per cent without the sign, such as ``65.1``; a dash for NaN."""
    return NO_VALUE if pd.isna(fraction) else f"{100 * fraction:z.1f}".replace("-", "\N{MINUS SIGN}")


def decimal(value: float, places: int) -> str:
    """Format a number with ``places`` decimal places, such as ``−0.34``; a dash for NaN."""
    return NO_VALUE if pd.isna(value) else f"{value:z.{places}f}".replace("-", "\N{MINUS SIGN}")


def with_interval(form: Callable[[float], str], value: float, low: float = nan, high: float = nan) -> str:
    """Format a number and, if it has one, its 95 % interval by ``form``, such as ``0.65 (0.63–0.67)``."""
    return form(value) if pd.isna(low) else f"{form(value)} ({bounds_text(form(low), form(high))})"


def share_with_interval(form: Callable[[float], str], share: float, low: float = nan, high: float = nan) -> str:
    """Format a share and its 95 % interval, clipped to 0 and 1, as :func:`with_interval`."""
    return with_interval(form, share, max(low, 0.0), min(high, 1.0))


def percent_with_interval(share: float, low: float, high: float) -> str:
    """Format a share, not a difference, and its 95 % interval in per cent, such as ``65.1 (63.0–67.2)``."""
    return share_with_interval(percent, share, low, high)


def _shared_titles(table: PrintedTable) -> list[tuple[str, int, int]]:
    """Return each title that neighbors share, or "", with its first column, from 0, and the column after its last."""
    found: list[tuple[str, int, int]] = []
    for title, members in groupby(shared for shared, _ in table.header):
        start = found[-1][2] if found else 0
        found.append((title, start, start + len(list(members))))
    return found


def as_markdown(table: PrintedTable) -> str:
    """Return the table in Markdown, with one title per column and no rules between groups."""
    titles = [f"{shared} {own}".strip() for shared, own in table.header]
    rows = [map(_markdown_cell, row) for group in table.groups for row in group]
    alignment = [":--", *["--:"] * (len(titles) - 1)]
    lines = [_markdown_row(cells) for cells in (titles, alignment, *rows)]
    return "\n".join([*lines, "", *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _markdown_cell(text: str) -> str:
    return f"**{text}**" if isinstance(text, Bold) else text


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def as_latex(table: PrintedTable) -> str:
    """Return the table as a LaTeX ``tabular`` with notes in small print. It needs the package ``booktabs``."""
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
    """Return the upper row of the header, with a rule below each shared title; empty if no titles are shared."""
    titles = _shared_titles(table)
    cells = [
        rf"\multicolumn{{{end - start}}}{{c}}{{{_latex_text(title)}}}" if title else " & " * (end - start - 1)
        for title, start, end in titles
    ]
    rules = [rf"\cmidrule(lr){{{start + 1}-{end}}}" for title, start, end in titles if title]
    return [_latex_row(cells), " ".join(rules)] if rules else []


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(text: str) -> str:
    return rf"\textbf{{{_latex_text(text)}}}" if isinstance(text, Bold) else _latex_text(text)


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def as_typst(table: PrintedTable) -> str:
    """Return the table as a Typst module with ``body`` and ``notes``. Where the file is included, it shows both."""
    columns = len(table.header)
    shared = _typst_shared_titles(table)
    titles = "".join(f"{typst_string(own)}, " for _, own in table.header)
    header = f"table.header({shared}{titles.rstrip()})"
    groups = [[f"{', '.join(map(_typst_cell, row))}," for row in group] for group in table.groups]
    body = [
        f"columns: {columns}, align: (left,) + (right,) * {columns - 1}, stroke: none,",
        f"table.hline(stroke: {_THICK}),",
        f"{header},",
        *(line for group in groups for line in (f"table.hline(stroke: {_THIN}),", *group)),
        f"table.hline(stroke: {_THICK}),",
    ]
    lines = [
        "#let body = table(",
        *(f"  {line}" for line in body),
        ")",
        f"#let notes = ({''.join(f'{typst_string(note)}, ' for note in table.notes).rstrip()})",
        "#body",
        '#text(size: 0.85em, notes.join(" "))',
    ]
    return "\n".join(lines) + "\n"


def typst_string(text: str) -> str:
    """Return a text as a string of Typst, in which no character is markup."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def _typst_shared_titles(table: PrintedTable) -> str:
    """Return the upper row of the header, with a rule below each shared title; empty if no titles are shared."""
    cells, rules = "", ""
    for title, start, end in _shared_titles(table):
        content = f"align: center, {typst_string(title)}" if title else "[]"
        cells += f"table.cell(colspan: {end - start}, {content}), "
        rules += f"table.hline(start: {start}, end: {end}, stroke: {_THIN}), " if title else ""
    return cells + rules if rules else ""


def _typst_cell(text: str) -> str:
    return f"strong({typst_string(text)})" if isinstance(text, Bold) else typst_string(text)
