"""The classifier of patterns, and the tables about labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from bert_attention.corpora.types import PATTERNS
from bert_attention.errors import InputError
from bert_attention.models import pattern_classifier
from bert_attention.models.pattern_classifier import images_of, probabilities
from bert_attention.paper.numbers import number_texts
from bert_attention.papers import paper
from bert_attention.papers.kovaleva import pattern_labels
from bert_attention.papers.kovaleva.pattern_labels import (
    LabeledMaps,
    label_tables,
    tables_of_labelings,
    trained_classifier,
    typical_maps,
)
from bert_attention.results import results
from bert_attention.statistics.measures import ResultTables, TableReader
from bert_attention.statistics.tables import with_intervals
from tests.kovaleva.drawn_patterns import drawn_attention, drawn_maps

MAPS, PATTERNS_OF_MAPS = drawn_maps(160, seed=1)
TRUE = dict(enumerate(PATTERNS_OF_MAPS, start=1))
# The second pass labels half of the maps, and takes every eighth map for a block.
PASSES = {"first_pass": TRUE, "second_pass": {i: "block" if i % 8 == 0 else TRUE[i] for i in range(1, 81)}}
RIGHT = sum(PASSES["second_pass"][i] == TRUE[i] for i in range(1, 81))
LABELED = LabeledMaps.of(MAPS, PASSES)
# Three networks that are wrong on different maps
NETWORKS = np.where(np.random.default_rng(2).random((3, 160)) < 0.8, PATTERNS_OF_MAPS, "diagonal")


def tables_of(labeled, **columns):
    """Return the tables for a classifier that is always right and rules that find only blocks, or other columns."""
    columns = {"classifier": labeled.reference, "rules": "block"} | columns
    predictions = pd.DataFrame({"fold": labeled.heads % 5 + 1, "reference": labeled.reference, **columns})
    return tables_of_labelings(labeled, predictions, NETWORKS)


def intervals_of(tables):
    table = with_intervals(tables["kovaleva_pattern_classifier"], "kovaleva_pattern_classifier")
    return table.query("fold == 0").set_index(["method", "pattern"])


@pytest.fixture(scope="module")
def tables():
    return {name: table.whole for name, table in tables_of(LABELED).items()}


def test_the_classifier_learns_drawn_patterns(monkeypatch):
    monkeypatch.setattr(pattern_classifier, "_NETWORKS", 1)
    classifier = trained_classifier(LABELED, seed=1)
    maps, patterns = drawn_maps(60, seed=2)
    found = np.array(PATTERNS)[probabilities(classifier, images_of([item.attention for item in maps])).argmax(-1)]
    assert f1_score(patterns, found, average="macro") > 0.75


def test_predictions_and_scores_are_made_on_held_out_maps(monkeypatch):
    def held_out(inputs, targets, folds, sentences, seed):
        """Stand in for networks that take each map's first label for certain; the second network is always wrong."""
        assert inputs.shape == (160, 1, 48, 48)
        assert sorted(set(folds)) == [1, 2, 3, 4, 5]
        assert (pd.Series(folds).groupby(LABELED.heads).nunique() == 1).all()
        assert sentences.tolist() == [f"rte/{number}" for number in TRUE]
        right = np.eye(5)[[PATTERNS.index(pattern) for pattern in PATTERNS_OF_MAPS]]
        return np.stack([0.9 * right + 0.02, (1 - right) / 4])

    monkeypatch.setattr(pattern_labels, "held_out_probabilities", held_out)
    tables = label_tables(LABELED, seed=1)
    predictions = tables["kovaleva_pattern_predictions"]
    assert predictions["map"].tolist() == list(TRUE)
    assert predictions["reference"].tolist() == predictions["classifier"].tolist() == PATTERNS_OF_MAPS
    assert predictions["probability"].tolist() == pytest.approx([0.46] * 160)
    scores = tables["kovaleva_pattern_classifier"].whole.set_index(["method", "fold", "pattern"])["f1"]
    assert scores["classifier", 0, "accuracy"] == 1
    assert scores["one_network", 0, "accuracy"] == 0.5


def test_the_score_of_one_network_is_the_mean_over_networks_with_their_spread(tables):
    table = tables["kovaleva_pattern_classifier"]
    by_network = [f1_score(LABELED.reference, network, labels=PATTERNS, average=None) for network in NETWORKS]
    right = (NETWORKS == PATTERNS_OF_MAPS).mean(1)
    rows = table.query("method == 'one_network'").set_index("pattern")
    assert rows.loc[list(PATTERNS), "f1"].tolist() == pytest.approx(np.mean(by_network, axis=0))
    assert rows.loc[list(PATTERNS), "f1_sd"].tolist() == pytest.approx(np.std(by_network, axis=0, ddof=1))
    assert rows.loc["macro", "f1_sd"] == pytest.approx(np.std(np.mean(by_network, axis=1), ddof=1))
    assert rows.loc["accuracy", ["f1", "f1_sd"]].tolist() == pytest.approx([np.mean(right), np.std(right, ddof=1)])
    assert table.query("method != 'one_network'")["f1_sd"].isna().all()


@pytest.mark.parametrize(
    ("letters", "reference"),
    [("v", "vertical"), ("vd", "vertical"), ("vdd", "diagonal"), ("vbd", "vertical"), ("vvdd", "vertical")],
)
def test_the_reference_is_the_label_of_most_passes_or_the_first_and_targets_are_shares(letters, reference):
    names = {"v": "vertical", "d": "diagonal", "b": "block"}
    passes = {f"pass_{number}": {**TRUE, 7: names[letter]} for number, letter in enumerate(letters)}
    labeled = LabeledMaps.of(MAPS, passes)
    assert labeled.reference[6] == reference
    shares = {names[letter]: letters.count(letter) / len(letters) for letter in letters}
    assert labeled.targets[6].tolist() == [shares.get(pattern, 0) for pattern in PATTERNS]


def test_a_pass_that_decides_between_others_is_not_compared():
    decides = {i: TRUE[i] for i in range(1, 81) if PASSES["second_pass"][i] != TRUE[i]}
    assert LabeledMaps.of(MAPS, {**PASSES, "third_pass": decides}).compared == ["first_pass", "second_pass"]
    more = {**decides, 1: "vertical"}
    assert LabeledMaps.of(MAPS, {**PASSES, "third_pass": more}).compared == [*PASSES, "third_pass"]


@pytest.mark.parametrize("chosen", [[], [1, 2, 3], [i for i in TRUE if TRUE[i] == "block"]])
def test_too_few_labels_are_an_error(chosen):
    with pytest.raises(InputError, match="label maps of at least 5 heads and at least 2 patterns"):
        LabeledMaps.of(MAPS, {"first_pass": {i: TRUE[i] for i in chosen}})


def test_scores_compare_each_method_and_fold_with_the_reference(tables):
    table = tables["kovaleva_pattern_classifier"].set_index(["method", "fold", "pattern"]).sort_index()
    assert set(table.loc["classifier"]["f1"].dropna()) == {1}
    blocks = PATTERNS_OF_MAPS.count("block")
    row = table.loc[("rules", 0, "block")]
    assert (row["precision"], row["recall"], row["n"]) == (blocks / 160, 1, blocks)
    averages = table.loc[[("rules", 0, name) for name in ("macro", "accuracy", "weighted")], "f1"].tolist()
    assert averages == pytest.approx([row["f1"] / 5, blocks / 160, row["f1"] * blocks / 160])
    assert table.loc[("rules", 3, "macro"), "n"] == (LABELED.heads % 5 == 2).sum()
    second = table.loc[("second_pass", 0)]
    assert second.loc["macro", "n"] == 80
    assert (second["recall"] * second["n"])[list(PATTERNS)].sum() == pytest.approx(RIGHT)
    confused = tables["kovaleva_pattern_confusion"].set_index(["method", "reference", "predicted"])
    assert (confused.loc["rules"].query("predicted == 'block'")["share"] == 1).all()
    numbers = [i for i in range(1, 81) if TRUE[i] == "vertical"]
    share = np.mean([i % 8 == 0 for i in numbers])
    assert confused.loc[("second_pass", "vertical", "block"), ["share", "n"]].tolist() == [share, len(numbers)]


def test_agreement_counts_maps_of_both_passes(tables):
    (row,) = tables["kovaleva_pattern_agreement"].itertuples()
    assert (row.first, row.second, row.n, row.agreement) == ("first_pass", "second_pass", 80, RIGHT / 80)
    disjoint = {f"pass_{half}": {i: TRUE[i] for i in TRUE if i % 2 == half} for half in (1, 0)}
    found = tables_of(LabeledMaps.of(MAPS, disjoint))["kovaleva_pattern_agreement"]
    assert all(table["kappa"].isna().all() and len(table) == 1 for table in (found.whole, *found.left_out))
    assert found.whole[["first", "n"]].to_numpy().tolist() == [["pass_1", 160]]


@pytest.mark.parametrize("passes", [PASSES, {"first_pass": TRUE}])
def test_prose_and_captions_say_how_many_maps_are_labeled(passes):
    """Two passes may share few maps. A single pass has no kappa."""
    tables = tables_of(LabeledMaps.of(MAPS, passes))
    texts = number_texts([paper("kovaleva")], tables.get, ["kovaleva_labeled_maps", "kovaleva_kappa"])
    assert texts["kovaleva_labeled_maps"] == "160"
    assert ("kovaleva_kappa" in texts) == (len(passes) > 1)
    for name in ("kovaleva_figure_1_patterns", "kovaleva_table_patterns"):
        counted = results().shown[name].counted
        rows = ResultTables(TableReader(tables.__getitem__)).rows(counted["table"], **counted.get("where", {}))
        assert rows["n"].tolist() == [160]


def test_a_pattern_of_one_head_has_no_interval_but_the_other_patterns_have_one():
    """Without the one block that has the pattern, its score and the macro average are unknown."""
    only = {i: "diagonal" if LABELED.heads[i - 1] == 3 else "vertical" for i in TRUE}
    tables = tables_of(LabeledMaps.of(MAPS, {"first_pass": only}))
    macro = tables["kovaleva_pattern_classifier"].whole.query("method == 'classifier' and pattern == 'macro'")
    assert macro["f1"].tolist() == [1] * 6  # also in folds without the pattern
    rows = intervals_of(tables)
    assert rows.loc[("rules", "diagonal"), "f1"] == 0
    assert rows.loc[("classifier", ["diagonal", "macro"]), ["low", "high"]].isna().all(axis=None)
    assert (rows.loc[("classifier", ["vertical", "accuracy", "weighted"]), ["low", "high"]] == 1).all(axis=None)


def test_a_rare_pattern_is_left_out_of_the_macro_average():
    rare = {i: "diagonal" if i < 3 else "vertical" for i in TRUE}  # 2 of 160
    rows = intervals_of(tables_of(LabeledMaps.of(MAPS, {"first_pass": rare}), classifier="vertical")).loc["classifier"]
    vertical = rows.loc["vertical", "f1"]
    assert vertical == pytest.approx(2 * 158 / (158 + 160))
    assert rows.loc[["diagonal", "macro"], "f1"].tolist() == [0, vertical]
    assert rows.loc["macro", ["low", "high"]].notna().all()
    assert rows.loc["weighted", "f1"] == pytest.approx(vertical * 158 / 160)


def test_typical_maps_are_small_and_probable_and_all_passes_agree_on_them():
    """For blocks, the measure of the rules stands in for the probability."""
    random = np.random.default_rng(1)
    even, uneven = (drawn_attention("block", 20, 10, random) for _ in range(2))
    even += 0.01
    uneven[:, 0] += 1  # attention to [CLS]
    blocks = [uneven, even, drawn_attention("block", 61, 30, random)]  # from the worst to the best
    attention = [block / block.sum(-1, keepdims=True) for block in blocks]
    drawn = zip(MAPS, attention, strict=False)
    maps = [replace(item, attention=each, separator=len(each) // 2) for item, each in drawn]
    first = {i: "block" if i < 4 else "diagonal" for i in TRUE}
    labeled = LabeledMaps.of([*maps, *MAPS[3:]], {"first": first, "second": {4: "vertical"}})
    diagonal = np.zeros((160, 5))
    diagonal[[3, 4], PATTERNS.index("diagonal")] = [0.9, 0.6]
    found = typical_maps(labeled, diagonal)
    assert found.groupby("pattern")["map"].unique().map(list).to_dict() == {"block": [2], "diagonal": [5]}
    assert found.query("map == 2")["weight"].tolist() == attention[1].ravel().tolist()
