"""Figures of Kobayashi et al. 2020 and 2021 on tokens show the values of their tables."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.figures import style
from bert_attention.papers.kobayashi import categories, correlation, dispersion, frequency, mixing
from bert_attention.papers.kobayashi.figures import figure_categories as kobayashi_figure_categories
from bert_attention.papers.kobayashi.figures import figure_correlation as kobayashi_figure_correlation
from bert_attention.papers.kobayashi.figures import figure_dispersion as kobayashi_figure_dispersion
from bert_attention.papers.kobayashi.figures import figure_frequency as kobayashi_figure_frequency
from bert_attention.papers.kobayashi.figures import figure_mixing as kobayashi_figure_mixing
from bert_attention.papers.kobayashi.figures import figure_mixing_frequency as kobayashi_figure_mixing_frequency
from bert_attention.statistics.tables import write_tables
from bert_attention.tables import bounds_text
from tests.figures.reading import line
from tests.kobayashi.sequences import HEADS, LAYERS, masked_sequence, random_sequence, replicated

RANKS = token_ranks({token: 40 - token for token in range(30)}, 30)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables of a few random sequences, after they were written and read."""
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


def axes(module, tables):
    """Draw the figure of a module from the tables that are named as its arguments, and return its axes."""
    figure = module.draw(**{name: tables[name] for name in signature(module.draw).parameters})
    assert figure.get_figwidth() == style.COLUMN_WIDTH
    return figure.axes


def note(panel):
    """Return the text in a corner of a panel."""
    return next(iter(panel.artists)).txt.get_text()


def in_print(number):
    return f"{number:.2f}".replace("-", "\N{MINUS SIGN}")


def test_the_figure_shows_categories_of_tokens(tables):
    table = tables["kobayashi_categories"]
    weight, norm, share = axes(kobayashi_figure_categories, tables)
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


def test_the_figure_shows_the_correlation_of_weights_and_norms(tables):
    panels, bins = axes(kobayashi_figure_correlation, tables), tables["kobayashi_correlation_bins"]
    for panel, category in zip(panels, ("cls", "sep", "punctuation", "other"), strict=False):
        shades = panel.collections[0].get_array()
        counts = bins[bins["category"] == category]["n"]
        assert np.sort(shades.compressed()) == pytest.approx(np.sort(counts / counts.max()))
    spearman = tables["kobayashi_correlation"].set_index("category")["spearman"]
    assert in_print(spearman["sep"]) in note(panels[1])
    # A category without tokens has an empty panel.
    found = replicated(correlation, [random_sequence(0, 9, punctuation=False)])
    figure = kobayashi_figure_correlation.draw(**{name: table.whole for name, table in found.items()})
    assert [len(panel.collections) for panel in figure.axes[:4]] == [1, 1, 0, 1]


def test_the_figure_shows_dispersion_by_layer(tables):
    vectors, weights = axes(kobayashi_figure_dispersion, tables)
    of_layers = tables["kobayashi_dispersion"].query("layer > 0").set_index("vector")
    assert line(vectors, "input vector").get_ydata() == pytest.approx(of_layers.loc["input", "cv"].to_numpy())
    means = of_layers.loc["weighted"].groupby("layer")["cv"].mean()
    assert line(weights, "weighted vector").get_ydata() == pytest.approx(means.to_numpy())


def test_the_figure_shows_mixing_ratios_in_masked_text(tables):
    (panel,) = axes(kobayashi_figure_mixing, tables)
    assert len(panel.lines) == len(MIXING_METHODS)
    rows = tables["kobayashi_mixing"].query("text == 'masked' and method == 'attn_res_ln_n' and layer > 0")
    assert line(panel, "norms, residual, layer norm").get_ydata() == pytest.approx(rows["mixing_ratio"].to_numpy())


@pytest.mark.parametrize(
    ("module", "by", "names"),
    [
        (kobayashi_figure_frequency, "measure", ("norm", "weight")),
        (kobayashi_figure_mixing_frequency, "method", ("attn_n", "attn_res_ln_n")),
    ],
)
def test_the_figure_shows_tokens_by_frequency_rank(tables, module, by, names):
    """All tokens are drawn, with the mean of each range of ranks and the correlation without special tokens."""
    table, bins = (tables[name] for name in signature(module.draw).parameters)
    for panel, name in zip(axes(module, tables), names, strict=False):
        cells = bins[bins[by] == name]
        rows = table[(table[by] == name) & (table["layer"] == 0) & (table["tokens"] == "without_specials")]
        if by == "method":
            cells, rows = cells.query("text == 'whole'"), rows.query("text == 'whole'")
        assert panel.collections[0].get_array().compressed().sum() == cells["n"].sum()
        cells = cells.assign(value=(cells["value_low"] + cells["value_high"]) / 2 * cells["n"])
        sums = cells.groupby("rank_low")[["value", "n"]].sum()
        assert line(panel, "mean").get_ydata() == pytest.approx((sums["value"] / sums["n"]).to_numpy())
        value, low, high = (in_print(rows[column].item()) for column in ("spearman", "low", "high"))
        assert note(panel).endswith(f"{value} ({bounds_text(low, high)})")
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log" if name == "weight" else "linear")
