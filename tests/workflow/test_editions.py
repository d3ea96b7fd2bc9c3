"""Targets by name, editions, cluster profiles, several models, and use as a module: mostly dry runs."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest

from bert_attention.plan import target
from bert_attention.results import results as all_results
from tests.conftest import ROOT
from tests.rehearsal.internet import internet_here
from tests.workflow.conftest import ENCODER, Checkout, copy_project


def results(jobs):
    """Return the rules that make results."""
    groups = ("clark_", "kovaleva_", "kobayashi_", "coenen_", "vig_", "comparison_")
    return {rule for rule in jobs if rule.startswith(groups)}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A fresh copy of the project, in which tests make dry runs only."""
    return copy_project(tmp_path_factory.mktemp("embedded"))


@pytest.fixture(scope="module")
def planned(project):
    """A dry run of all of the embedded edition."""
    return project.snakemake("-n", "all", "corpora", edition=None)


def check_plan_of_all_papers(jobs, downloads, fits_mlm_head):
    """Check the number of downloads, extractions and control jobs of a dry run of everything."""
    assert jobs.get("download", 0) == downloads
    assert jobs["extract_attention"] == 2  # one store for either paper's segment ids
    assert jobs["extract_masked_attention"] == 1
    assert jobs["extract_word_attention"] == 3
    # The control of each paper, over segments (three papers), trees, coreference unless it is a stand-in, and tasks.
    assert jobs["sum_up_segments"] == 3
    assert jobs["sum_up_words"] == 1 + jobs.get("control_clark_coreference", 0)
    assert jobs.get("sum_up_examples") == jobs.get("extract_task_attention")
    # Probes are trained only on the first random encoder.
    assert jobs["extract_random_word_attention"] == 2
    assert jobs.get("fit_mlm_head", 0) == fits_mlm_head
    assert jobs["parse_tasks"] == 1


def test_a_first_run_of_the_embedded_edition_lacks_nothing(planned):
    """A job may wait for one source and read several: the check must not report the others as missing."""
    assert "A run would stop" not in planned.text
    check_plan_of_all_papers(planned.jobs, downloads=2, fits_mlm_head=True)  # human ratings of sst2, and STS-B
    assert planned.jobs["translation_model"] == 1
    assert not {"control_clark_coreference", "control_kovaleva_frames"} & set(planned.jobs)  # tables of stand-ins
    # The tasks are parsed by a pipeline trained on the treebank, which spaCy parses.
    assert {"parse_wikipedia_with_spacy", "stanza_pipeline"} <= set(planned.jobs)
    assert not {"parse_wikipedia", "silver_treebank"} & set(planned.jobs)


@pytest.mark.parametrize(
    "options",
    [
        ("--configfile", "editions/base_size.yaml", "--configfile", "editions/all_papers.yaml"),
        ("--config", "edition=mine", "--config", "seed=1"),
    ],
)
def test_an_option_given_twice_ends_the_run(project, options):
    finished = project.snakemake("-n", "clark_figure_2", *options, edition=None)
    assert finished.status != 0
    assert f"ERROR {options[0]}: is given 2 times" in finished.text
    assert "Traceback" not in finished.text


def test_targets_are_listed(project, planned):
    lines = project.snakemake("--list-rules").text.splitlines()
    listed = dict(line.split(" (", 1) for line in lines if " (" in line)
    assert {"all", "clark", "kobayashi", "corpora", "downloads"} <= set(listed)
    assert {rule for rule in results(planned.jobs) if not rule.endswith("_of_task")} <= results(listed)
    # The comparison is of several models; the scoreboard has a figure and is no figure of a paper.
    names = [name for name in all_results().shown if not name.startswith(("comparison_", "scoreboard"))]
    rules = {target(name) for name in names}
    assert len(rules) == len(names)
    assert rules <= set(listed)


@pytest.mark.parametrize(
    ("edition", "downloads", "fits_mlm_head"),
    [
        ("editions/thousand.yaml", 2, True),
        (("editions/open.yaml", "editions/laptop.yaml"), 15, False),  # bert-base-uncased has its own head
        ("editions/open.yaml", 21, False),
        ("editions/licensed.yaml", 15, False),
    ],
)
def test_every_edition_dry_runs_without_data(project, planned, edition, downloads, fits_mlm_head):
    jobs = project.snakemake("all", "corpora", "-n", edition=edition).jobs
    check_plan_of_all_papers(jobs, downloads, fits_mlm_head)
    assert results(jobs) == results(planned.jobs)


def files_made(finished):
    """Return the files that the jobs of a dry run would make."""
    lines = re.findall(r"^    output: (.*)$", finished.text, flags=re.M)
    return {file for line in lines for file in line.split(", ")}


def test_editions_share_no_file_but_downloads(project, planned):
    """One has another seed, as in the head of config.yaml; the other an encoder of the same name, and a task less."""
    model = {"name": ENCODER, "source": "path:elsewhere", "mlm_head": "fit"}
    overlay = project.overlay("other", seed=1907, models=[model], corpora={"tasks": {"stsb": None}})
    seven = project.snakemake("-n", "all", "corpora", "--config", "edition=seven", "seed=7", edition=None)
    other = project.snakemake("-n", "all", "corpora", edition=overlay)
    for finished, downloads in ((seven, 2), (other, 1)):
        shared = files_made(planned) & files_made(finished)
        assert len(files_made(finished)) > 200
        assert len(shared) == downloads
        assert all(re.fullmatch("resources/downloads/.*/SHA256SUMS", file) for file in shared)


def test_other_members_of_an_archive_leave_the_downloads_of_an_edition_up_to_date(checkout, tmp_path, monkeypatch):
    archive = BytesIO()
    with ZipFile(archive, "w") as file:
        for name in ("a.conllu", "b.conllu"):
            file.writestr(name, name)
    with internet_here(tmp_path) as internet:
        internet.add("https://host/trees.zip", archive.getvalue())
        for name, value in internet.environment.items():
            monkeypatch.setenv(name, value)
        trees = {name: {"coreference": {"source": f"https://host/trees.zip!{name}.conllu"}} for name in "ab"}
        overlays = [checkout.overlay(name, corpora=corpora) for name, corpora in trees.items()]
        editions = [("tests/editions/reduced.yaml", overlay) for overlay in overlays]
        for edition in editions:
            finished = checkout.snakemake("downloads", edition=edition)
            assert finished.status == 0, finished.text
        assert "Nothing to be done" in checkout.snakemake("downloads", "-n", edition=editions[0]).text


def test_bert_base_on_the_default_corpora_is_one_download(project, planned):
    jobs = project.snakemake("-n", edition="editions/bert_base.yaml").jobs
    assert jobs["download"] == 1
    assert results(jobs) == {rule for rule in results(planned.jobs) if "kovaleva" not in rule}
    assert "parse_wikipedia_with_spacy" in jobs


def test_a_base_size_encoder_is_compared_with_the_default_one(project, planned):
    jobs = project.snakemake("-n", edition="editions/base_size.yaml").jobs
    assert (jobs["download"], jobs["model"], jobs["fit_mlm_head"]) == (1, 2, 2)
    assert results(jobs) - results(planned.jobs) == {rule for rule in results(jobs) if rule.startswith("comparison")}
    assert results(planned.jobs) - results(jobs) == {rule for rule in results(planned.jobs) if "kovaleva" in rule}
    assert not {"extract_attention", "extract_masked_attention"} & set(jobs)  # no attention of running text is written


def test_the_results_of_some_papers_need_nothing_of_other_papers(project, planned):
    jobs = project.snakemake("-n", "--config", "papers=[coenen]", edition=None).jobs
    named = {re.sub("^(sum_up_|control_)*", "", rule) for rule in jobs}
    assert {rule.partition("_")[0] for rule in results(named)} == {"coenen"}
    assert results(jobs) == {rule for rule in results(planned.jobs) if rule.startswith("coenen")}
    assert "make_explorer" not in jobs  # Coenen et al.'s analyses read no running text
    assert jobs["write_paper"] == jobs["scoreboard"] == jobs["results_guide"] == 1


@pytest.mark.parametrize(
    ("option", "profile", "resource"),
    [("--workflow-profile", "slurm", "gpu=1"), ("--profile", "cluster-generic", "gpu_queue=gpu")],
)
def test_a_target_needs_only_its_inputs_also_with_a_cluster_profile(project, option, profile, resource):
    finished = project.snakemake("clark_figure_4", "-n", option, f"profiles/{profile}")
    assert set(finished.jobs) == {
        *("model", "wikipedia", "segments", "extract_attention", "clark_entropy"),
        "clark_figure_4",
    }
    assert resource in finished.text


@pytest.mark.parametrize("table", ["coenen_probes", "kovaleva_frames"])
def test_a_table_without_a_control_cannot_be_made_under_the_name_of_one(project, table):
    """The control of coenen_probes would be the same table again, and frames are a stand-in."""
    of_control = project.snakemake("-n", f"results/reduced/{ENCODER}/tables/control/{table}.csv")
    assert of_control.status != 0
    assert "No rule to produce results/reduced" in of_control.text


def test_stanza_can_parse_the_text_for_the_trees(project):
    keys = {"stanza": {"source": "stanza:en@1.15.0"}, "corpora": {"treebank": {"trees": "stanza"}}}
    jobs = set(project.snakemake("clark_dependency_heads", "-n", edition=project.overlay("parsed", **keys)).jobs)
    assert {"parse_wikipedia", "silver_treebank"} <= jobs
    assert not {"parse_wikipedia_with_spacy", "treebank", "stanza_pipeline"} & jobs


def test_several_models_are_compared_and_one_is_not(project):
    entry = {"source": "path:nowhere", "mlm_head": "fit"}
    models = [entry | {"name": name} for name in ("one", "another", "a-third")]
    three = ("tests/editions/reduced.yaml", project.overlay("three", models=models))
    jobs = project.snakemake("-n", edition=three).jobs
    compared = {"comparison_headlines", "comparison_figure_headlines", "comparison_table_headlines"}
    compared |= {"comparison_figure_curves", "comparison_table_truths", "comparison_table_findings"}
    assert {rule: jobs[rule] for rule in compared} == dict.fromkeys(compared, 1)
    assert {target(name) for name in all_results().shown} <= set(jobs)
    for rule in ("clark_probes", "coenen_probes", "vig_patterns", "kovaleva_finetuning", "make_explorer"):
        assert jobs[rule] == 3, rule
    of_one = project.snakemake("-n", "comparison")
    assert of_one.status != 0
    assert "No rule to produce comparison" in of_one.text


def test_the_workflow_can_be_a_module_of_another_workflow(tmp_path):
    """Use the example of docs/adding.md, with the path of this project."""
    written = re.search(
        r"```python\n([^`]*\nmodule attention:.*?)```", (ROOT / "docs" / "adding.md").read_text(), re.S
    )[1]
    (tmp_path / "Snakefile").write_text(written.replace("/path/to/bert-attention", str(ROOT)))
    other = Checkout(tmp_path)
    other.overlay("theirs", papers=["vig"], corpora={"wikipedia": {"articles": 5}})
    jobs = other.snakemake("-n", edition=None).jobs
    assert {"mine", "vig_patterns", "attention_extract_attention"} <= set(jobs)
    text = "resources/theirs/corpora/wikipedia.jsonl"
    assert other.snakemake(text, edition=None).status == 0
    assert len((tmp_path / text).read_text().splitlines()) == 5
