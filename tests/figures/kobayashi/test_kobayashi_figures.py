"""Figures of Kobayashi et al. 2020 and 2021 on tokens: what is drawn is what the tables say."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.figures import style
from bert_attention.figures.kobayashi import (
    kobayashi_figure_categories,
    kobayashi_figure_correlation,
    kobayashi_figure_dispersion,
    kobayashi_figure_frequency,
    kobayashi_figure_mixing,
    kobayashi_figure_mixing_frequency,
)
from bert_attention.kobayashi import categories, correlation, dispersion, frequency, mixing
from bert_attention.statistics.tables import write_tables
from bert_attention.tables import bounds_text
from tests.figures.reading import line
from tests.kobayashi.sequences import HEADS, LAYERS, masked_sequence, random_sequence, replicated

RANKS = token_ranks({token: 40 - token for token in range(30)}, 30)
# The tables that each figure is drawn from, which are named as its arguments.
TABLES = {
    kobayashi_figure_categories: ["kobayashi_categories"],
    kobayashi_figure_correlation: ["kobayashi_correlation", "kobayashi_correlation_bins"],
    kobayashi_figure_dispersion: ["kobayashi_dispersion"],
    kobayashi_figure_frequency: ["kobayashi_frequency", "kobayashi_frequency_bins"],
    kobayashi_figure_mixing: ["kobayashi_mixing"],
    kobayashi_figure_mixing_frequency: ["kobayashi_mixing_frequency", "kobayashi_mixing_frequency_bins"],
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables of a few random sequences, as they are read back from files."""
    sequences = [random_sequence(seed, n) for seed, n in enumerate((14, 9, 20))]
    masked = [masked_sequence(sequence, [2], seed=9) for sequence in sequences]
    found = {
        "kobayashi_categories": replicated(categories, sequences),
        "kobayashi_dispersion": replicated(dispersion, sequences),
        **replicated(correlation, sequences),
        **replicated(frequency, sequences, ranks=RANKS),
        **replicated(mixing, sequences, masked, ranks=RANKS),
    }
    folder = tmp_path_factory.mktemp("tables")
    write_tables(found, [folder / f"{name}.csv" for name in found])
    return {name: pd.read_csv(folder / f"{name}.csv") for name in found}


@pytest.fixture
def drawn(tables):
    """A function that draws the figure of a module."""
    return lambda module: module.draw(**{name: tables[name] for name in TABLES[module]})


def note(panel):
    """The text in a corner of a panel."""
    return next(iter(panel.artists)).txt.get_text()


def in_print(number):
    return f"{number:.2f}".replace("-", "\N{MINUS SIGN}")


@pytest.mark.parametrize("module", TABLES)
def test_the_figure_fits_a_column(drawn, module):
    assert drawn(module).get_figwidth() == style.COLUMN_WIDTH


def test_every_head_is_drawn_by_weight_and_norm_and_the_layers_shares(drawn, tables):
    table = tables["kobayashi_categories"]
    weight, norm, share = drawn(kobayashi_figure_categories).axes
    for panel, measure in ((weight, "weight"), (norm, "norm")):
        assert [len(points.get_offsets()) for points in panel.collections] == [LAYERS * HEADS] * 4
        of_sep = table[(table["measure"] == measure) & (table["category"] == "sep")]
        by_head = of_sep[of_sep["head"].notna()].groupby("layer")["value"].mean()
        assert line(panel, "[SEP]").get_ydata() == pytest.approx(by_head.to_numpy())
        of_layers = of_sep[of_sep["head"].isna()]
        assert line(panel, "[SEP]").get_ydata() == pytest.approx(of_layers["value"].to_numpy(), rel=1e-5)
    rows = table[(table["measure"] == "share_of_norm_of_sum") & (table["category"] == "other")]
    assert line(share, "other tokens").get_ydata() == pytest.approx(rows["value"].to_numpy())
    assert share.get_xlabel() == "layer"


def test_all_pairs_of_each_category_are_drawn(drawn, tables):
    figure, bins = drawn(kobayashi_figure_correlation), tables["kobayashi_correlation_bins"]
    for panel, category in zip(figure.axes, ("cls", "sep", "punctuation", "other"), strict=False):
        shades = panel.collections[0].get_array()
        counts = bins[bins["category"] == category]["n"]
        assert np.sort(shades.compressed()) == pytest.approx(np.sort(counts / counts.max()))
    spearman = tables["kobayashi_correlation"].set_index("category")["spearman"]
    assert in_print(spearman["sep"]) in note(figure.axes[1])


def test_the_panel_of_a_category_without_tokens_is_empty():
    found = replicated(correlation, [random_sequence(0, 9, punctuation=False)])
    figure = kobayashi_figure_correlation.draw(**{name: table.whole for name, table in found.items()})
    assert [len(panel.collections) for panel in figure.axes[:4]] == [1, 1, 0, 1]


def test_the_ratio_is_drawn_without_the_row_of_averages(drawn, tables):
    vectors, weights = drawn(kobayashi_figure_dispersion).axes
    of_layers = tables["kobayashi_dispersion"].query("layer > 0").set_index("vector")
    assert line(vectors, "input vector").get_ydata() == pytest.approx(of_layers.loc["input", "cv"].to_numpy())
    means = of_layers.loc["weighted"].groupby("layer")["cv"].mean()
    assert line(weights, "weighted vector").get_ydata() == pytest.approx(means.to_numpy())


def test_every_method_is_drawn_by_layer_in_masked_text(drawn, tables):
    (panel,) = drawn(kobayashi_figure_mixing).axes
    assert len(panel.lines) == len(MIXING_METHODS)
    rows = tables["kobayashi_mixing"].query("text == 'masked' and method == 'attn_res_ln_n' and layer > 0")
    assert line(panel, "norms, residual, layer norm").get_ydata() == pytest.approx(rows["mixing_ratio"].to_numpy())


def check_density(panel, bins, spearman, place):
    """All tokens are drawn, with the mean of each range of ranks, and their correlation without special tokens."""
    assert panel.collections[0].get_array().compressed().sum() == bins["n"].sum()
    at = sorted(set(bins["rank_low"]))[place]
    here = bins[bins["rank_low"] == at]
    expected = np.average((here["value_low"] + here["value_high"]) / 2, weights=here["n"])
    assert line(panel, "mean").get_ydata()[place] == pytest.approx(expected)
    of_all = spearman[(spearman["layer"] == 0) & (spearman["tokens"] == "without_specials")]
    value, low, high = (in_print(of_all[column].item()) for column in ("spearman", "low", "high"))
    assert note(panel).endswith(f"{value} ({bounds_text(low, high)})")


def test_all_tokens_are_drawn_by_norm_and_weight(drawn, tables):
    norm, weight, _ = drawn(kobayashi_figure_frequency).axes
    assert (weight.get_xscale(), weight.get_yscale(), norm.get_yscale()) == ("log", "log", "linear")
    for panel, measure in ((norm, "norm"), (weight, "weight")):
        table, bins = (tables[name] for name in TABLES[kobayashi_figure_frequency])
        check_density(panel, bins[bins["measure"] == measure], table[table["measure"] == measure], place=-1)


def test_all_tokens_of_the_whole_text_are_drawn_by_mixing_ratio(drawn, tables):
    attention, everything, _ = drawn(kobayashi_figure_mixing_frequency).axes
    for panel, method in ((attention, "attn_n"), (everything, "attn_res_ln_n")):
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "linear")
        table, bins = (tables[name].query("text == 'whole'") for name in TABLES[kobayashi_figure_mixing_frequency])
        check_density(panel, bins[bins["method"] == method], table[table["method"] == method], place=0)
