"""A paper can be left out: without its folder, rules, scripts and tests, all else works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bert_attention.results import results
from tests.conftest import ROOT

PAPERS = tuple(results().papers)
# Folders that ask the papers' folders and name no paper that can be left out.
ASKING = ("report", "rules", "bert_attention/explorer", "bert_attention/paper")


def without(paper, folder):
    """Copy the project without a paper, and without what compares it with others."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    left_out = [paper, *(["comparison"] if paper == "clark" else [])]
    for name in left_out:
        for parent in ("workflow/bert_attention/papers", "workflow/scripts", "tests"):
            shutil.rmtree(folder / parent / name, ignore_errors=parent == "workflow/scripts")  # some papers have none
        (folder / "workflow" / "rules" / f"{name}.smk").unlink(missing_ok=True)
    config = (folder / "config.yaml").read_text(encoding="utf-8")
    all_papers = f"\npapers: [{', '.join(PAPERS)}]\n"
    assert all_papers in config
    changed = config.replace(all_papers, f"\npapers: [{', '.join(name for name in PAPERS if name != paper)}]\n")
    (folder / "config.yaml").write_text(changed, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def without_vig(tmp_path_factory):
    return without("vig", tmp_path_factory.mktemp("without") / "project")


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
@pytest.mark.parametrize("paper", PAPERS)
def test_the_other_papers_are_planned(paper, tmp_path):
    copy = without(paper, tmp_path)
    planned = run(copy, "snakemake", "-n", "-q", "rules", "--verbose", "--cores", "2")
    results_named = re.findall(rf"\b{paper}_\w+", planned)
    assert not results_named
    assert all(name in planned for name in PAPERS if name not in (paper, "coenen"))
    run(copy, "ruff", "check", "workflow")
    run(copy, "snakemake", "--lint")
    if paper != "clark":  # the contract on imports names the comparison, which is left out with Clark et al.
        run(copy, "lint-imports")


@pytest.mark.long
def test_the_tests_of_other_papers_pass(without_vig):
    paper = "tests/paper/test_document.py::test_the_paper_of_an_edition_reads_only_the_folders_of_its_papers"
    others = [f"tests/{name}" for name in (*PAPERS, "comparison") if name != "vig"]
    run(without_vig, "pytest", "-q", "-p", "no:cacheprovider", paper, *others)
