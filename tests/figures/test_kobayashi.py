"""Figures of Kobayashi et al. 2020: what is drawn is what the tables say."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims import published_curves
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.figures import kobayashi, style
from bert_attention.kobayashi.categories import categories
from bert_attention.kobayashi.correlation import correlation, correlation_bins
from bert_attention.kobayashi.dispersion import dispersion
from bert_attention.kobayashi.frequency import frequency, frequency_bins
from bert_attention.kobayashi.mixing import mixing
from bert_attention.mixing_methods import MIXING_METHODS
from tests.conftest import ROOT
from tests.kobayashi.sequences import HEADS, LAYERS, random_sequence

NOTHING = published_curves(None, 0)
RANKS = token_ranks({token: 40 - token for token in range(30)}, 30)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables of a few random sequences, as they are read back from files."""
    sequences = [random_sequence(seed, n) for seed, n in enumerate((14, 9, 20))]
    found = {
        "kobayashi_categories": categories(sequences),
        "kobayashi_dispersion": dispersion(sequences),
        "kobayashi_correlation": correlation(sequences),
        "kobayashi_correlation_bins": correlation_bins(sequences),
        "kobayashi_frequency": frequency(sequences, RANKS),
        "kobayashi_frequency_bins": frequency_bins(sequences, RANKS),
        "kobayashi_mixing": mixing(sequences),
    }
    folder = tmp_path_factory.mktemp("tables")
    for name, table in found.items():
        table.to_csv(folder / name, index=False, float_format="%.6g")
    return {name: pd.read_csv(folder / name) for name in found}


FIGURES = {
    kobayashi.categories: ("kobayashi_categories",),
    kobayashi.dispersion: ("kobayashi_dispersion",),
    kobayashi.correlation: ("kobayashi_correlation", "kobayashi_correlation_bins"),
    kobayashi.frequency: ("kobayashi_frequency", "kobayashi_frequency_bins"),
    kobayashi.mixing: ("kobayashi_mixing",),
}


def drawn(function, tables):
    return function(**{name: tables[name] for name in FIGURES[function]}, published=NOTHING)


def line(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def test_categories_draws_every_head_by_weight_and_norm_and_the_layers_shares(tables):
    weight, norm, share = drawn(kobayashi.categories, tables).axes
    table = tables["kobayashi_categories"]
    for panel, measure in ((weight, "weight"), (norm, "norm")):
        assert [len(points.get_offsets()) for points in panel.collections] == [LAYERS * HEADS] * 4
        rows = table[(table["measure"] == measure) & (table["category"] == "sep") & table["head"].notna()]
        assert line(panel, "[SEP]").get_ydata() == pytest.approx(rows.groupby("layer")["value"].mean().to_numpy())
    rows = table[(table["measure"] == "share_of_norm") & (table["category"] == "other") & table["head"].isna()]
    assert line(share, "other tokens").get_ydata() == pytest.approx(rows["value"].to_numpy())
    assert share.get_xlabel() == "layer"


def test_dispersion_draws_the_ratio_without_the_row_of_averages(tables):
    vectors, weights = drawn(kobayashi.dispersion, tables).axes
    table = tables["kobayashi_dispersion"]
    rows = table[(table["vector"] == "input") & (table["layer"] > 0)]
    assert line(vectors, "input vector").get_ydata() == pytest.approx(rows["cv"].to_numpy())
    rows = table[(table["vector"] == "weighted") & (table["layer"] > 0)]
    assert line(weights, "weighted vector").get_ydata() == pytest.approx(rows.groupby("layer")["cv"].mean().to_numpy())


def test_correlation_draws_all_cells_of_each_category(tables):
    figure = drawn(kobayashi.correlation, tables)
    table = tables["kobayashi_correlation_bins"]
    for panel, category in zip(figure.axes, ("cls", "sep", "punctuation", "other"), strict=False):
        shades = panel.collections[0].get_array()
        counts = table[table["category"] == category]["n"]
        assert np.sort(shades.compressed()) == pytest.approx(np.sort(counts / counts.max()))
    spearman = tables["kobayashi_correlation"].set_index("category")["spearman"]
    value = f"{spearman['sep']:.2f}".replace("-", "\N{MINUS SIGN}")
    assert value in note(figure.axes[1])


def test_correlation_leaves_the_panel_of_a_category_without_tokens_empty():
    sequences = [random_sequence(0, 9, punctuation=False)]
    figure = kobayashi.correlation(correlation(sequences), correlation_bins(sequences), NOTHING)
    assert [len(panel.collections) for panel in figure.axes[:4]] == [1, 1, 0, 1]


def note(panel):
    return next(artist for artist in panel.artists).txt.get_text()


def test_frequency_draws_all_points_and_the_correlation_without_specials(tables):
    norm, weight, _ = drawn(kobayashi.frequency, tables).axes
    bins, table = tables["kobayashi_frequency_bins"], tables["kobayashi_frequency"]
    assert (weight.get_xscale(), weight.get_yscale(), norm.get_yscale()) == ("log", "log", "linear")
    for panel, measure in ((norm, "norm"), (weight, "weight")):
        rows = bins[bins["measure"] == measure]
        assert panel.collections[0].get_array().compressed().sum() == rows["n"].sum()
        middles = (rows["value_low"] + rows["value_high"]) / 2
        highest = rows["rank_low"] == rows["rank_low"].max()
        expected = np.average(middles[highest], weights=rows["n"][highest])
        assert line(panel, "mean").get_ydata()[-1] == pytest.approx(expected)
        row = table[(table["layer"] == 0) & (table["measure"] == measure) & (table["tokens"] == "without_specials")]
        assert f"{row['spearman'].item():.2f}".lstrip("-") in note(panel)


def test_mixing_draws_every_method_by_layer(tables):
    (panel,) = drawn(kobayashi.mixing, tables).axes
    assert len(panel.lines) == len(MIXING_METHODS)
    table = tables["kobayashi_mixing"]
    rows = table[(table["method"] == "attn_res_ln_n") & (table["layer"] > 0)]
    assert line(panel, "norms, residual, layer norm").get_ydata() == pytest.approx(rows["mixing_ratio"].to_numpy())


@pytest.mark.parametrize("function", FIGURES, ids=lambda function: function.__name__)
def test_a_figure_fits_a_column_and_has_a_caption(function, tables):
    assert drawn(function, tables).get_figwidth() == style.COLUMN_WIDTH
    assert (
        (ROOT / "workflow" / "report" / f"kobayashi_figure_{function.__name__}.rst")
        .read_text()
        .startswith("Kobayashi et al.")
    )


def test_the_same_tables_give_the_same_bytes(tmp_path, tables):
    paths = [tmp_path / f"{name}.pdf" for name in "ab"]
    for path in paths:
        style.save(drawn(kobayashi.correlation, tables), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
