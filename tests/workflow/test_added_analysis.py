"""The recipe of docs/adding.md for an analysis of one's own, followed to the letter in a copy of the project."""

import re

import pandas as pd
import pytest
import yaml

from tests.conftest import ROOT
from tests.models.random_models import save_bert
from tests.workflow.conftest import ENCODER, RESULTS, linked

STEP = re.compile(
    r"^\d+\. `(?P<file>[^`]+)`(?:, below `(?P<key>\w+):`)?.*?\n {3}```\w*\n(?P<text>.*?)^ {3}```$", flags=re.M | re.S
)
TABLE, FIGURE = "clark_width", "clark_figure_width"


def recipe():
    """Return the parts of the recipe: file, key below which the text belongs (None: the whole file), and text."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    section = re.search(r"^## On running text\n.*?(?=^## )", page, flags=re.S | re.M)[0]
    return [
        (step["file"], step["key"], re.sub(r"^ {3}", "", step["text"], flags=re.M)) for step in STEP.finditer(section)
    ]


def follow(checkout, prefix="clark"):
    """Do what the recipe says, with names of table and figure that begin with a paper's or another name."""

    def renamed(text):
        text = re.sub(r"\bclark(_figure)?_width\b", rf"{prefix}\1_width", text)
        return text.replace("papers/clark", f"papers/{prefix}").replace("clark.width", f"{prefix}.width")

    for file, key, text in recipe():
        path = checkout.folder / renamed(file)
        path.parent.mkdir(exist_ok=True)
        if key is None:
            path.write_text(renamed(text), encoding="utf-8")
        elif prefix != "clark":  # the first entries of a folder
            with path.open("a", encoding="utf-8") as entries:
                entries.write(f"{key}:\n{renamed(text)}")
        else:
            before = path.read_text(encoding="utf-8")
            assert before.count(f"\n{key}:\n") == 1
            path.write_text(before.replace(f"\n{key}:\n", f"\n{key}:\n{renamed(text)}"), encoding="utf-8")


def jobs(finished, rule):
    """Return the lines that Snakemake prints on the jobs of a rule that it would run."""
    return "".join(re.findall(rf"^(?:local)?rule {rule}:\n(?:    .*\n)+", finished.text, flags=re.M))


def test_its_results_are_made_for_each_model_and_are_in_the_guide_and_the_paper(checkout):
    assert [key for _, key, _ in recipe()] == [None, "tables", None, "figures"]
    follow(checkout, "mine")
    entry = {"source": "path:nowhere", "mlm_head": "own"}
    edition = checkout.overlay("two", models=[entry | {"name": name} for name in ("one", "another")])
    planned = checkout.snakemake("-n", edition=edition)
    assert planned.status == 0, planned.text
    assert planned.jobs["mine_width"] == planned.jobs["mine_figure_width"] == 2
    for model in ("one", "another"):
        files = {f"two/{model}/tables/mine_width.csv", f"two/{model}/figures/mine_figure_width.pdf"}
        for rule in ("results_guide", "write_paper"):
            assert {file for file in files if file in jobs(planned, rule)} == files


@pytest.fixture(scope="module")
def added(first_run, tmp_path_factory):
    """The project after the first run and a run of the added figure, and what the latter printed."""
    checkout = linked(first_run, tmp_path_factory.mktemp("added") / "project")
    follow(checkout)
    finished = checkout.snakemake(FIGURE)
    assert finished.status == 0, finished.text
    return checkout, finished


def test_its_table_and_figure_are_made_and_nothing_else_is_made_again(added):
    checkout, finished = added
    assert set(finished.jobs) == {TABLE, FIGURE}
    results = checkout.folder / "results" / "reduced" / ENCODER
    assert pd.read_csv(results / "tables" / f"{TABLE}.csv")["width"].gt(0).all()
    assert (results / "figures" / f"{FIGURE}.pdf").is_file()
    assert (checkout.folder / "logs" / "reduced" / ENCODER / "tabulate" / f"{TABLE}.log").is_file()
    reported = checkout.snakemake(FIGURE, "--report", "report.html")
    assert reported.status == 0, reported.text
    assert "how far heads look" in (checkout.folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [("statistics: [width]", "statistics: [width, n]"), ("[layer, head, width, n]", "[layer, head, n, width]")],
)
def test_changed_columns_make_the_table_again(added, tmp_path, before, after):
    checkout = linked(added, tmp_path / "project")
    entries = checkout.folder / "workflow" / "bert_attention" / "papers" / "clark" / "results.yaml"
    text = entries.read_text(encoding="utf-8")
    assert text.count(before) == 1
    entries.write_text(text.replace(before, after), encoding="utf-8")
    assert checkout.snakemake("-n", FIGURE).jobs[TABLE] == 1


def test_a_second_model_changes_the_segments_of_the_first_and_no_corpus(added, edition, embedded_model):
    checkout, _ = added
    save_bert(checkout.folder / "second", embedded_model)
    second = {"name": "second", "source": "path:second", "mlm_head": "own"}
    (checkout.folder / "two.yaml").write_text(yaml.safe_dump({"models": [*edition["models"], second]}))
    planned = checkout.snakemake("-n", FIGURE, edition=("tests/editions/reduced.yaml", "two.yaml"))
    assert planned.jobs[TABLE] == planned.jobs["extract_attention"] == planned.jobs["segments"] == 2
    assert "resources/reduced/second/attention/" in jobs(planned, "extract_attention")
    assert not {"wikipedia", "download"} & planned.jobs.keys()


def follow_own_paper(checkout):
    """Do what the page says about a paper of one's own, and return the edition's keys that it names."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    section = re.search(r"^## A paper of one's own\n.*?(?=^## )", page, flags=re.M | re.S)[0]
    follow(checkout, "mine")
    folder = checkout.folder / "workflow" / "bert_attention" / "papers" / "mine"
    title = re.search(r"`(title: [^`]*)` is a paper", section)[1]
    results = folder / "results.yaml"
    results.write_text(f"{title}\n{results.read_text(encoding='utf-8')}", encoding="utf-8")
    (folder / "claims.py").write_text(re.search(r"```python\n(.*?)```", section, re.S)[1], encoding="utf-8")
    return yaml.safe_load(re.search(r"`(papers: [^`]*)`", section)[1])


def test_a_claim_of_a_paper_of_ones_own_gets_a_number_and_a_verdict(checkout):
    editions = ("tests/editions/reduced.yaml", "own.yaml")
    checkout.overlay("own", **follow_own_paper(checkout))
    planned = checkout.snakemake("mine", "-n", edition=editions)
    assert planned.status == 0, planned.text
    assert {job for job in planned.jobs if job in RESULTS or "mine_" in job} == {"mine_width", "mine_figure_width"}

    checkout.overlay("own", papers=["mine"])  # Clark et al.'s claims would need all of their tables
    finished = checkout.snakemake("mine", "scoreboard", edition=editions)
    assert finished.status == 0, finished.text
    results = checkout.folder / "results" / "own"
    assert (results / ENCODER / "figures" / "mine_figure_width.pdf").is_file()
    (claim,) = pd.read_csv(results / "scoreboard.csv").itertuples()
    widths = pd.read_csv(results / ENCODER / "tables" / "mine_width.csv")["width"]
    assert (claim.id, claim.work, claim.statement) == (
        "farthest",
        "Mine 2026",
        "Some head attends more than ten tokens away on average.",
    )
    assert claim.replicated == pytest.approx(widths.max())
    assert claim.low < claim.replicated < claim.high
    assert (claim.low > 10, claim.finding) == (True, "true, no control applies")
    page = (results / "scoreboard.md").read_text(encoding="utf-8")
    assert "Some head attends more than ten tokens away on average (section 1). | — | > 10 | " in page
