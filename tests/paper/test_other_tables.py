"""Printed tables of Coenen et al. 2019 and of all models side by side."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.papers.coenen.columns import DIRECTIONS, OPTIMIZERS
from bert_attention.papers.coenen.printed import table_probes as coenen_table_probes
from bert_attention.papers.comparison.printed import table_headlines as comparison_table_headlines
from tests.comparison.tables import comparison, tables_of_model
from tests.paper.printed import published_values, rows, width


@pytest.mark.parametrize(
    ("left_out", "note"), [(0, "which relation: no relations with under 0.16%"), (4, "4 relations with under 0.16%")]
)
def test_probes_of_coenen(left_out, note):
    tasks = [("binary", "random", 2), ("binary", "same_distance", 2), ("relation", None, 30)]
    systems = [(features, optimizer) for features, optimizers in OPTIMIZERS.items() for optimizer in optimizers]
    cells = [(*task, direction, *system) for task, direction, system in itertools.product(tasks, DIRECTIONS, systems)]
    cells += [(*tasks[-1], direction, "dependent_form", None) for direction in DIRECTIONS]
    table = pd.DataFrame(cells, columns=["probe", "negatives", "classes", "direction", "features", "optimizer"])
    is_relation = table["probe"] == "relation"
    by_features = {"attention": 0.75, "distance_only": 0.5, "random_model": 0.625, "dependent_form": 0.7}
    accuracy = table["features"].map(by_features) - (table["optimizer"] == "sgd") / 32 - is_relation / 8
    table = table.assign(accuracy=accuracy, low=accuracy - 0.01, high=accuracy + 0.01, majority=0.25)
    table = table.assign(gain_over_form=-0.01, gain_over_form_low=-0.02, gain_over_form_high=0.005)
    table = table.assign(relations_left_out=np.where(is_relation, left_out, 0), n_train=6000, n_test=3000)
    printed = coenen_table_probes.format_table(table, published_values("coenen_probes"))
    found = rows(printed)
    ours = ["71.9 (70.9–72.9)", "75.0 (74.0–76.0)", "50.0", "62.5", "—", "25.0"]
    assert found["related: dependent to head"] == [*ours, "85.8"]
    ours = ["59.4 (58.4–60.4)", "62.5 (61.5–63.5)", "37.5", "50.0", "57.5", "25.0"]
    assert found["which relation: dependent to head"] == [*ours, "71.9"]
    assert width(printed, 7) < 6.85
    assert (len(found), sum(row[-1] != "—" for row in found.values())) == (9, 2)
    assert "which relation: 6,000 pairs to train, 3,000 to test, 30 classes." in printed.notes
    assert any(text.endswith("minus word form, in points: −1.0 (−2.0 to 0.5).") for text in printed.notes)
    assert any(note in text for text in printed.notes)
    assert not any("sample" in text for text in printed.notes)
    tested = np.where(table["features"] == "random_model", 500 + is_relation, 3000)
    of_sample = coenen_table_probes.format_table(table.assign(n_test=tested), published_values("coenen_probes"))
    assert "random weights: 500, 500, 501 of the pairs to test, those in a sample of the sentences." in of_sample.notes


def test_headlines_of_two_models_of_which_one_lacks_numbers():
    models = {"five": tables_of_model(5), "eleven": tables_of_model(11)}
    positions = models["eleven"]["clark_positions"]
    positions.loc[positions["target"] == "sep_from_sep", "attention"] = np.nan
    models["eleven"]["kobayashi_correlation"].loc[1, "spearman"] = np.nan
    table = comparison_table_headlines.format_table(comparison(**models))
    assert table.titles == ["", "five", "eleven"]
    cells = rows(table)
    assert cells["layers"] == ["5", "11"]
    assert cells["attention to the previous token, mean of all heads"] == ["1.8", "2.1"]
    assert cells["attention to the previous token, highest head"] == ["2.5 (5-2)", "3.1 (11-2)"]
    assert cells["attention to [SEP], highest layer"] == ["1.0 (5)", "—"]
    assert cells["best head of all dependency relations"] == ["50.0 (45.0–55.0)"] * 2
    assert cells["relations that a head finds better than an offset"] == ["1 of 2"] * 2
    assert cells["weight and norm, Spearman, [SEP]"] == ["−0.60 (−0.66 to −0.54)", "—"]
    (note,) = [note for note in table.notes if "no number" in note]
    assert note.startswith("eleven has no number for: attention to [SEP], mean of all heads; ")
    assert note.endswith("; weight and norm, Spearman, [SEP].")
