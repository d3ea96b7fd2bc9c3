"""The legend of verdicts is one list, and all that shows verdicts shows this list."""

import pandas as pd
import pytest

from bert_attention.figures.scoreboard import LOOKS
from bert_attention.judging.legend import NOTES, NUMBERS, SMALLEST, STATEMENTS
from bert_attention.judging.words import as_page
from bert_attention.paper.judged_claims import judged_claims
from bert_attention.paper.page import results_page
from bert_attention.results import PAPERS, results
from bert_attention.tables import columns_of
from tests.conftest import ROOT

EMPTY = pd.DataFrame(columns=columns_of("scoreboard")).astype({"counted": bool})
MEANINGS = [verdict.meaning for known in (STATEMENTS, NUMBERS) for verdict in known.values()]


def test_the_docs_explain_each_verdict_in_the_same_words():
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    for kind, known in (("a number", NUMBERS), ("a statement", STATEMENTS)):
        for name, verdict in known.items():
            assert f"| {name} | {kind} | {verdict.meaning} |" in page


def test_scoreboard_and_page_have_the_whole_legend(edition, tmp_path):
    for text in (as_page(EMPTY, "mine"), results_page(edition, [], tmp_path, EMPTY, {})):
        shown = text.replace("&#39;", "'")
        assert [part for part in (*MEANINGS, *NOTES) if shown.count(part) != 1] == []


def test_the_paper_gets_the_legend_and_writes_no_verdicts_of_its_own():
    found = judged_claims(EMPTY, "m", ["m"], dict.fromkeys(results().papers, ""))
    assert [(row["name"], row["meaning"]) for row in found["verdicts"]] == [
        (name, verdict.meaning) for name, verdict in STATEMENTS.items()
    ]
    assert found["smallest"] == SMALLEST
    assert "1 point of a share" in SMALLEST
    report = [ROOT / "workflow" / "report" / name for name in ("paper.typ", "paper_look.typ")]
    template = "".join(path.read_text(encoding="utf-8") for path in (*report, *PAPERS.glob("*/section.typ")))
    for name in ("not specific to training", "true, perhaps not specific", "true, no control applies"):
        assert name not in template


@pytest.mark.parametrize("verdict", STATEMENTS)
def test_each_verdict_has_a_look_in_the_figure_and_a_style_on_the_page(verdict):
    assert [*LOOKS] == [*STATEMENTS]
    html = (ROOT / "workflow" / "bert_attention" / "paper" / "results_page.html").read_text(encoding="utf-8")
    assert f".fill-{STATEMENTS[verdict].style} " in html
    assert f".{STATEMENTS[verdict].style} {{" in html
