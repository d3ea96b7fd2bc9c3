"""The editions that download: every file is fetched from an internet on this machine, and read for a table.

Nothing in the editions is changed but sizes, and the digests of four files that only their publishers have.
"""

import os
import re

import pytest
import yaml

from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.rehearsal.stage import stage
from tests.workflow.conftest import copy_project, table_in

# Run these tests alone.
CORES = len(os.sched_getaffinity(0))
pytestmark = pytest.mark.long

# Files that are replaced: weights of another model, excerpts of the trees, and vectors composed of others.
NOT_PINNED_HERE = {"model.safetensors", "en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu", "glove-wiki-gigaword-100.gz"}

SMALL = """
control: {seeds: 1}
fine_tuning:
  seeds: {pretrained: [1], random: [1]}
  epochs: 1
corpora:
  wikipedia: {segments: 20}
  frames: {sentences: 20}
  alignment: {pairs: 20}
"""
# Every corpus, as parsed by the downloaded parser, and a table of each format that models read.
OF_TREES_AND_TRANSLATIONS = ("clark_dependency_heads", "clark_coreference", "kobayashi_alignment")
TABLES = ("kovaleva_finetuning", "kobayashi_token_counts", *OF_TREES_AND_TRANSLATIONS)
TASKS = {"mrpc", "rte", "stsb", "sst2", "qnli", "mnli", "qqp"}


@pytest.fixture(scope="module")
def here(real_data, tmp_path_factory):
    """The internet of all editions, in the environment of all runs."""
    folder = tmp_path_factory.mktemp("internet")
    with stage(folder, real_data) as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment(folder).items():
            patch.setenv(name, value)
        yield running


@pytest.fixture(scope="module")
def as_published(here, tmp_path_factory):
    """The project after `downloads` of the unchanged open edition, what was printed, and the number of manifests."""
    checkout = copy_project(tmp_path_factory.mktemp("rehearsed"))
    finished = checkout.snakemake("downloads", "--keep-going", edition="editions/open.yaml", cores=CORES)
    return checkout, finished, len(list(checkout.folder.glob("resources/downloads/*/SHA256SUMS")))


@pytest.fixture(scope="module")
def rehearsed(here, as_published):
    """The project after the open edition's tables were made of what was downloaded."""
    checkout = here.checkout(as_published[0].folder)
    (checkout.folder / "small.yaml").write_text(SMALL)
    finished = checkout.snakemake(
        "downloads", "corpora", *TABLES, edition=("editions/open.yaml", "small.yaml"), cores=CORES
    )
    assert finished.status == 0, finished.text
    return checkout


def edition(name):
    """The content of an edition's file."""
    return yaml.safe_load((ROOT / "editions" / f"{name}.yaml").read_text(encoding="utf-8"))


def test_the_unchanged_open_edition_rejects_only_the_four_files(here, as_published):
    """All other files are downloaded as published: their pinned digests match."""
    _, finished, manifests = as_published
    assert finished.status != 0
    errors = finished.text.partition("This run has failed:\n")[2]
    refused = re.findall(r"([^/\s]+?)'?: (?:cannot be downloaded: .*hash|has the wrong content)", errors)
    assert {*refused, "model.safetensors"} == NOT_PINNED_HERE  # the weights are checked when they are copied
    assert len(here.digests) == len(NOT_PINNED_HERE)
    sources = {parse_source(entry["source"]).text for _, entry in entries_with_sources(edition("open"))}
    assert manifests == len(sources) - len(set(refused))


def test_the_downloads_of_the_open_edition_are_read(rehearsed):
    """A reader that lacks a column, a token or a name would skip some of the data."""
    results = rehearsed.folder / "results" / "open"
    for name in (*TABLES, "parser_accuracy", "translation_accuracy", "kovaleva_frame_selection"):
        assert len(read_table(table_in(results, name))), name
    assert set(read_table(table_in(results, "kovaleva_finetuning"))["task"]) == TASKS
    (counted,) = read_table(table_in(results, "kobayashi_token_counts"))["source"]
    assert counted == edition("open")["corpora"]["token_frequency"]["source"].split()[0]  # not the edition's text
    assert set(read_table(table_in(results, "kobayashi_alignment"))["model"]) == {"opus-mt-de-en", "mbart-large-50"}
    corpora = rehearsed.folder / "resources" / "open" / "corpora"
    assert all((corpora / "parsed" / f"{task}.conllu").stat().st_size for task in TASKS)
    assert len((corpora / "vectors.txt").read_text(encoding="utf-8").splitlines()[-1].split()) == 101


@pytest.mark.parametrize(
    ("editions", "targets"),
    [
        (("editions/open.yaml", "editions/laptop.yaml"), ("all", "corpora", "-n")),
        (("tests/editions/reduced.yaml", "editions/bert_base.yaml"), ("clark_figure_2",)),
        (("editions/licensed.yaml", "small.yaml"), OF_TREES_AND_TRANSLATIONS),
    ],
)
def test_the_other_editions_download_nothing_more_and_are_read(here, rehearsed, editions, targets):
    before = here.internet.requests.total()
    finished = rehearsed.snakemake(*targets, edition=editions, cores=CORES)
    assert finished.status == 0, finished.text
    assert here.internet.requests.total() == before
    assert "download" not in finished.jobs
    if "small.yaml" in editions:
        results = rehearsed.folder / "results" / "licensed"
        assert {"pobj", "prep"} <= set(read_table(table_in(results, "clark_dependency_heads"))["relation"])
        assert len(read_table(table_in(results, "clark_coreference")))
        assert set(read_table(table_in(results, "kobayashi_alignment"))["model"]) == {"opus-mt-de-en", "mbart-large-50"}
