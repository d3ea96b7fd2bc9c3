"""Figures of Kobayashi et al. 2020, section 5: word alignment from a translation model's cross-attention."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from bert_attention.figures import style

_SETTINGS = (("awi", "with the input word (AWI)"), ("awo", "with the output word (AWO)"))
# In the table, label, colour, marker, and where heads stand beside their layer.
_METHODS = (("weight", "weight", style.ORANGE, "s", 0.0), ("norm", "norm", style.BLUE, "o", 0.24))
_MAPS = (("weight", "weight", "Oranges"), ("norm", "norm", "Blues"))
_CELL_WORD_SIZE = 5.8  # points
_DOT = {"color": "black", "marker": "o", "markersize": 2.4, "markeredgecolor": "white", "markeredgewidth": 0.4}


def alignment(
    kobayashi_alignment: pd.DataFrame, kobayashi_alignment_summary: pd.DataFrame, published: pd.DataFrame
) -> Figure:
    """Alignment error rate of every layer and head by setting, a column of panels for each model.

    ``published`` holds the paper's curves (columns ``series``, such as ``awi_norm``, ``layer``, ``value``); where it
    has rows they are laid under ours as light dashes.
    """
    models = kobayashi_alignment["model"].unique()
    diagonal = kobayashi_alignment_summary.query("statistic == 'diagonal'").set_index("model")["value"]
    with style.house_style():
        width = style.COLUMN_WIDTH if len(models) == 1 else style.TEXT_WIDTH
        figure = Figure(figsize=(width, 3.5), layout="constrained")
        grid = figure.subplots(2, len(models), sharex="col", sharey=True, squeeze=False)
        for model, column in zip(models, grid.T, strict=True):
            of_model = kobayashi_alignment[kobayashi_alignment["model"] == model]
            for panel, (setting, title) in zip(column, _SETTINGS, strict=True):
                _draw_rates(panel, of_model[of_model["setting"] == setting], setting, published)
                panel.axhline(diagonal[model], color=style.GREY, linewidth=0.9, linestyle="--", label="diagonal")
                panel.set_title(title if len(models) == 1 else f"{model}: {title}")
            published_layers = published["layer"].max() if len(published) else 0
            style.layer_axis(column, int(max(of_model["layer"].max(), published_layers)))
        for panel in grid[:, 0]:
            panel.set_ylim(0, 1)
            panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            panel.set_ylabel("alignment error rate")
        figure.legend(*_legend(not published.empty), loc="outside upper left", ncols=4, handlelength=1.7)
        return figure


def _draw_rates(panel: Axes, rows: pd.DataFrame, setting: str, published: pd.DataFrame) -> None:
    """The heads as points, and a line through the layers with its interval, by either method."""
    for method, _, color, marker, sideways in _METHODS:
        style.published_curve(panel, published[published["series"] == f"{setting}_{method}"], color)
        of_method = rows[rows["method"] == method]
        heads, layers = of_method[of_method["head"].notna()], of_method[of_method["head"].isna()]
        panel.scatter(
            heads["layer"] + sideways - 0.12,
            heads["aer"].astype(float),
            s=5,
            color=color,
            marker=marker,
            alpha=0.45,
            linewidths=0,
            clip_on=False,
        )
        panel.fill_between(layers["layer"], layers["low"], layers["high"], color=color, alpha=0.2, linewidth=0)
        panel.plot(
            layers["layer"],
            layers["aer"],
            color=color,
            marker=marker,
            markersize=3.6,
            markeredgecolor="white",
            markeredgewidth=0.4,
            linewidth=1.2,
            clip_on=False,
            label=method,
        )


def _legend(with_published: bool) -> tuple[list[Line2D], list[str]]:
    handles = [
        Line2D([], [], color=color, marker=marker, markersize=3.6, linewidth=1.2, label=label)
        for _, label, color, marker, _ in _METHODS
    ]
    handles.append(Line2D([], [], color=style.GREY, linewidth=0.9, linestyle="--", label="diagonal"))
    if with_published:
        handles.append(Line2D([], [], color=style.GREY, linewidth=0.9, linestyle=(0, (2, 1.6)), label="published"))
    return handles, [handle.get_label() for handle in handles]


def alignment_examples(kobayashi_alignment_examples: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """What a layer of each model takes from the source words of a few pairs, by weight and by norm, over gold links.

    ``published`` is not used: the paper's pairs may not be passed on.
    """
    by_model = list(kobayashi_alignment_examples.groupby("model", sort=False))
    pairs = kobayashi_alignment_examples["pair"].nunique()
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 0.25 + 1.9 * len(by_model)), layout="constrained")
        grid = figure.subplots(len(by_model), pairs * len(_MAPS), squeeze=False)
        for (model, of_model), row in zip(by_model, grid, strict=True):
            panels = iter(row)
            for number, cells in of_model.groupby("pair"):
                for method, label, colours in _MAPS:
                    panel = next(panels)
                    _draw_map(panel, cells, method, colours, with_targets=method == _MAPS[0][0])
                    panel.set_title(f"pair {number}: {label}")
            first = of_model.iloc[0]
            row[0].set_ylabel(f"{model}\nlayer {first['layer']}, {first['setting'].upper()}")
        figure.legend(handles=_legend_of_maps(), loc="outside lower left", ncols=4, handlelength=1.2)
        return figure


def _draw_map(panel: Axes, cells: pd.DataFrame, method: str, colours: str, with_targets: bool) -> None:
    """Target words by source words: values as colours, gold links as frames, the highest of each row as a dot."""
    values = cells.pivot_table(index="target", columns="source", values=method)
    sources = cells.drop_duplicates("source").set_index("source")["source_word"]
    targets = cells.drop_duplicates("target").set_index("target")["target_word"]
    panel.imshow(values, cmap=colours, vmin=0, aspect="auto", extent=_extent(values))
    for link in cells[cells["gold"] != "none"].itertuples():
        corner = (link.source - 0.5, link.target - 0.5)
        dashes = "-" if link.gold == "sure" else (0, (1.5, 1.2))
        panel.add_patch(Rectangle(corner, 1, 1, fill=False, linewidth=0.8, linestyle=dashes, edgecolor=style.GREY))
    panel.plot(values.idxmax(axis=1), values.index, linestyle="", **_DOT)
    panel.set_xticks(sources.index, sources, rotation=90, fontsize=_CELL_WORD_SIZE, parse_math=False)
    panel.set_yticks(targets.index, targets if with_targets else [], fontsize=_CELL_WORD_SIZE, parse_math=False)
    panel.tick_params(length=0, pad=1.5)
    panel.grid(visible=False)


def _extent(values: pd.DataFrame) -> tuple[float, float, float, float]:
    """Cells are centred on the numbers of their words, from 1, the first target word at the top."""
    rows, columns = values.shape
    return 0.5, columns + 0.5, rows + 0.5, 0.5


def _legend_of_maps() -> list[Line2D | Rectangle]:
    frame = {"fill": False, "edgecolor": style.GREY, "linewidth": 0.8}
    return [
        Rectangle((0, 0), 1, 1, label="sure link", **frame),
        Rectangle((0, 0), 1, 1, label="possible link", linestyle=(0, (1.5, 1.2)), **frame),
        Line2D([], [], label="link found", linestyle="", **_DOT),
    ]
