"""All models side by side, against small tables whose numbers are known."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.comparison.headlines import headlines
from bert_attention.results import results
from tests.comparison.tables import by_table, tables_of_model


def side_by_side(**models):
    return headlines(**by_table(models))


def rows_of(table, model, statistic):
    return table[(table["model"] == model) & (table["statistic"] == statistic)]


@pytest.fixture(scope="module")
def two():
    """A model of six layers and one of twelve."""
    return side_by_side(six=tables_of_model(6), twelve=tables_of_model(12))


def test_the_table_has_its_columns_and_keeps_the_order_of_models(two):
    assert set(two) == set(results().tables["comparison_headlines"].columns)
    assert list(two["model"].drop_duplicates()) == ["six", "twelve"]
    assert dict(two.groupby("model")["layers"].unique().explode()) == {"six": 6, "twelve": 12}


@pytest.mark.parametrize(("model", "layers"), [("six", 6), ("twelve", 12)])
def test_attention_by_layer(two, model, layers):
    layer = np.arange(layers) + 1
    expected = {
        "previous_token": (layer + 15) / 1000,
        "previous_token_head": (layer + 20) / 1000,
        "sep": (layer + 15) / 2000,
    }
    for statistic, values in expected.items():
        rows = rows_of(two, model, statistic)
        assert list(rows["layer"]) == list(layer)
        assert np.allclose(rows["depth"].astype(float), (layer - 0.5) / layers)
        assert np.allclose(rows["value"], values)
        assert np.allclose(rows["low"], values * (1 - 0.196))
        assert np.allclose(rows["high"], values * (1 + 0.196))
        assert set(rows["n"]) == {50}
    assert set(rows_of(two, model, "previous_token_head")["head"]) == {2}


def test_the_share_by_norm_is_that_of_the_heads_sum_by_layer(two):
    rows = rows_of(two, "six", "sep_by_norm")
    assert np.allclose(rows["value"], np.arange(1, 7) / 100)
    assert np.allclose(rows["high"] - rows["low"], 2 * 0.002)


def test_a_relation_has_its_held_out_accuracy_at_the_depth_of_the_head_chosen_on_all(two):
    rows = rows_of(two, "twelve", "relation_head").set_index("relation")
    assert list(rows.index) == ["det", "obj"]
    det = rows.loc["det"]
    assert (det["layer"], det["head"], det["value"], det["low"], det["high"], det["n"]) == (12, 2, 0.6, 0.5, 0.7, 200)
    assert det["depth"] == pytest.approx(11.5 / 12)


@pytest.mark.parametrize(
    ("statistic", "value", "low", "high", "n"),
    [
        ("dependency_head", 0.5, 0.4, 0.6, 300),
        ("dependency_offset", 0.3, 0.25, 0.35, 300),
        ("relations_beyond_offset", 0.5, None, None, 2),
        ("probe", 0.75, 0.7, 0.8, 400),
        ("probe_of_distances", 0.55, 0.5, 0.6, 400),
        ("norm_against_weight_sep", -0.6, None, None, 20),
        ("norm_against_weight_other", -0.1, None, None, 40),
    ],
)
def test_numbers_of_the_whole_encoder_have_no_layer(two, statistic, value, low, high, n):
    (row,) = rows_of(two, "six", statistic).itertuples()
    assert (row.value, row.n) == (value, n)
    assert (row.low, row.high) == (low, high) if low else pd.isna(row.low) and pd.isna(row.high)
    assert pd.isna(row.layer) and pd.isna(row.head) and pd.isna(row.depth) and pd.isna(row.relation)


def test_a_model_without_separators_has_no_zeros_for_them():
    bare = tables_of_model(4)
    of_sep = bare["clark_positions"]["target"].isin(["sep", "sep_from_sep"])
    bare["clark_positions"].loc[of_sep, "attention"] = 0.0
    bare["clark_positions"].loc[bare["clark_positions"]["target"] == "sep_from_sep", "attention"] = np.nan
    bare["kobayashi_correlation"].loc[1, ["spearman", "n"]] = [np.nan, 0]
    table = side_by_side(whole=tables_of_model(4), bare=bare)
    lost = {"sep", "sep_by_norm", "norm_against_weight_sep"}
    statistics = table.groupby("model")["statistic"].agg(set)
    assert statistics["whole"] - statistics["bare"] == lost
    assert len(rows_of(table, "bare", "previous_token")) == 4


def test_what_the_tables_of_a_model_lack_is_left_out():
    poor = tables_of_model(4)
    heads = poor["clark_dependency_heads"]
    poor["clark_dependency_heads"] = heads[heads["relation"] == "all"]  # a treebank too small for relations
    poor["clark_probes"] = poor["clark_probes"].query("probe == 'attention'")
    table = side_by_side(rich=tables_of_model(4), poor=poor)
    statistics = table.groupby("model")["statistic"].agg(set)
    assert statistics["rich"] - statistics["poor"] == {
        "relation_head",
        "relations_beyond_offset",
        "probe",
        "probe_of_distances",
    }
    assert table["value"].notna().all()
