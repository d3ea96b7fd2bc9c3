"""Captions of figures and printed tables, which report, guide and paper share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Caption:
    """What ``workflow/report/captions.yaml`` says of a figure or printed table.

    Attributes
    ----------
    label
        How the report lists it.
    caption
        What it shows and how to read it, one line of plain text.
    per
        ``model``: each encoder has one; ``edition``: the edition has one.
    corpora
        What it is measured on, by names of the edition's corpora.
    counted
        ``table``, a result table whose column ``n`` counts what it is measured on, ``unit``, of what, and ``where``,
        which rows of the table are shown (as :func:`bert_attention.paper.cells.rows` takes it), if not all; or None.
    """

    label: str
    caption: str
    per: str = "model"
    corpora: Sequence[str] = ()
    counted: dict[str, object] | None = None


def read_captions(path: Path | str) -> dict[str, Caption]:
    """All captions by the names of their files, without suffix."""
    entries = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    return {name: Caption(**entry) for name, entry in entries.items()}


def result_formats(name: str) -> tuple[str, ...]:
    """The suffixes of a figure's files, or of a printed table's."""
    return ("pdf", "png") if "_figure_" in name else ("md", "tex", "typ")
