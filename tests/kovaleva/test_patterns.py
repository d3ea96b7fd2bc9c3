"""Shares of patterns on a task."""

from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva import patterns as module
from bert_attention.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.kovaleva.patterns import patterns, sums, table
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sums import Sums
from tests.kovaleva.drawn_patterns import drawn_attention

MAPS_OF = {"block": 5, "heterogeneous": 45}  # how many are labeled; 20 of other patterns
LAYERS, HEADS, TOKENS, SEPARATOR = 2, 3, 18, 8


def sequences(count, seed):
    """Inputs of two sentences whose six maps have known patterns, the first two of each vertical."""
    random = np.random.default_rng(seed)
    sep = np.isin(np.arange(TOKENS), [SEPARATOR, TOKENS - 1])
    kinds = ["vertical", *PATTERNS]
    maps = [np.stack([drawn_attention(kind, TOKENS, SEPARATOR, random) for kind in kinds]) for _ in range(count)]
    shape = (LAYERS, HEADS, TOKENS, TOKENS)
    return [SimpleNamespace(attention=attention.reshape(shape), categories={"sep": sep}) for attention in maps]


@pytest.fixture
def classifier(monkeypatch):
    """Stands in for the trained network: it is right, but takes every diagonal map for a heterogeneous one."""

    def probabilities(_classifier, inputs):
        kinds = np.tile([PATTERNS.index(kind) for kind in ["vertical", *PATTERNS]], len(inputs) // 6)
        kinds[kinds == PATTERNS.index("diagonal")] = PATTERNS.index("heterogeneous")
        return np.eye(5)[kinds]

    monkeypatch.setattr(module, "probabilities", probabilities)


def maps_of(before, after):
    """The table of one task, with its replicates."""
    found = tabulated(
        table, Sums.of((sums(*pair, None) for pair in zip(before, after, strict=True)), range(len(before)))
    )
    return joined({"rte": found})


def confusion_of(**taken_for_other):
    """The table of a labeller who is always right, but takes a share of one pattern for another."""
    shares = {(kind, kind): 1.0 for kind in PATTERNS}
    for reference, (predicted, share) in taken_for_other.items():
        shares |= {(reference, predicted): share, (reference, reference): 1 - share}
    cells = product(PATTERNS, PATTERNS)
    rows = [("classifier", *cell, shares.get(cell, 0.0), MAPS_OF.get(cell[0], 20)) for cell in cells]
    return pd.DataFrame(rows, columns=["method", "reference", "predicted", "share", "n"])


@pytest.mark.usefixtures("classifier")
def test_shares_by_classifier_rules_and_corrected():
    before, after = sequences(5, seed=1), sequences(5, seed=2)
    maps = maps_of(before, after).whole
    # As often as not, labeled diagonal maps were taken for heterogeneous ones; heterogeneous ones always recognized.
    found = patterns(maps, confusion_of(diagonal=("heterogeneous", 0.5)))
    shares = found.set_index(["model", "method", "pattern"])
    assert set(shares["task"]) == {"rte"} and set(shares["n"]) == {5}
    expected = {"vertical": 2 / 6, "diagonal": 0, "vertical_diagonal": 1 / 6, "block": 1 / 6, "heterogeneous": 2 / 6}
    for model, store in (("pretrained", before), ("finetuned", after)):
        of_model = shares.loc[model]
        joined = expected | {"block_or_heterogeneous": 3 / 6}
        assert of_model.loc["classifier", "share"].to_dict() == pytest.approx(joined)
        by_rules = Counter(PATTERNS[p] for s in store for p in patterns_by_rules(s.attention, SEPARATOR).ravel())
        by_rules["block_or_heterogeneous"] = by_rules["block"] + by_rules["heterogeneous"]
        assert of_model.loc["rules", "share"].to_dict() == pytest.approx({k: by_rules[k] / 30 for k in joined})
        # No map was taken for a diagonal one, though half of them would have been recognized: there can be few.
        assert of_model.loc[("corrected", "diagonal"), "share"] == pytest.approx(0, abs=0.2)
        assert of_model.loc["corrected", "share"].sum() == pytest.approx(1)
    disagreement = maps.query("model == 'finetuned'")
    assert set(disagreement["n"]) == {5}
    assert disagreement.groupby("classifier")["share"].sum().to_dict() == pytest.approx(expected)
    counts = disagreement.set_index(["classifier", "rules"])["share"]
    assert counts["heterogeneous", "diagonal"] == pytest.approx(1 / 6, abs=0.04)


@pytest.mark.usefixtures("classifier")
def test_errors_of_the_classifier_are_undone_with_block_and_heterogeneous_as_one():
    """Half of the vertical maps and a fifth of the heterogeneous ones are taken for others: solved by hand."""
    store = sequences(4, seed=3)
    confusion = confusion_of(vertical=("block", 0.5), heterogeneous=("vertical", 0.2), block=("heterogeneous", 0.9))
    table = patterns(maps_of(store, store).whole, confusion)
    corrected = table.query("model == 'finetuned' and method == 'corrected'").set_index("pattern")["share"]
    # Of the 50 maps that are block or heterogeneous, 9 are taken for vertical ones. Observed are vertical maps, 2/6 =
    # v/2 + 9/50 r, maps that are block or heterogeneous, 3/6 = v/2 + 41/50 r, and vertical + diagonal ones, 1/6.
    rest = (3 / 6 - 2 / 6) / (41 / 50 - 9 / 50)
    vertical = 2 * (2 / 6 - 9 / 50 * rest)
    expected = {"vertical": vertical, "diagonal": 0, "vertical_diagonal": 1 / 6, "block_or_heterogeneous": rest}
    assert corrected.to_dict() == pytest.approx(expected)


@pytest.mark.usefixtures("classifier")
def test_a_pattern_that_is_not_labeled_counts_as_always_recognized():
    store = sequences(2, seed=3)
    confusion = confusion_of()
    confusion.loc[confusion["reference"] == "diagonal", ["share", "n"]] = [np.nan, 0]
    table = patterns(maps_of(store, store).whole, confusion).set_index(["model", "method", "pattern"])["share"]
    for pattern in ("vertical", "diagonal", "vertical_diagonal", "block_or_heterogeneous"):
        assert table["finetuned", "corrected", pattern] == pytest.approx(table["finetuned", "classifier", pattern])
