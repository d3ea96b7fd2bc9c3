"""The README's recipe for an analysis of one's own, followed to the letter in a copy of the project."""

import re

import pytest
import yaml

from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.workflow

STEP = re.compile(r"^\d+\. `(?P<file>[^`]+)`.*?\n {3}```\w*\n(?P<text>.*?)^ {3}```$", flags=re.M | re.S)
TABLE, FIGURE = "clark_width", "clark_figure_width"


def recipe():
    """The files that the recipe names, in order, each with what is written at its end."""
    section = re.search(
        r"\*\*\.\.\. add an analysis\.\*\*.*?(?=\n\*\*\.\.\. )", (ROOT / "README.md").read_text(), re.S
    )[0]
    return [(step["file"], re.sub(r"^ {3}", "", step["text"], flags=re.M)) for step in STEP.finditer(section)]


def follow(checkout, prefix="clark"):
    """Do what the recipe says, with names of table and figure that begin with a paper's or another name."""

    def renamed(text):
        return re.sub(r"\bclark(_figure)?_width\b", rf"{prefix}\1_width", text)

    for file, text in recipe():
        path = checkout.folder / renamed(file)
        before = path.read_text(encoding="utf-8") + "\n" if path.exists() else ""
        path.write_text(before + renamed(text), encoding="utf-8")


def job(finished, rule, index=0):
    """What Snakemake prints of a job that it would run."""
    return re.findall(rf"^(?:local)?rule {rule}:\n(.*?)\n\n", finished.text, flags=re.M | re.S)[index]


def test_the_recipe_names_its_files():
    assert [file.rpartition("/")[2] for file, _ in recipe()] == [
        "width.py",
        "tables.yaml",
        "clark.smk",
        "clark_figure_width.py",
        "captions.yaml",
        "clark.smk",
    ]


@pytest.fixture(scope="module", params=["clark", "mine"])
def added(request, tmp_path_factory):
    """A copy of the project with the analysis, under a paper's name or one of its own, and an edition of two models."""
    checkout = copy_project(tmp_path_factory.mktemp("added"))
    follow(checkout, request.param)
    entry = {"source": "path:nowhere", "sha256": None, "mlm_head": "own"}
    two = {"edition": "two", "models": [entry | {"name": name} for name in ("one", "another")]}
    (checkout.folder / "two.yaml").write_text(yaml.safe_dump(two))
    return checkout, request.param


@pytest.mark.parametrize(("edition", "folders"), [(None, ["embedded"]), ("two.yaml", ["two/another", "two/one"])])
def test_table_and_figure_are_in_all_in_the_guide_and_in_the_paper(added, edition, folders):
    checkout, prefix = added
    whole = checkout.snakemake("-n", edition=edition)
    assert whole.status == 0, whole.text
    assert whole.jobs[f"{prefix}_width"] == len(folders)
    assert whole.jobs[f"{prefix}_figure_width"] == 1
    papers = "".join(job(whole, "paper", index) for index in range(len(folders)))
    for folder in folders:
        table, figure = f"{folder}/tables/{prefix}_width.csv", f"{folder}/figures/{prefix}_figure_width.pdf"
        for file in (table, figure):
            assert file in job(whole, "results_guide")
            assert file in papers
        assert figure.replace(".pdf", ".png") in job(whole, "results_guide")
    by_name = checkout.snakemake("-n", f"{prefix}_figure_width", edition=edition)
    assert by_name.jobs[f"{prefix}_width"] == len(folders)


def test_it_runs_and_stands_in_the_report(checkout):
    follow(checkout)
    finished = checkout.snakemake(FIGURE)
    assert finished.status == 0, finished.text
    results = checkout.folder / "results" / "reduced"
    assert read_table(results / "tables" / f"{TABLE}.csv")["width"].gt(0).all()
    assert (results / "figures" / f"{FIGURE}.pdf").is_file()
    assert (checkout.folder / "logs" / "reduced" / f"{TABLE}.log").is_file()
    reported = checkout.snakemake(FIGURE, "--report", "report.html")
    assert reported.status == 0, reported.text
    assert "how far heads look" in (checkout.folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            'rule mine:\n    output:\n        "mine.txt",\n    script:\n        "../scripts/mine.py"\n',
            "mine has no log",
        ),
        (
            'use rule clark_importance as mine with:\n    output:\n        "results/mine.csv",\n',
            "mine has the log of clark_importance, logs/embedded/clark_importance.log",
        ),
    ],
)
def test_a_rule_without_a_log_of_its_own_is_refused(checkout, rule, problem):
    rules = checkout.folder / "workflow" / "rules" / "clark.smk"
    rules.write_text(f"{rules.read_text()}\n\n{rule}")
    finished = checkout.snakemake("-n", edition=None)
    assert finished.status != 0
    assert problem in finished.text
    assert "Traceback" not in finished.text
