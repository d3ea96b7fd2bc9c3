"""The names that the package has for other people."""

import ast
import subprocess
import sys

import pytest

import bert_attention
from bert_attention.running.codebase import SOURCES, modules_reached
from tests.conftest import ROOT

NAMES = bert_attention._MODULES


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_imported_when_it_is_asked_for(name):
    assert getattr(bert_attention, name).__name__ == name
    assert name in dir(bert_attention)


def test_types_are_told_of_the_same_names():
    stub = ast.parse((SOURCES / "bert_attention" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname: node.module.removeprefix("bert_attention.") for node in imports for alias in node.names}
    assert told == NAMES


def test_other_names_are_no_names():
    with pytest.raises(AttributeError, match="has no attribute 'Encoder'"):
        _ = bert_attention.Encoder


def test_the_version_is_that_of_the_metadata():
    assert f'\nversion = "{bert_attention.__version__}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, bert_attention; print({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:]))"
    heavy = ["torch", "transformers", "numpy", "pandas", "matplotlib", "nltk", "yaml"]
    run = subprocess.run(
        [sys.executable, "-c", code, *heavy],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "set()"


def test_no_job_reaches_the_interface():
    """Else each edit of it would run the workflow anew."""
    library = SOURCES / "bert_attention"
    reached = modules_reached(*(SOURCES / "scripts").rglob("*.py"))
    assert len(reached) > 100
    assert not [file for file in reached if file.parent == library / "interface" or file == library / "__init__.py"]
