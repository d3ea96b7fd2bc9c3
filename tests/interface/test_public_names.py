"""The public names of the package."""

import ast
import subprocess
import sys

import pytest

import bert_attention
from bert_attention.running.codebase import SOURCES, modules_reached
from tests.conftest import ROOT

NAMES = bert_attention._MODULES


def test_public_names_and_their_types():
    for name in NAMES:
        assert getattr(bert_attention, name).__name__ == name
        assert name in dir(bert_attention)
    stub = ast.parse((SOURCES / "bert_attention" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module.removeprefix("bert_attention.") for node in imports for alias in node.names}
    assert typed == NAMES
    with pytest.raises(AttributeError, match="has no attribute 'Encoder'"):
        _ = bert_attention.Encoder
    assert f'\nversion = "{bert_attention.__version__}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, bert_attention; print({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:]))"
    heavy = ["torch", "transformers", "numpy", "pandas", "matplotlib", "nltk", "yaml"]
    command = [sys.executable, "-c", code, *heavy]
    run = subprocess.run(command, env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_no_job_imports_the_interface():
    """Otherwise each edit of the interface would rerun the workflow."""
    library = SOURCES / "bert_attention"
    reached = modules_reached(*(SOURCES / "scripts").rglob("*.py"))
    assert len(reached) > 100
    assert not [file for file in reached if file.parent == library / "interface"]
