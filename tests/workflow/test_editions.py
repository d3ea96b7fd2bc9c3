"""What can be asked for: targets by name, editions, profiles, several models."""

import pytest
import yaml

from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.models import save_bert, save_roberta

pytestmark = pytest.mark.workflow

EVERYTHING = {
    "model": 1,
    "wikipedia": 1,
    "segments": 1,
    "extract_attention": 2,
    "clark_entropy": 1,
    "clark_positions": 1,
    "clark_figure_2": 1,
    "clark_figure_4": 1,
    "results_guide": 1,
    "all": 1,
}


def test_targets_are_listed_with_a_line_each(checkout):
    lines = checkout.snakemake("--list-rules").text.splitlines()
    listed = dict(line.split(" (", 1) for line in lines if " (" in line)
    assert {"all", "clark", "clark_figure_2", "clark_figure_4", "clark_positions", "clark_entropy"} <= set(listed)
    assert listed["clark_figure_4"] == "Fig. 4: entropy of every head's attention, by layer.)"


@pytest.mark.parametrize(
    "edition", [None, *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("editions/*.yaml"))]
)
def test_every_edition_dry_runs_without_data(checkout, edition):
    jobs = checkout.snakemake("-n", edition=edition).jobs
    assert jobs.pop("download", 0) == (2 if edition in ("editions/open.yaml", "editions/licensed.yaml") else 0)
    assert jobs == EVERYTHING


@pytest.mark.parametrize(
    ("target", "jobs"),
    [
        ("clark_positions", {"clark_positions"}),
        ("clark_figure_4", {"clark_entropy", "clark_figure_4"}),
        ("clark", {"clark_entropy", "clark_positions", "clark_figure_2", "clark_figure_4", "clark"}),
    ],
)
def test_a_part_builds_what_it_needs_alone(checkout, target, jobs):
    preparation = {"model", "wikipedia", "segments", "extract_attention"}
    assert set(checkout.snakemake("-n", target).jobs) == preparation | jobs


@pytest.mark.parametrize("option", ["--workflow-profile", "--profile"])
def test_the_slurm_profile_dry_runs(checkout, option):
    finished = checkout.snakemake("-n", option, "profiles/slurm")
    assert finished.jobs == EVERYTHING
    assert "slurm_partition=main" in finished.text


def test_two_models_have_a_folder_each(checkout, embedded_model):
    """A BERT and a RoBERTa, whose vocabularies and special tokens differ, in one edition, without keeping attention."""
    save_bert(checkout.folder / "bert", embedded_model)
    save_roberta(checkout.folder / "roberta")
    edition = {
        "edition": "two",
        "models": [
            {"name": name, "source": f"path:{name}", "sha256": None, "mlm_head": "own"} for name in ("bert", "roberta")
        ],
        "corpora": {"wikipedia": {"segments": 6}},
        "attention": {"shards": 1},
        "keep_attention": False,
    }
    (checkout.folder / "two.yaml").write_text(yaml.safe_dump(edition))
    finished = checkout.snakemake(edition="two.yaml")
    assert finished.status == 0, finished.text
    for model in ("bert", "roberta"):
        results = checkout.folder / "results" / "two" / model
        assert set(read_table(results / "tables" / "clark_positions.csv")["layer"]) == {1, 2, 3}
        assert (results / "figures" / "clark_figure_2_positions.pdf").is_file()
    assert not list((checkout.folder / "resources" / "two").rglob("*.safetensors"))
    assert "`roberta/figures/clark_figure_4_entropy.pdf`" in (checkout.folder / "results/two/README.md").read_text()
