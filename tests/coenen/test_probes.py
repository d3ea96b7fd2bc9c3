"""Attention probes: plain references, and known answers of treebanks and maps that are made for them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

from bert_attention.coenen import probes as module
from bert_attention.coenen.column_values import DIRECTIONS, FEATURES, NEGATIVES, OPTIMIZERS
from bert_attention.coenen.pair_vectors import distance_vectors
from bert_attention.coenen.pairs import binary_pairs, related_pairs
from bert_attention.coenen.probes import most_frequent_labels, predictions, probes, whitened
from bert_attention.errors import InputError
from bert_attention.statistics.sums import blocks_of
from tests.treebanks import random_sequences, random_trees, tree, with_syntactic_head

SYSTEM = ["probe", "negatives", "direction", "features", "optimizer"]


def replicates(train, dev, train_sequences, dev_sequences, **options):
    """The tables of two treebanks, with replicates; random weights are new random maps."""
    random = (random_sequences(trees, 9) for trees in (train, dev))
    options = {"seed": 0, "fewest_examples": 20} | options
    return probes(train, dev, train_sequences, dev_sequences, *random, **options)


def run(*arguments, **options):
    """The tables of two treebanks."""
    return {name: table.whole for name, table in replicates(*arguments, **options).items()}


def by_system(tables, optimizer=None):
    """The rows of ``coenen_probes`` by system; if it is given, those of one optimizer."""
    found = tables["coenen_probes"].fillna({"negatives": "", "optimizer": ""}).set_index(SYSTEM).sort_index()
    return found.xs(optimizer, level="optimizer") if optimizer else found


# ---- the tables ----


@pytest.fixture(scope="module")
def trees():
    return random_trees(1, 60, forms=("a", "b", "c")), random_trees(2, 40, forms=("a", "b", "new"))


@pytest.fixture(scope="module")
def recorded(trees):
    """The tables of random maps, and what every probe predicted, in their order."""
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
    assert set(table["features"]) == set(FEATURES)


def test_rows_of_relations_equal_their_definitions(recorded, trees):
    tables, predicted, replicated = recorded
    dev = related_pairs(trees[1], 30_000, 1)
    probes = tables["coenen_probes"].fillna({"negatives": "", "optimizer": ""})
    trained = probes[probes["optimizer"] != ""]
    answers = dict(zip(map(tuple, trained[SYSTEM].to_numpy()), predicted, strict=True))
    of_forms = plain_answers_of_forms(trees[0], related_pairs(trees[0], 60_000, 0), trees[1], dev)
    without_third = ~np.isin(dev.sentence, blocks_of(range(len(trees[1])))[2])
    of_relations = tables["coenen_relations"].fillna({"optimizer": ""})
    for where, rows in of_relations.groupby(["direction", "features", "optimizer"]):
        answer = answers.get(("relation", "", *where), of_forms)
        relations = rows["relation"].tolist()
        scores = precision_recall_fscore_support(dev.label, answer, labels=relations, zero_division=np.nan)
        assert rows[["precision", "recall", "f1", "n"]].to_numpy() == pytest.approx(np.stack(scores, 1), nan_ok=True)
        right = dev.label == answer
        row = by_system(tables).loc[("relation", "", *where)]
        assert (row["accuracy"], row["n_test"]) == (pytest.approx(right.mean()), len(dev))
        without = by_system({name: table.left_out[2] for name, table in replicated.items()})
        row = without.loc[("relation", "", *where)]
        assert (row["accuracy"], row["n_test"]) == (pytest.approx(right[without_third].mean()), without_third.sum())


def plain_answers_of_forms(train_trees, train, dev_trees, dev):
    """For each test pair the relation that its dependent's form most often has in training."""

    def forms(treebank, pairs):
        return [treebank[place].words[word].form for place, word in zip(pairs.sentence, pairs.first, strict=True)]

    seen, labels = forms(train_trees, train), train.label.tolist()
    answers = []
    for form in forms(dev_trees, dev):
        of_form = [label for other, label in zip(seen, labels, strict=True) if other == form] or labels
        answers.append(max(set(labels), key=lambda label: (of_form.count(label), labels.count(label))))
    return np.array(answers)


@pytest.mark.parametrize(("column", "control"), [("gain", "distance_only"), ("gain_over_form", "dependent_form")])
def test_a_gain_is_over_a_control_on_the_same_pairs(recorded, column, control):
    table = by_system(recorded[0]).droplevel("optimizer")
    of_control = table.xs(control, level="features")["accuracy"]
    for (*system, _), row in table.iterrows():
        expected = row["accuracy"] - of_control.get(tuple(system), np.nan)  # only relations are told from forms
        assert row[column] == pytest.approx(expected, nan_ok=True)


def test_a_form_has_its_most_frequent_label_and_a_new_one_that_of_all():
    seen = {"the": ["det", "det", "obj"], "cow": ["obj", "obj", "nsubj"], "her": ["obj", "det"], "a": ["det", "det"]}
    forms = [form for form, labels in seen.items() for _ in labels]
    labels = np.array([label for labels in seen.values() for label in labels])
    found = most_frequent_labels(forms, labels, ["cow", "the", "her", "new"])
    assert found.tolist() == ["obj", "det", "det", "det"]


def test_majority_is_the_most_frequent_answer(trees):
    train = [tree([2, 0, 2, 2], ["a", "root", "a", "b"])] * 20
    dev = [tree([2, 0, 2, 2], ["b", "root", "a", "b"])] * 20
    sequences = [random_sequences(part, 0) for part in (train, dev)]
    table = by_system(run(train, dev, *sequences))
    assert table.loc["binary", "majority"].tolist() == [0.5] * 24
    assert table.loc["relation", "majority"].tolist() == pytest.approx([1 / 3] * 15)


def test_relations_need_enough_examples():
    train = [tree([2, 0, 2, 2], ["a", "root", "b", "c"])] * 20 + [tree([2, 0, 2], ["a", "root", "rare"])]
    sequences = random_sequences(train, 0)
    tables = run(train, train, sequences, sequences, fewest_examples=20)
    assert set(tables["coenen_relations"]["relation"]) == {"a", "b", "c"}
    assert tables["coenen_relations"]["relation"].iloc[0] == "a"  # the most frequent
    assert tables["coenen_relations"].groupby("relation")["n_train"].first().tolist() == [21, 20, 20]
    assert tables["coenen_probes"].groupby("probe")["left_out"].max().to_dict() == {"binary": 0, "relation": 1}
    with pytest.raises(InputError, match="too few pairs of words for the probe 'relation'"):
        run(train, train, sequences, sequences, fewest_examples=21)


def test_a_rerun_gives_the_same(recorded, trees):
    again = run(*trees, *(random_sequences(part, seed) for seed, part in enumerate(trees)))
    for name, table in recorded[0].items():
        pd.testing.assert_frame_equal(table, again[name])


# ---- known answers ----


def test_a_head_that_attends_to_the_syntactic_head_tells_all(trees):
    sequences = [with_syntactic_head(part, random_sequences(part, seed)) for seed, part in enumerate(trees)]
    accuracy = by_system(run(*trees, *sequences), "lbfgs")["accuracy"].xs("attention", level="features").loc["binary"]
    assert (accuracy.xs("dependent_to_head", level="direction") == 1).all()
    assert (accuracy.xs("head_to_dependent", level="direction") < 0.7).all()  # nothing goes that way


def test_a_relation_is_told_by_how_much_its_dependent_attends(trees):
    weights = {"det": 0.2, "obj": 0.5, "punct": 0.9}
    sequences = [random_sequences(part, seed) for seed, part in enumerate(trees)]
    for part, maps in zip(trees, sequences, strict=True):
        with_syntactic_head(part, maps)
        for sentence, sequence in zip(part, maps, strict=True):
            for place, word in enumerate(sentence.words, start=1):
                sequence.attention[-1, -1, place, word.head] *= weights.get(word.relation, 1)
    tables = run(*trees, *sequences)
    accuracy = by_system(tables, "lbfgs")["accuracy"].loc["relation", "", "dependent_to_head"]
    assert accuracy["attention"] > 0.98
    assert max(accuracy["distance_only"], accuracy["random_model"]) < 0.5


def test_distance_solves_a_language_of_fixed_offsets():
    """Words depend on the next one or on the one after that, each by a relation of its own."""
    heads, relations = [3, 3, 5, 5, 7, 7, 9, 9, 0], ["skip", "next"] * 4 + ["root"]
    train = [tree(heads, relations)] * 30
    sequences = random_sequences(train, 0)
    accuracy = by_system(run(train, train[:20], sequences, sequences[:20]))["accuracy"].xs(
        "distance_only", level="features"
    )
    assert (accuracy.loc["relation"] == 1).all()
    assert (accuracy.loc[("binary", "same_distance")] == 0.5).all()


def test_distance_tells_random_negatives_where_all_relations_are_between_neighbors():
    train, dev = (binary_pairs([tree([2, 3, 4, 5, 0])] * count, "random", 10**9, seed=0) for count in (30, 20))
    answers = predictions(distance_vectors(train)[:, 0], train.label, distance_vectors(dev)[:, 0])
    assert len(dev) == 20 * 2 * 4
    assert (answers == dev.label).all()


# ---- what is trained on what, and when it is read ----


def test_no_sentence_is_on_both_sides(trees):
    """Maps of the test part that say the opposite of those of training: all answers are wrong."""
    train, dev = trees
    upside_down = with_syntactic_head(dev, random_sequences(dev, 1))
    for sequence in upside_down:
        sequence.attention[-1, -1] = 1 - sequence.attention[-1, -1]
    sequences = with_syntactic_head(train, random_sequences(train, 0))
    for maps in (sequences, upside_down):
        for sequence in maps:
            sequence.attention[:-1] = 0
            sequence.attention[-1, :-1] = 0
    table = by_system(run(train, dev, sequences, upside_down), "lbfgs").loc[
        ("binary", "random", "dependent_to_head", "attention")
    ]
    assert table["accuracy"] == 0
    long = [[len(sentence.words) - 1 for sentence in part if len(sentence.words) > 2] for part in trees]
    assert table[["n_train", "n_test"]].tolist() == [2 * sum(part) for part in long]


def test_pairs_are_drawn_before_any_map_is_read(trees, monkeypatch):
    events = []
    for name in ("binary_pairs", "related_pairs"):
        draw = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *arguments, draw=draw: events.append("drawn") or draw(*arguments))

    def streamed(part, seed):
        events.append("read")
        yield from random_sequences(part, seed)

    tables = run(*trees, *(streamed(part, seed) for seed, part in enumerate(trees)), train_pairs=100, dev_pairs=80)
    assert events == ["drawn"] * 6 + ["read"] * 2
    most = tables["coenen_probes"].groupby("probe")[["n_train", "n_test"]].max()
    assert (most.to_numpy() <= (100, 80)).all()


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
    train, other = mixed[:3000].astype(np.float32), mixed[3000:].astype(np.float32)
    deviation, mean = train.std(0), train.mean(0)
    weights = plain_logistic_regression((train - mean) / deviation, labels[:3000])
    scores = np.hstack([(other - mean) / deviation, np.ones((1000, 1))]) @ weights
    clear = np.abs(scores) > 0.1
    assert clear.mean() > 0.9
    assert (predictions(train, labels[:3000], other)[clear] == (scores > 0)[clear]).all()


def test_whitened_features_have_unit_variance_and_do_not_correlate():
    random = np.random.default_rng(0)
    features = random.normal(size=(500, 4)) @ random.normal(size=(4, 4)) + 3
    features = np.hstack([features, features[:, :1] + features[:, 1:2], np.full((500, 1), 7)])  # two that add nothing
    white, _ = whitened(features, features)
    assert white.shape == (500, 4)
    assert white.T @ white / 500 == pytest.approx(np.eye(4), abs=1e-5)
    assert white.mean(0) == pytest.approx(np.zeros(4), abs=1e-5)


def test_features_that_do_not_vary_leave_the_most_frequent_answer():
    assert predictions(np.ones((5, 3)), np.array(["a", "b", "b", "b", "a"]), np.zeros((2, 3))).tolist() == ["b", "b"]
