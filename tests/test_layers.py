"""Rules on imports between packages, beyond the layers and cycles that import-linter checks (pyproject.toml)."""

import ast
import subprocess
import sys
from functools import cache

import pytest

from bert_attention.running.codebase import PACKAGES, SOURCES
from tests.conftest import ROOT

LIBRARY = SOURCES / "bert_attention"
MODULES = sorted(file for package in PACKAGES for file in (SOURCES / package).rglob("*.py"))

ANALYSES = ("clark", "kovaleva", "kobayashi", "coenen", "vig", "comparison")


def name_of(path):
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in MODULES}


@cache
def imported(path):
    """The full names of what a file imports; for a name within a module, the module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in NAMES else node.module for name in full}
    return frozenset(found)


def room_of(name):
    """The package of the library that a module is in, or the module itself where it is at the root."""
    return name.split(".")[1]


@pytest.mark.parametrize("analysis", ANALYSES)
def test_analyses_read_no_files(analysis):
    for path in (LIBRARY / analysis).glob("*.py"):
        assert not {"pathlib", "bert_attention.files"} & imported(path)
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "open"]


@pytest.mark.parametrize("name", [name for name in NAMES if room_of(f"{name}.") in ("figures", "claims", "paper")])
def test_figures_and_printed_tables_know_of_an_analysis_its_column_values_alone(name):
    of_analyses = {other for other in imported(NAMES[name]) & NAMES.keys() if room_of(f"{other}.") in ANALYSES}
    assert {other.rpartition(".")[2] for other in of_analyses} <= {"column_values"}


LIGHT = ["tokenization", "figures", "claims", "paper", "running", "downloads", "tables", "results", "manifest"]
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    if {"torch", "transformers"} & sys.modules.keys():
        sys.exit(f"{name} imports torch or transformers")
"""


def test_light_modules_and_analyses_import_no_torch():
    light = sorted(name for name in NAMES if name.startswith("bert_attention.") and room_of(name) in LIGHT)
    command = [
        sys.executable,
        "-c",
        IMPORT_ALL,
        *light,
        "bert_attention.clark.positions",
        "bert_attention.clark.entropy",
    ]
    run = subprocess.run(command, env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_packages_are_those_of_the_project():
    assert SOURCES == ROOT / "workflow"
    assert {path.parent.name for path in SOURCES.glob("*/__init__.py")} == {
        *PACKAGES,
        "snakemake_logger_plugin_bert_attention",
    }
