"""Headline numbers of all models of an edition, by relative depth if they have a depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from bert_attention.figures import style
from bert_attention.papers.comparison import columns as names

_ROW_HEIGHT, _HEIGHT_AROUND_ROWS = 0.18, 0.95  # inches, for a model's row, and for titles and labels
_HEIGHT_BY_DEPTH = 3.4  # inches, for the panels by relative depth
_SIDEWAYS = 0.016  # fraction of the axis between models whose relations have the same depth
# Seven markers and six colors make 42 different looks.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COLORS = (style.BLUE, style.VERMILION, style.GREEN, style.ORANGE, style.PURPLE, style.SKY)
_POINT = {"linestyle": "none", "markersize": 4.2, "clip_on": False}
_TICK = {"marker": "|", "linestyle": "none", "color": "#333333", "markersize": 7, "markeredgewidth": 1.0}


@dataclass(frozen=True)
class _Model:
    """The rows of one model in the table, and its color and marker in all panels."""

    name: str
    rows: pd.DataFrame
    color: str
    marker: str

    def of(self, statistic: str) -> pd.DataFrame:
        """Return the model's rows of a statistic."""
        return self.rows[self.rows["statistic"] == statistic]

    @property
    def layers(self) -> int:
        return int(self.rows["layers"].iloc[0])


def draw(comparison_headlines: pd.DataFrame) -> Figure:
    """Draw three panels with a row for each model, and four by relative depth with a curve or points for each model.

    A model without a number has "not measured" in its row, and no curve. The rows name the models, so they are also the
    key to the curves.
    """
    models = [
        _Model(str(name), rows, color, marker)
        for (name, rows), color, marker in zip(
            comparison_headlines.groupby("model", sort=False), cycle(COLORS), cycle(MARKERS), strict=False
        )
    ]
    height_of_rows = _HEIGHT_AROUND_ROWS + _ROW_HEIGHT * len(models)
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, height_of_rows + _HEIGHT_BY_DEPTH), layout="constrained")
        by_model, by_depth = figure.subfigures(2, 1, height_ratios=(height_of_rows, _HEIGHT_BY_DEPTH))
        heads, probes, correlations = by_model.subplots(1, 3, sharey=True)
        statistics = {names.DEPENDENCY_HEAD: "head", names.DEPENDENCY_OFFSET: "fixed offset"}
        _draw_rows(heads, models, statistics, "(a) best dependency head", "accuracy (all relations)")
        statistics = {names.PROBE: "attention", names.PROBE_OF_DISTANCES: "distances"}
        _draw_rows(probes, models, statistics, "(b) probes", "UAS (with word vectors)")
        for panel in (heads, probes):
            panel.set_xlim(left=0)
            panel.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        statistics = {names.NORM_AGAINST_WEIGHT_SEP: "[SEP]", names.NORM_AGAINST_WEIGHT_OTHER: "other tokens"}
        _draw_rows(correlations, models, statistics, "(c) norm against weight", "Spearman")
        correlations.set_xlim(-1, 1)
        _name_models(heads, models)
        (previous, sep), (norms, relations) = by_depth.subplots(2, 2, sharex=True)
        _draw_previous(previous, models)
        _draw_curves(sep, models, names.SEP, "(e) attention to [SEP], mean of heads", "mean attention")
        _draw_curves(norms, models, names.SEP_BY_NORM, "(f) [SEP] by norm, sum of heads", "share of norms")
        _draw_relations(relations, models)
        for panel in (norms, relations):
            depth_axis(panel)
        return figure


def depth_axis(panel: Axes) -> None:
    """Label an x axis of relative depth."""
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    panel.set_xlabel("relative depth, from input to output")


def _draw_previous(panel: Axes, models: Sequence[_Model]) -> None:
    """Draw attention to the previous token: each layer's highest head, and the mean of its heads."""
    _draw_curves(panel, models, names.PREVIOUS_TOKEN_HEAD, "(d) attention to the previous token", "mean attention")
    for model in models:
        rows = model.of(names.PREVIOUS_TOKEN)
        panel.plot(rows["depth"], rows["value"], color=model.color, linestyle=":", linewidth=1.0)
    lines = {"highest head": "-", "mean of heads": ":"}
    keys = [Line2D([], [], color=style.GRAY, linestyle=line, label=label) for label, line in lines.items()]
    style.legend_above(panel, keys)


def _draw_curves(panel: Axes, models: Sequence[_Model], statistic: str, title: str, label: str) -> None:
    """Draw a curve for each model by relative depth, with its interval as a band."""
    for model in models:
        rows = model.of(statistic)
        if rows.empty:
            continue  # an empty band has no position and would spoil the layout
        style.layer_line(panel, rows["depth"], rows["value"], model.color, model.marker, model.name)
        panel.fill_between(rows["depth"], rows["low"], rows["high"], color=model.color, alpha=0.2, linewidth=0)
    panel.set_title(title)
    style.percent_axis(panel, label)


def _draw_relations(panel: Axes, models: Sequence[_Model]) -> None:
    """Draw the best head of each relation at its depth, with the models side by side."""
    for number, model in enumerate(models):
        rows = model.of(names.RELATION_HEAD)
        sideways = (number - (len(models) - 1) / 2) * _SIDEWAYS
        look = {"color": model.color, "marker": model.marker, "label": model.name}
        panel.scatter(rows["depth"] + sideways, rows["value"], s=12, alpha=0.7, linewidths=0, clip_on=False, **look)
    panel.set_title("(g) best head of each relation")
    style.percent_axis(panel, "accuracy (held out)")


def _draw_rows(panel: Axes, models: Sequence[_Model], statistics: Mapping[str, str], title: str, label: str) -> None:
    """Draw a row for each model, with a point, its interval and a tick at its baseline, and a legend above."""
    (statistic, point), (compared_with, tick) = statistics.items()
    for y, model in enumerate(models):
        for row in model.of(statistic).itertuples():
            panel.hlines(y, row.low, row.high, color=model.color, linewidth=1.1)
            panel.plot(row.value, y, color=model.color, marker=model.marker, label=model.name, **_POINT)
        ticks = model.of(compared_with)["value"]
        panel.plot(ticks, [y] * len(ticks), **_TICK)
        if model.of(statistic).empty:
            in_row = panel.get_yaxis_transform()
            panel.text(0.02, y, "not measured", color=style.GRAY, fontsize=6, va="center", transform=in_row)
    panel.set_title(title)
    panel.set_xlabel(label)
    panel.grid(visible=False)
    panel.grid(visible=True, axis="x")
    panel.tick_params(axis="y", length=0)
    keys = [Line2D([], [], color=style.GRAY, marker="o", label=point, **_POINT), Line2D([], [], label=tick, **_TICK)]
    style.legend_above(panel, keys)


def _name_models(panel: Axes, models: Sequence[_Model]) -> None:
    """Print the models' names and numbers of layers, from top to bottom, on the shared y axis."""
    panel.set_yticks(range(len(models)), [f"{model.name} ({model.layers})" for model in models])
    panel.set_ylim(len(models) - 0.5, -0.5)
    for label, model in zip(panel.get_yticklabels(), models, strict=True):
        label.set_color(model.color)
