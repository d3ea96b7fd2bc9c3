"""The editions that download, from `snakemake downloads` to the last figure, in an internet on this machine.

Nothing of them is changed but the digests of four files that only their publishers have.
"""

import os
import re

import pytest
import yaml

from bert_attention.downloads.sources import entries_with_sources
from bert_attention.results import results as all_results
from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.rehearsal.hosts import Size
from tests.rehearsal.stage import stage
from tests.workflow.conftest import SHOWN_OF_ONE_MODEL, copy_project, shown_in, table_in

# Nothing else runs beside these.
CORES = len(os.sched_getaffinity(0))
pytestmark = [pytest.mark.workflow, pytest.mark.long]

# Of what stands for them here: weights of another model, excerpts of the trees, and vectors put together from others.
NOT_PINNED_HERE = {"model.safetensors", "en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu", "glove-wiki-gigaword-100.gz"}
# What only the licensed edition's own corpora are in.
OF_LICENSED_CORPORA = ["clark_table_1", "clark_table_2", "clark_table_3", "coenen", "kobayashi_table_alignment"]


@pytest.fixture(scope="module")
def here(real_data, tmp_path_factory):
    """The internet of both editions, in the environment of all runs."""
    folder = tmp_path_factory.mktemp("internet")
    with stage(folder, real_data, Size()) as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment(folder).items():
            patch.setenv(name, value)
        yield running


@pytest.fixture(scope="module")
def rehearsed(here, tmp_path_factory):
    """The project after a whole run of the open edition, accuracy of its models included, and what it printed."""
    checkout = here.checkout(tmp_path_factory.mktemp("rehearsed"))
    return checkout, checkout.snakemake("all", "corpora", edition="editions/open.yaml", cores=CORES)


def edition(name):
    return yaml.safe_load((ROOT / "editions" / f"{name}.yaml").read_text(encoding="utf-8"))


def test_as_they_are_the_editions_refuse_the_four_files_alone(here, tmp_path):
    """Whatever else they name is downloaded as it is published: pinned digests of other files are met."""
    finished = copy_project(tmp_path).snakemake("downloads", "--keep-going", edition="editions/open.yaml")
    assert finished.status != 0
    errors = finished.text.partition("This run has failed:\n")[2]
    refused = re.findall(r"([^/\s]+?)'?: (?:cannot be downloaded: .*hash|has the wrong content)", errors)
    assert {*refused, "model.safetensors"} == NOT_PINNED_HERE  # the weights are checked when they are copied
    assert len(here.digests) == len(NOT_PINNED_HERE)
    sources = {entry["source"].partition("!")[0] for _, entry in entries_with_sources(edition("open"))}
    manifests = list((tmp_path / "resources" / "downloads").glob("*/SHA256SUMS"))
    assert len(manifests) == len(sources) - len(set(refused))


def test_the_open_edition_runs_to_its_last_figure(rehearsed):
    checkout, finished = rehearsed
    assert finished.status == 0, finished.text
    results = checkout.folder / "results" / "open"
    for name in all_results().tables.keys() - {
        "mlm_head",
        "scoreboard",
    }:  # the model brings a head; the other is elsewhere
        assert name.startswith("comparison_") or len(read_table(table_in(results, name))), name
    assert shown_in(results) == SHOWN_OF_ONE_MODEL


def test_what_was_downloaded_is_what_was_read(rehearsed):
    """Columns, tokens and names that no reader knows would leave something out, and say so in its log."""
    results = rehearsed[0].folder / "results" / "open"
    tasks = read_table(table_in(results, "kovaleva_finetuning"))
    assert set(tasks["task"]) == {"mrpc", "rte", "stsb", "sst2", "qnli", "mnli", "qqp"}
    (counted,) = read_table(table_in(results, "kobayashi_token_counts"))["source"]
    assert counted == edition("open")["corpora"]["token_frequency"]["source"].split()[0]  # not the text's own
    models = read_table(table_in(results, "kobayashi_alignment"))["model"]
    assert set(models) == {"opus-mt-de-en", "mbart-large-50"}


def test_the_laptops_edition_runs_to_what_it_compares(here, rehearsed):
    """In the same folder: it downloads nothing that the open edition does not."""
    checkout, _ = rehearsed
    before = here.internet.requests.total()
    targets = ("clark_figure_2", "clark_table_3", "kobayashi_figure_alignment", "kobayashi_table_correlation")
    finished = checkout.snakemake(*targets, edition=("editions/open.yaml", "editions/laptop.yaml"), cores=CORES)
    assert finished.status == 0, finished.text
    assert here.internet.requests.total() == before
    made = {table.stem for table in (checkout.folder / "results" / "laptop").rglob("tables/*.csv")}
    assert {"clark_positions", "clark_probes", "kobayashi_correlation", "kobayashi_alignment"} <= made


def test_the_papers_encoder_runs_on_the_default_corpora(here, rehearsed):
    """In the same folder: its one download is the open edition's, too. The corpora are as small as in other tests."""
    checkout, _ = rehearsed
    before = here.internet.requests.total()
    editions = ("tests/editions/reduced.yaml", "editions/bert_base.yaml")
    finished = checkout.snakemake(
        "clark_figure_2", "clark_table_1", "kobayashi_figure_categories", edition=editions, cores=CORES
    )
    assert finished.status == 0, finished.text
    assert here.internet.requests.total() == before
    results = checkout.folder / "results" / "bert_base"
    assert {"pobj", "prep"} <= set(read_table(table_in(results, "clark_dependency_heads"))["relation"])


def test_the_licensed_editions_own_corpora_are_read(here, rehearsed):
    """In the same folder: what both editions download is not downloaded again."""
    checkout, _ = rehearsed
    before = here.internet.requests.total()
    finished = checkout.snakemake(*OF_LICENSED_CORPORA, edition="editions/licensed.yaml", cores=CORES)
    assert finished.status == 0, finished.text
    assert here.internet.requests.total() == before
    results = checkout.folder / "results" / "licensed"
    assert {"pobj", "prep"} <= set(read_table(table_in(results, "clark_dependency_heads"))["relation"])
    assert len(read_table(table_in(results, "clark_coreference")))
    assert set(read_table(table_in(results, "kobayashi_alignment"))["model"]) == {"opus-mt-de-en", "mbart-large-50"}
