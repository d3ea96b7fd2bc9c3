"""A paper can be left out: without its folder, rules, scripts and tests, all else works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

OTHERS = ("clark", "kovaleva", "kobayashi", "coenen", "comparison")
# Folders that ask the papers' folders and name no paper that can be left out.
ASKING = ("report", "rules", "bert_attention/explorer", "bert_attention/paper")


@pytest.fixture(scope="module")
def without_vig(tmp_path_factory):
    """A copy of the project without Vig's articles."""
    copy = tmp_path_factory.mktemp("without") / "project"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    for folder in ("workflow/bert_attention/papers/vig", "workflow/scripts/vig", "tests/vig"):
        shutil.rmtree(copy / folder)
    (copy / "workflow" / "rules" / "vig.smk").unlink()
    config = (copy / "config.yaml").read_text(encoding="utf-8")
    assert "\npapers: [clark, kovaleva, kobayashi, coenen, vig]\n" in config
    (copy / "config.yaml").write_text(config.replace("coenen, vig]", "coenen]"), encoding="utf-8")
    return copy


def run(folder, *command):
    """Run a program of the environment in a copy, and return what it printed."""
    environment = os.environ | {"PYTHONPATH": f"{folder}:{folder / 'workflow'}"}
    program = Path(sys.executable).with_name(command[0])
    finished = subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout + finished.stderr


def test_nothing_else_names_the_paper(without_vig):
    files = [file for folder in ASKING for file in (without_vig / "workflow" / folder).rglob("*") if file.is_file()]
    assert len(files) > 40
    assert not [file for file in files if re.search(r"(?i)(?<![a-z])vig(?![a-z])", file.read_text(encoding="utf-8"))]


@pytest.mark.long
def test_style_rules_and_the_tests_of_other_papers_pass(without_vig):
    run(without_vig, "ruff", "check", "workflow")
    run(without_vig, "lint-imports")
    run(without_vig, "snakemake", "--lint")
    planned = run(without_vig, "snakemake", "-n", "-q", "rules", "--cores", "2")
    assert "vig" not in planned
    assert "clark" in planned
    paper = "tests/paper/test_document.py::test_the_paper_of_an_edition_reads_only_the_folders_of_its_papers"
    run(without_vig, "pytest", "-q", "-p", "no:cacheprovider", paper, *(f"tests/{name}" for name in OTHERS))
