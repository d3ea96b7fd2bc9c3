"""Tables of disabled heads against loops over the definitions."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import metrics_of
from bert_attention.papers.kovaleva.disabled_heads import ablations, tables
from bert_attention.statistics.held_out import halves
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.metrics import sums_of

LAYERS, HEADS, EXAMPLES = 2, 3, 40
DISABLED = ablations(LAYERS, HEADS, seed=5)
# The ablations of each kind; the first is the whole model.
SYSTEMS = {"head": range(1, 7), "layer": range(7, 9), "random": range(9, len(DISABLED))}
BLOCK = np.arange(EXAMPLES) // 2


def random_task(task, seed=1):
    """Return predictions of every ablation, mostly right, and labels."""
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=EXAMPLES).astype(float)
    predictions = np.where(random.random((len(DISABLED), EXAMPLES)) < 0.7, labels, 1 - labels)
    if task == "stsb":
        labels, predictions = labels * 3 + random.random(EXAMPLES), predictions + random.random(predictions.shape)
    return predictions, labels


def measure(metric, predicted, labels):
    """Return a metric by its definition."""
    if metric == "accuracy":
        return np.mean(predicted == labels)
    if metric == "f1":
        return 2 * np.sum((predicted == 1) & (labels == 1)) / (np.sum(predicted == 1) + np.sum(labels == 1))
    return np.corrcoef(predicted, labels)[0, 1]


def made(task, predictions, labels):
    """Return the tables with their replicates."""
    sums = sums_of(predictions, labels, metrics_of(task))
    return tabulated(partial(tables, disabled=DISABLED, task=task), sums)


def test_ablations_disable_nothing_each_head_each_layer_and_random_sets_of_as_many_heads():
    heads, layers, random = (DISABLED[systems] for systems in map(list, SYSTEMS.values()))
    assert not DISABLED[0].any()
    assert heads.reshape(6, 6).tolist() == np.eye(6, dtype=bool).tolist()
    assert layers.tolist() == [[[True] * 3, [False] * 3], [[False] * 3, [True] * 3]]
    assert (random.sum((1, 2)) == HEADS).all()
    assert len(np.unique(random, axis=0)) > 3


@pytest.mark.parametrize("task", ["mrpc", "stsb", "my_topics"])
def test_values_and_differences_equal_loops_over_ablations(task):
    predictions, labels = random_task(task)
    found = made(task, predictions, labels)
    kinds = dict(zip(("heads", "layers", "random"), SYSTEMS.values(), strict=True))
    for (name, systems), replicate in [(kind, each) for kind in kinds.items() for each in (None, 4)]:
        table = found[f"kovaleva_disabled_{name}"]
        rows, part = (table.whole, ...) if replicate is None else (table.left_out[replicate], replicate != BLOCK)
        for metric, rows_of_metric in rows.groupby("metric"):
            values = [measure(metric, predictions[system][part], labels[part]) for system in systems]
            baseline = measure(metric, predictions[0][part], labels[part])
            expected = [pytest.approx([value, baseline, value - baseline]) for value in values]
            assert rows_of_metric[["value", "baseline", "difference"]].to_numpy().tolist() == expected
        assert (set(rows["task"]), set(rows["n"])) == ({task}, {len(labels[part])})
    for metric, rows in found["kovaleva_disabled_heads"].whole.groupby("metric"):
        assert list(zip(rows["layer"], rows["head"], strict=True)) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
        halves = [measure(metric, predictions[2][part], labels[part]) for part in (BLOCK % 2 == 0, BLOCK % 2 == 1)]
        assert rows.iloc[1][["odd_blocks", "even_blocks"]].tolist() == pytest.approx(halves)
    for system, names in zip(SYSTEMS["random"], found["kovaleva_disabled_random"].whole["disabled"], strict=False):
        assert names.split() == [f"{layer + 1}-{head + 1}" for layer, head in np.argwhere(DISABLED[system])]


@pytest.mark.parametrize(("task", "main"), [("mrpc", "f1"), ("rte", "accuracy"), ("stsb", "pearson")])
def test_gains_equal_loops_over_heads_and_layers(task, main):
    predictions, labels = random_task(task, seed=3)
    gains = made(task, predictions, labels)["kovaleva_disabled_gains"].whole
    assert (gains["main_metric"] == (gains["metric"] == main)).all()
    for metric, all_rows in gains.groupby("metric"):

        def gain(system, part=..., metric=metric):
            with_system, whole = (measure(metric, predictions[each][part], labels[part]) for each in (system, 0))
            return with_system - whole

        rows = all_rows.set_index(["disabled", "selection"])
        for kind, systems in SYSTEMS.items():
            assert rows.loc[(kind, "mean"), "gain"] == pytest.approx(np.mean([gain(system) for system in systems]))
        for kind in ("head", "layer"):
            assert rows.loc[kind, "p"].notna().to_dict() == {"mean": False, "same_data": True, "held_out": False}
            best = max(SYSTEMS[kind], key=gain)
            chosen, held_out = [], []
            for half in halves(20).repeat(2, axis=1):  # blocks of two examples
                for one, other in ((half, ~half), (~half, half)):
                    chosen.append(max(SYSTEMS[kind], key=lambda system, part=one: gain(system, part)))
                    held_out.append(gain(chosen[-1], other))
            assert rows.loc[(kind, "same_data"), "gain"] == pytest.approx(gain(best))
            assert rows.loc[(kind, "held_out"), "gain"] == pytest.approx(np.mean(held_out))
            most_frequent = max(SYSTEMS[kind], key=chosen.count)
            assert rows.loc[(kind, "held_out"), "chosen"] == chosen.count(most_frequent) / len(chosen)
            for selection, system in (("same_data", best), ("held_out", most_frequent)):
                layer, head = divmod(system - 1, HEADS) if kind == "head" else (system - 7, None)
                row = rows.loc[(kind, selection)]
                assert row["layer"] == layer + 1
                assert row["head"] is pd.NA if head is None else row["head"] == head + 1


def test_p_is_small_if_a_head_helps_much():
    predictions, labels = random_task("rte")
    predictions[4] = labels
    gains = made("rte", predictions, labels)["kovaleva_disabled_gains"].whole.set_index(["disabled", "selection"])
    assert gains.loc[("head", "same_data"), "p"] < 0.01
