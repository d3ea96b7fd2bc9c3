"""Which code a rule uses, so that editing a module reruns the rules that depend on it and no others.

Snakemake sees a rule's script, but not the modules that the script imports. A rule therefore carries, as a parameter,
a digest of every module of the project that it reaches. Comments, docstrings and layout do not count: a better
docstring in the extraction does not cost a night on the GPU.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[2]  # the folder of both packages
PACKAGES = ("bert_attention", "miniature")


def code_digests(*entry_points: Path | str) -> list[str]:
    """``module digest`` for every module of the project that the entry points import, directly or not, sorted.

    Parameters
    ----------
    entry_points
        Python files, or names of modules (``bert_attention.clark.entropy``); modules are included themselves.

    Raises
    ------
    FileNotFoundError
        If one does not exist.
    """
    waiting = [entry if isinstance(entry, Path) else _module_file(entry) for entry in entry_points]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting.extend(_imported_files(file))
    modules = sorted(file.relative_to(SOURCES) for file in seen if _is_module(file))
    return [f"{module.as_posix()} {_digest(SOURCES / module)}" for module in modules]


def _is_module(file: Path) -> bool:
    return any(file.is_relative_to(SOURCES / package) for package in PACKAGES)


def _module_file(name: str) -> Path:
    file = SOURCES.joinpath(*name.split(".")).with_suffix(".py")
    if not file.is_file():
        file = file.with_suffix("") / "__init__.py"
    if not file.is_file():
        raise FileNotFoundError(f"the project has no module {name}")
    return file


@cache
def _imported_files(file: Path) -> tuple[Path, ...]:
    """Files of the project that a file imports directly; a name imported from a package can be one of its modules."""
    found = []
    for node in ast.walk(_syntax_tree(file)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.partition(".")[0] in PACKAGES:
                try:
                    found.append(_module_file(name))
                except FileNotFoundError:  # a name within a module, not a module
                    continue
    return tuple(found)


@cache
def _syntax_tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def _digest(file: Path) -> str:
    """Digest of a module's syntax tree without docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            del body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:12]


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
