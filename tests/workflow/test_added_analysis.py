"""The recipe of docs/adding.md for an analysis of one's own, followed to the letter in a copy of the project."""

import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml

from tests.conftest import ROOT
from tests.models.random_models import save_bert
from tests.workflow.conftest import ENCODER, copy_project

pytestmark = pytest.mark.workflow

STEP = re.compile(
    r"^\d+\. `(?P<file>[^`]+)`(?:, below `(?P<key>\w+):`)?.*?\n {3}```\w*\n(?P<text>.*?)^ {3}```$", flags=re.M | re.S
)
TABLE, FIGURE = "clark_width", "clark_figure_width"


def recipe():
    """What the recipe names: a file, the key below which the text belongs (None: it is the file), and the text."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    section = re.search(r"^## On running text\n.*?(?=^## )", page, flags=re.S | re.M)[0]
    return [
        (step["file"], step["key"], re.sub(r"^ {3}", "", step["text"], flags=re.M)) for step in STEP.finditer(section)
    ]


def follow(checkout, prefix="clark"):
    """Do what the recipe says, with names of table and figure that begin with a paper's or another name."""

    def renamed(text):
        return re.sub(r"\bclark(_figure)?_width\b", rf"{prefix}\1_width", text).replace(
            "figures/clark", f"figures/{prefix}"
        )

    for file, key, text in recipe():
        path = checkout.folder / renamed(file)
        if key is None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(renamed(text), encoding="utf-8")
        else:
            before = path.read_text(encoding="utf-8")
            assert before.count(f"\n{key}:\n") == 1
            path.write_text(before.replace(f"\n{key}:\n", f"\n{key}:\n{renamed(text)}"), encoding="utf-8")


def jobs(finished, rule):
    """What Snakemake prints of all jobs of a rule that it would run."""
    return "".join(re.findall(rf"^(?:local)?rule {rule}:\n(?:    .*\n)+", finished.text, flags=re.M))


def test_the_recipe_names_its_files():
    assert [(file.rpartition("/")[2], key) for file, key, _ in recipe()] == [
        ("width.py", None),
        ("results.yaml", "tables"),
        ("clark_figure_width.py", None),
        ("results.yaml", "figures"),
    ]


@pytest.fixture(scope="module", params=["clark", "mine"])
def added(request, tmp_path_factory):
    """A copy of the project with the analysis, under a paper's name or one of its own, and an edition of two models."""
    checkout = copy_project(tmp_path_factory.mktemp("added"))
    follow(checkout, request.param)
    entry = {"source": "path:nowhere", "mlm_head": "own"}
    checkout.overlay("two", models=[entry | {"name": name} for name in ("one", "another")])
    return checkout, request.param


@pytest.mark.parametrize(
    ("edition", "folders"), [(None, [f"embedded/{ENCODER}"]), ("two.yaml", ["two/another", "two/one"])]
)
def test_table_and_figure_are_in_all_in_the_guide_and_in_the_paper(added, edition, folders):
    checkout, prefix = added
    whole = checkout.snakemake("-n", edition=edition)
    assert whole.status == 0, whole.text
    assert whole.jobs[f"{prefix}_width"] == len(folders)
    assert whole.jobs[f"{prefix}_figure_width"] == len(folders)
    for folder in folders:
        table, figure = f"{folder}/tables/{prefix}_width.csv", f"{folder}/figures/{prefix}_figure_width.pdf"
        for file in (table, figure):
            assert file in jobs(whole, "results_guide")
            assert file in jobs(whole, "write_paper")
        assert figure.replace(".pdf", ".png") in jobs(whole, "results_guide")
    by_name = checkout.snakemake("-n", f"{prefix}_figure_width", edition=edition)
    assert by_name.jobs[f"{prefix}_width"] == len(folders)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A copy of the project with the analysis, its table and figure made."""
    checkout = copy_project(tmp_path_factory.mktemp("ran"))
    follow(checkout)
    finished = checkout.snakemake(FIGURE)
    assert finished.status == 0, finished.text
    return checkout


def test_it_runs_and_stands_in_the_report(ran):
    results = ran.folder / "results" / "reduced" / ENCODER
    assert pd.read_csv(results / "tables" / f"{TABLE}.csv")["width"].gt(0).all()
    assert (results / "figures" / f"{FIGURE}.pdf").is_file()
    assert (ran.folder / "logs" / "reduced" / ENCODER / "tabulate" / f"{TABLE}.log").is_file()
    reported = ran.snakemake(FIGURE, "--report", "report.html")
    assert reported.status == 0, reported.text
    assert "how far heads look" in (ran.folder / "report.html").read_text(encoding="utf-8")


def test_a_second_model_leaves_what_was_made_of_the_first(ran, edition, embedded_model):
    reduced = yaml.safe_load((ROOT / "tests" / "editions" / "reduced.yaml").read_text())
    save_bert(ran.folder / "second", embedded_model)
    second = {"name": "second", "source": "path:second", "mlm_head": "own"}
    (ran.folder / "two.yaml").write_text(yaml.safe_dump(reduced | {"models": [*edition["models"], second]}))
    planned = ran.snakemake("-n", FIGURE, edition="two.yaml")
    assert planned.jobs[TABLE] == 1
    extracted = jobs(planned, "extract_attention")
    assert "resources/reduced/second/attention/" in extracted
    assert f"{edition['models'][0]['name']}/attention" not in extracted
    assert planned.jobs["segments"] == 1


def test_the_unit_tests_hold_for_it(added):
    """They look at every module, figure and entry: what the recipe adds has nothing that they refuse."""
    checkout, _ = added
    for part in ("tests", "pyproject.toml", "README.md", "Makefile", "benchmarks", "docs"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copyfile
        if not (checkout.folder / part).is_file():
            copy(ROOT / part, checkout.folder / part, **({"dirs_exist_ok": True} if (ROOT / part).is_dir() else {}))
    checks = ["test_results.py", "test_layers.py", "test_tables.py", "figures/test_modules.py", "paper/test_guide.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{check}" for check in checks)]
    run = subprocess.run(command, cwd=checkout.folder, capture_output=True, text=True, check=False, timeout=900)
    assert run.returncode == 0, run.stdout[-3000:]
