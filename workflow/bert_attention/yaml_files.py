"""YAML files that people write: reading, keys that stand twice, and values of the wrong type."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml

from bert_attention.errors import InputError, nearest

_MERGE = "tag:yaml.org,2002:merge"  # the key <<, which may be repeated
_NAMES = {str: "text", bool: "true or false", float: "a number"}


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file.

    Raise InputError, which names the line, if the file is not UTF-8, is not YAML, or has a key twice in one mapping.
    """
    try:
        loader = yaml.CSafeLoader(Path(path).read_text(encoding="utf-8"))
        node = loader.get_single_node()
        content = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "restore the file, or remove its folder") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}", "is not UTF-8", "save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}, line {mark.line + 1}" if mark else path
        raise InputError(where, f"is not valid YAML ({error.problem})", _YAML_REMEDY) from None
    except yaml.YAMLError as error:
        raise InputError(path, f"is not valid YAML ({error})", _YAML_REMEDY) from None
    _check_keys_once(path, node)
    return content


_YAML_REMEDY = "indent with spaces, not tabs, close each bracket, and put text with a colon or # in quotes"


def check_keys_once(files: Iterable[Path | str]) -> None:
    """Raise InputError if a mapping in a valid YAML or JSON file has a key twice. The message names keys and lines."""
    for file in files:
        _check_keys_once(file, _node(Path(file).read_text(encoding="utf-8")))


def repeated_keys(text: str) -> list[tuple[str, int, int]]:
    """Return the keys that stand twice in one mapping of a YAML or JSON text, each with its two lines.

    A key below other keys is written with dots: ``corpora.wikipedia``.
    """
    return list(_repeated(_node(text), "", set()))


def _node(text: str) -> yaml.Node | None:
    # JSON can be indented with tabs, YAML cannot. Snakemake reads with this loader, and libyaml's refuses some texts.
    return yaml.SafeLoader(text.expandtabs()).get_single_node()


def _check_keys_once(file: Path | str, node: yaml.Node | None) -> None:
    listed = "; ".join(f"{key} in lines {first} and {second}" for key, first, second in _repeated(node, "", set()))
    if listed:
        problem = f"a key stands twice: {listed}. YAML would keep only the last"
        raise InputError(file, problem, "write the key once, with everything that belongs below it")


def _repeated(node: yaml.Node | None, path: str, seen: set[int]) -> Iterator[tuple[str, int, int]]:
    if id(node) in seen:  # an alias of a node that was searched
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated(item, f"{path}{index}.", seen)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if str(key.value) in lines and key.tag != _MERGE:
                yield f"{path}{key.value}", lines[key.value], line
            lines[str(key.value)] = line
            yield from _repeated(value, f"{path}{key.value}.", seen)


def misfits(value: object, kind: Any, where: str = "") -> Iterator[str]:
    """Yield what does not fit a type in the content of a YAML file, each with the keys that lead to it.

    A type is text, a truth value, a number, a Literal, a Sequence, a Mapping with keys of text, or a dataclass, which
    is a mapping with the keys of its fields. A type's attribute ``written`` is the type in files.
    """
    kind = getattr(kind, "written", kind)
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(option for option in get_args(kind) if option is not type(None))
    origin = get_origin(kind)
    if origin is Literal:
        if value not in get_args(kind):
            yield f"{where}{_found(value)}: expected {' or '.join(map(str, get_args(kind)))}"
    elif (origin is not None and issubclass(origin, Mapping)) or is_dataclass(kind):
        yield from _misfits_in_mapping(value, kind, where)
    elif origin is not None and issubclass(origin, Sequence):
        if isinstance(value, list):
            for item in value:
                yield from misfits(item, get_args(kind)[0], where)
        else:
            yield f"{where}{_found(value)}: expected a list, such as [a, b]"
    elif kind is not object and not _is(value, kind):
        yield f"{where}{_found(value)}: expected {_NAMES[kind]}"


def _misfits_in_mapping(value: object, kind: Any, where: str) -> Iterator[str]:
    """Yield what does not fit a mapping, or a dataclass, whose keys are known."""
    if not isinstance(value, dict):
        yield f"{where}{_found(value)}: expected a mapping, with a line for each key"
        return
    known = fields(kind) if is_dataclass(kind) else ()
    hints = _type_hints(kind) if known else {}
    for key, item in value.items():
        if not isinstance(key, str):
            yield f"{where}the key {key!r} is not text: put it in quotes"
        elif hints and key not in hints:
            guess = nearest(key, hints)
            yield f"{where}the key {key} is unknown" + (f"; did you mean {guess}?" if guess else "")
        else:
            yield from misfits(item, hints[key] if hints else get_args(kind)[1], f"{where}{key}: ")
    for field in known:
        if field.default is field.default_factory and field.name not in value:  # both are MISSING
            yield f"{where}lacks the key {field.name}"


@cache
def _type_hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _is(value: object, kind: type) -> bool:
    """Return True if a value has a type; Python's True is no number, and a whole number is a float."""
    is_flag = isinstance(value, bool)
    return is_flag if kind is bool else not is_flag and isinstance(value, (int, float) if kind is float else kind)


def _found(value: object) -> str:
    return f"is {value!r:.60}" if value is not None else "is empty"
