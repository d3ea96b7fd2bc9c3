"""The result tables: which ones there are, what each holds, and the columns that readers count on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml


@dataclass(frozen=True)
class ResultTable:
    """What a result table holds.

    Attributes
    ----------
    columns
        The columns that it must have, in this order; it may have more.
    per
        ``model``: each encoder has one; ``edition``: the edition has one; ``translation_model``: the edition has one,
        with rows for each of its translation models by the column ``model``.
    """

    description: str
    columns: tuple[str, ...]
    per: str = "model"


@cache
def result_tables() -> dict[str, ResultTable]:
    """Every result table by name, from ``tables.yaml``; adding one there reruns nothing."""
    entries = yaml.safe_load(Path(__file__).with_name("tables.yaml").read_text(encoding="utf-8"))
    return {name: ResultTable(**entry | {"columns": tuple(entry["columns"])}) for name, entry in entries.items()}
