"""What can be asked for: targets by name, editions, profiles, several models."""

import re

import pytest

from bert_attention.results import results as all_results
from bert_attention.results import target
from tests.conftest import ROOT
from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.workflow


def results(jobs):
    """The jobs that make results."""
    groups = ("clark_", "kovaleva_", "kobayashi_", "coenen_", "vig_", "comparison_")
    return {rule for rule in jobs if rule.startswith(groups)}


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A whole run of the embedded edition, planned where nothing was made before."""
    return copy_project(tmp_path_factory.mktemp("embedded")).snakemake("-n", edition=None)


@pytest.fixture(scope="module")
def everything(planned):
    """The jobs of that run."""
    return planned.jobs


def test_a_first_run_of_the_embedded_edition_lacks_nothing(planned):
    """A job may wait for one source and read several: of the others, the check would say that they are not there."""
    assert "A run would stop" not in planned.text
    assert planned.jobs["translation_model"] == 3  # from three seeds


def test_targets_are_listed_with_a_line_each(checkout, everything):
    lines = checkout.snakemake("--list-rules").text.splitlines()
    listed = dict(line.split(" (", 1) for line in lines if " (" in line)
    assert {"all", "clark", "kobayashi", "corpora", "downloads"} <= set(listed)
    assert listed["clark_figure_4"].startswith("Clark et al. 2019, figure 4: entropy of attention (a) averaged over")
    assert results(listed) == results(everything)
    # The comparison is of several models; the scoreboard has a figure and is no figure of a paper.
    names = [name for name in all_results().shown if not name.startswith(("comparison_", "scoreboard"))]
    rules = {target(name) for name in names}
    assert len(rules) == len(names)
    assert rules <= set(listed)


@pytest.mark.parametrize(
    ("edition", "downloads"),
    [
        (None, 0),
        ("editions/thousand.yaml", 0),
        ("editions/open.yaml", 19),
        (("editions/open.yaml", "editions/laptop.yaml"), 13),
        ("editions/licensed.yaml", 15),
        ("tests/editions/real.yaml", 0),
    ],
)
def test_every_edition_dry_runs_without_data(checkout, everything, edition, downloads):
    jobs = checkout.snakemake("all", "corpora", "-n", edition=edition).jobs
    assert jobs.get("download", 0) == downloads
    assert results(jobs) == results(everything)
    assert jobs["extract_attention"] == 2  # for either paper's segment ids
    assert jobs["extract_random_attention"] == 2  # the control reads what the encoder reads
    assert jobs["extract_masked_attention"] == jobs["extract_random_masked_attention"] == 1
    assert jobs["extract_word_attention"] == 3
    assert jobs["extract_random_word_attention"] == 2
    # One job draws the control from all seeds; probes are trained on the first alone.
    assert jobs["random_model"] == jobs["extract_random_training_attention"] == 1
    assert jobs.get("mlm_head", 0) == (downloads == 0)  # bert-base-uncased has a head of its own
    assert "clark" not in jobs
    assert jobs["parse_tasks"] == 1


@pytest.mark.parametrize("papers", ["clark", "coenen", "kovaleva,vig"])
def test_of_some_papers_nothing_of_the_others_is_planned(checkout, everything, papers):
    jobs = checkout.snakemake("-n", "--config", f"papers=[{papers}]", edition=None).jobs
    named = {re.sub("^(sum_up_|control_)*", "", rule) for rule in jobs}
    assert {rule.partition("_")[0] for rule in results(named)} == set(papers.split(","))
    assert results(jobs) == {rule for rule in results(everything) if rule.startswith(tuple(papers.split(",")))}
    assert ("explorer" in jobs) == (papers not in ("kovaleva", "coenen"))  # which read no running text
    assert jobs["paper"] == jobs["scoreboard"] == jobs["results_guide"] == 1


def test_every_edition_of_the_project_is_tried():
    tried = {"thousand.yaml", "open.yaml", "laptop.yaml", "licensed.yaml"}
    assert {path.name for path in ROOT.glob("editions/*.yaml")} == tried


@pytest.mark.parametrize(
    ("target", "jobs"),
    [
        ("clark_positions", {"wikipedia", "segments", "extract_attention", "sum_up_clark_positions"}),
        ("clark_figure_4", {"wikipedia", "segments", "extract_attention", "sum_up_clark_entropy", "clark_entropy"}),
        (
            "clark_table_1",
            {"treebank", "treebank_for_model", "extract_word_attention"}
            | {"sum_up_clark_dependency_heads", "clark_dependency_heads"},
        ),
        (
            "clark_coreference",
            {"coreference", "coreference_for_model", "extract_word_attention", "sum_up_clark_coreference"},
        ),
    ],
)
def test_a_part_builds_what_it_needs_alone(checkout, target, jobs):
    made = {"miniature"} if "wikipedia" not in jobs else set()
    assert set(checkout.snakemake("-n", target).jobs) == {"model", target, *jobs, *made}


@pytest.mark.parametrize(
    ("keys", "stores"),
    [
        ({"segment_ids": {"clark": "pair", "kovaleva": "zeros", "kobayashi": "pair", "vig": "pair"}}, {"pair"}),
        ({"segment_ids": {"clark": "pair", "kobayashi": "zeros", "vig": "zeros"}}, {"pair", "zeros"}),
        ({"models": [{"source": "hub:me/mine@main", "segment_types": 1}]}, {"zeros"}),  # not here to be read
    ],
)
def test_each_paper_gets_its_own_segment_ids_and_shares_what_is_the_same(checkout, edition, keys, stores):
    if "models" in keys:  # an overlay replaces lists whole
        keys = {"models": [edition["models"][0] | keys["models"][0]]}
    finished = checkout.snakemake("-n", edition=checkout.overlay(**keys))
    made = set(re.findall(r"attention/segments_(\w+)/1-of-1", finished.text))
    assert made == stores
    assert finished.jobs["extract_attention"] == len(stores)


def test_silver_trees_come_from_parsed_text(checkout):
    edition = checkout.overlay(corpora={"treebank": {"trees": "stanza"}})
    jobs = checkout.snakemake("clark_dependency_heads", "-n", edition=edition).jobs
    assert {"stanza_pipeline", "parse_wikipedia", "silver_treebank"} <= set(jobs)
    assert "treebank" not in jobs


def test_a_ready_model_stands_for_those_that_are_fine_tuned_from_its_weights(checkout, edition):
    entry = {"model": edition["models"][0]["name"], "task": "sst2", "source": "path:ready", "sha256": None}
    finished = checkout.snakemake("kovaleva_finetuning", "-n", edition=checkout.overlay(fine_tuning={"ready": [entry]}))
    inputs = "".join(line for line in finished.text.splitlines() if line.strip().startswith("input:"))
    assert set(re.findall(r"tasks/sst2/finetuned/(\w+)/", inputs)) == {"pretrained_1", "random_1"}
    assert set(re.findall(r"tasks/qnli/finetuned/(\w+)/", inputs)) == {"pretrained_1", "pretrained_2", "random_1"}
    assert finished.jobs["fine_tuned_models"] == 4  # one for each task


@pytest.mark.parametrize(
    ("profile", "place"), [("slurm", "slurm_partition=gpu"), ("cluster-generic", "queue=main, gpu=0")]
)
@pytest.mark.parametrize("option", ["--workflow-profile", "--profile"])
def test_the_cluster_profiles_dry_run(checkout, everything, option, profile, place):
    finished = checkout.snakemake("-n", option, f"profiles/{profile}", edition=None)
    assert finished.jobs == everything
    assert place in finished.text


def test_several_models_are_set_side_by_side_and_one_is_not(checkout):
    entry = {"source": "path:nowhere", "sha256": None, "mlm_head": "fit"}
    models = [entry | {"name": name} for name in ("one", "another", "a-third")]
    three = ("tests/editions/reduced.yaml", checkout.overlay("three", models=models))
    jobs = checkout.snakemake("-n", "comparison", edition=three).jobs
    made = {"comparison", "comparison_headlines", "comparison_figure_headlines", "comparison_table_headlines"}
    assert {rule: jobs[rule] for rule in made} == dict.fromkeys(made, 1)
    assert jobs["clark_probes"] == jobs["kobayashi_categories"] == 3
    whole = checkout.snakemake("-n", edition=three).jobs
    assert made - {"comparison"} <= set(whole)
    assert {target(name) for name in all_results().shown} <= set(whole)
    assert whole["explorer"] == whole["coenen_probes"] == whole["vig_patterns"] == whole["kovaleva_finetuning"] == 3
    of_one = checkout.snakemake("-n", "comparison")
    assert of_one.status != 0
    assert "No rule to produce comparison" in of_one.text


def test_it_is_a_module_of_another_workflow(tmp_path):
    """As the docs say, with the project where it is."""
    written = re.search(r"```python\n(module attention:.*?)```", (ROOT / "docs" / "adding.md").read_text(), re.S)[1]
    snakefile = written.replace("/path/to/bert-attention", str(ROOT))
    snakefile = snakefile.replace('"papers": ["vig"]', '"papers": ["vig"], "corpora": {"wikipedia": {"segments": 8}}')
    (tmp_path / "Snakefile").write_text(snakefile)
    other = Checkout(tmp_path)
    jobs = other.snakemake("-n", edition=None).jobs
    assert {"mine", "attention_vig_patterns", "attention_extract_attention"} <= set(jobs)
    assert other.snakemake("attention_segments", edition=None).status == 0
    segments = tmp_path / "resources" / "theirs" / "all-MiniLM-L6-v2" / "corpora" / "segments.jsonl"
    assert len(segments.read_text().splitlines()) == 8
