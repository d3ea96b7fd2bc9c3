"""A user's mistakes: one clear error, no traceback, nothing half-made left behind."""

import pytest

from bert_attention.downloads.sources import parse_source
from tests.workflow.conftest import ENCODER, Checkout, copy_project

pytestmark = pytest.mark.workflow


def made(checkout):
    """Return the files that a run left in results and resources."""
    folders = [checkout.folder / name for name in ("results", "resources")]
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def rewrite(path, content):
    """Replace a file, which may be a link to a file of the first run."""
    path.unlink()
    path.write_bytes(content)


def fails_with(finished, *messages):
    """Check that a run failed with these messages and without a traceback."""
    assert finished.status != 0
    assert "Traceback" not in finished.text
    for message in messages:
        assert message in finished.text


def test_mistakes_in_the_edition_are_all_named_before_anything_runs(checkout):
    edition = checkout.overlay(sed=3, corpora={"wikipedia": {"segments": 0}}, attention={"batchsize": 2})
    fails_with(
        checkout.snakemake(edition=edition),
        "unknown key sed: did you mean seed?",
        "unknown key attention.batchsize: did you mean batch_size?",
        "corpora.wikipedia.segments = 0: should be greater than or equal to 1",
    )
    assert not made(checkout)


def test_all_that_is_missing_is_named_before_the_first_job(checkout):
    model = {"name": "m", "source": "package:no-such-distribution/m", "mlm_head": "own"}
    edition = checkout.overlay(models=[model], corpora={"wikipedia": {"source": "path:nowhere.bz2"}})
    missing = ["models.m (package:no-such-distribution/m): ", "pip install no-such-distribution"]
    missing += ["corpora.wikipedia (path:nowhere.bz2): ", "nowhere.bz2 does not exist"]
    dry_run = checkout.snakemake("-n", "--directory", "elsewhere", edition=edition)
    assert dry_run.status == 0
    assert all(message in dry_run.text for message in ["A run would stop before its first job:", *missing])
    fails_with(checkout.snakemake(edition=edition), *missing)
    assert not made(checkout)


def test_a_folder_with_braces_is_named(tmp_path):
    fails_with(
        copy_project(tmp_path / "a{b}").snakemake("-n"),
        "a{b}: Snakemake looks for wildcards in braces",
        "Remedy: move the project to a folder without them",
    )


def test_a_run_in_another_folder_and_by_optimized_python_succeeds(checkout, monkeypatch):
    """Optimized Python removes docstrings, which transformers reads when it is imported."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    target = f"resources/randomized/{ENCODER}/seed_1/config.json"
    finished = checkout.snakemake(target, "--directory", "elsewhere")
    assert finished.status == 0, finished.text
    assert (checkout.folder / "elsewhere" / target).is_file()
    assert not made(checkout)


def test_weights_with_a_wrong_hash_are_not_taken_and_a_failed_run_says_so_last(checkout, edition):
    model = edition["models"][0]
    model = model | {"source": f"{parse_source(model['source']).text} sha256:{'0' * 64}"}
    target = "resources/models/all-MiniLM-L6-v2/config.json"
    finished = checkout.snakemake(target, "--directory", "elsewhere", edition=checkout.overlay(models=[model]))
    fails_with(finished, "model.safetensors: has the wrong content: sha256 53aa5117", "Remedy:")
    log, why, remedy = finished.text.partition("This run has failed:\n")[2].splitlines()
    assert log == "  logs/mine/model.all-MiniLM-L6-v2.log"
    assert "model.safetensors: has the wrong content" in why
    assert remedy.startswith("      Remedy: ")
    assert not made(Checkout(checkout.folder / "elsewhere"))


def test_more_segments_than_there_are_is_said_with_the_number(checkout):
    target = f"resources/mine/{ENCODER}/corpora/segments.jsonl"
    edition = ("tests/editions/reduced.yaml", checkout.overlay(corpora={"wikipedia": {"segments": 100_000}}))
    fails_with(
        checkout.snakemake(target, edition=edition),
        "config key corpora.wikipedia.segments = 100000",
        "yield only",
    )
    assert not (checkout.folder / target).exists()


SHARD = f"resources/reduced/{ENCODER}/attention/segments_zeros/1-of-1.safetensors"


def test_a_bad_line_of_a_corpus_is_named(replicated):
    segments = replicated.folder / "resources" / "reduced" / ENCODER / "corpora" / "segments.jsonl"
    second_line = b'{"article": "x", "first": [], "second": [], "first_begins": [], "second_begins": []}'
    rewrite(segments, segments.read_bytes().splitlines(keepends=True)[0] + second_line)
    finished = replicated.snakemake(SHARD, "-f", "--allowed-rules", "extract_attention")
    fails_with(finished, "segments.jsonl, line 2: the first part is empty")
    assert not list((replicated.folder / SHARD).parent.glob("*1-of-1*"))


def test_a_truncated_shard_is_named_with_the_remedy(replicated):
    shard = replicated.folder / SHARD
    rewrite(shard, shard.read_bytes()[:-1000])
    sums = shard.parents[2] / "sums" / "clark_entropy" / shard.name
    finished = replicated.snakemake("clark_entropy", "--forcerun", str(sums.relative_to(replicated.folder)))
    fails_with(
        finished,
        "1-of-1.safetensors: is not a complete safetensors file",
        f"rm {shard.relative_to(replicated.folder)} and run again",
    )
    assert not sums.exists()
