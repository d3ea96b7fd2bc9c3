"""Style shared by all figures: sizes for print, colors for color-blind readers, and reproducible files."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from weakref import WeakSet

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, findSystemFonts, fontManager, get_font
from matplotlib.image import imsave
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import Formatter, FuncFormatter
from matplotlib.transforms import Bbox

from bert_attention.files import replacing
from bert_attention.heads import relative_depth
from bert_attention.tokenization.delimiters import Delimiters

COLUMN_WIDTH = 3.3  # inches: one column of the ACL style, which the papers use
TEXT_WIDTH = 6.3  # inches: both columns

# Okabe and Ito (2008), "Color Universal Design".
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
GRAY = "#767676"

# Kinds of tokens look the same in every figure: name in the tables, label, color, marker.
CLS = ("cls", "[CLS]", BLUE, "o")
SEP = ("sep", "[SEP]", VERMILION, "s")
PUNCTUATION = ("punctuation", ". and ,", GREEN, "^")
OTHER_TOKENS = ("other", "other tokens", GRAY, "D")
TOKEN_KINDS = (CLS, SEP, PUNCTUATION, OTHER_TOKENS)

_FONT = "DejaVu Sans"
_BOXES = "Last Resort"  # this font has a box for every character
_MISSING_GLYPH = "Glyph .* missing from font"  # one warning of ours names all of them
_warned: WeakSet[Figure] = WeakSet()  # figures whose missing characters a warning has named

_SETTINGS = {
    "font.family": _FONT,
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#333333",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "legend.handletextpad": 0.4,
    "legend.borderaxespad": 0.2,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "none",
    "svg.hashsalt": "bert-attention",
    "savefig.dpi": 300,
}
_LAYER_LINE = {"markersize": 3.6, "markeredgewidth": 0.4, "linewidth": 1.2, "clip_on": False}
_PUBLISHED_LINE = {"linewidth": 0.9, "linestyle": (0, (2, 1.6))}
_PUBLISHED_ALPHA = 0.55
_NOTE = {"fontsize": 6.5, "style": "italic", "color": VERMILION}
_NOTE_HEIGHT = 0.16  # inches
_SPACE_ABOVE = 1.05  # the top of an axis from 0, relative to the largest number
_REFERENCE_LINE = {"color": GRAY, "linewidth": 0.9, "linestyle": "--"}


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Let Matplotlib draw and save in this style, whatever style the user has set, and restore the user's style."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def save(figure: Figure | Sequence[Figure], path: Path | str, note: str = "") -> None:
    """Write a figure in the format of the path's suffix; the same figure gives the same bytes.

    Several figures of one width are the pages of a PDF, or stand below each other in a PNG. The file appears only when
    it is complete. ``note`` is written below a single figure.
    """
    kind = Path(path).suffix.lstrip(".")
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}.get(kind)
    with house_style(), replacing(path) as partial, warnings.catch_warnings():
        pages = [figure] if isinstance(figure, Figure) else figure
        for page in pages:
            use_fonts_with_glyphs(page)
        warnings.filterwarnings("ignore", _MISSING_GLYPH, UserWarning)
        if isinstance(figure, Figure):
            with _note_below(figure, note) as box:
                figure.savefig(partial, format=kind, metadata=metadata, bbox_inches=box)
        elif kind == "pdf":
            with PdfPages(partial, metadata=metadata) as file:
                for page in pages:
                    file.savefig(page)
        else:
            imsave(partial, np.concatenate([_pixels(page) for page in pages]), format=kind, metadata=metadata)


@contextlib.contextmanager
def _note_below(figure: Figure, note: str) -> Iterator[Bbox | None]:
    """Write a note below a figure's lower edge, and yield the area with the note; None without a note."""
    if not note:
        yield None
        return
    width, height = figure.get_size_inches()
    text = figure.text(0.995, -0.2 * _NOTE_HEIGHT / height, note, ha="right", va="top", **_NOTE)
    yield Bbox([[0, -_NOTE_HEIGHT], [width, height]])
    text.remove()


def name_delimiters(figure: Figure, delimiters: Delimiters) -> None:
    """Name the tokenizer's own tokens in place of [CLS] and [SEP] in a figure, and remove marks of spaces."""
    if delimiters == Delimiters():
        return
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if list(map(delimiters.named_in, labels)) != labels:  # the formatter writes the labels again
            formatter = axis.get_major_formatter()
            axis.set_major_formatter(partial(_named_label, formatter, delimiters))
    for text in figure.findobj(Text):
        text.set_text(delimiters.named_in(text.get_text()))


def _named_label(formatter: Formatter, delimiters: Delimiters, value: float, position: int | None) -> str:
    return delimiters.named_in(formatter(value, position))


def complete(figure: Figure) -> None:
    """Make the parts of a figure that Matplotlib makes only when it shows the figure, such as ticks.

    Afterwards, the figure looks the same in every style in which it is shown.
    """
    with house_style():
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            # Matplotlib would space the ticks by the size of labels in the user's style.
            size = axis.get_tick_params().get("labelsize", mpl.rcParams[f"{axis.axis_name}tick.labelsize"])
            axis.set_tick_params(labelsize=size)
        use_fonts_with_glyphs(figure)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _MISSING_GLYPH, UserWarning)
            figure.draw_without_rendering()


def _pixels(figure: Figure) -> np.ndarray:
    """Return a figure as an image: height, width, and red, green, blue and alpha."""
    figure.set_dpi(mpl.rcParams["savefig.dpi"])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def use_fonts_with_glyphs(figure: Figure) -> None:
    """Let a figure's texts fall back on other installed fonts for characters that the usual font lacks.

    Examples are Chinese characters. Warns once of a figure if no installed font has some of its characters.
    """
    lacking: dict[Text, set[str]] = {}
    for text in _texts(figure):
        characters = {character for character in text.get_text() if not character.isspace()} - _characters(
            findfont(_FONT)
        )
        if characters:
            lacking[text] = characters
    missing = set().union(*lacking.values())
    families = _take_families(missing)
    if missing:
        _list_new_fonts()
        families += _take_families(missing)
    for text in lacking:
        text.set_fontfamily([*text.get_fontfamily(), *families])
    if missing and figure not in _warned:
        _warned.add(figure)
        some = "".join(sorted(missing)[:10])
        warnings.warn(
            f"a figure has boxes for {len(missing)} characters ({some}), which no installed font has; "
            "install a font that has them, such as Noto Sans CJK for Chinese, Japanese and Korean",
            stacklevel=3,
        )


def _take_families(missing: set[str]) -> list[str]:
    """Return families of fonts for missing characters, and remove the characters that these fonts have."""
    families = []
    for family, path in sorted({font.name: font.fname for font in fontManager.ttflist}.items()):
        if missing and not family.startswith(_BOXES) and missing & _characters(path):
            missing -= _characters(path)
            families.append(family)
    return families


def _list_new_fonts() -> None:
    """Add the fonts to Matplotlib's list that were installed after Matplotlib wrote the list to its cache."""
    for path in set(findSystemFonts()) - {str(font.fname) for font in fontManager.ttflist}:
        with contextlib.suppress(Exception):  # Matplotlib also skips fonts that it cannot read
            fontManager.addfont(path)


def _texts(figure: Figure) -> Iterator[Text]:
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            yield from axis.get_ticklabels(which="both")
    yield from figure.findobj(Text)


@cache
def _characters(font: str) -> frozenset[str]:
    return frozenset(map(chr, get_font(font).get_charmap()))


def panels(rows: int, panel_height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure as wide as a column, with stacked panels that share their x axis.

    ``panel_height`` is in inches.
    """
    figure = Figure(figsize=(COLUMN_WIDTH, rows * panel_height), layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    return figure, list(axes)


def heads_by_layer(
    axes: Axes,
    table: pd.DataFrame,
    value: str,
    color: str,
    marker: str,
    label: str,
    head_label: str | None = None,
    shift: float = 0,
    width: float = 0.36,
    log: bool = False,
) -> None:
    """Draw a point for each head over its layer, and a line through the layers' means.

    The heads of a layer are spread sideways by head number over ``width`` layers, so that equal values remain visible.
    ``shift`` moves points and line sideways, so that curves with equal values remain visible. On a logarithmic axis
    (``log``), a head with the value 0 has no point, but counts in the mean of its layer; a mean of 0 is a gap.
    """
    heads = table["head"].max()
    sideways = shift + (table["head"] - (heads + 1) / 2) / heads * width
    points, means = table[value], table.groupby("layer")[value].mean().dropna()
    if log:
        axes.set_yscale("log")
        points, means = points[points > 0], means.where(means > 0)
    head_points(axes, (table["layer"] + sideways)[points.index], points, color, marker, head_label)
    layer_line(axes, means.index + shift, means, color, marker, label)


def head_points(axes: Axes, x: pd.Series, y: pd.Series, color: str, marker: str, label: str | None = None) -> None:
    """Draw a small point for each head. The axis does not clip points at zero."""
    axes.scatter(x, y, s=5, color=color, marker=marker, alpha=0.45, linewidths=0, clip_on=False, label=label)


def layer_line(axes: Axes, x: pd.Series, y: pd.Series, color: str, marker: str, label: str) -> None:
    """Draw a line through one value per layer."""
    axes.plot(x, y, color=color, marker=marker, markeredgecolor="white", label=label, **_LAYER_LINE)


def reference_line(axes: Axes, value: float, label: str | None = None) -> None:
    """Draw a dashed line across a panel at a reference value."""
    axes.axhline(value, label=label, **_REFERENCE_LINE)


def reference_key(label: str) -> Line2D:
    """Return the legend entry of a reference line."""
    return Line2D([], [], label=label, **_REFERENCE_LINE)


def published_at_depth(published: pd.DataFrame, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return published curves by layer with each layer at its relative depth in the encoder of the tables.

    The layers of an encoder with as many layers as the paper's stay where they are.
    """
    layers = max((table["layer"].max() for table in tables if "layer" in table), default=math.nan)
    if published.empty or "layer" not in published or math.isnan(layers):
        return published
    return published.assign(layer=0.5 + layers * relative_depth(published["layer"], published["layer"].max()))


def published_curve(axes: Axes, curve: pd.DataFrame, color: str) -> None:
    """Draw a paper's own curve, columns ``layer`` and ``value``, as a light dashed line."""
    axes.plot(curve["layer"], curve["value"], color=color, alpha=_PUBLISHED_ALPHA, zorder=1, **_PUBLISHED_LINE)


def layer_key(color: str, marker: str, label: str) -> Line2D:
    """Return the legend entry of a line through layers."""
    return Line2D([], [], color=color, marker=marker, markersize=3.6, linewidth=1.2, label=label)


def published_keys(published: pd.DataFrame, color: str | None = None) -> list[Line2D]:
    """Return the legend entry of published curves, or an empty list if there are none.

    ``color`` is that of all curves. Without it, curves have several colors, and the entry is gray.
    """
    look = {"color": GRAY} if color is None else {"color": color, "alpha": _PUBLISHED_ALPHA}
    return [] if published.empty else [Line2D([], [], label="published", **look, **_PUBLISHED_LINE)]


def color_bar(figure: Figure, shades: ScalarMappable, panels: Iterable[Axes], label: str, **look: object) -> Colorbar:
    """Add a color bar with thin lines beside some panels."""
    bar = figure.colorbar(shades, ax=list(panels), label=label, **look)
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(width=0.4, length=2)
    return bar


def legend_above(axes: Axes, handles: Sequence[Artist] | None = None, published: pd.DataFrame | None = None) -> None:
    """Add a legend in one row between a panel and its title, where it hides no data.

    The legend names ``handles``, or everything in the panel that has a label if None. Published curves come last.
    """
    if handles is None:
        handles, _ = axes.get_legend_handles_labels()
    legend = axes.legend(
        handles=handles if published is None else [*handles, *published_keys(published)],
        loc="lower left",
        bbox_to_anchor=(-0.015, 1.0),
        ncols=6,
        columnspacing=1.1,
        handlelength=1.7,
    )
    legend.set_in_layout(False)  # a long legend would narrow the panel; the title's padding leaves space for it
    axes.set_title(axes.get_title(loc="left"), pad=15)


def layer_axis(axes: Sequence[Axes], *tables: pd.DataFrame) -> None:
    """Label the shared x axis of a column of panels with every layer of the tables, and align the y labels."""
    layers = int(max(table["layer"].max() for table in tables if not table.empty))
    bottom = axes[-1]
    bottom.set_xlim(0.5, layers + 0.5)
    bottom.set_xticks(np.arange(1, layers + 1))
    bottom.set_xlabel("layer")
    bottom.figure.align_ylabels(axes)


def percent_axis(axes: Axes, label: str) -> None:
    """Label a y axis of shares in percent, from 0, with decimals only where ticks need them.

    Above shares that are all alike, there is as much space as above others, so that no point lies on the edge.
    """
    axes.set_ylim(0, np.nanmax([axes.get_ylim()[1], _SPACE_ABOVE * axes.dataLim.y1]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}%"))
    axes.set_ylabel(label)
