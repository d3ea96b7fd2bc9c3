"""The package's imports: no module reaches itself, and few modules of the library are used."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import miniature

PACKAGE = Path(miniature.__file__).parent
ALLOWED = ("bert_attention.corpora.", "bert_attention.errors.", "bert_attention.files.")


def module_name(file: Path, package: Path) -> str:
    """``miniature.german`` for ``miniature/german/__init__.py``, ``miniature.trees`` for ``miniature/trees.py``."""
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(file: Path, module: str) -> set[str]:
    """Everything that a file imports anywhere in it: modules, and names of modules as ``module.name``."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{source}.{alias.name}" for alias in node.names}
    return names


def import_graph(package: Path) -> dict[str, set[str]]:
    """Every module of a package with the modules of the package that it imports."""
    modules = {module_name(file, package): file for file in sorted(package.rglob("*.py"))}
    graph = {}
    for module, file in modules.items():
        names = imported_names(file, module)
        graph[module] = {name if name in modules else name.rpartition(".")[0] for name in names} & set(modules)
    return graph


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of an import circle, from one to itself; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def test_no_module_imports_itself_through_others():
    graph = import_graph(PACKAGE)
    assert {"miniature.trees", "miniature.english.lexicon", "miniature.german.pairs"} <= set(graph)
    assert "miniature.german.lexicon" in graph["miniature.german.phrases"]
    found = circle(graph)
    assert not found, " imports ".join(found)


@pytest.mark.parametrize(
    "imports",
    [
        "from toy.second import x",
        "from toy import second",
        "import toy.second",
        "from . import second",
        "from .second import x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from toy.second import x",
        "def late():\n    from toy.second import x",
    ],
)
def test_a_circle_is_found_however_it_is_written(tmp_path, imports):
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("from toy.first import y\n")
    (package / "first.py").write_text(imports + "\n")
    (package / "second.py").write_text("import ast\nx = 1\n")
    assert circle(import_graph(package)) == []
    (package / "second.py").write_text("from toy.first import y\n")
    assert set(circle(import_graph(package))) == {"toy.first", "toy.second"}


def test_of_the_library_only_corpora_errors_and_files_are_imported():
    files = PACKAGE.rglob("*.py")
    names = {name for file in files for name in imported_names(file, module_name(file, PACKAGE))}
    library = {name for name in names if name.partition(".")[0] == "bert_attention"}
    assert library
    assert {name for name in library if not f"{name}.".startswith(ALLOWED)} == set()
