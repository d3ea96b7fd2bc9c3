"""Section 3.1 of Coenen et al. 2019, as printed."""

import itertools

import pandas as pd
import pytest

from bert_attention.coenen.column_values import DIRECTIONS, FEATURES
from bert_attention.paper.coenen_table_probes import lay_out
from tests.paper.printed import published_values, rows


@pytest.fixture
def printed():
    tasks = [("binary", "random", 2), ("binary", "same_distance", 2), ("relation", None, 30)]
    cells = [(*task, *rest) for task, *rest in itertools.product(tasks, DIRECTIONS, FEATURES)]
    table = pd.DataFrame(cells, columns=["probe", "negatives", "classes", "direction", "features"])
    accuracy = table["features"].map({"attention": 0.75, "distance_only": 0.5, "random_model": 0.625})
    table = table.assign(
        accuracy=accuracy - (table["probe"] == "relation") / 8, majority=0.25, n_train=6000, n_test=3000
    )
    table = table.assign(low=table["accuracy"] - 0.01, high=table["accuracy"] + 0.01)
    return lay_out(table, published_values("coenen_probes"))


def test_accuracies_stand_beside_what_was_published(printed):
    found = rows(printed)
    assert len(found) == 9
    assert found["related or not: dependent attends to head"] == ["75.0 (74.0–76.0)", "50.0", "62.5", "25.0", "85.8"]
    assert found["which relation: dependent attends to head"] == ["62.5 (61.5–63.5)", "37.5", "50.0", "25.0", "71.9"]
    assert found["related or not, at the same distance: either"][-1] == "—"
    assert sum(row[-1] != "—" for row in found.values()) == 2


def test_notes_say_how_many_pairs_there_are(printed):
    assert "which relation: 6,000 pairs to train, 3,000 to test, 30 classes." in printed.notes
