"""A user's mistakes: one clear error, no traceback, and no incomplete files."""

import pytest

from bert_attention.downloads.sources import parse_source
from tests.workflow.conftest import ENCODER, copy_project


def made(checkout):
    """Return the files that a run left in results and resources."""
    folders = [checkout.folder / name for name in ("results", "resources")]
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def fails_with(finished, *messages):
    """Check that a run failed with these messages and without a traceback."""
    assert finished.status != 0
    assert "Traceback" not in finished.text
    for message in messages:
        assert message in finished.text


def test_one_error_names_all_mistakes_in_the_edition_before_anything_runs(checkout):
    edition = checkout.overlay(sed=3, corpora={"wikipedia": {"segments": 0}})
    fails_with(
        checkout.snakemake(edition=edition),
        "unknown key sed: did you mean seed?",
        "corpora.wikipedia.segments = 0: should be greater than or equal to 1",
    )
    assert not made(checkout)


@pytest.mark.parametrize(
    ("name", "text", "repeated"),
    [
        ("twice.yaml", "edition: twice\nseed: 2\npapers: [vig]\nseed: 3\n", "seed in lines 2 and 4"),
        ("twice.json", '{"corpora": {\n"wikipedia": {"segments": 9},\n"wikipedia": {"articles": 9}}}',
         "corpora.wikipedia in lines 2 and 3"),
    ],
)  # fmt: skip
def test_the_error_names_a_duplicate_key_of_an_edition(checkout, name, text, repeated):
    (checkout.folder / name).write_text(text)
    for command in ("-n", "--list-rules"):  # make check-edition calls the second
        fails_with(checkout.snakemake(command, edition=name), f"{name}: a key stands twice: {repeated}.")


def test_one_error_names_all_missing_sources_before_the_first_job(checkout):
    model = {"name": "m", "source": "package:no-such-distribution/m", "mlm_head": "own"}
    edition = checkout.overlay(models=[model], corpora={"wikipedia": {"source": "path:nowhere.bz2"}})
    missing = ["models.m (package:no-such-distribution/m): ", "corpora.wikipedia (path:nowhere.bz2): "]
    dry_run = checkout.snakemake("-n", "--directory", "elsewhere", edition=edition)
    assert dry_run.status == 0
    assert all(message in dry_run.text for message in ["Missing: a run would stop before its first job:", *missing])
    fails_with(checkout.snakemake(edition=edition), *missing)
    assert not made(checkout)


def test_one_error_names_everything_that_a_text_is_too_short_for_before_the_first_job(checkout):
    (checkout.folder / "text.txt").write_text("The ferry is late. Nobody on the island minds it very much.\n\n" * 30)
    edition = checkout.overlay(corpora={"wikipedia": {"source": "path:text.txt"}})
    shortages = ["segments for all-MiniLM-L6-v2: the text yields 4", "treebank: one article", "task nsp: 1 articles"]
    fails_with(checkout.snakemake(edition=edition), *shortages)
    assert not made(checkout)
    papers = checkout.snakemake("clark_figure_4", "-n", edition=edition)  # which needs only segments
    assert shortages[0] in papers.text
    assert not any(other in papers.text for other in shortages[1:])


def test_the_error_names_a_folder_with_braces(tmp_path):
    fails_with(
        copy_project(tmp_path / "a{b}").snakemake("-n"),
        "a{b}: Snakemake looks for wildcards in braces",
        "Remedy: move the project to a folder without them",
    )


def test_a_run_in_another_folder_and_by_optimized_python_succeeds(checkout, monkeypatch):
    """Optimized Python removes docstrings, which transformers reads when it is imported."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    target = f"resources/reduced/{ENCODER}/encoder/config.json"
    finished = checkout.snakemake(target, "--directory", "elsewhere")
    assert finished.status == 0, finished.text
    assert (checkout.folder / "elsewhere" / target).is_file()
    assert not made(checkout)


def test_a_failed_run_ends_with_the_errors_of_its_jobs(checkout, edition):
    """The weights have a wrong digest."""
    model = edition["models"][0]
    model = model | {"source": f"{parse_source(model['source']).text} sha256:{'0' * 64}"}
    target = f"resources/mine/{ENCODER}/encoder/config.json"
    finished = checkout.snakemake(target, edition=checkout.overlay(models=[model]))
    fails_with(finished, "model.safetensors: has the wrong content: sha256 53aa5117", "Remedy:")
    log, why, remedy = finished.text.partition("This run has failed:\n")[2].splitlines()
    assert log == "  logs/mine/model.all-MiniLM-L6-v2.log"
    assert "model.safetensors: has the wrong content" in why
    assert remedy.startswith("      Remedy: ")
    assert not made(checkout)
