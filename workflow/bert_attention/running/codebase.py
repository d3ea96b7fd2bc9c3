"""Which code a rule uses, so that editing a module reruns the rules that depend on it and no others.

Snakemake sees a rule's script, but not the modules that the script imports. A rule therefore carries, as a parameter,
a digest of every module of the project that it reaches, and of the tables that a module keeps beside it
(``lexicon.data.yaml`` beside ``lexicon.py``). Comments, docstrings, layout and the words of an error that ends a job do
not count: a better message in a reader does not cost a night on the GPU.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.running.file_memory import FileMemory

SOURCES = Path(__file__).parents[2]  # the folder of both packages
PACKAGES = ("bert_attention", "miniature")

# Errors that end a job, so that no result holds their text; and the ends of names to which text for them is assigned.
# What a NothingFoundError says is in the scoreboard, and counts.
ENDING_ERRORS = {"InputError", "BadLineError", "OSError", "TypeError", "ValueError"}
WORDING = ("problem", "remedy")


class Codebase:
    """The project's code as its files were read, once each."""

    def __init__(self, memory: Path | str | None = None):
        """Start with what an earlier process remembered in a file, if one is named.

        Every job of a run parses the workflow, and reading all modules takes longer than many a job.
        """
        self._memory = FileMemory(_imports_and_digest, memory)
        self._read = cache(self._memory.of)

    def digests(self, *entry_points: Path | str) -> dict[str, str]:
        """``file digest`` of every module that the entry points import, directly or not, and its data, by file, sorted.

        Parameters
        ----------
        entry_points
            Python files, or names of modules (``bert_attention.clark.entropy``); modules are included themselves.

        Raises
        ------
        FileNotFoundError
            If one does not exist.
        InputError
            If a file is not Python.
        """
        waiting = [entry if isinstance(entry, Path) else _module_file(entry) for entry in entry_points]
        seen: set[Path] = set()
        while waiting:
            file = waiting.pop()
            if file not in seen:
                seen.add(file)
                imports, _ = self._read(file)
                waiting.extend(_module_files(imports))
                data = file.with_suffix(".data.yaml")
                waiting += [data] if data.is_file() else []
        modules = {file.relative_to(SOURCES).as_posix(): file for file in sorted(seen) if _is_module(file)}
        return {name: f"{name} {self._read(file)[1]}" for name, file in modules.items()}

    def remember(self) -> None:
        """Write what is known for other processes."""
        self._memory.keep()


def _imports_and_digest(file: Path) -> tuple[list[str], str]:
    """The names that a file imports from the project, and the digest of its code."""
    if file.suffix != ".py":
        return [], hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    tree = _parse(file)
    return list(dict.fromkeys(_imported_names(tree))), _digest(tree)


def _parse(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError as error:
        where = f"{file}, line {error.lineno}" if error.lineno else file
        raise InputError(where, f"is not valid Python: {error.msg}", "correct the file") from None
    except ValueError as error:  # bytes that no text has
        raise InputError(file, f"is not valid Python: {error}", "correct the file") from None


def _is_module(file: Path) -> bool:
    return any(file.is_relative_to(SOURCES / package) for package in PACKAGES)


def _module_file(name: str) -> Path:
    file = SOURCES.joinpath(*name.split(".")).with_suffix(".py")
    if not file.is_file():
        file = file.with_suffix("") / "__init__.py"
    if not file.is_file():
        raise FileNotFoundError(f"the project has no module {name}")
    return file


def _module_files(names: Iterable[str]) -> Iterator[Path]:
    """The files of modules; a name that is within a module has none."""
    for name in names:
        with suppress(FileNotFoundError):
            yield _module_file(name)


def _imported_names(tree: ast.Module) -> Iterator[str]:
    """The names that a file imports from the project; one imported from a package can be one of its modules."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if name.partition(".")[0] in PACKAGES)


def _digest(tree: ast.Module) -> str:
    """Digest of a syntax tree without docstrings and what errors say; it takes both out of the tree."""
    for node in ast.walk(tree):
        match node:
            case ast.AST(body=[ast.Expr(value=ast.Constant(value=str())), *_]):
                del node.body[0]
        if _words_an_error(node):
            _WithoutText().visit(node)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:12]


def _words_an_error(node: ast.AST) -> bool:
    """Whether a node makes an error that ends a job, or gives a name to text for one."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ENDING_ERRORS
    names = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(name, ast.Name) and name.id.lower().endswith(WORDING) for name in names)


class _WithoutText(ast.NodeTransformer):
    """Empties all text in a syntax tree."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Constant:
        return ast.Constant("")
