"""The classifier of patterns, and the tables about labels."""

import numpy as np
import pandas as pd
import pytest
import torch

from bert_attention.corpora.types import PATTERNS
from bert_attention.errors import InputError
from bert_attention.kovaleva.pattern_labels import (
    LabelledMaps,
    folds_by_head,
    label_tables,
    surest_examples,
    tables_of_labellings,
)
from bert_attention.models import pattern_classifier
from bert_attention.models.pattern_classifier import (
    images,
    images_of,
    new_network,
    probabilities,
    train,
    with_weights,
)
from bert_attention.statistics.tables import with_intervals
from tests.kovaleva.drawn_patterns import drawn_maps

MAPS, PATTERNS_OF_MAPS = drawn_maps(160, seed=1)
TRUE = {item.id: pattern for item, pattern in zip(MAPS, PATTERNS_OF_MAPS, strict=True)}


@pytest.fixture(scope="module")
def labelled():
    """The true patterns as the first pass; a second pass of half of the maps that takes every eighth for a block."""
    second = {i: "block" if i % 8 == 0 else TRUE[i] for i in range(1, 81)}
    return LabelledMaps.of(MAPS, {"first_pass": TRUE, "second_pass": second})


@pytest.fixture(scope="module")
def tables(labelled):
    return label_tables(labelled, seed=1)


def test_the_network_has_eight_convolutions():
    layers = list(new_network())
    assert sum(isinstance(layer, torch.nn.Conv2d) and layer.kernel_size == (3, 3) for layer in layers) == 8
    assert sum(isinstance(layer, torch.nn.ReLU) for layer in layers) == 8


def test_images_are_roots_in_units_of_the_largest_resized_by_area():
    attention = np.zeros((1, 96, 96))
    attention[0, 0, 0] = 0.25
    attention[0, 95, 95] = 1 / 16
    found = images(attention)
    assert found.shape == (1, 1, 48, 48)
    assert found[0, 0, 0, 0] == pytest.approx(1 / 4)  # one of four cells has the largest root
    assert found[0, 0, 47, 47] == pytest.approx(1 / 8)
    assert images(np.full((1, 5, 5), 0.2)).unique().tolist() == pytest.approx([1])


def test_the_classifier_learns_drawn_patterns(tables):
    scores = (
        tables["kovaleva_pattern_classifier"].whole.query("fold == 0 and method == 'classifier'").set_index("pattern")
    )
    assert scores.loc["macro", "f1"] > 0.85
    assert (scores["f1"] > 0.7).all()


def test_training_is_the_same_every_time_and_weights_make_the_same_network(monkeypatch):
    monkeypatch.setattr(pattern_classifier, "_EPOCHS", 4)
    inputs, targets = images_of([item.attention for item in MAPS[:40]]), np.eye(5)[np.arange(40) % 5]
    state = torch.get_rng_state()
    networks = [train(inputs, targets, seed) for seed in (1, 1, 2)]
    assert torch.equal(torch.get_rng_state(), state)
    first, second, other = (probabilities(network, inputs) for network in networks)
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
    assert np.array_equal(probabilities(with_weights(networks[0].state_dict()), inputs), first)
    assert first.sum(-1) == pytest.approx(np.ones(40))


def test_targets_are_shares_of_passes_and_the_reference_is_the_first(labelled):
    for item, target, reference in zip(labelled.maps, labelled.targets, labelled.reference, strict=True):
        given = [labels[item.id] for labels in labelled.passes.values() if item.id in labels]
        assert reference == TRUE[item.id] == given[0]
        assert target.tolist() == [given.count(pattern) / len(given) for pattern in PATTERNS]


def test_a_map_that_only_a_later_pass_labels_takes_part():
    first = {i: TRUE[i] for i in range(1, 100)}
    labelled = LabelledMaps.of(MAPS, {"mine": first, "theirs": {150: "diagonal"}})
    assert [item.id for item in labelled.maps] == [*range(1, 100), 150]
    assert labelled.reference[-1] == "diagonal"


@pytest.mark.parametrize("chosen", [[], [1, 2, 3], [i for i in TRUE if TRUE[i] == "block"]])
def test_too_few_labels_are_refused(chosen):
    with pytest.raises(InputError, match="label maps of at least 5 heads, of at least 2 patterns"):
        LabelledMaps.of(MAPS, {"first_pass": {i: TRUE[i] for i in chosen}})


def test_all_maps_of_a_head_are_in_one_fold(labelled):
    folds = folds_by_head(labelled, seed=4)
    places = pd.DataFrame({"fold": folds, "head": [(item.layer, item.head) for item in labelled.maps]})
    assert sorted(places["fold"].unique()) == [1, 2, 3, 4, 5]
    assert (places.groupby("head")["fold"].nunique() == 1).all()


def predictions_of(labelled):
    """A classifier that is always right, and rules that find blocks alone; maps of a head are of one fold."""
    return pd.DataFrame(
        {
            "map": [item.id for item in labelled.maps],
            "fold": labelled.heads % 5 + 1,
            "reference": labelled.reference,
            "classifier": labelled.reference,
            "rules": "block",
        }
    )


def test_scores_are_against_the_reference_by_method_and_fold(labelled):
    tables = tables_of_labellings(labelled, predictions_of(labelled))
    table = tables["kovaleva_pattern_classifier"].whole.set_index(["method", "fold", "pattern"])
    assert (table.loc["classifier"]["f1"].dropna() == 1).all()
    blocks = PATTERNS_OF_MAPS.count("block")
    row = table.loc[("rules", 0, "block")]
    assert (row["precision"], row["recall"], row["n"]) == (blocks / 160, 1, blocks)
    assert table.loc[("rules", 0, "macro"), "f1"] == pytest.approx(row["f1"] / 5)
    assert table.loc[("rules", 3, "macro"), "n"] == (labelled.heads % 5 == 2).sum()
    right = sum(labelled.passes["second_pass"][i] == TRUE[i] for i in range(1, 81))
    second = table.loc[("second_pass", 0)]
    assert second.loc["macro", "n"] == 80
    assert (second["recall"] * second["n"])[list(PATTERNS)].sum() == pytest.approx(right)
    confused = tables["kovaleva_pattern_confusion"].whole.set_index(["method", "reference", "predicted"])
    assert (confused.loc["rules"].query("predicted == 'block'")["share"] == 1).all()
    row = confused.loc[("second_pass", "vertical", "block")]
    numbers = [i for i in range(1, 81) if TRUE[i] == "vertical"]
    assert row["n"] == len(numbers)
    assert row["share"] == np.mean([i % 8 == 0 for i in numbers])


def test_agreement_counts_maps_of_both_passes(labelled):
    def agreement_of(some):
        return tables_of_labellings(some, predictions_of(some))["kovaleva_pattern_agreement"]

    (row,) = agreement_of(labelled).whole.itertuples()
    right = sum(labelled.passes["second_pass"][i] == TRUE[i] for i in range(1, 81))
    assert (row.first, row.second, row.n, row.agreement) == ("first_pass", "second_pass", 80, right / 80)
    alone = agreement_of(LabelledMaps.of(MAPS, {"first_pass": TRUE}))
    for table in (alone.whole, *alone.left_out):
        assert table["first"].tolist() == ["first_pass"]
        assert table["kappa"].isna().all()
    assert alone.whole["n"].tolist() == [160]


def test_a_pattern_that_few_heads_have_has_no_interval_and_takes_none_from_the_others(labelled):
    """Without the one block that has the pattern, nothing is known of it, nor of a mean that it is part of."""
    only = {i: "diagonal" if labelled.heads[i - 1] == 3 else "vertical" for i in TRUE}
    of_only = LabelledMaps.of(MAPS, {"first_pass": only})
    found = tables_of_labellings(of_only, predictions_of(of_only))["kovaleva_pattern_classifier"]
    table = with_intervals(found, "kovaleva_pattern_classifier").query("fold == 0").set_index(["method", "pattern"])
    assert table.loc[("rules", "diagonal"), "f1"] == 0
    assert table.loc[("classifier", ["diagonal", "macro"]), ["low", "high"]].isna().all(axis=None)
    assert table.loc[("classifier", "vertical"), ["low", "high"]].tolist() == [1, 1]


def test_the_surest_map_of_each_pattern_is_chosen_among_those_that_passes_agree_on(labelled):
    certainty = np.zeros((160, 5))
    short = [place for place, item in enumerate(labelled.maps) if len(item.attention) <= 40]
    place = next(p for p in short if PATTERNS_OF_MAPS[p] == "diagonal" and labelled.targets[p].max() == 1)
    certainty[place, PATTERNS.index("diagonal")] = 0.6
    disagreed = next(p for p in range(160) if TRUE[p + 1] == "diagonal" and labelled.targets[p].max() < 1)
    certainty[disagreed, PATTERNS.index("diagonal")] = 0.9
    rows = surest_examples(labelled, certainty).query("pattern == 'diagonal'")
    assert set(rows["map"]) == {place + 1}
    cells = rows.pivot_table(index="query", columns="key", values="weight").to_numpy()
    assert np.array_equal(cells, MAPS[place].attention)


def test_predictions_name_every_map_once(tables):
    predictions = tables["kovaleva_pattern_predictions"]
    assert predictions["map"].tolist() == list(range(1, 161))
    assert predictions["reference"].tolist() == PATTERNS_OF_MAPS
    assert predictions["probability"].between(0.2, 1).all()
