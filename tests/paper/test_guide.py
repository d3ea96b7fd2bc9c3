"""The guide to an edition's results."""

from pathlib import Path

import pandas as pd
import pytest

from bert_attention.paper.guide import results_guide
from bert_attention.results import results

COLUMNS = ["id", "paper", "label", "text", "finding", "counted", "verdict"]
BOARD = pd.DataFrame(
    [
        ("C01", "clark", "a head", "real", "confirmed", True, None),
        ("C02", "clark", "another", "generated", "confirmed", True, None),
        ("V01", "vig", "a third", "real", "not confirmed", True, None),
        ("V02", "vig", "the same again", "real", "not confirmed", False, None),
    ],
    columns=COLUMNS,
)


def test_findings_come_first(edition):
    lines = results_guide(edition, [], Path("results/a"), BOARD, {"bert": "[SEP] rests"}).splitlines()
    assert lines[2].startswith("No published number is compared")
    assert "Of 2 statements that were tested on real text, 1 is confirmed, 1 is not confirmed." in lines
    assert "In bert, [SEP] rests (the resting token; in BERT, [SEP])." in lines
    holding = lines.index("**Confirmed on real text, beyond what random weights show**")
    assert lines[holding + 2] == f"- {results().papers['clark']}: a head (C01)"
    assert holding < lines.index("**Not confirmed on real text**") < lines.index("## Models and corpora")


def test_the_guide_names_models_with_their_seeds_and_says_what_files_show(edition):
    (entry,) = edition["translation_models"]
    one = {key: value for key, value in entry.items() if key != "seeds"} | {"name": "one"}
    models = [one | {"name": "several", "seeds": [7, 9]}, one]
    printed, figure = "kobayashi_table_mixing", "kobayashi_figure_mixing"
    files = [Path(f"results/a/tables/{printed}.md"), Path(f"results/a/figures/{figure}.pdf")]
    guide = results_guide(
        edition | {"translation_models": models}, files, Path("results/a"), BOARD, {"bert": "[SEP] rests"}
    )
    lines = guide.splitlines()
    assert "- translation model several, trained from the seeds 7, 9, from `trained:miniature`" in lines
    assert "- translation model one, from `trained:miniature`" in lines
    assert f"- `tables/{printed}.md`: {results().shown[printed].caption}" in lines
    drawn = lines.index(f"- `figures/{figure}.pdf`: {results().shown[figure].caption}")
    assert drawn < lines.index("## Tables as printed")


@pytest.mark.parametrize("page", ["paper.pdf", "explorer.html", "explorer_opus-mt-de-en.html"])
def test_pages_are_no_figures(edition, page):
    guide = results_guide(edition, [Path(f"results/a/{page}")], Path("results/a"), BOARD, {})
    lines = guide.splitlines()
    (entry,) = [line for line in lines if line.startswith(f"- `{page}`: ")]
    assert lines.index("## Pages") < lines.index(entry) < lines.index("## Figures")
