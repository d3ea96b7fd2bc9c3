"""Printed tables in Markdown, LaTeX and Typst, and their cells."""

import pandas as pd
import pytest
import typst

from bert_attention.printing import layout
from bert_attention.printing.layout import Bold, PrintedTable
from bert_attention.printing.published_cells import model_name, note_on_recalled, published_cell
from bert_attention.statistics.forms import NO_VALUE, decimal, percent

TABLE = PrintedTable(
    [("", ["name"]), ("ours", ["a_1", "b"]), ("theirs", ["a"])],
    [[["x & y", Bold("5%"), "−1", "—"]], [["a|b", "1", "2", Bold("3")]]],
    ["One note.", "100%."],
)


def test_markdown():
    assert layout.as_markdown(TABLE).splitlines() == [
        "| name | ours a_1 | ours b | theirs a |",
        "| :-- | --: | --: | --: |",
        "| x & y | **5%** | −1 | — |",
        r"| a\|b | 1 | 2 | **3** |",
        "",
        "One note.  ",
        "100%.",
    ]


def test_latex():
    assert layout.as_latex(TABLE).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{ours} & \multicolumn{1}{c}{theirs} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-4}",
        r"name & a\_1 & b & a \\",
        r"\midrule",
        r"x \& y & \textbf{5\%} & $-$1 & --- \\",
        r"\midrule",
        r"a|b & 1 & 2 & \textbf{3} \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"{\footnotesize One note. 100\%.}",
    ]


def test_typst():
    lines = layout.as_typst(TABLE).splitlines()
    assert lines[3] == (
        "  table.header(table.cell(colspan: 1, []), "
        'table.cell(colspan: 2, align: center, "ours"), table.cell(colspan: 1, align: center, "theirs"), '
        "table.hline(start: 1, end: 3, stroke: 0.4pt), table.hline(start: 3, end: 4, stroke: 0.4pt), "
        '"name", "a_1", "b", "a",),'
    )
    assert lines[4:6] == ["  table.hline(stroke: 0.4pt),", '  "x & y", strong("5%"), "−1", "—",']
    assert '#let notes = ("One note.", "100%.",)' in lines


def test_a_table_without_shared_titles_or_notes():
    plain = PrintedTable([("", ["a", "b"])], [[["1", "{}~^\\$#"]]])
    assert layout.as_markdown(plain) == "| a | b |\n| :-- | --: |\n| 1 | {}~^\\$# |\n"
    row = r"1 & \{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$\# \\"
    assert layout.as_latex(plain).splitlines()[2:5] == [r"a & b \\", r"\midrule", row]
    assert typst.compile(layout.as_typst(plain).encode(), ignore_system_fonts=True).startswith(b"%PDF")


def test_numbers_and_intervals_as_text():
    assert layout.percent_with_interval(0.6514, 0.63, 1) == "65.1 (63.0–100.0)"
    assert layout.percent_with_interval(0.01, -0.02, 0.04) == "1.0 (0.0–4.0)"
    assert layout.share_with_interval(str, 0.99, 0.95, 1.03) == "0.99 (0.95–1.0)"
    assert layout.with_interval(percent, 0.99, -0.02, 1.03) == "99.0 (−2.0 to 103.0)"
    assert layout.percent_with_interval(0.99, float("nan"), float("nan")) == "99.0"
    assert percent(None) == decimal(1)(float("nan")) == NO_VALUE
    assert (percent(-0.051), decimal(2)(-0.34)) == ("−5.1", "−0.34")
    assert (percent(-0.0001), decimal(2)(-0.0004)) == ("0.0", "0.00")  # zero has no sign


PUBLISHED = pd.DataFrame(
    [("a", -0.25, "recalled", "cls", 0), ("b", 0.5, "official code", "sep", 0), ("c", 0.7, "official code", "sep", 1)],
    columns=["id", "value", "provenance", "category", "layer"],
)


def test_published_numbers_as_cells():
    def cell(**where):
        return published_cell(PUBLISHED, decimal(2), **where)

    assert (cell(category="cls"), cell(category="sep", layer=1)) == ("−0.25†", "0.70")
    assert cell(category="other") == cell(unheard_of=1) == NO_VALUE
    with pytest.raises(ValueError, match="2 published numbers have"):
        cell(category="sep")
    assert note_on_recalled(PUBLISHED) == ("†: cited from memory, not checked in the paper.",)
    assert note_on_recalled(PUBLISHED[1:]) == ()
    assert (model_name("google-bert/bert-base-uncased"), model_name("mine")) == ("bert-base-uncased", "mine")


@pytest.mark.parametrize("token", ["<s>", "[SEP]"])
def test_brackets_of_tokens_are_printed(token):
    """In Typst's markup, <s> is a label, which is not printed, and [SEP] is a block without its brackets."""
    source = layout.as_typst(PrintedTable([("", ["token"])], [[[token]]]))
    assert f'"{token}",' in source
