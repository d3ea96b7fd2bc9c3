"""The comparison of models, on small tables with known numbers."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.tables import columns_of
from tests.comparison.tables import comparison, tables_of_model


def rows_of(table, model, statistic):
    return table[(table["model"] == model) & (table["statistic"] == statistic)]


@pytest.fixture(scope="module")
def two():
    """A model of six layers and one of twelve."""
    return comparison(six=tables_of_model(6), twelve=tables_of_model(12))


def test_the_table_has_its_columns_and_keeps_the_order_of_models(two):
    assert set(two) == set(columns_of("comparison_headlines"))
    assert list(two["model"].drop_duplicates()) == ["six", "twelve"]
    assert dict(two.groupby("model")["layers"].unique().explode()) == {"six": 6, "twelve": 12}


@pytest.mark.parametrize(("model", "layers"), [("six", 6), ("twelve", 12)])
def test_attention_by_layer(two, model, layers):
    layer = np.arange(layers) + 1
    expected = {
        "previous_token": (layer + 15) / 1000,
        "previous_token_head": (layer + 20) / 1000,
        "sep": (layer + 15) / 2000,
        "sep_by_norm": layer / 100,
    }
    for statistic, values in expected.items():
        rows = rows_of(two, model, statistic)
        assert list(rows["layer"]) == list(layer)
        assert np.allclose(rows["depth"].astype(float), (layer - 0.5) / layers)
        assert np.allclose(rows[["value", "low", "high"]], np.outer(values, [1, 0.9, 1.1]))
        assert set(rows["n"]) == {50}
    assert set(rows_of(two, model, "previous_token_head")["head"]) == {2}


def test_a_relation_has_its_held_out_accuracy_and_the_head_chosen_on_all_sentences(two):
    rows = rows_of(two, "twelve", "relation_head").set_index("relation")
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
def test_numbers_of_the_whole_encoder_have_no_layer(two, statistic, value, margin, n):
    (row,) = rows_of(two, "six", statistic).itertuples()
    assert (row.value, row.n) == (value, n)
    assert (row.low, row.high) == pytest.approx((value - margin, value + margin))
    assert pd.isna(row.layer) and pd.isna(row.head) and pd.isna(row.depth) and pd.isna(row.relation)


def test_a_model_without_separators_has_no_zeros_for_them():
    bare = tables_of_model(4)
    positions, correlation = bare["clark_positions"], bare["kobayashi_correlation"]
    positions.loc[positions["target"] == "sep", "attention"] = 0.0
    positions.loc[positions["target"] == "sep_from_sep", "attention"] = np.nan
    correlation.loc[correlation["category"] == "sep", ["spearman", "n"]] = [np.nan, 0]
    statistics = comparison(whole=tables_of_model(4), bare=bare).groupby("model")["statistic"].agg(set)
    assert statistics["whole"] - statistics["bare"] == {"sep", "sep_by_norm", "norm_against_weight_sep"}


def test_numbers_that_the_tables_of_a_model_lack_are_left_out():
    poor = tables_of_model(4)
    poor["clark_dependency_heads"] = poor["clark_dependency_heads"].query("relation == 'all'")  # a small treebank
    poor["clark_probes"] = poor["clark_probes"].query("probe == 'attention'")
    table = comparison(rich=tables_of_model(4), poor=poor)
    statistics = table.groupby("model")["statistic"].agg(set)
    lost = {"relation_head", "relations_beyond_offset", "probe", "probe_of_distances"}
    assert statistics["rich"] - statistics["poor"] == lost
    assert table["value"].notna().all()
