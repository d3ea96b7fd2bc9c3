"""A printed table in Markdown, in LaTeX and in Typst."""

import json

import typst

from bert_attention.paper.layout import (
    Bold,
    PrintedTable,
    as_latex,
    as_markdown,
    as_typst,
    decimal,
    percent,
    percent_with_interval,
    share_with_interval,
    with_interval,
)

TABLE = PrintedTable(
    (("", "name"), ("ours", "a_1"), ("ours", "b"), ("theirs", "a")),
    (
        (("x & y", Bold("5%"), "\N{MINUS SIGN}1", "\N{EM DASH}"),),
        (("a|b", "1", "2", Bold("3")),),
    ),
    ("One note.", "100%."),
)


def test_markdown():
    assert as_markdown(TABLE).splitlines() == [
        "| name | ours a_1 | ours b | theirs a |",
        "| :-- | --: | --: | --: |",
        "| x & y | **5%** | \N{MINUS SIGN}1 | \N{EM DASH} |",
        r"| a\|b | 1 | 2 | **3** |",
        "",
        "One note.  ",
        "100%.",
    ]


def test_latex():
    assert as_latex(TABLE).splitlines() == [
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


def test_a_table_without_shared_titles_or_notes_is_plain():
    plain = PrintedTable((("", "a"), ("", "b")), ((("1", "{}~^\\$#"),),))
    assert as_markdown(plain) == "| a | b |\n| :-- | --: |\n| 1 | {}~^\\$# |\n"
    assert as_latex(plain).splitlines()[2:5] == [
        r"a & b \\",
        r"\midrule",
        r"1 & \{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$\# \\",
    ]


def test_fractions_stand_in_per_cent_and_missing_ones_as_dashes():
    assert percent_with_interval(0.6514, 0.63, 1) == "65.1 (63.0\N{EN DASH}100.0)"
    assert percent_with_interval(0.01, -0.02, 0.04) == "1.0 (0.0\N{EN DASH}4.0)"
    assert share_with_interval(str, 0.99, 0.95, 1.03) == "0.99 (0.95\N{EN DASH}1.0)"
    assert with_interval(percent, 0.99, -0.02, 1.03) == "99.0 (\N{MINUS SIGN}2.0 to 103.0)"
    assert percent_with_interval(0.99, float("nan"), float("nan")) == "99.0"
    assert percent(float("nan")) == "\N{EM DASH}"
    # What rounds to nothing has no sign.
    assert (percent(-0.051), percent(-0.0001)) == ("\N{MINUS SIGN}5.1", "0.0")
    assert (decimal(-0.34, 2), decimal(-0.0004, 2)) == ("\N{MINUS SIGN}0.34", "0.00")


def test_typst():
    assert as_typst(TABLE).splitlines() == [
        "#let body = table(",
        "  columns: 4, align: (left,) + (right,) * 3, stroke: none,",
        "  table.hline(stroke: 0.8pt),",
        "  table.header(table.cell(colspan: 1, []), "
        'table.cell(colspan: 2, align: center, "ours"), table.cell(colspan: 1, align: center, "theirs"), '
        "table.hline(start: 1, end: 3, stroke: 0.4pt), table.hline(start: 3, end: 4, stroke: 0.4pt), "
        '"name", "a_1", "b", "a",),',
        "  table.hline(stroke: 0.4pt),",
        '  "x & y", strong("5%"), "\N{MINUS SIGN}1", "\N{EM DASH}",',
        "  table.hline(stroke: 0.4pt),",
        '  "a|b", "1", "2", strong("3"),',
        "  table.hline(stroke: 0.8pt),",
        ")",
        '#let notes = ("One note.", "100%.",)',
        "#body",
        '#text(size: 0.85em, notes.join(" "))',
    ]


def test_typst_reads_a_text_as_it_is():
    text = '#let x = "1" \\ *b* _i_ $y$ @r <l> [c] // `m` ~ -- \n='
    plain = PrintedTable((("", text),), [[[Bold(text)]]], (text,))
    seen = typst.query(as_typst(plain).encode(), "strong", field="body", one=True)
    assert json.loads(seen)["text"] == text


def test_typst_takes_a_table_of_one_column_without_notes():
    plain = PrintedTable((("", "a"),), ((("1",),),))
    assert typst.compile(as_typst(plain).encode(), ignore_system_fonts=True).startswith(b"%PDF")
