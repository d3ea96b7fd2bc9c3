"""Section 3.1 of Coenen et al. 2019, as printed."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.coenen.column_values import DIRECTIONS, OPTIMIZERS
from bert_attention.paper.coenen_table_probes import format_table
from tests.paper.printed import published_values, rows


def printed(left_out=0):
    tasks = [("binary", "random", 2), ("binary", "same_distance", 2), ("relation", None, 30)]
    systems = [(features, optimizer) for features, optimizers in OPTIMIZERS.items() for optimizer in optimizers]
    cells = [(*task, direction, *system) for task, direction, system in itertools.product(tasks, DIRECTIONS, systems)]
    cells += [(*tasks[-1], direction, "dependent_form", None) for direction in DIRECTIONS]
    table = pd.DataFrame(cells, columns=["probe", "negatives", "classes", "direction", "features", "optimizer"])
    by_features = {"attention": 0.75, "distance_only": 0.5, "random_model": 0.625, "dependent_form": 0.7}
    accuracy = table["features"].map(by_features) - (table["optimizer"] == "sgd") / 32
    table = table.assign(
        accuracy=accuracy - (table["probe"] == "relation") / 8,
        majority=0.25,
        left_out=np.where(table["probe"] == "relation", left_out, 0),
        gain_over_form=-0.01,
        gain_over_form_low=-0.02,
        gain_over_form_high=0.005,
        n_train=6000,
        n_test=3000,
    )
    table = table.assign(low=table["accuracy"] - 0.01, high=table["accuracy"] + 0.01)
    return format_table(table, published_values("coenen_probes"))


def test_accuracies_stand_beside_what_was_published():
    table = printed()
    found = rows(table)
    assert len(found) == 9
    by_sgd, by_lbfgs = "71.9 (70.9–72.9)", "75.0 (74.0–76.0)"
    assert found["related or not: dependent attends to head"] == [
        *(by_sgd, by_lbfgs, "50.0", "62.5", "—", "25.0", "85.8")
    ]
    by_sgd, by_lbfgs = "59.4 (58.4–60.4)", "62.5 (61.5–63.5)"
    assert found["which relation: dependent attends to head"] == [
        *(by_sgd, by_lbfgs, "37.5", "50.0", "57.5", "25.0", "71.9")
    ]
    assert found["related or not, at the same distance: either"][-1] == "—"
    assert sum(row[-1] != "—" for row in found.values()) == 2
    assert "which relation: 6,000 pairs to train, 3,000 to test, 30 classes." in table.notes
    assert any(note.endswith("tells −1.0 (−2.0 to 0.5) points more.") for note in table.notes)


@pytest.mark.parametrize(("left_out", "said"), [(0, "no relation is left out"), (4, "4 with fewer than 100")])
def test_a_note_says_what_the_threshold_leaves_out(left_out, said):
    assert any(said in note for note in printed(left_out).notes)
