"""Digests of the code that each rule uses, so that editing a module reruns only the rules that depend on it.

Snakemake sees a rule's script, but not the modules that the script imports. A rule therefore carries, as a parameter, a
digest of all library modules that run when its script and its functions are imported, directly or indirectly: also of
the packages that hold these modules.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[2]  # the folder that holds the library
PACKAGES = ("bert_attention",)

# `import a.b`, or `from a.b import c`. The names may be in parentheses on several lines.
_IMPORT = re.compile(r"^\s*(?:import|from) +([\w.]+)(?: +import +(\([^)]*\)|.*))?", flags=re.M)
# Imports that never run.
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:.*\n(?:[ \t]+.*\n|\n)*", flags=re.M)


def code_digest(*entry_points: Path | str) -> str:
    """Return a digest of all library modules that the entry points import, directly or indirectly.

    The entry points are Python files, or names of modules (``bert_attention.papers.clark.entropy``), and are digested,
    too. Raise FileNotFoundError if an entry point does not exist.
    """
    digest = hashlib.sha256()
    scripts = [entry for entry in entry_points if isinstance(entry, Path)]  # Snakemake itself looks at their time
    for file in dict.fromkeys([*scripts, *modules_reached(*entry_points)]):
        name = file.relative_to(SOURCES).as_posix() if file.is_relative_to(SOURCES) else file.name
        digest.update(f"{name}\0".encode() + _read(file) + b"\0")
    return digest.hexdigest()[:16]


def modules_reached(*entry_points: Path | str) -> list[Path]:
    """Return the sorted modules that entry points reach, and the data beside them (``.data.yaml``)."""
    waiting = []
    for entry in entry_points:
        files = [entry] if isinstance(entry, Path) else _module_files(entry)
        if not files:
            raise FileNotFoundError(f"the project has no module {entry}")
        waiting += files
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += _files_used(file)
    return sorted(file for file in seen if any(file.is_relative_to(SOURCES / package) for package in PACKAGES))


@cache
def _read(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _files_used(file: Path) -> list[Path]:
    """Return the library modules that a Python file imports, and the data file beside it."""
    if file.suffix != ".py":
        return []
    data = file.with_suffix(".data.yaml")
    imported = [used for name in _names_imported(_read(file).decode()) for used in _module_files(name)]
    return [*imported, *([data] if data.is_file() else [])]


def _names_imported(text: str) -> Iterator[str]:
    """Yield the library modules that Python code imports, and every imported name, because it can be a module."""
    for module, names in _IMPORT.findall(_FOR_TYPES.sub("", text)):
        if module.partition(".")[0] in PACKAGES:
            yield module
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))


def _module_files(name: str) -> list[Path]:
    """Return the file of a module and those of its packages, which run first; an empty list without such a module."""
    path = SOURCES.joinpath(*name.split("."))
    own = next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
    packages = [SOURCES.joinpath(parent, "__init__.py") for parent in path.relative_to(SOURCES).parents]
    return [own, *filter(Path.is_file, packages)] if own else []
