"""Groups of claims: claims that share keys, and claims that are made for each row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any

from bert_attention.errors import InputError, nearest

# Keys of a group that its claims do not inherit.
_GROUP_KEYS = ("table", "keys", "rows", "claims", "exceptions")


def expand_groups(entries: Iterable[Mapping], tables: Mapping[str, Mapping], path: Path | str) -> list[dict]:
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
    groups = [_expand(entry, tables, path) if "claims" in entry else [dict(entry)] for entry in entries]
    return [claim for claims in groups for claim in claims]


def _expand(group: Mapping, tables: Mapping[str, Mapping], path: Path | str) -> list[dict]:
    """Return the claims of a group: all claims of its first row, then all claims of its second row, and so on."""
    location = f"{path}, group of {group['claims'][0]['id']}"
    shared = {key: value for key, value in group.items() if key not in _GROUP_KEYS}
    exceptions = dict(group.get("exceptions", {}))
    rows = _rows(group, tables, location)
    for claim in group["claims"]:
        if not any(claim.get("only", {}).items() <= row.items() for row in rows):
            raise InputError(location, f"no row has {_as_text(claim['only'])}", "correct `only`")
    claims: list[dict] = []
    for row in rows:
        for claim in group["claims"]:
            if claim.get("only", {}).items() <= row.items():
                own = {key: value for key, value in claim.items() if key != "only"}
                exception = exceptions.pop(_substitute(claim["id"], row, location), {})
                claims.append(_substitute(_merge(_merge(shared, own), exception), row, location))
    for name in exceptions:
        guess = nearest(name, [claim["id"] for claim in claims])
        raise InputError(f"{location}: exceptions", f"the group has no claim {name}", f"did you mean {guess}?")
    return claims


def _rows(group: Mapping, tables: Mapping[str, Mapping], location: str) -> list[dict]:
    """Return the rows of a group, each with the columns of the published row that its keys identify."""
    if "table" not in group:
        return group.get("rows", [{}])
    name = group["table"]
    if name not in tables:
        raise InputError(location, f"there is no table {name}", f"tables are {', '.join(tables) or 'none'}")
    published = tables[name]["rows"]
    columns = list(dict.fromkeys(column for row in published for column in row))
    for key in group["keys"]:
        if key not in columns:
            raise InputError(location, f"{name} has no column {key}", f"its columns are {', '.join(columns)}")
    found = []
    for row in group["rows"]:
        wanted = {key: row.get(key) for key in group["keys"]}
        matching = [cells for cells in published if wanted.items() <= cells.items()]
        if len(matching) != 1:
            problem = f"{len(matching)} rows of {name} have {_as_text(wanted)}"
            raise InputError(location, problem, "each of `rows` has to name one row of the table by its `keys`")
        found.append(matching[0] | row)
    return found


def _merge(shared: Any, own: Any) -> Any:
    """Merge two mappings recursively. If one of the values is not a mapping, return the second value."""
    if not (isinstance(shared, Mapping) and isinstance(own, Mapping)):
        return own
    return {**shared, **{key: _merge(shared.get(key), value) for key, value in own.items()}}


def _substitute(value: Any, row: Mapping, location: str) -> Any:
    """Return the value with each ``$field`` replaced by the field of the row."""
    if isinstance(value, Mapping):
        return {key: _substitute(part, row, location) for key, part in value.items()}
    if isinstance(value, list):
        return [_substitute(part, row, location) for part in value]
    if not isinstance(value, str):
        return value
    if value[:1] == "$" and value[1:] in row:  # keep the type of the field, such as a number or a filter
        return row[value[1:]]
    try:
        return Template(value).substitute(row)
    except KeyError as error:
        problem = f"there is no field {error.args[0]} in the row with {_as_text(row)}"
        raise InputError(location, problem, f"correct {value!r}, or add the field") from None
    except ValueError:
        raise InputError(location, f"{value!r} has a $ without a field", "write $$ for a dollar sign") from None


def _as_text(fields: Mapping) -> str:
    return ", ".join(f"{name}: {value}" for name, value in fields.items())
