"""Alignment error rates of Kobayashi et al. 2020, as printed."""

import itertools

import pandas as pd
import pytest

from bert_attention.paper.kobayashi_table_alignment import format_table
from tests.paper.printed import published_rows, published_values, rows

PUBLISHED = published_values("kobayashi_alignment_summary")
BASELINES = published_rows("kobayashi", "alignment_baselines")
ALIGNERS = pd.DataFrame(
    {
        "aligner": "fast_align",
        "direction": ["source_to_target", "target_to_source", "symmetrised"],
        "aer": [0.1, 0.2, float("nan")],
        "low": [0.05, 0.15, float("nan")],
        "high": [0.15, 0.25, float("nan")],
        "n_train": 2500,
        "n": 500,
    }
)


def summary(model="m", seeds=1, rate=0.5):
    """Return a summary of one model: choices have layer 2, and head 3 if they are heads."""
    found = [{"statistic": "diagonal", "value": 0.6, "low": 0.5, "high": 0.7}]
    for setting, method in itertools.product(("awi", "awo"), ("weight", "norm")):
        names = [("layer_mean", None), *itertools.product(("best_layer", "best_head"), ("same_data", "held_out"))]
        if method == "norm":
            names += [(name, None) for name in ("highest_norm_layer", "highest_norm_head", "spearman", "pearson")]
            names += [("layer_mean_minus_weight", None), ("best_layer_minus_weight", None)]
        for statistic, selection in names:
            row = {"statistic": statistic, "selection": selection, "setting": setting, "method": method}
            of_any_sign = statistic in ("spearman", "pearson") or "minus" in statistic
            row["value"] = -0.25 if of_any_sign else rate + (selection == "held_out") / 4
            row |= {"low": row["value"] - 0.1, "high": row["value"] + 0.1}
            if selection or "highest" in statistic:
                row |= {"layer": 2, "head": 3 if "head" in statistic else None}
            found.append(row)
    return pd.DataFrame(found).assign(model=model, seeds=seeds)


@pytest.fixture
def printed():
    return format_table(summary(), ALIGNERS, PUBLISHED, BASELINES)


def test_every_statistic_stands_beside_its_published_number(printed):
    found = rows(printed)
    assert found["input word, norm: best layer"] == ["50.0 (40.0–60.0)", "75.0", "2", "25.0"]
    assert found["input word, norm: head of the highest norm"] == ["50.0 (40.0–60.0)", "—", "2-3", "35.5"]
    assert found["output word, weight: mean of the layers"] == ["50.0 (40.0–60.0)", "—", "—", "68.4"]
    assert found["output word, weight: best head"] == ["50.0 (40.0–60.0)", "75.0", "2-3", "—"]
    assert found["input word, norm: Spearman, norm and rate of heads"] == ["−0.25 (−0.35 to −0.15)", "—", "—", "−0.44"]
    assert found["input word, norm: best layer, minus that by weight"] == ["−25.0 (−35.0 to −15.0)", "—", "—", "—"]
    assert found["diagonal"] == ["60.0 (50.0–70.0)", "—", "—", "—"]
    assert len(found) == 2 * (3 + 9) + 5


def test_baselines_are_printed_with_their_provenance(printed):
    found = rows(printed)
    assert found["fast_align"] == ["10.0 (5.0–15.0)", "—", "—", "28.4"]
    assert found["fast_align, target to source"] == ["20.0 (15.0–25.0)", "—", "—", "—"]
    assert found["fast_align, symmetrised"] == ["—", "—", "—", "—"]
    assert found["GIZA++"] == ["—", "—", "—", "21.0"]
    assert any("trained on 2,500 pairs of sentences, the 500 aligned ones included" in note for note in printed.notes)
    assert "fast_align: README of lilt/alignment-scripts; that the paper prints it is recalled." in printed.notes
    assert any("one seed of five has 0.775" in note for note in printed.notes)


def test_of_several_seeds_the_mean_layer_is_printed():
    several = summary(seeds=2).assign(head=None).replace({"layer": {2: 1.5}})
    table = format_table(pd.concat([several, summary("o")]), ALIGNERS, PUBLISHED, BASELINES)
    found = rows(table)
    cells = ["50.0 (40.0–60.0)", "75.0"]
    assert found["input word, norm: best layer"] == [*cells, "1.5", *cells, "2", "25.0"]
    assert found["input word, norm: best head"] == [*cells, "1.5", *cells, "2-3", "—"]
    assert found["diagonal"][0] == "60.0 (50.0–70.0)"
    assert found["fast_align"] == [*["10.0 (5.0–15.0)", "—", "—"] * 2, "28.4"]
    assert [note for note in table.notes if "seeds" in note and "of five" not in note] == [
        "m: means of 2 seeds, each with its own choice, and of their layers; intervals cover seeds, too."
    ]
