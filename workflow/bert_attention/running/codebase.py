"""The code that a rule uses, so that editing a module reruns the rules that depend on the module and no others.

Snakemake sees a rule's script, but not the modules that the script imports. A rule therefore carries, as a parameter, a
digest of all modules of the library that its script and its functions import, directly or not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[2]  # the folder of the library
PACKAGES = ("bert_attention",)

# `import a.b`, or `from a.b import c`, whose names may stand in brackets on several lines.
_IMPORT = re.compile(r"^\s*(?:import|from) +([\w.]+)(?: +import +(\([^)]*\)|.*))?", flags=re.M)


def code_digest(*entry_points: Path | str) -> str:
    """Return a digest of all modules that some Python files or modules import, directly or not.

    Parameters
    ----------
    entry_points
        Python files, or names of modules (``bert_attention.clark.entropy``); modules are included themselves.

    Raises
    ------
    FileNotFoundError
        If an entry point does not exist.
    """
    digest = hashlib.sha256()
    for file in modules_reached(*entry_points):
        digest.update(f"{file.relative_to(SOURCES).as_posix()}\0".encode() + _read(file) + b"\0")
    return digest.hexdigest()[:16]


def modules_reached(*entry_points: Path | str) -> list[Path]:
    """The files of the modules that :func:`code_digest` covers, sorted, with the data beside them (``.data.yaml``)."""
    waiting = []
    for entry in entry_points:
        file = entry if isinstance(entry, Path) else _module_file(entry)
        if file is None:
            raise FileNotFoundError(f"the project has no module {entry}")
        waiting.append(file)
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
    """The modules of the library that a Python file imports, and the data beside it."""
    if file.suffix != ".py":
        return []
    data = file.with_suffix(".data.yaml")
    imported = map(_module_file, _names_imported(_read(file).decode()))
    return [*filter(None, imported), *([data] if data.is_file() else [])]


def _names_imported(text: str) -> Iterator[str]:
    """The names that Python code imports from the library; a name in a package can be a module, or within one."""
    for module, names in _IMPORT.findall(text):
        if module.partition(".")[0] in PACKAGES:
            yield module
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))


def _module_file(name: str) -> Path | None:
    path = SOURCES.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
