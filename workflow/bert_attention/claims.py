"""What the papers published: ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import yaml

from bert_attention.checks import InputError

_COLUMNS = ("figure", "series", "layer", "value")


def published_curves(path: Path | str | None, figure: int | str) -> pd.DataFrame:
    """The curves of one figure, a row per point: ``series``, ``layer`` (from 1), ``value``; empty without a path.

    Raises
    ------
    InputError
        If the file has no list of curves in the expected form.
    """
    if path is None:
        return pd.DataFrame({"series": pd.Series(dtype=str), "layer": pd.Series(dtype=int), "value": []})
    try:
        curves = yaml.safe_load(Path(path).read_text(encoding="utf-8"))["curves"]
        points = [
            (curve["figure"], curve["series"], layer, float(value))
            for curve in curves
            for layer, value in enumerate(curve["by_layer"], start=1)
        ]
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            path, f"has no readable curves ({error!r})", "give curves: a list of {figure, series, by_layer: [...]}"
        ) from None
    table = pd.DataFrame(points, columns=_COLUMNS)
    return table[table["figure"] == figure].drop(columns="figure").reset_index(drop=True)
