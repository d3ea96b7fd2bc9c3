"""What the papers published, read from ``workflow/claims/<paper>.yaml``: curves, rows of tables, single values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import yaml

from bert_attention.errors import InputError

_COLUMNS = ("figure", "series", "layer", "value")


def published_curves(path: Path | str | None, figure: str) -> pd.DataFrame:
    """The curves of one figure, by the name of its file: a row per point; empty without a path.

    Columns are ``series``, ``layer`` (from 1) and ``value``.

    Raises
    ------
    InputError
        If the file has no list of curves in the expected form.
    """
    if path is None:
        return pd.DataFrame({"series": pd.Series(dtype=str), "layer": pd.Series(dtype=int), "value": []})
    try:
        points = [
            (curve["figure"], curve["series"], layer, float(value))
            for curve in _claims(path)["curves"]
            for layer, value in enumerate(curve["by_layer"], start=1)
        ]
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            path, f"has no readable curves ({error!r})", "give curves: a list of {figure, series, by_layer: [...]}"
        ) from None
    table = pd.DataFrame(points, columns=_COLUMNS)
    return table[table["figure"] == figure].drop(columns="figure").reset_index(drop=True)


def published_rows(path: Path | str, name: str) -> pd.DataFrame:
    """The rows of one table, such as ``table_1``; fields that a row leaves out are NaN.

    Raises
    ------
    InputError
        If the file has no such table in the expected form.
    """
    try:
        return pd.DataFrame([dict(row) for row in _claims(path)[name]["rows"]])
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            path, f"has no readable {name} ({error!r})", f"give {name}: a mapping with rows: [...]"
        ) from None


def published_values(path: Path | str, table: str) -> pd.DataFrame:
    """The published numbers that cells of one result table answer: a row for each claim that has a value.

    Columns are ``id``, ``value``, ``column``, ``provenance``, ``model`` (the claim's own, or that of all claims),
    ``note`` (NaN if there is none), and what the cell's row has (``where``), a column for each key.

    Raises
    ------
    InputError
        If the file has no list of claims in the expected form.
    """
    try:
        claims = _claims(path)
        rows = [
            {
                **claim["where"],
                "id": claim["id"],
                "value": float(claim["value"]),
                "column": claim["column"],
                "provenance": claim["provenance"],
                "model": claim.get("model", claims["model"]),
                "note": claim.get("note"),
            }
            for claim in claims["claims"]
            if claim["table"] == table and "value" in claim
        ]
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            path,
            f"has no readable claims ({error!r})",
            "give claims: a list of {id, provenance, value, table, where: {...}, column}",
        ) from None
    return pd.DataFrame(rows)


def _claims(path: Path | str) -> dict:
    return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
