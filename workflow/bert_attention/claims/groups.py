"""Groups of claims: claims that share keys, and claims that are made for each row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any

from bert_attention.errors import InputError, nearest

# Keys of a group that its claims do not inherit.
_OF_GROUP = ("table", "keys", "rows", "claims", "exceptions")


def without_groups(entries: Iterable[Mapping], tables: Mapping[str, Mapping], path: Path | str) -> list[dict]:
    """Return the claims of a paper in order, with each group replaced by its claims.

    Parameters
    ----------
    entries
        Claims and groups, in the form that ``publication.schema.yaml`` describes.
    tables
        Published tables by name.

    Raises
    ------
    InputError
        If a group names a table, a column, a row, a field or a claim that does not exist.
    """
    claims: list[dict] = []
    for entry in entries:
        claims += _claims_of(entry, tables, path) if "claims" in entry else [dict(entry)]
    return claims


def _claims_of(group: Mapping, tables: Mapping[str, Mapping], path: Path | str) -> list[dict]:
    """Return the claims of a group: all claims of its first row, then all claims of its second row, and so on."""
    place = f"{path}, group of {group['claims'][0]['id']}"
    shared = {key: value for key, value in group.items() if key not in _OF_GROUP}
    exceptions = dict(group.get("exceptions", {}))
    rows = _rows_of(group, tables, place)
    for only in (claim["only"] for claim in group["claims"] if "only" in claim):
        if not any(only.items() <= row.items() for row in rows):
            raise InputError(place, f"no row has {_listed(only)}", "correct `only`")
    made: list[dict] = []
    for row in rows:
        for claim in group["claims"]:
            if claim.get("only", {}).items() <= row.items():
                own = {key: value for key, value in claim.items() if key != "only"}
                exception = exceptions.pop(_filled(claim["id"], row, place), {})
                made.append(_filled(_merged(_merged(shared, own), exception), row, place))
    for name in exceptions:
        guess = nearest(name, [claim["id"] for claim in made])
        raise InputError(f"{place}: exceptions", f"the group has no claim {name}", f"did you mean {guess}?")
    return made


def _rows_of(group: Mapping, tables: Mapping[str, Mapping], place: str) -> list[dict]:
    """Return the rows of a group, each with the columns of the published row that its keys identify."""
    if "table" not in group:
        return group.get("rows", [{}])
    name = group["table"]
    if name not in tables:
        raise InputError(place, f"there is no table {name}", f"tables are {', '.join(tables) or 'none'}")
    published = tables[name]["rows"]
    columns = list(dict.fromkeys(column for row in published for column in row))
    for key in group["keys"]:
        if key not in columns:
            raise InputError(place, f"{name} has no column {key}", f"its columns are {', '.join(columns)}")
    found = []
    for row in group["rows"]:
        wanted = {key: row.get(key) for key in group["keys"]}
        matching = [cells for cells in published if wanted.items() <= cells.items()]
        if len(matching) != 1:
            problem = f"{len(matching)} rows of {name} have {_listed(wanted)}"
            raise InputError(place, problem, "each of `rows` has to name one row of the table by its `keys`")
        found.append(matching[0] | row)
    return found


def _merged(shared: Any, own: Any) -> Any:
    """Merge two mappings recursively. If one of the values is not a mapping, return the second value."""
    if not (isinstance(shared, Mapping) and isinstance(own, Mapping)):
        return own
    return {**shared, **{key: _merged(shared.get(key), value) for key, value in own.items()}}


def _filled(value: Any, row: Mapping, place: str) -> Any:
    """Return the value with each ``$field`` replaced by the field of the row."""
    if isinstance(value, Mapping):
        return {key: _filled(part, row, place) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, row, place) for part in value]
    if not isinstance(value, str):
        return value
    if value[:1] == "$" and value[1:] in row:  # keep the type of the field, such as a number or a filter
        return row[value[1:]]
    try:
        return Template(value).substitute(row)
    except KeyError as error:
        problem = f"there is no field {error.args[0]} in the row with {_listed(row)}"
        raise InputError(place, problem, f"correct {value!r}, or add the field") from None
    except ValueError:
        raise InputError(place, f"{value!r} has a $ without a field", "write $$ for a dollar sign") from None


def _listed(fields: Mapping) -> str:
    return ", ".join(f"{name}: {value}" for name, value in fields.items())
