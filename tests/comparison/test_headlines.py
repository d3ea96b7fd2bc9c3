"""The comparison of models, on small tables with known numbers."""

import numpy as np
import pytest

from bert_attention.tables import columns_of
from tests.comparison.tables import comparison, tables_of_model


def rows_of(table, model, statistic):
    return table[(table["model"] == model) & (table["statistic"] == statistic)]


@pytest.fixture(scope="module")
def table():
    """A model of six layers, a deeper one, one without separators, and one with few trees and probes."""
    bare, poor = tables_of_model(4), tables_of_model(4)
    positions, correlation = bare["clark_positions"], bare["kobayashi_correlation"]
    positions.loc[positions["target"] == "sep", "attention"] = 0.0
    positions.loc[positions["target"] == "sep_from_sep", "attention"] = np.nan
    correlation.loc[correlation["category"] == "sep", ["spearman", "n"]] = [np.nan, 0]
    poor["clark_dependency_heads"] = poor["clark_dependency_heads"].query("relation == 'all'")
    poor["clark_probes"] = poor["clark_probes"].query("probe == 'attention'")
    return comparison(six=tables_of_model(6), twelve=tables_of_model(12), bare=bare, poor=poor)


def test_models_keep_their_order_and_have_only_measured_numbers(table):
    assert set(table) == set(columns_of("comparison_headlines"))
    assert list(table["model"].drop_duplicates()) == ["six", "twelve", "bare", "poor"]
    assert table["value"].notna().all()
    statistics = table.groupby("model")["statistic"].agg(set)
    assert statistics["twelve"] == statistics["six"]
    assert statistics["six"] - statistics["bare"] == {"sep", "sep_by_norm", "sep_from_sep", "norm_against_weight_sep"}
    lost = {"relation_head", "relations_beyond_offset", "probe", "probe_of_distances"}
    assert statistics["six"] - statistics["poor"] == lost


@pytest.mark.parametrize(("model", "layers"), [("six", 6), ("twelve", 12)])
def test_attention_by_layer(table, model, layers):
    layer = np.arange(layers) + 1
    expected = {
        "previous_token": (layer + 15) / 1000,
        "previous_token_head": (layer + 20) / 1000,
        "sep": (layer + 15) / 2000,
        "sep_by_norm": layer / 100,
        "sep_from_sep": (layer + 15) / 2000,
        "entropy": 4 * layer / layers,
        "entropy_of_cls": 2 * layer / layers,
    }
    for statistic, values in expected.items():
        rows = rows_of(table, model, statistic)
        assert list(rows["layer"]) == list(layer)
        assert np.allclose(rows["depth"].astype(float), (layer - 0.5) / layers)
        assert np.allclose(rows[["value", "low", "high"]], np.outer(values, [1, 0.9, 1.1]))
        assert set(rows["n"]) == {50}
        assert set(rows["layers"]) == {layers}
    assert set(rows_of(table, model, "previous_token_head")["head"]) == {2}


def test_a_relation_has_its_held_out_accuracy_and_the_head_chosen_on_all_sentences(table):
    rows = rows_of(table, "twelve", "relation_head").set_index("relation")
    assert list(rows.index) == ["det", "obj"]
    found = rows.loc["det", ["layer", "head", "value", "n", "low", "high", "depth"]]
    assert found.astype(float).tolist() == pytest.approx([12, 2, 0.6, 200, 0.54, 0.66, 11.5 / 12])


@pytest.mark.parametrize(
    ("statistic", "value", "margin", "n"),
    [
        ("dependency_head", 0.5, 0.05, 300),
        ("dependency_offset", 0.3, 0.03, 300),
        ("relations_beyond_offset", 0.5, 0, 2),
        ("probe", 0.75, 0.075, 400),
        ("probe_of_distances", 0.55, 0.055, 400),
        ("norm_against_weight_sep", -0.6, 0.06, 20),
        ("norm_against_weight_other", -0.1, 0.01, 40),
    ],
)
def test_numbers_of_the_whole_encoder_have_no_layer(table, statistic, value, margin, n):
    rows = rows_of(table, "six", statistic)
    numbers = rows[["value", "n", "low", "high"]].to_numpy(float)
    assert numbers == pytest.approx(np.array([[value, n, value - margin, value + margin]]))
    assert rows[["layer", "head", "depth", "relation"]].isna().all(axis=None)
