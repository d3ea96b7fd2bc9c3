"""What can be asked for: targets by name, editions, profiles, several models."""

import re

import pytest

from bert_attention.plan import target
from bert_attention.results import results as all_results
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


def test_targets_are_listed(checkout, everything):
    lines = checkout.snakemake("--list-rules").text.splitlines()
    listed = dict(line.split(" (", 1) for line in lines if " (" in line)
    assert {"all", "clark", "kobayashi", "corpora", "downloads"} <= set(listed)
    assert {rule for rule in results(everything) if not rule.endswith("_of_task")} <= results(listed)
    # The comparison is of several models; the scoreboard has a figure and is no figure of a paper.
    names = [name for name in all_results().shown if not name.startswith(("comparison_", "scoreboard"))]
    rules = {target(name) for name in names}
    assert len(rules) == len(names)
    assert rules <= set(listed)


@pytest.mark.parametrize(
    ("edition", "downloads", "fits_mlm_head"),
    [
        (None, 1, True),  # the source package with the human ratings of sst2 and tweets
        ("editions/thousand.yaml", 1, True),
        ("editions/open.yaml", 19, False),  # bert-base-uncased has a head of its own
        (("editions/open.yaml", "editions/laptop.yaml"), 13, False),
        ("editions/licensed.yaml", 15, False),
        ("tests/editions/real.yaml", 0, True),
        ("tests/editions/reduced.yaml", 0, True),
    ],
)
def test_every_edition_dry_runs_without_data(checkout, everything, edition, downloads, fits_mlm_head):
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
    assert jobs.get("fit_mlm_head", 0) == fits_mlm_head
    assert "clark" not in jobs
    assert jobs["parse_tasks"] == 1


def test_the_papers_encoder_on_the_default_corpora_is_one_download(checkout, everything):
    jobs = checkout.snakemake("-n", edition="editions/bert_base.yaml").jobs
    assert jobs["download"] == 1
    assert results(jobs) == {rule for rule in results(everything) if "kovaleva" not in rule}
    assert {"parse_wikipedia_with_spacy", "silver_treebank"} <= set(jobs)


@pytest.mark.parametrize("papers", ["clark", "coenen", "kovaleva,vig"])
def test_of_some_papers_nothing_of_the_others_is_planned(checkout, everything, papers):
    jobs = checkout.snakemake("-n", "--config", f"papers=[{papers}]", edition=None).jobs
    named = {re.sub("^(sum_up_|control_)*", "", rule) for rule in jobs}
    assert {rule.partition("_")[0] for rule in results(named)} == set(papers.split(","))
    assert results(jobs) == {rule for rule in results(everything) if rule.startswith(tuple(papers.split(",")))}
    assert ("make_explorer" in jobs) == (papers not in ("kovaleva", "coenen"))  # which read no running text
    assert jobs["write_paper"] == jobs["scoreboard"] == jobs["results_guide"] == 1


def test_values_of_the_command_line_have_the_types_of_their_keys(checkout):
    """Snakemake gives false, and numbers in a mapping, as text."""
    finished = checkout.snakemake("-n", "clark_entropy", "--config", "attention={shards: 2}", "keep_attention=false")
    assert finished.jobs["extract_attention"] == 2
    assert finished.text.count("Would remove temporary output") == 2


def test_every_edition_of_the_project_is_tried():
    tried = {"bert_base.yaml", "thousand.yaml", "open.yaml", "laptop.yaml", "licensed.yaml"}
    assert {path.name for path in ROOT.glob("editions/*.yaml")} == tried


OF_TREES = {"wikipedia", "parse_wikipedia_with_spacy", "silver_treebank"}


@pytest.mark.parametrize(
    ("target", "jobs"),
    [
        ("clark_positions", {"wikipedia", "segments", "extract_attention", "sum_up_clark_positions"}),
        ("clark_figure_4", {"wikipedia", "segments", "extract_attention", "sum_up_clark_entropy", "clark_entropy"}),
        (
            "clark_table_1",
            OF_TREES
            | {"treebank_for_model", "extract_word_attention"}
            | {"sum_up_clark_dependency_heads", "clark_dependency_heads"},
        ),
        (
            "clark_coreference",
            OF_TREES
            | {"stand_in_coreference", "coreference", "coreference_for_model"}
            | {"extract_word_attention", "sum_up_clark_coreference"},
        ),
    ],
)
def test_a_part_builds_what_it_needs_alone(checkout, target, jobs):
    assert set(checkout.snakemake("-n", target).jobs) == {"model", target, *jobs}


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


GOLD = {"train": {"source": "path:train.conllu"}, "dev": {"source": "path:dev.conllu"}}


@pytest.mark.parametrize(
    ("treebank", "made_by"),
    [
        ({"trees": "spacy"}, {"parse_wikipedia_with_spacy", "silver_treebank"}),
        ({"trees": "stanza"}, {"parse_wikipedia", "silver_treebank"}),
        ({"trees": "gold", **GOLD}, {"treebank"}),
    ],
)
def test_trees_come_from_text_parsed_by_either_parser_or_from_a_treebank(checkout, treebank, made_by):
    keys = {"stanza": {"source": "stanza:en@1.15.0"}, "corpora": {"treebank": treebank}}
    for file in ("train.conllu", "dev.conllu"):
        (checkout.folder / file).write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    jobs = checkout.snakemake("clark_dependency_heads", "-n", edition=checkout.overlay(**keys)).jobs
    every_way = {"parse_wikipedia_with_spacy", "parse_wikipedia", "silver_treebank", "treebank"}
    assert every_way & set(jobs) == made_by
    assert "stanza_pipeline" not in jobs


def test_a_parser_is_trained_on_the_treebank_for_the_tasks(checkout):
    jobs = checkout.snakemake("parse_tasks", "-n").jobs
    assert {"parse_wikipedia_with_spacy", "silver_treebank", "stanza_pipeline"} <= set(jobs)
    assert "parse_wikipedia" not in jobs


def test_a_ready_model_stands_for_those_that_are_fine_tuned_from_its_weights(checkout, edition):
    entry = {"model": edition["models"][0]["name"], "task": "sst2", "source": "path:ready"}
    finished = checkout.snakemake("kovaleva_finetuning", "-n", edition=checkout.overlay(fine_tuning={"ready": [entry]}))
    inputs = "".join(line for line in finished.text.splitlines() if line.strip().startswith("input:"))
    assert set(re.findall(r"tasks/sst2/finetuned/(\w+)/", inputs)) == {"pretrained_1", "random_1"}
    assert set(re.findall(r"tasks/nsp/finetuned/(\w+)/", inputs)) == {"pretrained_1", "pretrained_2", "random_1"}
    assert finished.jobs["fine_tuned_models"] == 3  # one for each task


@pytest.mark.parametrize(("profile", "place"), [("slurm", "gpu=1"), ("cluster-generic", "gpu_queue=gpu")])
@pytest.mark.parametrize("option", ["--workflow-profile", "--profile"])
def test_the_cluster_profiles_dry_run(checkout, everything, option, profile, place):
    finished = checkout.snakemake("-n", option, f"profiles/{profile}", edition=None)
    assert finished.jobs == everything
    assert place in finished.text


def test_several_models_are_set_side_by_side_and_one_is_not(checkout):
    entry = {"source": "path:nowhere", "mlm_head": "fit"}
    models = [entry | {"name": name} for name in ("one", "another", "a-third")]
    three = ("tests/editions/reduced.yaml", checkout.overlay("three", models=models))
    jobs = checkout.snakemake("-n", "comparison", edition=three).jobs
    made = {"comparison", "comparison_headlines", "comparison_figure_headlines", "comparison_table_headlines"}
    assert {rule: jobs[rule] for rule in made} == dict.fromkeys(made, 1)
    assert jobs["clark_probes"] == jobs["kobayashi_categories"] == 3
    whole = checkout.snakemake("-n", edition=three).jobs
    assert made - {"comparison"} <= set(whole)
    assert {target(name) for name in all_results().shown} <= set(whole)
    assert (
        whole["make_explorer"] == whole["coenen_probes"] == whole["vig_patterns"] == whole["kovaleva_finetuning"] == 3
    )
    of_one = checkout.snakemake("-n", "comparison")
    assert of_one.status != 0
    assert "No rule to produce comparison" in of_one.text


def test_it_is_a_module_of_another_workflow(tmp_path):
    """As the docs say, with the project where it is."""
    written = re.search(
        r"```python\n([^`]*\nmodule attention:.*?)```", (ROOT / "docs" / "adding.md").read_text(), re.S
    )[1]
    (tmp_path / "Snakefile").write_text(written.replace("/path/to/bert-attention", str(ROOT)))
    other = Checkout(tmp_path)
    other.overlay("theirs", papers=["vig"], corpora={"wikipedia": {"segments": 8}})
    jobs = other.snakemake("-n", edition=None).jobs
    assert {"mine", "attention_tabulate_vig_patterns", "attention_extract_attention"} <= set(jobs)
    segments = "resources/theirs/all-MiniLM-L6-v2/corpora/segments.jsonl"
    assert other.snakemake(segments, edition=None).status == 0
    assert len((tmp_path / segments).read_text().splitlines()) == 8
