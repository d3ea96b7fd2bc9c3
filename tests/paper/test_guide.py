"""The guide to an edition's results."""

from pathlib import Path

import pandas as pd

from bert_attention.paper.guide import results_guide
from tests.paper.kinds_of_corpora import of_every_kind

BOARD = pd.DataFrame(
    [
        ("C01", "clark", "real", "confirmed", True, None),
        ("C02", "clark", "silver", "confirmed", True, None),
        ("C03", "clark", "stand-in", "", False, "not measured"),
        ("V01", "vig", "real", "not confirmed", True, None),
        ("V02", "vig", "real", "not confirmed", False, None),
    ],
    columns=["id", "paper", "text", "finding", "counted", "verdict"],
).assign(model="bert")


def guide_to(edition, *names):
    files = [Path("results/a") / name for name in names]
    said = {"bert": {"clark_resting_token": "[SEP]", "clark_attention_to_resting_token": "40.0%"}}
    return results_guide(edition, files, Path("results/a"), BOARD, said).splitlines()


def test_findings_come_first(edition):
    lines = guide_to(of_every_kind(edition))
    assert lines[2].startswith("No published number is compared")
    assert (
        "Of 2 findings that can be tested on this encoder and real text, 1 is confirmed, 1 is not confirmed." in lines
    )
    assert "1 statement is only measured on stand-ins, and gets no verdict." in lines
    assert "Stand-ins, on which nothing is judged: coreference, frames, word alignment." in lines
    assert any(line.startswith("Silver, which means parsed by a program: treebank, ") for line in lines)
    assert any(line.startswith("bert gives [SEP] the most attention of all special tokens: 40.0%") for line in lines)


def test_models_are_named_with_their_seeds(edition):
    edition = of_every_kind(edition)
    (entry,) = edition["translation_models"]
    one = {key: value for key, value in entry.items() if key != "seeds"} | {"name": "one"}
    lines = guide_to(edition | {"translation_models": [one | {"name": "several", "seeds": [7, 9]}, one]})
    assert "- translation model several, trained from the seeds 7, 9 (stand-in), from `trained:stand-in`" in lines
    assert "- translation model one (stand-in), from `trained:stand-in`" in lines


def test_pages_and_folders_are_listed_with_their_use_and_pictures_are_shown(edition):
    names = [
        "m/paper.pdf",
        "explorer_de-en.html",
        "m/tables/control/vig_patterns.csv",
        "m/figures/clark_figure_4_entropy.pdf",
    ]
    lines = guide_to(edition, *names, "m/figures/clark_figure_2_positions.png")
    listed = [line.partition("`: ")[0] for line in lines if line.startswith("- `")]
    assert {
        "- `index.html",
        "- `m/paper.pdf",
        "- `explorer_de-en.html",
        "- `m/figures/",
        "- `m/tables/control/",
    } == set(listed)
    (picture,) = [line for line in lines if line.startswith("![")]
    assert picture.endswith("(m/figures/clark_figure_2_positions.png)")
    assert len(lines) < 50
