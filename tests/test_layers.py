"""Rules on imports between packages, beyond the layers and cycles that import-linter checks (pyproject.toml)."""

import ast
import subprocess
import sys
from functools import cache

import pytest

from bert_attention.running.codebase import PACKAGES, SOURCES

LIBRARY = SOURCES / "bert_attention"
MODULES = sorted(file for package in PACKAGES for file in (SOURCES / package).rglob("*.py"))

ANALYSES = ("clark", "kovaleva", "kobayashi", "coenen", "vig", "comparison")


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


@pytest.mark.parametrize("analysis", ANALYSES)
def test_analyses_read_no_files(analysis):
    for path in (LIBRARY / analysis).glob("*.py"):
        assert not {"pathlib", "bert_attention.files"} & imported(path)
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "open"]


@pytest.mark.parametrize("package", ["figures", "judging", "paper"])
def test_figures_claims_and_printed_tables_import_only_column_values_of_analyses(package):
    for name in (name for name in NAMES if package_of(f"{name}.") == package):
        analyses = {other for other in imported(NAMES[name]) & NAMES.keys() if package_of(f"{other}.") in ANALYSES}
        assert {other.rpartition(".")[2] for other in analyses} <= {"column_values"}, name


LIGHT = [
    "tokenization",
    "figures",
    "judging",
    "paper",
    "papers",
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
    analyses = ("bert_attention.clark.positions", "bert_attention.clark.entropy")
    command = [sys.executable, "-c", IMPORT_ALL, *light, *analyses]
    run = subprocess.run(command, env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
