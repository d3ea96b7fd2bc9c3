"""Tables and pictures of measurements in benchmarks/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from benchmarks.measuring import Measurement
from bert_attention.figures import style

PAGE = Path(__file__).parent / "README.md"
COLUMNS = ("analysis", "encoder", "device", "amount", "time", "plain / ours", "ours / bare pass", "remark")


def replace_block(name: str, text: str, page: Path = PAGE) -> None:
    """Replace the text between the two marks of a block of the page."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = page.read_text(encoding="utf-8")
    if old.count(begin) != 1 or old.count(end) != 1:
        raise ValueError(f"{page} does not have {begin} and {end} once each")
    page.write_text(
        re.sub(re.escape(begin) + ".*" + re.escape(end), lambda _: f"{begin}\n{text}\n{end}", old, flags=re.S),
        encoding="utf-8",
    )


def short(number: float | None) -> str:
    """Return two significant digits, or an empty text if there is no number."""
    if number is None:
        return ""
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}"


def duration(seconds: float) -> str:
    """Return a duration as text, in seconds or milliseconds."""
    return f"{1e3 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s" if seconds < 60 else f"{seconds:,.0f} s"


def row(measurement: Measurement) -> str:
    """Return a line of the table of speed."""
    cells = (
        measurement.what,
        measurement.encoder,
        measurement.device,
        measurement.amount,
        duration(measurement.seconds),
    )
    return _line((*cells, short(measurement.plain_times), short(measurement.times_bare), measurement.agreement))


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    return "\n".join([_line(columns), "|---" * len(columns) + "|", *map(_line, rows)])


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def save(figure: Figure, path: Path) -> None:
    """Save a figure as SVG. The same numbers give the same bytes."""
    with style.house_style(), matplotlib.rc_context({"svg.hashsalt": "benchmarks", "svg.fonttype": "path"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


# The paper of each analysis. All papers need the other analyses.
PAPERS = {
    "head-summed norms": "Kobayashi",
    "importance (gradients)": "Clark",
    "each head disabled": "Kovaleva",
    "probes, 1 thread": "Clark",
    "dependency heads": "Clark",
    "divergence of heads": "Clark",
}


def draw_speed(measurements: Sequence[Measurement], path: Path) -> None:
    """Draw both ratios of each analysis, by paper, on logarithmic axes. A mark is an encoder on a device."""
    shown = [measurement for measurement in measurements if measurement.plain_times or measurement.times_bare]
    names = sorted(
        dict.fromkeys(measurement.what for measurement in shown), key=lambda name: PAPERS.get(name, ""), reverse=True
    )
    kinds = list(dict.fromkeys((measurement.encoder, measurement.device) for measurement in shown))
    colors = dict(zip(kinds, (style.BLUE, style.VERMILION, style.GREEN, style.GRAY), strict=False))
    with style.house_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.0, 0.32 * len(names) + 1.1), sharey=True)
        for axis, field, title in zip(
            axes,
            ("plain_times", "times_bare"),
            ("time of plain reference / our time", "our time / bare forward pass"),
            strict=True,
        ):
            for kind in kinds:
                measured = [
                    measurement
                    for measurement in shown
                    if (measurement.encoder, measurement.device) == kind and getattr(measurement, field)
                ]
                values, rows = (
                    [getattr(measurement, field) for measurement in measured],
                    [names.index(measurement.what) for measurement in measured],
                )
                axis.plot(values, rows, "o", color=colors[kind], label=", ".join(kind), markersize=5)
            axis.axvline(1, color="0.6", linewidth=0.8)
            axis.set_xscale("log")
            axis.set_xlabel(title)
            axis.grid(axis="x", color="0.9")
        axes[0].set_yticks(range(len(names)), [f"{PAPERS.get(name, 'all papers')}: {name}" for name in names])
        axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7)
        figure.tight_layout()
        save(figure, path)
