"""Preflight checks name all that a run needs and a machine lacks."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from bert_attention.downloads.sources import downloaded_path, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import write_manifest
from bert_attention.running.preflight import check_sources, check_writable, warnings
from tests.downloads.loopback import loopback


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, in which nothing was downloaded."""
    monkeypatch.chdir(tmp_path)


def edition(device="auto", **sources):
    """An edition with some sources by their keys, and these keys."""
    given = {tuple(keys.split("_")): source for keys, source in sources.items()}
    made = {path: [source] for path, source in given.items() if source.startswith("path:resources/")}
    answers = {"origin": lambda *path: {"source": given[path]}, "files": lambda *path: made.get(path, [])}
    return SimpleNamespace(name="mine", config={"device": device}, **answers), given.keys()


def test_all_that_is_lacking_is_said_at_once():
    sources = {
        "models_m": "package:no-such-distribution/model",
        "corpora_wikipedia": "path:/no/such/dump.bz2",
        "corpora_tasks_made": "path:resources/mine/x",
        "corpora_frames": "hub:a/b@1",
    }
    with pytest.raises(InputError) as caught:
        check_sources(*edition(**sources))
    message = str(caught.value)
    assert message.startswith("edition mine: this machine lacks\n")
    assert "models.m (package:no-such-distribution/model): " in message
    assert "pip install no-such-distribution" in message
    assert "corpora.wikipedia (path:/no/such/dump.bz2): /no/such/dump.bz2 does not exist; correct the path" in message
    assert message.count("\n  - ") == 2  # the others are made and downloaded


def test_a_host_that_cannot_be_reached_is_named_once(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    (line,) = warnings(*edition(**{f"corpora_{name}": f"hub:a/{name}@1" for name in "abcde"}))
    assert line.startswith(
        "http://127.0.0.1:9 cannot be reached, from which hub:a/a@1, hub:a/b@1, hub:a/c@1 and 2 others are to be "
        "downloaded; connect to the network"
    )


def test_a_gpu_that_is_asked_for_and_not_here_is_named(monkeypatch):
    monkeypatch.setattr("bert_attention.running.preflight.has_gpu", lambda: False)
    (line,) = warnings(*edition(device="cuda", spacy="path:model"))
    assert line.startswith("device: cuda, but PyTorch finds no GPU here")
    assert not list(warnings(*edition(device="cuda")))  # nothing was planned


@pytest.fixture
def model(tmp_path, embedded_model):
    """A copy of the embedded encoder's folder, and a function that changes a JSON file of it."""
    shutil.copytree(embedded_model, tmp_path / "model")

    def change(name, **changes):
        file = tmp_path / "model" / name
        content = json.loads(file.read_text())
        file.write_text(json.dumps(content | changes))

    return tmp_path / "model", change


def lacking(model):
    """Return the message on a model, before a run copies it."""
    with pytest.raises(InputError) as caught:
        check_sources(*edition(models_m=f"path:{model}"))
    return str(caught.value)


def test_an_encoder_is_looked_at_before_the_first_job(model):
    folder, change = model
    check_sources(*edition(models_m=f"path:{folder}"))
    change("config.json", position_embedding_type="relative_key")
    assert "does not support: position_embedding_type: 'relative_key'" in lacking(folder)
    change("config.json", position_embedding_type="absolute", vocab_size=100)
    assert "has 100 embeddings, but its tokenizer has 30422 tokens more" in lacking(folder)
    with pytest.raises(InputError, match=r"fine_tuning\.checkpoints\.0 .*relative_key"):
        change("config.json", position_embedding_type="relative_key")
        mine, _ = edition(models_m=f"path:{folder}")
        mine.origin = lambda *path: {"source": f"path:{folder}"}
        check_sources(mine, [("fine_tuning", "checkpoints", 0)])
    change("config.json", position_embedding_type="absolute")
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


def test_a_server_that_answers_anything_is_reachable(monkeypatch):
    with loopback() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        assert not list(warnings(*edition(corpora_frames="hub:a/b@1")))


def test_a_download_that_is_gone_is_said_before_the_first_job():
    sources = {name: f"https://host/{name}.txt" for name in ("whole", "gone")}
    for source in sources.values():
        place = downloaded_path(parse_source(source), Path("resources/downloads"))
        place.parent.mkdir(parents=True)
        place.write_text("content")
        write_manifest(place.parent)
    downloaded_path(parse_source(sources["gone"]), Path("resources/downloads")).unlink()
    with pytest.raises(InputError) as caught:
        check_sources(*edition(**sources))
    message = str(caught.value)
    assert "gone (https://host/gone.txt): gone.txt is missing, but SHA256SUMS names it; delete the folder " in message
    assert message.count("\n  - ") == 1
