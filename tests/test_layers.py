"""Rules on imports between packages, beyond the layers and cycles that import-linter checks (pyproject.toml)."""

import ast
import subprocess
import sys
from functools import cache

import pytest

from bert_attention.running.codebase import PACKAGES, SOURCES

LIBRARY = SOURCES / "bert_attention"
MODULES = sorted(file for package in PACKAGES for file in (SOURCES / package).rglob("*.py"))

PAPERS = LIBRARY / "papers"
# The analyses of the papers: what is neither a figure nor a printed table, a claim or a number in prose.
ANALYSES = sorted(path for path in PAPERS.glob("*/*.py") if path.stem not in ("__init__", "claims", "numbers"))


def name_of(path):
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in MODULES}


@cache
def imported(path):
    """Return the full names of the modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in NAMES else node.module for name in full}
    return frozenset(found)


def package_of(name):
    """Return the package of a module of the library, or the module itself if it is not in a package."""
    return name.split(".")[1]


@pytest.mark.parametrize("path", ANALYSES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_analyses_read_no_files_and_draw_nothing(path):
    assert not {"pathlib", "bert_attention.files", "matplotlib", "seaborn"} & {
        *imported(path),
        *(name.partition(".")[0] for name in imported(path)),
    }
    assert not any(name.startswith("bert_attention.figures") for name in imported(path))
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "open"]


def test_figures_claims_and_printed_tables_import_only_columns_of_analyses():
    showing = [*PAPERS.glob("*/figures/*.py"), *PAPERS.glob("*/printed/*.py"), *PAPERS.glob("*/claims.py")]
    for path in [*showing, *LIBRARY.glob("judging/*.py"), *LIBRARY.glob("paper/*.py")]:
        analyses = {name for name in imported(path) & NAMES.keys() if NAMES[name] in ANALYSES}
        assert {name.rpartition(".")[2] for name in analyses} <= {"columns"}, path


LIGHT = [
    "tokenization",
    "figures",
    "judging",
    "paper",
    "printing",
    "running",
    "downloads",
    "tables",
    "results",
    "manifest",
]
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    if {"torch", "transformers"} & sys.modules.keys():
        sys.exit(f"{name} imports torch or transformers")
"""


def test_light_modules_and_analyses_import_no_torch():
    light = sorted(name for name in NAMES if name.startswith("bert_attention.") and package_of(name) in LIGHT)
    light += [name for name, path in NAMES.items() if path.is_relative_to(PAPERS) and path not in ANALYSES]
    analyses = ("bert_attention.papers.clark.positions", "bert_attention.papers.clark.entropy")
    command = [sys.executable, "-c", IMPORT_ALL, *light, *analyses]
    run = subprocess.run(command, env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
