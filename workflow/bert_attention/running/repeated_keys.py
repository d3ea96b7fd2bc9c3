"""Keys that stand twice in a YAML file, and options given twice. Readers keep the last one and say nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import yaml

from bert_attention.errors import InputError

_MERGE = "tag:yaml.org,2002:merge"  # the key <<, which may be repeated
# Options of Snakemake that take several values, and the ways to write each option.
_OPTIONS = {
    "--configfile": (re.compile(r"--configf\w*(=.*)?", re.DOTALL), "FIRST.yaml SECOND.yaml"),
    "--config": (re.compile(r"--config(=.*)?|-C(?!-).*", re.DOTALL), "FIRST=1 SECOND=2"),
}


def check_options_once(arguments: Sequence[str]) -> None:
    """Raise InputError if a command line of Snakemake gives ``--configfile`` or ``--config`` twice.

    Snakemake would ignore the first one. The message says how to give both values.
    """
    for option, (written, values) in _OPTIONS.items():
        given = [index for index, argument in enumerate(arguments) if written.fullmatch(argument)]
        if len(given) > 1:
            first = shlex.join(arguments[given[0] : given[0] + 2])
            problem = f"is given {len(given)} times, and Snakemake reads only the last: it would ignore {first}"
            raise InputError(option, problem, f"give the option once, with all values: {option} {values}")


def check_keys_once(files: Iterable[Path | str]) -> None:
    """Raise InputError if a mapping in a valid YAML or JSON file has a key twice. The message names keys and lines."""
    for file in files:
        repeated = repeated_keys(Path(file).read_text(encoding="utf-8"))
        listed = "; ".join(f"{key} in lines {first} and {second}" for key, first, second in repeated)
        if listed:
            problem = f"a key stands twice: {listed}. YAML would keep only the last"
            raise InputError(file, problem, "write the key once, with everything that belongs below it")


def repeated_keys(text: str) -> list[tuple[str, int, int]]:
    """Return the keys that stand twice in one mapping of a YAML or JSON text, each with its two lines.

    A key below other keys is written with dots: ``corpora.wikipedia``.
    """
    loader = yaml.SafeLoader(text.expandtabs())  # JSON can be indented with tabs, YAML cannot
    return list(_repeated(loader.get_single_node(), "", set()))


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
