"""What a run needs and a machine lacks."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import Namedlist

from bert_attention.downloads.sources import downloaded_path, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import MANIFEST, write_manifest
from bert_attention.running.preflight import Needs, check_needs, check_writable, needs_of
from tests.downloads.loopback import loopback


def job(rule, params, wildcards=(), files=(), gpu=0):
    return SimpleNamespace(
        rule=SimpleNamespace(name=rule),
        params=Namedlist(fromdict=params),
        wildcards=wildcards,
        input=list(files),
        resources={"gpu": gpu},
    )


def entry(source):
    return {"source": source, "sha256": None}


def test_sources_are_found_wherever_jobs_name_them():
    jobs = [
        job("treebank", {"origin": entry("path:dev.conllu"), "seed": 3}, wildcards=("dev",)),
        job("scores", {"origins": {"a": entry("path:a"), "b": entry("hub:b@1")}}, gpu=1),
        job("download", {"fetched": {"hub:b@1": None}}, wildcards=("hub_b",)),
    ]
    assert needs_of(jobs) == Needs(
        {"path:dev.conllu": "treebank dev", "path:a": "scores", "hub:b@1": "scores"},
        ["hub:b@1"],
        ["scores"],
    )
    assert list(needs_of(jobs[::-1]).local) == list(needs_of(jobs).local)  # told in the same order in every run


def test_what_another_job_makes_is_not_needed_from_outside():
    assert needs_of([job("task", {"origin": entry("path:made/x")}, files=["made/x"])]) == Needs()


def test_all_that_is_lacking_is_said_at_once(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    needs = Needs(
        {"package:no-such-distribution/model": "model m", "path:/no/such/dump.bz2": "wikipedia", "hub:a/b@1": "task"},
        ["hub:a/b@1"],
        ["extract_attention"],
    )
    with pytest.raises(InputError) as caught:
        check_needs(needs, "mine", "cuda", runs_here=True)
    message = str(caught.value)
    assert message.startswith("edition mine: this machine lacks\n")
    assert "model m (package:no-such-distribution/model): " in message
    assert "pip install no-such-distribution" in message
    assert "wikipedia (path:/no/such/dump.bz2): /no/such/dump.bz2 does not exist; correct the path" in message
    assert "http://127.0.0.1:9 cannot be reached, from which hub:a/b@1 are to be downloaded; connect" in message
    assert "extract_attention: device: cuda, but PyTorch finds no GPU here" in message
    assert message.count("\n  - ") == 4


def test_a_host_that_cannot_be_reached_is_named_once(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError) as caught:
        check_needs(Needs(remote=[f"hub:a/{name}@1" for name in "abcde"]), "mine", "auto", runs_here=True)
    assert "from which hub:a/a@1, hub:a/b@1, hub:a/c@1 and 2 others are to be downloaded; " in str(caught.value)
    assert str(caught.value).count("\n  - ") == 1


@pytest.fixture
def model(tmp_path, embedded_model):
    """A copy of the embedded encoder's folder, and a function that changes a JSON file of it."""
    shutil.copytree(embedded_model, tmp_path / "model", ignore=shutil.ignore_patterns(MANIFEST))

    def change(name, **changes):
        file = tmp_path / "model" / name
        content = json.loads(file.read_text())
        file.write_text(json.dumps(content | changes))

    return tmp_path / "model", change


def lacking(model):
    """What is said of a model, before a run copies it."""
    source = f"path:{model}"
    with pytest.raises(InputError) as caught:
        check_needs(needs_of([job("model", {"origin": entry(source)})]), "mine", "auto", runs_here=True)
    return str(caught.value)


def test_an_encoder_is_looked_at_before_the_first_job(model):
    folder, change = model
    check_needs(needs_of([job("model", {"origin": entry(f"path:{folder}")})]), "mine", "auto", runs_here=True)
    change("config.json", vocab_size=100)
    assert "its tokenizer has ids up to 30521, but its config.json says vocab_size: 100" in lacking(folder)
    change("tokenizer.json", post_processor=None)
    assert "but no post_processor in tokenizer.json" in lacking(folder)
    (folder / "tokenizer.json").unlink()
    assert "lacks tokenizer.json; give a folder in Hugging Face form" in lacking(folder)


def test_a_folder_that_cannot_be_written_into_is_named(tmp_path, monkeypatch):
    check_writable([tmp_path / "results" / "new"])
    (tmp_path / "logs").touch()
    with pytest.raises(InputError, match=r"logs: is not a folder\n  Remedy: .* --directory FOLDER"):
        check_writable([tmp_path / "results", tmp_path / "logs" / "new"])
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(InputError, match=f"{tmp_path.name}: cannot be written into"):
        check_writable([tmp_path / "results"])


def test_a_cluster_has_gpus_of_its_own():
    check_needs(Needs(gpu=["extract_attention"]), "mine", "cuda", runs_here=False)


def test_a_server_that_answers_anything_is_reachable(monkeypatch):
    with loopback() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        check_needs(Needs(remote=["hub:a/b@1"]), "mine", "auto", runs_here=True)


def test_a_download_that_is_gone_is_said_before_the_first_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources = {name: f"https://host/{name}.txt" for name in ("whole", "gone")}
    for source in sources.values():
        place = downloaded_path(parse_source(source), Path("resources/downloads"))
        place.parent.mkdir(parents=True)
        place.write_text("content")
        write_manifest(place.parent)
    downloaded_path(parse_source(sources["gone"]), Path("resources/downloads")).unlink()
    with pytest.raises(InputError) as caught:
        check_needs(Needs({source: name for name, source in sources.items()}), "mine", "auto", runs_here=True)
    message = str(caught.value)
    assert "gone (https://host/gone.txt): gone.txt is missing, but SHA256SUMS names it; delete the folder " in message
    assert message.count("\n  - ") == 1


def test_a_download_that_this_run_makes_need_not_be_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with loopback() as server:
        source = f"{server.url}/text.txt"
        check_needs(Needs({source: "task"}, [source]), "mine", "auto", runs_here=True)
