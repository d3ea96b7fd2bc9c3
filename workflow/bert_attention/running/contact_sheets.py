"""Pages of attention maps to be labelled by eye: a program.

    python -m bert_attention.running.contact_sheets MAPS FOLDER --seed 1

writes FOLDER/page_01.png, ..., with 6 x 6 maps a page in a random order, and FOLDER/order.csv, which says where each
map stands. Another seed gives another order, for a second pass. In a clone that is not installed: PYTHONPATH=workflow.

Above each map stands its number, and nothing of where it comes from. A row is a query (the token that attends), a
column a key; both begin at the upper left. Red marks at the left and upper edge are [CLS] and [SEP]: a map with three
of them is of two sentences. Colour is attention, from 0 (dark) to the map's own largest weight (bright).
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.corpora.pattern_annotations import read_maps
from bert_attention.corpora.types import PatternMap
from bert_attention.files import replacing

_PIXELS = 250  # of a map with its number
_DPI = 100


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and draw."""
    parser = argparse.ArgumentParser(description="Draw pages of attention maps to be labelled by eye.")
    parser.add_argument("maps", type=Path, help="the maps, as Parquet")
    parser.add_argument("folder", type=Path, help="where the pages go")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the maps (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=6, help="rows of maps a page (default: %(default)s)")
    parser.add_argument("--columns", type=int, default=6, help="maps a row (default: %(default)s)")
    given = parser.parse_args(arguments)
    pages = pages_of(read_maps(given.maps), given.rows * given.columns, given.seed)
    for number, page in enumerate(pages, start=1):
        with replacing(given.folder / f"page_{number:02}.png") as partial:
            contact_sheet(page, given.rows, given.columns).savefig(partial, format="png")
    write_order(pages, given.columns, given.folder / "order.csv")
    print(f"{len(pages)} pages in {given.folder}")


def pages_of(maps: Sequence[PatternMap], size: int, seed: int) -> list[list[PatternMap]]:
    """The maps in random order, cut into pages of ``size``; the last page may have fewer."""
    order = np.random.default_rng(seed).permutation(len(maps))
    return [[maps[place] for place in order[start : start + size]] for start in range(0, len(order), size)]


def contact_sheet(page: Sequence[PatternMap], rows: int, columns: int) -> Figure:
    """One page of maps, row by row."""
    figure = Figure(figsize=(columns * _PIXELS / _DPI, rows * _PIXELS / _DPI), dpi=_DPI)
    grid = figure.subplots(rows, columns, squeeze=False)
    figure.subplots_adjust(left=0.01, right=0.995, bottom=0.005, top=0.982, wspace=0.07, hspace=0.12)
    for axes, item in zip(grid.flat, page, strict=False):
        _draw_map(axes, item)
    for axes in grid.flat[len(page) :]:
        axes.set_axis_off()
    return figure


def _draw_map(axes: Axes, item: PatternMap) -> None:
    axes.imshow(item.attention, cmap="viridis", vmin=0, interpolation="nearest", aspect="auto")
    special = sorted({0, item.separator, len(item.attention) - 1})
    axes.set_xticks(special, labels=[])
    axes.set_yticks(special, labels=[])
    axes.tick_params(length=5, width=1.6, color="red", top=True, bottom=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title(str(item.id), fontsize=11, pad=5, loc="center")


def write_order(pages: Sequence[Sequence[PatternMap]], columns: int, path: Path) -> None:
    """Write where each map stands: columns ``page``, ``row``, ``column`` (from 1) and ``map``."""
    with replacing(path) as partial, open(partial, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("page", "row", "column", "map"))
        for number, page in enumerate(pages, start=1):
            for place, item in enumerate(page):
                writer.writerow((number, place // columns + 1, place % columns + 1, item.id))


if __name__ == "__main__":
    main()
