"""The papers' published curves, tables and claims, read from ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jsonschema
import pandas as pd
import yaml

from bert_attention.claims.groups import expand_groups
from bert_attention.errors import InputError, nearest
from bert_attention.statistics.queries import select

# The compiled loader is several times as fast, which matters for long files.
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
        ``margin_reason`` explains it. ``work`` names the work that has the claim.
    weights
        The SHA-256 digests of the weights of encoders, by the encoders' names.
    curves
        By figure, ``provenance`` and ``series``: each curve's numbers by layer, by the curve's name.
    tables
        Tables by name, each with ``provenance`` and ``rows``.
    """

    path: Path
    model: str
    depth: int
    claims: tuple[dict, ...]
    weights: dict[str, list[str]] = field(default_factory=dict)
    curves: dict[str, dict] = field(default_factory=dict)
    tables: dict[str, dict] = field(default_factory=dict)


def read_publication(path: Path | str) -> Publication:
    """Read the publication of a paper.

    Raises
    ------
    InputError
        If the file does not match ``publication.schema.yaml``, two claims have the same id, or a claim names a margin
        that does not exist; also as :func:`bert_attention.claims.groups.expand_groups`.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _LOADER)
    except yaml.YAMLError as error:
        raise InputError(path, f"is not readable YAML ({error})", "correct the YAML") from None
    _check_form(content, path)
    content["claims"] = expand_groups(content["claims"], content.get("tables", {}), path)
    _check_form(content, path)
    times = Counter(claim["id"] for claim in content["claims"])
    if repeated := sorted(name for name, number in times.items() if number > 1):
        raise InputError(path, f"several claims are called {', '.join(repeated)}", "give each claim an id of its own")
    content.pop("corpus", None)
    margins, work = content.pop("margins", {}), content.pop("work")
    claims = tuple({"work": work, **_with_margin(claim, margins, path)} for claim in content.pop("claims"))
    return Publication(Path(path), claims=claims, **content)


def _check_form(content: object, path: Path | str) -> None:
    """Raise InputError if the content of a file does not match ``publication.schema.yaml``."""
    if flaw := jsonschema.exceptions.best_match(_validator().iter_errors(content)):
        location = f"{path}, {_location(flaw, content)}"
        raise InputError(location, _problem(flaw), "see publication.schema.yaml for the form")


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

    A named claim can be missing if its paper is not among the publications.

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
            for key in [key for key in ("restates", "given") if key in claim]:
                name, location = claim[key], f"{publication.path}, claim {claim['id']}: {key}"
                if name not in claims:
                    if name[0] not in letters:
                        continue
                    guess = nearest(name, claims)
                    raise InputError(location, f"there is no claim {name}", f"did you mean {guess}?")
                if key == "restates" and "restates" in claims[name]:
                    original = claims[name]["restates"]
                    raise InputError(location, f"{name} itself restates {original}", f"name {original}")
                if "holds" not in claims[name]:
                    raise InputError(location, f"{name} has no statement", "name a claim with `holds`")


def published_curves(path: Path | str | None, figure: str) -> pd.DataFrame:
    """Return the published curves of a figure, by the name of its file: a row per point; without a path, no rows.

    The columns are ``series``, ``layer`` (from 1) and ``value``.

    Raises
    ------
    InputError
        As :func:`read_publication`.
    """
    curves = read_publication(path).curves.get(figure, {"series": {}})["series"] if path else {}
    points = [(name, layer, value) for name, curve in curves.items() for layer, value in enumerate(curve, start=1)]
    types = {"series": str, "layer": int, "value": float}
    return pd.DataFrame(points, columns=list(types)).astype(types)


def published_rows(path: Path | str, name: str) -> pd.DataFrame:
    """Return the rows of a published table, such as ``table_1``. Fields that a row leaves out are NaN.

    Raises
    ------
    InputError
        As :func:`read_publication`, or if there is no such table.
    """
    return _table(read_publication(path), name, path)


def published_values(path: Path | str, table: str) -> pd.DataFrame:
    """Return the published values of single cells of a result table: a row for each claim with a value of its own.

    Published differences and values of several cells together are left out. The columns are ``id``, ``value``,
    ``column``, ``provenance``, ``model`` (the claim's own, or the publication's) and ``note`` (NaN if there is none).
    A further column for each key describes the cell's row (``where``).

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
    location, asked = f"{publication.path}, claim {claim['id']}", claim["values"]
    if "table" in asked:
        return _table_numbers(_table(publication, asked["table"], location), asked, location)
    curve = publication.curves.get(asked["figure"], {"series": {}})["series"].get(asked["series"])
    if curve is None:
        problem = f"there is no curve {asked['series']} of {asked['figure']}"
        raise InputError(location, problem, "name a curve that stands under `curves`")
    layers = pd.MultiIndex.from_product([range(1, len(curve) + 1)], names=["layer"])
    return pd.Series(curve, layers, dtype=float)


def _table(publication: Publication, name: str, location: Path | str) -> pd.DataFrame:
    if name not in publication.tables:
        tables = ", ".join(publication.tables) or "none"
        raise InputError(location, f"there is no table {name}", f"name a table that stands under `tables`: {tables}")
    return pd.DataFrame([dict(row) for row in publication.tables[name]["rows"]])


def _table_numbers(rows: pd.DataFrame, asked: Mapping, location: str) -> pd.Series:
    """Return the numbers of a published table, indexed by its keys."""
    keys, where = list(asked.get("keys", ())), asked.get("where", {})
    for name in [*keys, *where, *([asked["column"]] if "column" in asked else [])]:
        if name not in rows:
            problem = f"{asked['table']} has no column {name}"
            raise InputError(location, problem, f"its columns are {', '.join(rows)}")
    rows = select(rows, where)
    if not keys:
        numbers = rows[asked["column"]].dropna()
        if len(numbers) != 1:
            problem = f"{len(numbers)} numbers of {asked['table']} match"
            raise InputError(location, problem, "change `where` so that it leaves one number, or name `keys`")
        return pd.Series({"value": float(numbers.iloc[0])})
    columns = [asked["column"]] if "column" in asked else [name for name in rows if name not in (*keys, *where)]
    (column, *_) = [name for name in columns if name.startswith("by_")] or columns
    if column.startswith("by_"):
        keys.append(column.removeprefix("by_"))
        rows = rows.assign(**{keys[-1]: [range(1, len(cell) + 1) for cell in rows[column]]})
        rows = rows.explode([column, keys[-1]])
    elif "columns_are" in asked:
        rows = rows.melt(keys, columns, asked["columns_are"])
        keys, column = [*keys, asked["columns_are"]], "value"
    rows = rows.dropna(subset=column)
    return pd.Series(rows[column].to_numpy(float), pd.MultiIndex.from_frame(rows[keys]))


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = Path(__file__).with_name("publication.schema.yaml").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(yaml.safe_load(schema))


def _location(flaw: jsonschema.ValidationError, content: object) -> str:
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
            return "needs either `measured` or `absent`"
        case _:
            return f"is {flaw.instance!r}; expected: {flaw.schema.get('description', flaw.message)}"[:400]
