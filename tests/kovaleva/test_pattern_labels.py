"""The classifier of patterns, and the tables about labels."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from bert_attention.corpora.types import PATTERNS
from bert_attention.errors import InputError
from bert_attention.kovaleva.pattern_labels import (
    LabeledMaps,
    folds_by_head,
    label_tables,
    surest_examples,
    tables_of_labelings,
)
from bert_attention.models import pattern_classifier
from bert_attention.statistics.tables import with_intervals
from tests.kovaleva.drawn_patterns import drawn_attention, drawn_maps

MAPS, PATTERNS_OF_MAPS = drawn_maps(160, seed=1)
NETWORKS = np.full((1, 160), "vertical")
TRUE = {item.id: pattern for item, pattern in zip(MAPS, PATTERNS_OF_MAPS, strict=True)}

PASSES = {"first_pass": TRUE, "second_pass": {i: "block" if i % 8 == 0 else TRUE[i] for i in range(1, 81)}}


@pytest.fixture(scope="module")
def labeled():
    """The true patterns as the first pass; a second pass of half of the maps that takes every eighth for a block."""
    return LabeledMaps.of(MAPS, PASSES)


@pytest.fixture(scope="module")
def tables(labeled):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_classifier, "_NETWORKS", 2)
        return label_tables(labeled, seed=1)


def test_the_classifier_learns_drawn_patterns(tables):
    scores = (
        tables["kovaleva_pattern_classifier"].whole.query("fold == 0 and method == 'classifier'").set_index("pattern")
    )
    assert scores.loc["macro", "f1"] > 0.75
    assert (scores["f1"] > 0.6).all()


def test_one_network_is_the_mean_of_all_with_the_spread_between_them(labeled):
    """Scores by scikit-learn of three networks that are wrong on other maps each."""
    random = np.random.default_rng(2)
    networks = np.where(random.random((3, 160)) < 0.8, PATTERNS_OF_MAPS, "diagonal")
    table = tables_of_labelings(labeled, predictions_of(labeled), networks)["kovaleva_pattern_classifier"].whole
    reference = list(labeled.reference)
    for_each = [f1_score(reference, network, labels=PATTERNS, average=None) for network in networks]
    right = (networks == PATTERNS_OF_MAPS).mean(1)
    rows = table.query("method == 'one_network'").set_index("pattern")
    assert rows.loc[list(PATTERNS), "f1"].tolist() == pytest.approx(np.mean(for_each, axis=0))
    assert rows.loc[list(PATTERNS), "f1_sd"].tolist() == pytest.approx(np.std(for_each, axis=0, ddof=1))
    assert rows.loc["macro", "f1_sd"] == pytest.approx(np.std(np.mean(for_each, axis=1), ddof=1))
    assert rows.loc["accuracy", ["f1", "f1_sd"]].tolist() == pytest.approx([np.mean(right), np.std(right, ddof=1)])
    assert set(rows["fold"]) == {0}
    assert table.query("method != 'one_network'")["f1_sd"].isna().all()


def test_targets_are_shares_of_passes(labeled):
    for item, target in zip(labeled.maps, labeled.targets, strict=True):
        given = labeled.labels.loc[item.id].dropna().tolist()
        assert target.tolist() == [given.count(pattern) / len(given) for pattern in PATTERNS]


@pytest.mark.parametrize(
    ("given", "reference"),
    [
        ("v", "vertical"),
        ("vd", "vertical"),
        ("vdd", "diagonal"),
        ("vbd", "vertical"),
        ("vvdd", "vertical"),
        ("dvv", "vertical"),
    ],
)
def test_the_reference_is_what_most_passes_say_or_the_first(given, reference):
    names = {"v": "vertical", "d": "diagonal", "b": "block"}
    passes = {f"pass_{number}": {**TRUE, 7: names[letter]} for number, letter in enumerate(given)}
    assert LabeledMaps.of(MAPS, passes).reference[6] == reference


def test_a_pass_that_decides_between_others_is_compared_with_none(labeled):
    decides = {i: TRUE[i] for i in range(1, 81) if i % 8 == 0 and TRUE[i] != "block"}
    passes = {**PASSES, "third_pass": decides}
    decided = LabeledMaps.of(MAPS, passes)
    assert decided.compared == ["first_pass", "second_pass"]
    found, without = (tables_of_labelings(some, predictions_of(some), NETWORKS) for some in (decided, labeled))
    assert found["kovaleva_pattern_agreement"].whole.equals(without["kovaleva_pattern_agreement"].whole)
    assert "third_pass" not in set(found["kovaleva_pattern_classifier"].whole["method"])
    of_more = {**decides, next(i for i in TRUE if i % 8): "vertical"}
    assert LabeledMaps.of(MAPS, {**passes, "third_pass": of_more}).compared == list(passes)


def test_a_map_that_only_a_later_pass_labels_takes_part():
    first = {i: TRUE[i] for i in range(1, 100)}
    labeled = LabeledMaps.of(MAPS, {"mine": first, "theirs": {150: "diagonal"}})
    assert [item.id for item in labeled.maps] == [*range(1, 100), 150]
    assert labeled.reference[-1] == "diagonal"


@pytest.mark.parametrize("chosen", [[], [1, 2, 3], [i for i in TRUE if TRUE[i] == "block"]])
def test_too_few_labels_are_refused(chosen):
    with pytest.raises(InputError, match="label maps of at least 5 heads, of at least 2 patterns"):
        LabeledMaps.of(MAPS, {"first_pass": {i: TRUE[i] for i in chosen}})


def test_all_maps_of_a_head_are_in_one_fold(labeled):
    folds = folds_by_head(labeled, seed=4)
    places = pd.DataFrame({"fold": folds, "head": [(item.layer, item.head) for item in labeled.maps]})
    assert sorted(places["fold"].unique()) == [1, 2, 3, 4, 5]
    assert (places.groupby("head")["fold"].nunique() == 1).all()


def predictions_of(labeled):
    """A classifier that is always right, and rules that find blocks alone; maps of a head are of one fold."""
    return pd.DataFrame(
        {
            "map": [item.id for item in labeled.maps],
            "fold": labeled.heads % 5 + 1,
            "reference": labeled.reference,
            "classifier": labeled.reference,
            "rules": "block",
        }
    )


def test_scores_are_against_the_reference_by_method_and_fold(labeled):
    tables = tables_of_labelings(labeled, predictions_of(labeled), NETWORKS)
    table = tables["kovaleva_pattern_classifier"].whole.set_index(["method", "fold", "pattern"]).sort_index()
    assert table.loc["classifier"]["f1"].dropna().tolist() == pytest.approx([1] * 48)
    blocks = PATTERNS_OF_MAPS.count("block")
    row = table.loc[("rules", 0, "block")]
    assert (row["precision"], row["recall"], row["n"]) == (blocks / 160, 1, blocks)
    assert table.loc[("rules", 0, "macro"), "f1"] == pytest.approx(row["f1"] / 5)
    assert table.loc[("rules", 0, "accuracy"), "f1"] == blocks / 160
    assert table.loc[("rules", 0, "weighted"), "f1"] == pytest.approx(row["f1"] * blocks / 160)
    assert table.loc[("rules", 3, "macro"), "n"] == (labeled.heads % 5 == 2).sum()
    right = sum(PASSES["second_pass"][i] == TRUE[i] for i in range(1, 81))
    second = table.loc[("second_pass", 0)]
    assert second.loc["macro", "n"] == 80
    assert (second["recall"] * second["n"])[list(PATTERNS)].sum() == pytest.approx(right)
    confused = tables["kovaleva_pattern_confusion"].whole.set_index(["method", "reference", "predicted"])
    assert (confused.loc["rules"].query("predicted == 'block'")["share"] == 1).all()
    row = confused.loc[("second_pass", "vertical", "block")]
    numbers = [i for i in range(1, 81) if TRUE[i] == "vertical"]  # by the first pass
    assert row["n"] == len(numbers)
    assert row["share"] == np.mean([i % 8 == 0 for i in numbers])


def test_agreement_counts_maps_of_both_passes(labeled):
    def agreement_of(some):
        return tables_of_labelings(some, predictions_of(some), NETWORKS)["kovaleva_pattern_agreement"]

    (row,) = agreement_of(labeled).whole.itertuples()
    right = sum(PASSES["second_pass"][i] == TRUE[i] for i in range(1, 81))
    assert (row.first, row.second, row.n, row.agreement) == ("first_pass", "second_pass", 80, right / 80)
    alone = agreement_of(LabeledMaps.of(MAPS, {"first_pass": TRUE}))
    for table in (alone.whole, *alone.left_out):
        assert table["first"].tolist() == ["first_pass"]
        assert table["kappa"].isna().all()
    assert alone.whole["n"].tolist() == [160]


def test_a_pattern_that_few_heads_have_has_no_interval_and_takes_none_from_the_others(labeled):
    """Without the one block that has the pattern, nothing is known of it, nor of a mean that it is part of."""
    only = {i: "diagonal" if labeled.heads[i - 1] == 3 else "vertical" for i in TRUE}
    assert Counter(only.values())["diagonal"] > 0.02 * 160
    of_only = LabeledMaps.of(MAPS, {"first_pass": only})
    found = tables_of_labelings(of_only, predictions_of(of_only), NETWORKS)["kovaleva_pattern_classifier"]
    table = with_intervals(found, "kovaleva_pattern_classifier").query("fold == 0").set_index(["method", "pattern"])
    assert table.loc[("rules", "diagonal"), "f1"] == 0
    assert table.loc[("classifier", ["diagonal", "macro"]), ["low", "high"]].isna().all(axis=None)
    for pattern in ("vertical", "accuracy", "weighted"):
        assert table.loc[("classifier", pattern), ["low", "high"]].tolist() == [1, 1]


def test_a_rare_pattern_is_left_out_of_the_macro_average(labeled):
    """Two of 160 maps are fewer than 2 %; the rules never find one of them, nor any vertical map."""
    rare = {i: "diagonal" if i < 3 else "vertical" for i in TRUE}
    of_rare = LabeledMaps.of(MAPS, {"first_pass": rare})
    predictions = predictions_of(of_rare).assign(classifier="vertical")
    table = tables_of_labelings(of_rare, predictions, NETWORKS)["kovaleva_pattern_classifier"]
    rows = with_intervals(table, "kovaleva_pattern_classifier").query("fold == 0").set_index(["method", "pattern"])
    vertical = rows.loc[("classifier", "vertical"), "f1"]
    assert vertical == pytest.approx(2 * 158 / (158 + 160))
    assert rows.loc[("classifier", "diagonal"), "f1"] == 0
    assert rows.loc[("classifier", "macro"), "f1"] == vertical
    assert rows.loc[("classifier", "macro"), ["low", "high"]].notna().all()
    assert rows.loc[("classifier", "weighted"), "f1"] == pytest.approx(vertical * 158 / 160)


def test_the_surest_map_of_each_pattern_is_chosen_among_those_that_passes_agree_on(labeled):
    certainty = np.zeros((160, 5))
    place = next(p for p in range(160) if PATTERNS_OF_MAPS[p] == "diagonal" and labeled.targets[p].max() == 1)
    certainty[place, PATTERNS.index("diagonal")] = 0.6
    disagreed = next(p for p in range(160) if TRUE[p + 1] == "diagonal" and labeled.targets[p].max() < 1)
    certainty[disagreed, PATTERNS.index("diagonal")] = 0.9
    rows = surest_examples(labeled, certainty).query("pattern == 'diagonal'")
    assert set(rows["map"]) == {place + 1}
    cells = rows.pivot_table(index="query", columns="key", values="weight").to_numpy()
    assert np.array_equal(cells, MAPS[place].attention)


def test_of_blocks_the_one_that_is_most_of_a_block_is_chosen_and_maps_of_many_tokens_are_not(labeled):
    random = np.random.default_rng(1)
    tokens, separator = 20, 9
    even, uneven = (drawn_attention("block", tokens, separator, random) for _ in range(2))
    uneven[:, 0] += 1  # much of the attention goes to [CLS]
    large = drawn_attention("block", 61, 30, random)
    attention = [uneven / uneven.sum(-1, keepdims=True), even, large]
    maps = [
        replace(item, attention=weights, separator=len(weights) // 2)
        for item, weights in zip(labeled.maps, attention, strict=False)
    ]
    only = LabeledMaps.of([*maps, *labeled.maps[3:]], {"mine": {i: "block" if i < 4 else "vertical" for i in TRUE}})
    certainty = np.ones((160, 5))
    assert set(surest_examples(only, certainty).query("pattern == 'block'")["map"]) == {2}


def test_predictions_name_every_map_once(tables):
    predictions = tables["kovaleva_pattern_predictions"]
    assert predictions["map"].tolist() == list(range(1, 161))
    assert predictions["reference"].tolist() == PATTERNS_OF_MAPS
    assert predictions["probability"].between(0.2, 1).all()
