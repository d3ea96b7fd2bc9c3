"""Reading config.yaml, and putting overlays on it: ``--configfile`` and ``--config``, each on what stands so far.

A digest belongs to its source, and a name belongs to what is replicated under it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from pathlib import Path

import yaml

from bert_attention.errors import InputError

# These may change within an edition: they say how it is run and shown, and tables stay as they are. `on_bad_input` is
# one of them, for no data lead to two results: where `error` gives any at all, there is nothing to skip.
_FREE = (
    "papers",
    "device",
    "on_bad_input",
    "keep_attention",
    "published_curves",
    "attention.shards",
    "attention.batch_size",
)

_DIGESTS = ("sha256", "vocabulary")  # of a source's file, and of what its ids belong to

_TEMPLATE_KEY = "__use_yte__"


# No edition has as many values; a few lines of anchors can stand for billions.
_MOST_VALUES = 100_000

_SIXTIES_OR_EIGHTS = re.compile(r"[-+]?0[0-7_]+|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")


class _Loader(yaml.SafeLoader):
    """Refuses what YAML silently reads otherwise than it looks, and what would fill the memory.

    That is a key that stands twice in one place, of which YAML keeps the last; 0755 and 1:30, which are 493 and 90 to
    it; and anchors that hold themselves, or stand for too much. 2e-5 is a number to it.
    """

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None and _values(node, {}) > _MOST_VALUES:
            problem = f"it stands for more than {_MOST_VALUES:,} values, or holds itself: write it without anchors"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"the key {key.value} is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_number(self, node: yaml.ScalarNode) -> float:
        is_whole = node.tag.endswith(":int")
        number = self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
        if _SIXTIES_OR_EIGHTS.fullmatch(node.value):
            problem = f"{node.value} is {number} in YAML: write {number}, or what you meant; quote it if it is text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return number


def _values(node: yaml.Node, known: dict[int, float]) -> float:
    """How many values a node stands for, with anchors filled in; infinitely many if it holds itself."""
    if id(node) not in known:
        known[id(node)] = math.inf
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        flat = chain.from_iterable(parts) if isinstance(node, yaml.MappingNode) else parts
        known[id(node)] = 1 + sum(_values(part, known) for part in flat)
    return known[id(node)]


for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.construct_number)

# PyYAML takes a number without a point, or without the sign of its exponent, for text.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d{1,9}\.?\d*|\.\d+)e[-+]?\d{1,2}$", re.IGNORECASE),
    list("-+.0123456789"),
)


def read_settings(file: Path | str) -> dict:
    """Read config.yaml or an overlay: plain YAML or JSON, which runs no code, with each key once.

    Snakemake evaluates a file with the key ``__use_yte__`` as a template, which can run any code; it does so where it
    reads the file, before anything here can be asked. So this cannot prevent it, but does not let it pass unseen.

    Raises
    ------
    InputError
        If the file has that key, has another key twice in one place, or cannot be read as plain YAML.
    """
    content = _read(Path(file))
    try:
        settings = yaml.load(content, _Loader)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}, line {mark.line + 1}" if mark else file
        problem = "too many brackets" if isinstance(error, RecursionError) else getattr(error, "problem", None) or error
        remedy = "write plain YAML, each key once, indented with spaces, without tags"
        raise InputError(
            where, f"cannot be read as plain YAML ({' '.join(str(problem).split())[:200]})", remedy
        ) from None
    if not isinstance(settings, dict):
        raise InputError(file, "has no keys", "write the keys of an edition that differ from config.yaml's")
    if _TEMPLATE_KEY in settings:
        raise InputError(
            file,
            f"has the key {_TEMPLATE_KEY}: Snakemake has run whatever code stands in it, on this machine",
            "read the file; if it is not yours, find out what it did; take the key out",
        )
    return settings


def _read(file: Path) -> str:
    try:
        content = file.read_bytes()
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"is not UTF-8 (byte 0x{content[error.start]:02x})"
        remedy = "save it as UTF-8, for example: iconv -f latin1 -t utf-8 FILE > FILE.utf8 (or -f utf-16)"
        raise InputError(f"{file}, line {line}", problem, remedy) from None
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})", "correct the path") from None


def put_together(base: Mapping, overlays: Iterable[Mapping]) -> dict:
    """A configuration with overlays put on it one after the other.

    Mappings are merged, and all else is replaced, as Snakemake does. But an entry that gets another source does not
    keep the digests of the old one: what the overlay does not give is None.
    """
    return reduce(_merged, overlays, dict(base))


def _merged(config: Mapping, overlay: Mapping) -> dict:
    result = {**config, **{key: _value(config.get(key), value) for key, value in overlay.items()}}
    if "source" in overlay and overlay["source"] != config.get("source"):
        result |= {key: overlay.get(key) for key in _DIGESTS if key in config or key == "sha256"}
    return result


def _value(old: object, new: object) -> object:
    if isinstance(new, Mapping):
        return _merged(old if isinstance(old, Mapping) else {}, new)
    return [_value(None, entry) for entry in new] if isinstance(new, list) else new


def typed(given: Mapping) -> dict:
    """What ``--config`` gives, with numbers, truth values and nulls also inside of mappings and lists.

    Snakemake leaves them as text there, and true and false in small letters everywhere.
    """
    words = {"true": True, "false": False}
    return {key: words.get(value, value) if isinstance(value, str) else _typed(value) for key, value in given.items()}


def _typed(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _typed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_typed(entry) for entry in value]
    if not isinstance(value, str):
        return value
    try:
        read = yaml.load(value, _Loader)
    except (ValueError, RecursionError, yaml.YAMLError):  # also of what looks like a date and is none
        return value
    return read if read is None or isinstance(read, (bool, int, float)) else value


def check_name(base: Mapping, overlays: Iterable[Mapping]) -> None:
    """Check that what an overlay changes after an edition got its name changes nothing of what is replicated.

    Raises
    ------
    InputError
        If it does, with the keys: results of two editions would meet in one folder.
    """
    named = config = dict(base)
    for overlay in overlays:
        config = _merged(config, overlay)
        if config.get("edition") != named.get("edition"):
            named = config
    changed = list(_differences(named, config))
    if changed:
        name = named["edition"]
        raise InputError(
            f"edition {name}",
            f"is another one with other {', '.join(changed)}, and must not write into results/{name}/",
            "give your edition a name of its own: `edition: mine` in its file, or --config edition=mine "
            f"(without one, you can change {', '.join(_FREE)})",
        )


def _differences(named: Mapping, config: Mapping, above: str = "") -> Iterator[str]:
    """The keys, with those above them, that have other values and are not free."""
    for key in sorted({*named, *config}):
        old, new, path = named.get(key), config.get(key), f"{above}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differences(old, new, f"{path}.")
        elif path not in _FREE and key != "sha256" and _without_digests(old) != _without_digests(new):
            yield path


def _without_digests(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_digests(entry) for key, entry in value.items() if key != "sha256"}
    return [_without_digests(entry) for entry in value] if isinstance(value, list) else value
