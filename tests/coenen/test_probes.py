"""Attention probes: plain references, and known answers for treebanks and maps made for the tests."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

from bert_attention.errors import InputError
from bert_attention.papers.coenen import probes as module
from bert_attention.papers.coenen.columns import DIRECTIONS, NEGATIVES, OPTIMIZERS
from bert_attention.papers.coenen.pairs import related_pairs
from bert_attention.papers.coenen.probes import most_frequent_labels, predictions, probes
from bert_attention.statistics.sums import blocks_of, spread_sample
from tests.treebanks import InStore, random_sequences, random_trees, tree, with_syntactic_head

SYSTEM = ["probe", "negatives", "direction", "features", "optimizer"]


def replicates(train, dev, train_sequences, dev_sequences, **options):
    """The tables of two treebanks, with replicates; the encoder with random weights has other random maps."""
    random = (random_sequences(trees, 9) for trees in (train, dev))
    options = {"seed": 0, "fewest_share": 0.05} | options
    return probes(train, dev, train_sequences, dev_sequences, *random, **options)


def run(*arguments, **options):
    """The tables of two treebanks."""
    return {name: table.whole for name, table in replicates(*arguments, **options).items()}


def by_system(tables, optimizer=None):
    """The rows of ``coenen_probes`` by system, or of one optimizer."""
    found = tables["coenen_probes"].fillna({"negatives": "", "optimizer": ""}).set_index(SYSTEM).sort_index()
    return found.xs(optimizer, level="optimizer") if optimizer else found


# ---- the tables ----


@pytest.fixture(scope="module")
def trees():
    return random_trees(1, 60, forms=("a", "b", "c")), random_trees(2, 40, forms=("a", "b", "new"))


@pytest.fixture(scope="module")
def recorded(trees):
    """The tables of random maps, and the predictions of every probe, in their order."""
    predicted = []

    def record(*arguments):
        predicted.append(predictions(*arguments))
        return predicted[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "predictions", record)
        tables = replicates(*trees, *(random_sequences(part, seed) for seed, part in enumerate(trees)))
    return {name: table.whole for name, table in tables.items()}, predicted, tables


def test_there_is_a_row_for_every_probe(recorded):
    table = recorded[0]["coenen_probes"].fillna({"negatives": "", "optimizer": ""})
    tasks = [*(("binary", negatives) for negatives in NEGATIVES), ("relation", "")]
    expected = [
        (*task, direction, features, optimizer)
        for features, optimizers in OPTIMIZERS.items()
        for task in tasks
        for direction in DIRECTIONS
        for optimizer in optimizers
    ]
    expected += [("relation", "", direction, "dependent_form", "") for direction in DIRECTIONS]
    assert list(table[SYSTEM].itertuples(index=False, name=None)) == expected


def test_rows_of_relations_equal_their_definitions(recorded, trees):
    tables, predicted, replicated = recorded
    train, dev = related_pairs(trees[0], 60_000, 0), related_pairs(trees[1], 30_000, 1)  # all pairs
    probes = tables["coenen_probes"].fillna({"negatives": "", "optimizer": ""})
    trained = probes[probes["optimizer"] != ""]
    predicted_by = dict(zip(map(tuple, trained[SYSTEM].to_numpy()), predicted, strict=True))
    by_form = plain_predictions_by_form(trees[0], train, trees[1], dev)
    is_majority = dev.label == Counter(train.label.tolist()).most_common(1)[0][0]
    without_third = ~np.isin(dev.sentence, blocks_of(range(len(trees[1])))[2])
    replicate = by_system({name: table.left_out[2] for name, table in replicated.items()})
    relation_rows = tables["coenen_relations"].fillna({"optimizer": ""})
    for system, rows in relation_rows.groupby(["direction", "features", "optimizer"]):
        labels = predicted_by.get(("relation", "", *system), by_form)
        relations = rows["relation"].tolist()
        scores = precision_recall_fscore_support(dev.label, labels, labels=relations, zero_division=np.nan)
        assert rows[["precision", "recall", "f1", "n"]].to_numpy() == pytest.approx(np.stack(scores, 1), nan_ok=True)
        right = dev.label == labels
        for table, part in ((by_system(tables), slice(None)), (replicate, without_third)):
            row = table.loc[("relation", "", *system)]
            expected = [right[part].mean(), is_majority[part].mean(), len(right[part])]
            assert row[["accuracy", "majority", "n_test"]].tolist() == pytest.approx(expected)


def plain_predictions_by_form(train_trees, train, dev_trees, dev):
    """For each test pair the relation that its dependent's form most often has in training."""

    def forms(treebank, pairs):
        return [treebank[index].words[word].form for index, word in zip(pairs.sentence, pairs.first, strict=True)]

    seen, labels = forms(train_trees, train), train.label.tolist()
    predicted = []
    for form in forms(dev_trees, dev):
        of_form = [label for other, label in zip(seen, labels, strict=True) if other == form] or labels
        predicted.append(max(set(labels), key=lambda label: (of_form.count(label), labels.count(label))))
    return np.array(predicted)


def test_in_a_tie_a_form_has_the_label_that_is_most_frequent_overall():
    labels = np.array(["a", "b", "b", "a", "b", "c", "b"])
    assert most_frequent_labels([*"xxyyzzz"], labels, ["x", "y", "z", "new"]).tolist() == ["b"] * 4


@pytest.mark.parametrize(("column", "control"), [("gain", "distance_only"), ("gain_over_form", "dependent_form")])
def test_a_gain_is_over_a_control_on_the_same_pairs(recorded, column, control):
    table = by_system(recorded[0]).droplevel("optimizer")
    of_control = table.xs(control, level="features")["accuracy"]
    for (*system, _), row in table.iterrows():
        expected = row["accuracy"] - of_control.get(tuple(system), np.nan)  # the binary probe has no control by form
        assert row[column] == pytest.approx(expected, nan_ok=True)


def test_random_weights_are_tested_on_a_sample_of_the_sentences(trees, monkeypatch):
    predicted = []
    monkeypatch.setattr(module, "predictions", lambda *given: predicted.append(predictions(*given)) or predicted[-1])
    maps = [random_sequences(part, seed) for seed, part in enumerate(trees)]
    random_train, random_dev = (random_sequences(part, 9) for part in trees)
    units, blocks = spread_sample(blocks_of(range(len(random_dev))), 25)
    sampled = InStore([random_dev[unit] for unit in units], blocks)
    options = {"seed": 0, "fewest_share": 0.05}
    tables, whole = (
        {name: table.whole for name, table in probes(*trees, *maps, random_train, of_dev, **options).items()}
        for of_dev in (sampled, random_dev)
    )
    for name, table in tables.items():
        others = table["features"] != "random_model"
        pd.testing.assert_frame_equal(table[others], whole[name][others])

    found = tables["coenen_probes"].fillna({"negatives": "", "optimizer": ""})
    trained = found[found["optimizer"] != ""]
    predicted_by = dict(zip(map(tuple, trained[SYSTEM].to_numpy()), predicted[: len(trained)], strict=True))
    dev = related_pairs(trees[1], 30_000, 1)
    in_sample = np.isin(dev.sentence, units)
    by_form = plain_predictions_by_form(trees[0], related_pairs(trees[0], 60_000, 0), trees[1], dev)
    for direction in DIRECTIONS:
        system = ("relation", "", direction)
        labels = [
            predicted_by[*system, "random_model", "lbfgs"],
            predicted_by[*system, "distance_only", "lbfgs"][in_sample],
            by_form[in_sample],
        ]
        random, distance, form = (np.mean(dev.label[in_sample] == each) for each in labels)
        row = by_system(tables).loc[*system, "random_model", "lbfgs"]
        expected = [random, random - distance, random - form, in_sample.sum()]
        assert row[["accuracy", "gain", "gain_over_form", "n_test"]].tolist() == pytest.approx(expected)


def test_a_sample_without_pairs_is_an_error(trees):
    """The first sentence of either document is a single word, and the sample has no other sentence."""
    train = trees[0]
    dev = [replace(each, document=document) for document in (1, 2) for each in (tree([0]), *trees[1][:20])]
    units, blocks = spread_sample(blocks_of([sentence.document for sentence in dev]), 2)
    of_train, of_dev = random_sequences(train), random_sequences(dev)
    sampled = InStore([of_dev[unit] for unit in units], blocks)
    with pytest.raises(InputError, match=r"(?s)in the 2 sentences that random weights read.*larger control.sentences"):
        probes(train, dev, of_train, of_dev, of_train, sampled, seed=0, fewest_share=0.05)


def test_relations_need_enough_examples():
    train = [tree([2, 0, 2, 2], ["a", "root", "b", "c"])] * 20 + [tree([2, 0, 2], ["a", "root", "rare"])]
    sequences = random_sequences(train, 0)
    tables = run(train, train, sequences, sequences, fewest_share=20 / 63)
    assert set(tables["coenen_relations"]["relation"]) == {"a", "b", "c"}
    assert tables["coenen_relations"]["relation"].iloc[0] == "a"  # the most frequent
    assert tables["coenen_relations"].groupby("relation")["n_train"].first().tolist() == [21, 20, 20]
    assert tables["coenen_probes"].groupby("probe")["relations_left_out"].max().to_dict() == {
        "binary": 0,
        "relation": 1,
    }
    with pytest.raises(InputError, match="too few pairs of words for the probe 'relation'"):
        run(train, train, sequences, sequences, fewest_share=21 / 63)


def test_a_rerun_gives_the_same(recorded, trees):
    again = run(*trees, *(random_sequences(part, seed) for seed, part in enumerate(trees)))
    for name, table in recorded[0].items():
        pd.testing.assert_frame_equal(table, again[name])


# ---- known answers ----


def test_a_head_that_attends_to_the_syntactic_head_predicts_all_pairs(trees):
    sequences = [with_syntactic_head(part, random_sequences(part, seed)) for seed, part in enumerate(trees)]
    accuracy = by_system(run(*trees, *sequences), "lbfgs")["accuracy"].loc["binary"].unstack("features")
    attention = accuracy["attention"].unstack("direction")
    assert (attention["dependent_to_head"] == 1).all()
    assert (attention["head_to_dependent"] < 0.7).all()
    assert (accuracy["random_model"] < 0.7).all()


def test_distance_solves_a_language_of_fixed_offsets():
    """Words depend on the next one or on the one after that, each by a relation of its own."""
    heads, relations = [3, 3, 5, 5, 7, 7, 9, 9, 0], ["skip", "next"] * 4 + ["root"]
    train = [tree(heads, relations)] * 30
    sequences = random_sequences(train, 0)
    table = by_system(run(train, train[:20], sequences, sequences[:20]))
    accuracy = table["accuracy"].xs("distance_only", level="features")
    assert (accuracy.loc["relation"] == 1).all()
    assert (accuracy.loc[("binary", "same_distance")] == 0.5).all()


def test_a_maximum_number_of_pairs_is_drawn(trees):
    sequences = (random_sequences(part) for part in trees)
    table = run(*trees, *sequences, train_pairs=100, dev_pairs=80, relation_pairs=120)["coenen_probes"]
    pairs = table.groupby("probe")[["n_train", "n_test"]].max()
    assert (pairs.loc["binary"].tolist(), pairs.loc["relation"].tolist()) == ([100, 80], [120, 120])


@pytest.mark.parametrize("seed", [1, 2])
def test_the_relation_probe_uses_all_pairs_so_that_no_draw_changes_it(trees, seed):
    """The limits of the binary probe leave it alone, and another seed gives the same numbers."""
    train, dev = (sum(word.head > 0 for sentence in part for word in sentence.words) for part in trees)
    tables = [
        run(*trees, *(random_sequences(part) for part in trees), train_pairs=100, dev_pairs=80, seed=number)
        for number in (0, seed)
    ]
    first, second = (by_system(found, "lbfgs").loc["relation"] for found in tables)
    assert set(first["n_train"]) == {train}
    assert set(first["n_test"]) == {dev}
    fixed = [direction for direction in DIRECTIONS if direction != "either"]
    columns = ["accuracy", "gain", "gain_over_form"]
    pd.testing.assert_frame_equal(*(part[columns].loc[("", fixed), :] for part in (first, second)))


# ---- the classifier ----


def plain_logistic_regression(features, labels, steps=50):
    """Newton's method on the mean loss of labels 0 and 1, with an intercept, in float64: weights, intercept last."""
    inputs = np.hstack([features.astype(np.float64), np.ones((len(features), 1))])
    weights = np.zeros(inputs.shape[1])
    for _ in range(steps):
        probability = 1 / (1 + np.exp(-inputs @ weights))
        curvature = inputs.T @ (inputs * (probability * (1 - probability))[:, None])
        weights -= np.linalg.solve(curvature + 1e-6 * np.eye(len(weights)), inputs.T @ (probability - labels))
    return weights


def test_a_probe_is_logistic_regression():
    random = np.random.default_rng(0)
    mixed = random.normal(size=(4000, 6)) @ random.normal(size=(6, 6)) * np.logspace(-3, 1, 6) + 5
    labels = (mixed - 5) @ np.logspace(3, -1, 6) + 3 * random.normal(size=4000) > 0
    mixed = np.hstack([mixed, mixed[:, :1] + mixed[:, 1:2]])  # the last feature adds nothing
    train, other = mixed[:3000].astype(np.float32), mixed[3000:].astype(np.float32)
    deviation, mean = train.std(0), train.mean(0)
    weights = plain_logistic_regression((train - mean) / deviation, labels[:3000])
    scores = np.hstack([(other - mean) / deviation, np.ones((1000, 1))]) @ weights
    clear = np.abs(scores) > 0.1
    assert clear.mean() > 0.9
    assert (predictions(train, labels[:3000], other)[clear] == (scores > 0)[clear]).all()


def test_features_that_do_not_vary_leave_the_most_frequent_answer():
    assert predictions(np.ones((5, 3)), np.array(["a", "b", "b", "b", "a"]), np.zeros((2, 3))).tolist() == ["b", "b"]
