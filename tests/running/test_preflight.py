"""Preflight checks name everything that a run needs and a machine lacks."""

import json
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from bert_attention.downloads.sources import downloaded_path, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import write_manifest
from bert_attention.running.preflight import check_sources, check_writable, warnings
from tests.rehearsal.internet import internet_here


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, in which nothing was downloaded."""
    monkeypatch.chdir(tmp_path)


def edition(device="auto", **sources):
    """An edition with some sources by their keys, and these keys."""
    by_keys = {tuple(key.replace("-", "_") for key in keys.split("_")): source for keys, source in sources.items()}
    made = {path: [source] for path, source in by_keys.items() if source.startswith("path:resources/")}
    answers = {"origin": lambda *path: {"source": by_keys[path]}, "files": lambda *path: made.get(path, [])}
    return SimpleNamespace(name="mine", config={"device": device}, **answers), by_keys.keys()


def problems(*arguments):
    """Return the message of the check of some sources."""
    with pytest.raises(InputError) as caught:
        check_sources(*arguments)
    return str(caught.value)


def test_everything_missing_is_reported_at_once():
    sources = {
        "models_m": "package:no-such-distribution/model",
        "corpora_wikipedia": "path:/no/such/dump.bz2",
        "corpora_tasks_made": "path:resources/mine/x",
        "corpora_frames": "hub:a/b@1",
        **{name: f"https://host/{name}.txt" for name in ("whole", "gone")},
    }
    for source in (sources["whole"], sources["gone"]):
        file = downloaded_path(parse_source(source), Path("resources/downloads"))
        file.parent.mkdir(parents=True)
        file.write_text("content")
        write_manifest(file.parent)
    file.unlink()
    message = problems(*edition(**sources))
    assert message.startswith("edition mine: this machine lacks\n")
    assert "models.m (package:no-such-distribution/model): " in message
    assert "pip install no-such-distribution" in message
    assert "corpora.wikipedia (path:/no/such/dump.bz2): /no/such/dump.bz2 does not exist; correct the path" in message
    assert "gone (https://host/gone.txt): gone.txt is missing, but SHA256SUMS names it; delete the folder " in message
    assert message.count("\n  - ") == 3  # jobs make or download the other sources


def test_an_unreachable_host_is_named_once(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # no server is there
    (line,) = warnings(*edition(**{f"corpora_{name}": f"hub:a/{name}@1" for name in "abcde"}))
    assert line.startswith(
        "http://127.0.0.1:9 cannot be reached, but the run must download hub:a/a@1, hub:a/b@1, hub:a/c@1 and 2 others "
        "from it; connect to the network"
    )
    with internet_here(tmp_path) as internet:  # any answer counts
        monkeypatch.setenv("HF_ENDPOINT", internet.url)
        assert not list(warnings(*edition(corpora_frames="hub:a/b@1")))


def test_a_missing_gpu_is_named(monkeypatch):
    monkeypatch.setattr("bert_attention.running.preflight.has_gpu", lambda: False)
    (line,) = warnings(*edition(device="cuda", spacy="path:model"))
    assert line.startswith("device: cuda, but PyTorch finds no GPU here")
    assert not list(warnings(*edition(device="cuda")))  # a run without sources computes nothing


def test_local_encoders_are_checked(tmp_path, embedded_model):
    folder = shutil.copytree(embedded_model, tmp_path / "model")
    mine = edition(models_m=f"path:{folder}")
    check_sources(*mine)

    def change(name, **changes):
        (folder / name).write_text(json.dumps(json.loads((folder / name).read_text()) | changes))

    change("config.json", rotary_dim=16)
    assert "does not support: rotary_dim: 16" in problems(*mine)
    fine_tuned = SimpleNamespace(name="mine", origin=lambda *_: {"source": f"path:{folder}"}, files=lambda *_: [])
    checkpoint = ("fine_tuning", "checkpoints", 0)
    assert re.search(r"fine_tuning\.checkpoints\.0 .*rotary_dim", problems(fine_tuned, [checkpoint]))
    change("config.json", rotary_dim=None, vocab_size=100)
    assert "has 100 embeddings, but its tokenizer has 30422 tokens more" in problems(*mine)
    (folder / "tokenizer.json").unlink()
    change("config.json", vocab_size=30522)
    assert "lacks tokenizer.json; convert the model with this Python" in problems(*mine)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    for lacking, listed in (
        (mine, "model.safetensors, tokenizer.json"),
        ((fine_tuned, [checkpoint]), "model.safetensors"),
    ):
        assert f"lacks {listed} (it has pytorch_model.bin, " in problems(*lacking)


TREES = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\trained\train\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"
SETTINGS = {"wikipedia": {"format": "auto"}, "coreference": {"format": "corefud"}}


@pytest.mark.parametrize(
    ("corpus", "file", "content", "problem"),
    [
        ("corpora_wikipedia", "notes.md", "It rained.", "holds neither Parquet files nor text files"),
        ("corpora_wikipedia", "a.txt", TREES * 9, "looks like CoNLL-U"),
        ("corpora_treebank_dev", "trees.txt", TREES, r"holds no file \*.conllu or .*, only trees.txt"),
        ("corpora_treebank_train", "a.conllu", "It rained.", r"a\.conllu, line 1: has 1 column"),
        ("corpora_coreference", "a.conll", TREES, r"holds no file \*.conllu, only a.conll"),
        ("corpora_coreference", "a.conllu", "It rained.", r"a\.conllu, line 1: has 1 column"),
        ("corpora_tasks_mrpc", "train.csv", "a,b", "train-00000-of-00001.parquet: is missing"),
        ("corpora_tasks_sst2", "train-00000-of-00001.parquet", "a,b", "of-00001.parquet: is not a"),
        ("corpora_tasks_stsb", "sts-train.csv", "a", "sts-dev.csv: is missing"),
        ("corpora_tasks_mrpc", "sts-train.csv", "a", "is the STS Benchmark, not the task mrpc"),
        ("spacy", "meta.json", "{}", "holds no config.cfg"),
        ("stanza", "en.pt", "", "holds no resources.json"),
        ("translation-models_opus", "config.json", "{}", "holds no model.safetensors or model.safetensors.index.json"),
    ],
)
def test_a_wrong_folder_is_found_before_the_first_job(tmp_path, corpus, file, content, problem):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / file).write_text(content)
    wrong, sources = edition(**{corpus: f"path:{tmp_path / 'mine'}"})
    wrong.config |= {"on_bad_input": "error", "corpora": SETTINGS}
    assert re.search(problem, problems(wrong, sources))


@pytest.mark.parametrize(
    ("corpus", "content", "problem"),
    [
        ("frames", "She gave it.\n", "a.txt, line 1: is not valid JSON"),
        ("vectors", "PK\x03\x04", "unzip FILE"),
    ],
)
def test_a_wrong_file_is_found_before_the_first_job(tmp_path, corpus, content, problem):
    (tmp_path / "a.txt").write_text(content)
    wrong, sources = edition(**{f"corpora_{corpus}": f"path:{tmp_path / 'a.txt'}"})
    wrong.config |= {"on_bad_input": "error", "corpora": {"frames": {"format": "jsonl"}}}
    assert re.search(problem, problems(wrong, sources))


def test_the_files_of_the_sts_benchmark_are_a_task(tmp_path):
    for name in ("sts-train.csv", "sts-dev.csv"):
        (tmp_path / name).touch()
    own, sources = edition(corpora_tasks_stsb=f"path:{tmp_path}")
    own.config |= {"on_bad_input": "error", "corpora": SETTINGS}
    check_sources(own, sources)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({}, r"own\.csv, line 1: has no column text; its columns are claim, evidence, label"),
        ({"text": "claim", "second": "reason"}, r"own\.csv, line 1: has no column reason; its columns are claim"),
        ({"text": "claim", "second": "evidence"}, None),
    ],
)
def test_a_missing_column_of_a_task_of_ones_own_is_found_before_the_first_job(tmp_path, entry, problem):
    (tmp_path / "own.csv").write_text("claim,evidence,label\nIt rained.,Wet streets.,yes\n")
    own, sources = edition(corpora_tasks_facts=f"path:{tmp_path / 'own.csv'}")
    own.config |= {"on_bad_input": "error", "corpora": {**SETTINGS, "tasks": {"facts": entry}}}
    if problem is None:
        check_sources(own, sources)
    else:
        assert re.search(problem, problems(own, sources))


def test_unwritable_folders_are_named(tmp_path, monkeypatch):
    check_writable([tmp_path / "results" / "new"])
    (tmp_path / "logs").touch()
    with pytest.raises(InputError, match=r"logs: is not a folder\n  Remedy: .* --directory FOLDER"):
        check_writable([tmp_path / "results", tmp_path / "logs" / "new"])
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(InputError, match=f"{tmp_path.name}: is not writable"):
        check_writable([tmp_path / "results"])
