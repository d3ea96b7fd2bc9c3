"""Figures of Kobayashi et al. 2020, section 4, and of the mixing ratio of 2021; ``published`` has no curve for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnchoredText
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from bert_attention.figures import style

# In the table, label, colour, marker.
_CATEGORIES = (
    ("cls", "[CLS]", style.BLUE, "o"),
    ("sep", "[SEP]", style.VERMILION, "s"),
    ("punctuation", ". and ,", style.GREEN, "^"),
    ("other", "other tokens", style.GREY, "D"),
)
_METHODS = (
    ("attn_w", "weights", style.SKY, "o"),
    ("attn_n", "norms", style.BLUE, "s"),
    ("attn_res_w", "weights, residual", style.ORANGE, "^"),
    ("attn_res_n", "norms, residual", style.VERMILION, "D"),
    ("attn_res_ln_n", "norms, residual, layer norm", style.PURPLE, "v"),
)
_DENSITY = "Blues"  # one hue, so that it prints in grey too


def categories(kobayashi_categories: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """What each head takes from each token category, by weight and by norm, and the layers' shares of the norm."""
    of_heads = kobayashi_categories[kobayashi_categories["head"].notna()]
    of_layers = kobayashi_categories[kobayashi_categories["head"].isna()]
    with style.house_style():
        figure, axes = style.panels(3, panel_height=1.55)
        for panel, measure in zip(axes, ("weight", "norm"), strict=False):
            for category, label, color, marker in _CATEGORIES:
                rows = of_heads[(of_heads["measure"] == measure) & (of_heads["category"] == category)]
                style.heads_by_layer(panel, rows, "value", color, marker, label)
        for category, label, color, marker in _CATEGORIES:
            rows = of_layers[(of_layers["measure"] == "share_of_norm") & (of_layers["category"] == category)]
            _line(axes[2], rows["layer"], rows["value"], color, marker, label)
        titles = ("(a) attention weight", "(b) norm of the weighted vectors", "(c) norm, all heads together: shares")
        for panel, title in zip(axes, titles, strict=True):
            panel.set_title(title)
        style.percent_axis(axes[0], "sum of weights")
        axes[1].set_ylim(bottom=0)
        axes[1].set_ylabel("sum of norms")
        style.percent_axis(axes[2], "share of norms")
        style.legend_above(axes[0])
        style.layer_axis(axes, int(kobayashi_categories["layer"].max()))
        return figure


def dispersion(kobayashi_dispersion: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Coefficient of variation of the vectors' lengths and of the weights, by layer."""
    lists = kobayashi_dispersion[kobayashi_dispersion["layer"] > 0]
    by_layer = {vector: lists[lists["vector"] == vector] for vector in lists["vector"].unique()}
    with style.house_style():
        figure, (vectors, weights) = style.panels(2, panel_height=1.6)
        style.heads_by_layer(vectors, by_layer["transformed"], "cv", style.BLUE, "o", "transformed vector")
        _line(vectors, by_layer["input"]["layer"], by_layer["input"]["cv"], style.ORANGE, "s", "input vector")
        style.heads_by_layer(weights, by_layer["weight"], "cv", style.VERMILION, "^", "weight")
        style.heads_by_layer(weights, by_layer["weighted"], "cv", style.PURPLE, "D", "weighted vector")
        for panel, title in (
            (vectors, "(a) lengths of vectors"),
            (weights, "(b) weights, lengths of weighted vectors"),
        ):
            panel.set_title(title)
            panel.set_ylim(bottom=0)
            panel.set_ylabel("sd / mean")
            style.legend_above(panel)
        style.layer_axis((vectors, weights), int(kobayashi_dispersion["layer"].max()))
        return figure


def correlation(
    kobayashi_correlation: pd.DataFrame, kobayashi_correlation_bins: pd.DataFrame, published: pd.DataFrame
) -> Figure:
    """Weight and length of the transformed vector of all pairs of tokens, by category of the attended token."""
    bins = kobayashi_correlation_bins.copy()
    bins["weight_low"] = bins["weight_low"].where(
        bins["weight_low"] > 0, bins["weight_high"] / 2
    )  # a log axis has no 0
    spearman = kobayashi_correlation.set_index("category")["spearman"]
    shades = LogNorm(1e-5, 1)
    with style.house_style():
        figure = Figure(figsize=(style.COLUMN_WIDTH, 2.8), layout="constrained")
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for panel, (category, label, _, _) in zip(panels.flat, _CATEGORIES, strict=True):
            panel.set_title(label)
            cells = bins[bins["category"] == category]
            if not cells.empty:  # a text may lack periods and commas
                cells = cells.assign(share=cells["n"] / cells["n"].max())
                mesh = _density(panel, cells, "weight", "norm", "share", shades)
                _note(panel, spearman[category], "lower left")
            panel.set_yscale("log")
            panel.xaxis.set_major_locator(LogLocator(numticks=4))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_minor_formatter(NullFormatter())
        panel.set_xlim(bins["weight_low"].min(), bins["weight_high"].max())
        panel.set_ylim(bins["norm_low"].min(), bins["norm_high"].max())
        figure.supxlabel(r"attention weight $\alpha$", fontsize=7)
        figure.supylabel(r"$\Vert f(x)\Vert$", fontsize=7)
        _shades(figure, mesh, panels, "pairs, relative to the fullest cell")
        return figure


def frequency(
    kobayashi_frequency: pd.DataFrame, kobayashi_frequency_bins: pd.DataFrame, published: pd.DataFrame
) -> Figure:
    """What tokens get, by norm and by weight, over the rank of their frequency; [CLS] and [SEP] left out."""
    of_all_layers = kobayashi_frequency[kobayashi_frequency["layer"] == 0]
    spearman = of_all_layers[of_all_layers["tokens"] == "without_specials"].set_index("measure")["spearman"]
    shades = LogNorm(1, kobayashi_frequency_bins["n"].max())
    with style.house_style():
        figure, axes = style.panels(2, panel_height=1.6)
        for panel, measure, title, label in (
            (axes[0], "norm", "(a) length of the transformed vector", r"mean $\Vert f(x)\Vert$"),
            (axes[1], "weight", "(b) attention weight", r"mean $\alpha$"),
        ):
            cells = kobayashi_frequency_bins[kobayashi_frequency_bins["measure"] == measure]
            mesh = _density(panel, cells, "rank", "value", "n", shades)
            panel.plot(*_means(cells), color=style.VERMILION, linewidth=1.2, label="mean")
            panel.set_title(title)
            panel.set_ylabel(label)
            _note(panel, spearman[measure], "lower right")
        axes[1].set_yscale("log")
        axes[1].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes[1].yaxis.set_major_formatter("{x:g}")
        axes[1].yaxis.set_minor_formatter(NullFormatter())
        axes[0].legend(loc="upper left")
        axes[1].set_xlabel("frequency rank of the token")
        figure.align_ylabels(axes)
        _shades(figure, mesh, axes, "tokens")
        return figure


def mixing(kobayashi_mixing: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Mean share of other tokens in a token's new vector, by method and layer."""
    by_layer = kobayashi_mixing[kobayashi_mixing["layer"] > 0]
    with style.house_style():
        figure, (panel,) = style.panels(1, panel_height=2.1)
        for method, label, color, marker in _METHODS:
            rows = by_layer[by_layer["method"] == method]
            _line(panel, rows["layer"], rows["mixing_ratio"], color, marker, label)
        style.percent_axis(panel, "mean mixing ratio")
        panel.set_ylim(0, 1)
        style.layer_axis((panel,), int(by_layer["layer"].max()))
        figure.legend(loc="outside upper left", ncols=2, columnspacing=1.1, handlelength=1.7, borderpad=0)
        return figure


def _line(panel: Axes, x: pd.Series, y: pd.Series, color: str, marker: str, label: str) -> None:
    """A line through the layers, as that through the means of heads."""
    panel.plot(
        x,
        y,
        color=color,
        marker=marker,
        markersize=3.6,
        markeredgecolor="white",
        markeredgewidth=0.4,
        linewidth=1.2,
        label=label,
        clip_on=False,
    )


def _density(panel: Axes, cells: pd.DataFrame, x: str, y: str, value: str, norm: LogNorm) -> QuadMesh:
    """Cells with ``<x>_low``, ``<x>_high``, ``<y>_low``, ``<y>_high``, coloured by their value, over a log x axis."""
    edges = {axis: np.union1d(cells[f"{axis}_low"], cells[f"{axis}_high"]) for axis in (x, y)}
    places = {axis: np.searchsorted(edges[axis], cells[f"{axis}_low"]) for axis in (x, y)}
    grid = np.full((len(edges[y]) - 1, len(edges[x]) - 1), np.nan)
    grid[places[y], places[x]] = cells[value]
    panel.set_xscale("log")
    panel.grid(visible=False)
    return panel.pcolormesh(edges[x], edges[y], grid, cmap=_DENSITY, norm=norm, antialiased=False)


def _means(cells: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each range of ranks, and the mean of the values in it."""
    middles = cells.assign(
        rank=np.sqrt(cells["rank_low"] * cells["rank_high"]),
        total=(cells["value_low"] + cells["value_high"]) / 2 * cells["n"],
    )
    sums = middles.groupby("rank")[["total", "n"]].sum()
    return sums.index.to_numpy(), (sums["total"] / sums["n"]).to_numpy()


def _note(panel: Axes, spearman: float, corner: str) -> None:
    """Spearman's correlation in a corner of its panel."""
    value = f"{spearman:.2f}".replace("-", "\N{MINUS SIGN}")
    panel.add_artist(AnchoredText(f"$\\rho$ = {value}", loc=corner, frameon=False, pad=0.1, prop={"fontsize": 6.5}))


def _shades(figure: Figure, mesh: QuadMesh, panels: Sequence[Axes] | np.ndarray, label: str) -> None:
    """The legend of the colours, beside all panels."""
    figure.colorbar(mesh, ax=panels, label=label, aspect=35, pad=0.02).outline.set_visible(False)
