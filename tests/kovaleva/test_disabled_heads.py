"""Tables of disabled heads: against loops over the definitions, and known answers."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import LAYOUTS
from bert_attention.kovaleva.disabled_heads import ablations, tables
from bert_attention.statistics.held_out import halves
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.metrics import sums_of
from bert_attention.statistics.tables import with_intervals

LAYERS, HEADS, EXAMPLES, SEED = 2, 3, 40, 5
DISABLED = ablations(LAYERS, HEADS, SEED)


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
    return np.corrcoef(predicted, labels)[0, 1]


def made(task, predictions, labels):
    """The tables with their replicates."""
    sums = sums_of(predictions, labels, LAYOUTS[task].metrics)
    return tabulated(partial(tables, disabled=DISABLED, task=task), sums)


@pytest.mark.parametrize("task", ["mrpc", "stsb"])
def test_values_and_differences_are_what_loops_over_ablations_give(task):
    predictions, labels = random_task(task)
    found = made(task, predictions, labels)
    block = np.arange(EXAMPLES) // 2
    kept = block != 4
    # The second head, the second layer and the third random set, at their places among the ablations.
    for name, row_of_metric, place in (("heads", 1, 2), ("layers", 1, 8), ("random", 2, 11)):
        table = found[f"kovaleva_disabled_{name}"]
        for rows, part in ((table.whole, slice(None)), (table.left_out[4], kept)):
            for metric, of_metric in rows.groupby("metric"):
                row, predicted = of_metric.iloc[row_of_metric], predictions[place]
                value, baseline = (
                    measure(metric, system[part], labels[part]) for system in (predicted, predictions[0])
                )
                assert row["value"] == pytest.approx(value)
                assert row["baseline"] == pytest.approx(baseline)
                assert row["difference"] == pytest.approx(value - baseline)
                assert (row["task"], row["n"]) == (task, len(labels[part]))
    for metric, rows in found["kovaleva_disabled_heads"].whole.groupby("metric"):
        halves = [measure(metric, predictions[2][part], labels[part]) for part in (block % 2 == 0, block % 2 == 1)]
        assert rows.iloc[1][["odd_blocks", "even_blocks"]].tolist() == pytest.approx(halves)


def test_one_metric_of_a_task_is_its_main_one():
    for task, main in (("mrpc", "f1"), ("rte", "accuracy")):
        gains = made(task, *random_task(task, seed=3))["kovaleva_disabled_gains"].whole
        assert set(gains.loc[gains["main_metric"], "metric"]) == {main}
        assert (gains["main_metric"] == (gains["metric"] == main)).all()


@pytest.mark.parametrize("task", ["rte", "stsb"])
def test_gains_are_what_loops_over_heads_and_layers_give(task):
    predictions, labels = random_task(task, seed=3)
    gains = made(task, predictions, labels)["kovaleva_disabled_gains"].whole
    places = {"head": range(1, 7), "layer": range(7, 9), "random": range(9, len(DISABLED))}
    for metric, of_metric in gains.groupby("metric"):

        def gain(place, part=slice(None), metric=metric):
            return measure(metric, predictions[place][part], labels[part]) - measure(
                metric, predictions[0][part], labels[part]
            )

        rows = of_metric.set_index(["disabled", "selection"])
        for kind, places_of_kind in places.items():
            assert rows.loc[(kind, "mean"), "gain"] == pytest.approx(np.mean([gain(place) for place in places_of_kind]))
        for kind in ("head", "layer"):
            best = max(places[kind], key=gain)
            chosen, held_out = [], []
            for half in halves(20).repeat(2, axis=1):  # blocks of two examples
                for one, other in ((half, ~half), (~half, half)):
                    chosen.append(max(places[kind], key=lambda place, part=one: gain(place, part)))
                    held_out.append(gain(chosen[-1], other))
            assert rows.loc[(kind, "same_data"), "gain"] == pytest.approx(gain(best))
            assert rows.loc[(kind, "held_out"), "gain"] == pytest.approx(np.mean(held_out))
            often = max(places[kind], key=chosen.count)
            assert rows.loc[(kind, "held_out"), "chosen"] == pytest.approx(chosen.count(often) / len(chosen))
            for selection, system in (("same_data", best), ("held_out", often)):
                row = rows.loc[(kind, selection)]
                if kind == "head":
                    assert row[["layer", "head"]].tolist() == [1 + place for place in divmod(system - 1, HEADS)]
                else:
                    assert row["layer"] == system - 6
                    assert row["head"] is pd.NA


def test_a_head_that_changes_nothing_gains_nothing():
    predictions, labels = random_task("mrpc")
    same = np.tile(predictions[0], (len(DISABLED), 1))
    for name, table in made("mrpc", same, labels).items():
        rows = with_intervals(table, name)
        assert (rows[["gain" if "gain" in rows else "difference", "low", "high"]] == 0).all(axis=None)
    gains = made("mrpc", same, labels)["kovaleva_disabled_gains"].whole
    assert set(gains["p"].dropna()) == {1}


def test_a_head_that_helps_much_is_no_chance():
    predictions, labels = random_task("rte")
    predictions[4] = labels  # the fourth head
    gains = made("rte", predictions, labels)["kovaleva_disabled_gains"].whole
    row = gains.set_index(["disabled", "selection"]).loc[("head", "same_data")]
    assert (row["layer"], row["head"]) == (2, 1)
    assert row["p"] < 0.01


def test_tables_say_what_was_disabled():
    predictions, labels = random_task("rte")
    found = made("rte", predictions, labels)
    heads, layers, random = (found[f"kovaleva_disabled_{kind}"].whole for kind in ("heads", "layers", "random"))
    assert list(zip(heads["layer"], heads["head"], strict=True)) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert layers["layer"].tolist() == [1, 2]
    for draw, names in enumerate(random["disabled"]):
        lacks = [f"{layer + 1}-{head + 1}" for layer, head in np.argwhere(DISABLED[9 + draw])]
        assert names.split() == lacks
