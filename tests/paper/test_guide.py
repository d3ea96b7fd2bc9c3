"""The guide to an edition's results."""

from pathlib import Path

import pandas as pd
import pytest

from bert_attention.paper.guide import results_guide
from bert_attention.results import results
from tests.paper.kinds_of_corpora import of_every_kind

COLUMNS = ["id", "paper", "label", "text", "finding", "counted", "verdict"]
BOARD = pd.DataFrame(
    [
        ("C01", "clark", "a head", "real", "confirmed", True, None),
        ("C02", "clark", "another", "silver", "confirmed", True, None),
        ("C03", "clark", "a chain", "stand-in", "", False, "not measured"),
        ("V01", "vig", "a third", "real", "not confirmed", True, None),
        ("V02", "vig", "the same again", "real", "not confirmed", False, None),
    ],
    columns=COLUMNS,
)


def test_findings_come_first(edition):
    said = {"bert": {"clark_resting_token": "[SEP]", "clark_attention_to_resting_token": "40.0 %"}}
    lines = results_guide(of_every_kind(edition), [], Path("results/a"), BOARD, said).splitlines()
    assert lines[2].startswith("No published number is compared")
    assert "Of 2 statements that were tested on real text, 1 is confirmed, 1 is not confirmed." in lines
    most = "[SEP] gets most attention of all special tokens, 40.0 % averaged over layers"
    assert f"In bert, {most} (the resting token; in BERT, [SEP])." in lines
    assert "The one statement that was tested on real text with automatic parses is confirmed." in lines
    assert "Claims that are only measured on stand-ins, and so not judged: 1." in lines
    assert "Stand-ins, on which nothing is judged: coreference, frames, word alignment." in lines
    assert any(line.startswith("Silver, which means parsed by a program: treebank, ") for line in lines)
    holding = lines.index("**Confirmed, beyond what random weights show**")
    assert lines[holding + 2] == f"- {results().papers['clark']}: a head (C01); another (C02, silver)"
    assert holding < lines.index("**Not confirmed**") < lines.index("## Models and corpora")


def test_the_guide_names_models_with_their_seeds_and_says_what_files_show(edition):
    edition = of_every_kind(edition)
    (entry,) = edition["translation_models"]
    one = {key: value for key, value in entry.items() if key != "seeds"} | {"name": "one"}
    models = [one | {"name": "several", "seeds": [7, 9]}, one]
    printed, figure = "kobayashi_table_mixing", "kobayashi_figure_mixing"
    files = [Path(f"results/a/tables/{printed}.md"), Path(f"results/a/figures/{figure}.pdf")]
    guide = results_guide(edition | {"translation_models": models}, files, Path("results/a"), BOARD, {})
    lines = guide.splitlines()
    assert "- translation model several, trained from the seeds 7, 9 (stand-in), from `trained:stand-in`" in lines
    assert "- translation model one (stand-in), from `trained:stand-in`" in lines
    assert f"- `tables/{printed}.md`: {results().shown[printed].caption}" in lines
    drawn = lines.index(f"- `figures/{figure}.pdf`: {results().shown[figure].caption}")
    assert drawn < lines.index("## Tables as printed")


@pytest.mark.parametrize("page", ["paper.pdf", "explorer.html", "explorer_opus-mt-de-en.html"])
def test_pages_are_no_figures(edition, page):
    guide = results_guide(edition, [Path(f"results/a/{page}")], Path("results/a"), BOARD, {})
    lines = guide.splitlines()
    (entry,) = [line for line in lines if line.startswith(f"- `{page}`: ")]
    assert lines.index("## Pages") < lines.index(entry) < lines.index("## Figures")
