"""The floors of the library: what may import what."""

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

LIBRARY = ROOT / "workflow" / "bert_attention"
MODULES = sorted(LIBRARY.rglob("*.py"))
ANALYSES = ("clark", "kobayashi")


def imported(path):
    """Top-level packages, and modules of the library, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_the_library_knows_no_snakemake(path):
    assert not [name for name in imported(path) if name.split(".")[0] == "snakemake"]


@pytest.mark.parametrize("analysis", ANALYSES)
def test_analyses_read_no_files_and_draw_nothing(analysis):
    for path in (LIBRARY / analysis).glob("*.py"):
        assert not {"pathlib", "matplotlib", "seaborn", "bert_attention.files"} & set(imported(path))
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "open"]


@pytest.mark.parametrize(
    "module",
    [
        "figures.clark",
        "figures.clark_clusters",
        "figures.clark_dependency",
        "figures.clark_importance",
        "figures.kobayashi",
        "tables",
        "claims",
        "guide",
        "configuration",
        "preflight",
    ],
)
def test_light_modules_import_no_torch(module):
    code = f"import sys, bert_attention.{module}; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(LIBRARY.parent)}, check=False).returncode
        == 0
    )


def test_every_analysis_reads_the_store_without_torch():
    code = "import sys, bert_attention.clark.positions, bert_attention.clark.entropy; sys.exit('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(LIBRARY.parent)}, check=False).returncode
        == 0
    )
