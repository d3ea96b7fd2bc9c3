"""Tables of disabled heads: against loops over the definitions, and known answers."""

import numpy as np
import pytest
from scipy.stats import rankdata

from bert_attention.kovaleva.disabled_heads import ablations, disabled_heads
from bert_attention.statistics.old_held_out import second_half

LAYERS, HEADS, EXAMPLES, SEED = 2, 3, 40, 5
DISABLED = ablations(LAYERS, HEADS, SEED)
SECOND = second_half(EXAMPLES, SEED)


def random_task(task, seed=1):
    """Predictions of every ablation, mostly right, and labels."""
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=EXAMPLES).astype(float)
    predictions = np.where(random.random((len(DISABLED), EXAMPLES)) < 0.7, labels, 1 - labels)
    if task == "stsb":
        labels, predictions = labels * 3 + random.random(EXAMPLES), predictions + random.random(predictions.shape)
    return predictions, labels


def test_ablations_are_of_nothing_every_head_every_layer_and_random_sets_of_as_many_heads():
    nothing, heads, layers, random = np.split(DISABLED, [1, 1 + LAYERS * HEADS, 1 + LAYERS * HEADS + LAYERS])
    assert not nothing.any()
    assert heads.reshape(6, 6).tolist() == np.eye(6, dtype=bool).tolist()
    assert layers.all(-1).tolist() == [[True, False], [False, True]]
    assert layers.sum() == 6
    assert (random.sum((1, 2)) == HEADS).all()
    assert len({lacks.tobytes() for lacks in random}) > 3


def measure(metric, predicted, labels):
    """A metric by its definition."""
    if metric == "accuracy":
        return np.mean(predicted == labels)
    if metric == "f1":
        return 2 * np.sum((predicted == 1) & (labels == 1)) / (np.sum(predicted == 1) + np.sum(labels == 1))
    if metric == "spearman":
        predicted, labels = rankdata(predicted), rankdata(labels)
    return np.corrcoef(predicted, labels)[0, 1]


def interval(metric, predicted, whole, labels):
    """Of what an ablation gains over the whole model, over resampled examples."""
    draws = np.random.default_rng(SEED).integers(EXAMPLES, size=(1000, EXAMPLES))
    gains = [
        measure(metric, predicted[drawn], labels[drawn]) - measure(metric, whole[drawn], labels[drawn])
        for drawn in draws
    ]
    return pytest.approx(np.quantile(gains, [0.025, 0.975]), abs=1e-9)


@pytest.mark.parametrize("task", ["mrpc", "stsb"])
def test_values_and_intervals_are_what_loops_over_ablations_and_resamples_give(task):
    predictions, labels = random_task(task)
    tables = disabled_heads(predictions, labels, DISABLED, task=task, seed=SEED)
    # The second head, the second layer and the third random set, at their places among the ablations.
    for name, row_of_metric, place in (("heads", 1, 2), ("layers", 1, 8), ("random", 2, 11)):
        for metric, rows in tables[f"kovaleva_disabled_{name}"].groupby("metric"):
            row, predicted = rows.iloc[row_of_metric], predictions[place]
            assert row["value"] == pytest.approx(measure(metric, predicted, labels))
            assert row["baseline"] == pytest.approx(measure(metric, predictions[0], labels))
            halves = [measure(metric, predicted[part], labels[part]) for part in (~SECOND, SECOND)]
            assert (row["first_half"], row["second_half"]) == pytest.approx(halves)
            assert (row["low"], row["high"]) == interval(metric, predicted, predictions[0], labels)


@pytest.mark.parametrize("task", ["rte", "stsb"])
def test_gains_are_what_loops_over_heads_and_layers_give(task):
    predictions, labels = random_task(task, seed=3)
    gains = disabled_heads(predictions, labels, DISABLED, task=task, seed=SEED)["kovaleva_disabled_gains"]
    places = {"head": range(1, 7), "layer": range(7, 9), "random": range(9, len(DISABLED))}
    for metric, of_metric in gains.groupby("metric"):
        rows = of_metric.set_index(["disabled", "selection"])
        whole = measure(metric, predictions[0], labels)
        for kind, places_of_kind in places.items():
            mean = np.mean([measure(metric, predictions[ablation], labels) - whole for ablation in places_of_kind])
            assert rows.loc[(kind, "mean"), "gain"] == pytest.approx(mean)
        for kind in ("head", "layer"):
            best, first, second = (
                max(places[kind], key=lambda ablation: measure(metric, predictions[ablation][part], labels[part]))
                for part in (slice(None), ~SECOND, SECOND)
            )
            for selection, chosen in (("same_data", (best, best)), ("held_out", (first, second))):
                row, predicted = rows.loc[(kind, selection)], np.where(SECOND, *predictions[list(chosen)])
                assert row["gain"] == pytest.approx(measure(metric, predicted, labels) - whole)
                assert (row["low"], row["high"]) == interval(metric, predicted, predictions[0], labels)
                if kind == "head":
                    named = [1 + place for system in chosen for place in divmod(system - 1, HEADS)]
                    assert row[["layer", "head", "other_layer", "other_head"]].tolist() == named


def test_a_head_that_changes_nothing_gains_nothing():
    predictions, labels = random_task("mrpc")
    same = np.tile(predictions[0], (len(DISABLED), 1))
    for table in disabled_heads(same, labels, DISABLED, task="mrpc", seed=SEED).values():
        gain = table["gain"] if "gain" in table else table["value"] - table["baseline"]
        assert (gain == 0).all()
        assert (table[["low", "high"]] == 0).all(axis=None)


def test_tables_say_what_was_disabled():
    predictions, labels = random_task("rte")
    tables = disabled_heads(predictions, labels, DISABLED, task="rte", seed=SEED)
    heads, layers, random = (tables[f"kovaleva_disabled_{kind}"] for kind in ("heads", "layers", "random"))
    assert list(zip(heads["layer"], heads["head"], strict=True)) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert layers["layer"].tolist() == [1, 2]
    for draw, names in enumerate(random["disabled"]):
        lacks = [f"{layer + 1}-{head + 1}" for layer, head in np.argwhere(DISABLED[9 + draw])]
        assert names.split() == lacks
