"""Printed tables in Markdown, LaTeX and Typst."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import nan

from bert_attention.statistics.forms import percent
from bert_attention.tables import with_interval

# Special characters of LaTeX.
_LATEX_SPECIAL = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\N{EN DASH}": "--",
        "\N{EM DASH}": "---",
        "\N{MINUS SIGN}": "$-$",
        "\N{PLUS-MINUS SIGN}": r"$\pm$",
        "\N{DAGGER}": r"\dag{}",
    }
)

# Widths of rules in Typst, as in LaTeX's booktabs.
_THICK, _THIN = "0.8pt", "0.4pt"

NOT_LEARNED = "°"  # mark of a score of a model that has not learned its task


class Bold(str):
    """Text of a cell that is printed in bold."""


@dataclass(frozen=True)
class PrintedTable:
    """A table for print."""

    header: Sequence[tuple[str, Sequence[str]]]  # groups of columns: shared title, which can be empty, own titles
    groups: Sequence[Sequence[Sequence[str]]]  # rows, in groups that are separated by a rule; a row is its cells' texts
    notes: Sequence[str] = ()  # texts below the table

    @property
    def titles(self) -> list[str]:
        """The own titles of all columns."""
        return [title for _, titles in self.header for title in titles]

    @property
    def spans(self) -> list[tuple[str, int, int]]:
        """Each shared title, with the index of its first column and of the column after its last."""
        ends = accumulate(len(titles) for _, titles in self.header)
        return [(shared, end - len(titles), end) for (shared, titles), end in zip(self.header, ends, strict=True)]


def share_with_interval(form: Callable[[float], str], share: float, low: float = nan, high: float = nan) -> str:
    """Format a share and its 95% interval, clipped to 0 and 1, as :func:`with_interval`."""
    return with_interval(form, share, max(low, 0.0), min(high, 1.0))


def percent_with_interval(share: float, low: float, high: float) -> str:
    """Format a share and its 95% interval, clipped to 0 and 1, in percent, such as ``65.1 (63.0–67.2)``."""
    return share_with_interval(percent, share, low, high)


def as_markdown(table: PrintedTable) -> str:
    """Return the table in Markdown, with one title per column and no rules between groups."""
    titles = [f"{shared} {title}".strip() for shared, titles in table.header for title in titles]
    alignment = [":--", *["--:"] * (len(titles) - 1)]
    printed = [titles, alignment, *(row for group in table.groups for row in group)]
    rows = [_cells(row, lambda text: text.replace("|", r"\|"), "**%s**") for row in printed]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _cells(row: Sequence[str], escape: Callable[[str], str], bold: str) -> list[str]:
    """Return the cells of a row with special characters escaped and bold text in the pattern ``bold``."""
    return [bold % escape(cell) if isinstance(cell, Bold) else escape(cell) for cell in row]


def as_latex(table: PrintedTable) -> str:
    """Return the table as a LaTeX ``tabular`` with notes in small print. It needs the package ``booktabs``."""
    shared = [
        rf"\multicolumn{{{end - start}}}{{c}}{{{_latex_text(title)}}}" if title else " & " * (end - start - 1)
        for title, start, end in table.spans
    ]
    rules = [rf"\cmidrule(lr){{{start + 1}-{end}}}" for title, start, end in table.spans if title]
    groups = [[_latex_row(_cells(row, _latex_text, r"\textbf{%s}")) for row in group] for group in table.groups]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(table.titles) - 1)}}}",
        r"\toprule",
        *([_latex_row(shared), " ".join(rules)] if rules else []),
        _latex_row(map(_latex_text, table.titles)),
        *(line for rows in groups for line in (r"\midrule", *rows)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.notes:
        lines += ["", rf"{{\footnotesize {' '.join(map(_latex_text, table.notes))}}}"]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_text(text: str) -> str:
    return text.translate(_LATEX_SPECIAL)


def as_typst(table: PrintedTable) -> str:
    """Return the table as a Typst module. A file that includes the module shows ``body`` and ``notes``.

    ``table-of`` returns the table with a first column of a certain width.
    """
    columns = len(table.titles)
    cells, rules = "", ""
    for title, start, end in table.spans:
        content = f"align: center, {_typst_text(title)}" if title else "[]"
        cells += f"table.cell(colspan: {end - start}, {content}), "
        rules += f"table.hline(start: {start}, end: {end}, stroke: {_THIN}), " if title else ""
    shared = cells + rules if rules else ""
    header = shared + " ".join(f"{_typst_text(title)}," for title in table.titles)
    groups = [[f"  {', '.join(_cells(row, _typst_text, 'strong(%s)'))}," for row in group] for group in table.groups]
    lines = [
        "#let table-of(first) = table(",
        f"  columns: (first,) + (auto,) * {columns - 1}, align: (left,) + (right,) * {columns - 1}, stroke: none,",
        f"  table.hline(stroke: {_THICK}),",
        f"  table.header({header}),",
        *(line for rows in groups for line in (f"  table.hline(stroke: {_THIN}),", *rows)),
        f"  table.hline(stroke: {_THICK}),",
        ")",
        "#let body = table-of(auto)",
        f"#let notes = ({' '.join(f'{_typst_text(note)},' for note in table.notes)})",
        "#body",
        '#text(size: 0.85em, notes.join(" "))',
    ]
    return "\n".join(lines) + "\n"


def _typst_text(text: str) -> str:
    """Return a text as a string of Typst, in which no character is markup. Strings have the same escapes as in JSON."""
    return json.dumps(text, ensure_ascii=False)
