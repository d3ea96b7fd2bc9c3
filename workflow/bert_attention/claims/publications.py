"""The papers' published curves, tables and claims, read from ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jsonschema
import pandas as pd
import yaml

from bert_attention.claims.groups import without_groups
from bert_attention.errors import InputError, nearest

_CURVE_COLUMNS = ("series", "layer", "value")
# The compiled loader, if there is one, is several times as fast, and some of these files are long.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Publication:
    """Published numbers and statements of one paper.

    Attributes
    ----------
    model
        The encoder behind the numbers, by its name on the Hugging Face hub.
    depth
        The encoder's number of layers.
    claims
        Numbers and statements, as ``publication.schema.yaml`` describes them. ``margin`` is a number, and
        ``margin_reason`` explains it.
    weights
        The SHA-256 digests of the weights of encoders, by the encoders' names.
    curves
        Curves of figures, each with ``figure``, ``series``, ``provenance`` and ``by_layer``.
    tables
        Tables by name, each with ``provenance`` and ``rows``.
    """

    path: Path
    model: str
    depth: int
    claims: tuple[dict, ...]
    weights: dict[str, list[str]] = field(default_factory=dict)
    curves: tuple[dict, ...] = ()
    tables: dict[str, dict] = field(default_factory=dict)


def read_publication(path: Path | str) -> Publication:
    """Read the publication of a paper.

    Raises
    ------
    InputError
        If the file does not match ``publication.schema.yaml``, two claims have the same id, or a claim names a margin
        that does not exist; also as :func:`bert_attention.claims.groups.without_groups`.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _LOADER)
    except yaml.YAMLError as error:
        raise InputError(path, f"is not readable YAML ({error})", "correct the YAML") from None
    _check_form(content, path)
    content["claims"] = without_groups(content["claims"], content.get("tables", {}), path)
    _check_form(content, path)
    ids = [claim["id"] for claim in content["claims"]]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise InputError(path, f"several claims are called {', '.join(repeated)}", "give each an id of its own")
    content.pop("corpus", None)
    margins = content.pop("margins", {})
    claims = tuple(_with_margin(claim, margins, path) for claim in content.pop("claims"))
    curves = tuple(
        {"figure": figure, "series": series, "provenance": drawn["provenance"], "by_layer": by_layer}
        for figure, drawn in content.pop("curves", {}).items()
        for series, by_layer in drawn["series"].items()
    )
    return Publication(Path(path), claims=claims, curves=curves, **content)


def _check_form(content: object, path: Path | str) -> None:
    """Raise InputError if the content of a file does not match ``publication.schema.yaml``."""
    flaw = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(_schema()).iter_errors(content))
    if flaw:
        raise InputError(f"{path}, {_place(flaw, content)}", _problem(flaw), "see publication.schema.yaml for the form")


def _with_margin(claim: dict, margins: dict[str, dict], path: Path | str) -> dict:
    """Return the claim with the number and the reason of the margin that it names."""
    if "margin" not in claim:
        return claim
    if claim["margin"] not in margins:
        problem = f"there is no margin {claim['margin']}"
        raise InputError(f"{path}, claim {claim['id']}", problem, f"margins are {', '.join(margins) or 'none'}")
    margin = margins[claim["margin"]]
    return claim | {"margin": margin["margin"], "margin_reason": margin["reason"]}


def check_references(publications: Iterable[Publication]) -> None:
    """Check the claims that other claims name by ``restates`` and ``given``, in the same paper's file or another.

    A named claim may be missing if its paper is not among the publications.

    Raises
    ------
    InputError
        If the named claim does not exist, restates another claim itself, or has no statement.
    """
    publications = list(publications)
    claims = {claim["id"]: claim for publication in publications for claim in publication.claims}
    letters = {name[0] for name in claims}
    for publication in publications:
        for claim in publication.claims:
            for key in ("restates", "given"):
                name = claim.get(key)
                place = f"{publication.path}, claim {claim['id']}: {key}"
                if name is None or (name not in claims and name[0] not in letters):
                    continue
                if name not in claims:
                    guess = nearest(name, claims)
                    raise InputError(place, f"there is no claim {name}", f"did you mean {guess}?")
                if key == "restates" and "restates" in claims[name]:
                    problem = f"{name} restates {claims[name]['restates']} itself"
                    raise InputError(place, problem, f"name {claims[name]['restates']}")
                if "holds" not in claims[name]:
                    raise InputError(place, f"{name} has no statement", "name a claim with `holds`")


def published_curves(path: Path | str | None, figure: str) -> pd.DataFrame:
    """Return the published curves of a figure, by the name of its file: a row per point, and none without a path.

    The columns are ``series``, ``layer`` (from 1) and ``value``.

    Raises
    ------
    InputError
        As :func:`read_publication`.
    """
    if path is None:
        return pd.DataFrame({"series": pd.Series(dtype=str), "layer": pd.Series(dtype=int), "value": []})
    points = [
        (curve["series"], layer, float(value))
        for curve in read_publication(path).curves
        if curve["figure"] == figure
        for layer, value in enumerate(curve["by_layer"], start=1)
    ]
    return pd.DataFrame(points, columns=_CURVE_COLUMNS)


def published_rows(path: Path | str, name: str) -> pd.DataFrame:
    """Return the rows of a published table, such as ``table_1``. Fields that a row leaves out are NaN.

    Raises
    ------
    InputError
        As :func:`read_publication`, or if there is no such table.
    """
    tables = read_publication(path).tables
    if name not in tables:
        raise InputError(path, f"has no table {name}", f"it has {', '.join(tables) or 'none'}")
    return pd.DataFrame([dict(row) for row in tables[name]["rows"]])


def published_values(path: Path | str, table: str) -> pd.DataFrame:
    """Return the published values of single cells of a result table: a row for each claim with a value of its own.

    Published differences and values of several cells together are left out.

    The columns are ``id``, ``value``, ``column``, ``provenance``, ``model`` (the claim's own, or the publication's) and
    ``note`` (NaN if there is none). A further column for each key describes the cell's row (``where``).

    Raises
    ------
    InputError
        As :func:`read_publication`.
    """
    publication = read_publication(path)
    rows = [
        {
            **{key: value for key, value in claim["measured"].get("where", {}).items() if not isinstance(value, dict)},
            "id": claim["id"],
            "value": float(claim["value"]),
            "column": claim["measured"]["column"],
            "provenance": claim["provenance"],
            "model": claim.get("needs", {}).get("model", publication.model),
            "note": claim.get("note"),
        }
        for claim in publication.claims
        if "value" in claim
        and claim.get("measured", {}).get("table") == table
        and not {"minus", "by", "over"} & set(claim["measured"])
    ]
    return pd.DataFrame(rows)


def published_numbers(claim: Mapping, publication: Publication) -> pd.Series | None:
    """Return the numbers of a claim with the index of a query's numbers (see ``Measured``); None if it has none.

    Raises
    ------
    InputError
        If the file has no such curve, table or column.
    """
    if "value" in claim:
        return pd.Series({"value": float(claim["value"])})
    if "values" not in claim:
        return None
    place, asked = f"{publication.path}, claim {claim['id']}", claim["values"]
    if "figure" in asked:
        found = [
            curve["by_layer"]
            for curve in publication.curves
            if (curve["figure"], curve["series"]) == (asked["figure"], asked["series"])
        ]
        if len(found) != 1:
            raise InputError(place, f"there is no curve {asked['series']} of {asked['figure']}", "see curves")
        index = pd.MultiIndex.from_tuples([(layer,) for layer in range(1, len(found[0]) + 1)], names=["layer"])
        return pd.Series(found[0], index=index, dtype=float)
    if asked["table"] not in publication.tables:
        raise InputError(place, f"there is no table {asked['table']}", f"it has {', '.join(publication.tables)}")
    return _of_table(pd.DataFrame(publication.tables[asked["table"]]["rows"]), asked, place)


def _of_table(rows: pd.DataFrame, asked: Mapping, place: str) -> pd.Series:
    """Return the numbers of a published table, indexed by its keys."""
    where = asked.get("where", {})
    named = [*asked.get("keys", ()), *where, *[asked[k] for k in ("column",) if k in asked]]
    unknown = [name for name in named if name not in rows]
    if unknown:
        raise InputError(place, f"{asked['table']} has no column {unknown[0]}", f"its columns are {', '.join(rows)}")
    for column, value in where.items():
        rows = rows[rows[column] == value]
    if "keys" not in asked:  # exactly one number has to be left
        numbers = rows[asked["column"]].dropna()
        if len(numbers) != 1:
            problem = f"{len(numbers)} numbers of {asked['table']} match"
            raise InputError(place, problem, "narrow `where`, or name `keys`")
        return pd.Series({"value": float(numbers.iloc[0])})
    keys = list(asked["keys"])
    if "column" in asked:
        columns = [asked["column"]]
    else:
        columns = [column for column in rows if column not in keys and column not in where]
    lists = [column for column in columns if column.startswith("by_")]
    if lists:
        (column,) = lists
        key = column.removeprefix("by_")
        rows = rows[[*keys, column]].assign(**{key: [range(1, len(cell) + 1) for cell in rows[column]]})
        rows = rows.explode([column, key])
        found = rows.set_index([*keys, key])[column]
    elif "columns_are" in asked:
        found = rows.melt(id_vars=keys, value_vars=columns, var_name=asked["columns_are"])
        found = found.set_index([*keys, asked["columns_are"]])["value"]
    else:
        found = rows.set_index(keys)[columns[0]]
    found = found.dropna().astype(float)
    if not isinstance(found.index, pd.MultiIndex):
        found.index = pd.MultiIndex.from_arrays([found.index], names=keys)
    return found


@cache
def _schema() -> dict:
    return yaml.safe_load(Path(__file__).with_name("publication.schema.yaml").read_text(encoding="utf-8"))


def _place(flaw: jsonschema.ValidationError, content: object) -> str:
    """Return the location of a flaw: a claim by its id, a group by its number, anything else by its keys."""
    match list(flaw.absolute_path):
        case ["claims", int(number), *keys] if isinstance(content["claims"][number], dict):
            entry = content["claims"][number]
            where = [f"claim {entry['id']}" if "id" in entry else f"claims: entry {number + 1}", *keys]
        case keys:
            where = keys or ["the whole"]
    return ": ".join(map(str, where))


def _problem(flaw: jsonschema.ValidationError) -> str:
    match flaw.validator:
        case "required" | "additionalProperties" | "dependentRequired":
            return flaw.message
        case "oneOf" if flaw.schema.get("required") == ["id", "label", "place", "statement", "provenance"]:
            return "has to have either measured or absent"
        case _:
            return f"is {flaw.instance!r}; expected: {flaw.schema.get('description', flaw.message)}"[:400]
