"""Bits that flip in what a run has made: whatever a script reads of it, damage is found before it counts."""

import logging
import random
import re
import shutil
import sys
from types import SimpleNamespace

import pytest

from bert_attention.attention.store import AttentionStore
from bert_attention.corpora.glue import read_task
from bert_attention.errors import InputError
from bert_attention.manifest import DIGEST, MANIFEST
from bert_attention.models.classification import load_classifier
from bert_attention.models.encoders import load_encoder
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.translation import load_translation_model
from bert_attention.parsing.pipeline import load_pipeline
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.wordpieces import load_tokenizer

pytestmark = pytest.mark.workflow

SEED = 1906
FLIPS = 2  # in each file, and one cut
# What tells files apart that are of one kind: tasks, results, numbers, whose weights they are.
OF_ONE_KIND = [
    (r"/(mnli|mrpc|qnli|qqp|rte|sst2|stsb)\b", "/TASK"),
    (r"/(control/)?(clark|coenen|kobayashi|kovaleva|vig)_\w+", "/RESULT"),
    (r"\d+", "0"),
    (r"/random_(0/)?", "/"),
]


def whole_encoder(folder):
    load_tokenizer(folder)
    load_encoder(folder, "cpu")


# What reads a folder that has a manifest, by a part of its path.
READERS = {
    "/tasks/TASK/finetuned/": lambda folder: load_classifier(folder, "cpu"),
    "/corpora/": lambda folder: read_task(folder, folder.name),
    "/masked_language_model": lambda folder: load_masked_language_model(folder, "cpu"),
    "/trained/stanza": lambda folder: load_pipeline(folder, device="cpu"),
    "/trained/": lambda folder: load_translation_model(folder, "cpu"),
    "/models/": whole_encoder,
    "/randomised/": whole_encoder,
}


def kind_of(file):
    name = f"/{file.as_posix()}"
    for pattern, kind in OF_ONE_KIND:
        name = re.sub(pattern, kind, name)
    return name


def one_of_each_kind(folder):
    """A file of each kind below ``resources``, but hidden ones, which nobody reads."""
    files = sorted(file.relative_to(folder) for file in (folder / "resources").rglob("*") if file.is_file())
    return {kind_of(file): file for file in files if not any(part[0] == "." for part in file.parts)}


def reader_of(file):
    """What a script does when it reads a file, as a function without arguments."""
    folder = next((folder for folder in file.parents if (folder / MANIFEST).is_file()), None)
    if folder:
        kind = f"{kind_of(folder)}/"
        read = next(read for part, read in READERS.items() if part in kind)
        return lambda: read(folder)
    if "attention" in file.parts:
        return lambda: read_store(file)
    read = file.with_name(file.name.removesuffix(DIGEST))
    job = SimpleNamespace(input=[str(read)], output=[], log=["log"], rule="reading", resources={})
    return lambda: run_script(lambda _: None, job)


def read_store(shard):
    for sequence in AttentionStore([shard]):
        for name in sequence._shard.metadata.arrays:
            getattr(sequence, name)


def damages(content):
    """The content with one bit flipped, at a few places, and cut."""
    places = random.Random(SEED)
    for _ in range(FLIPS):
        place, bit = places.randrange(len(content)), places.randrange(8)
        yield f"bit {bit} of byte {place}", content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
    yield "cut", content[: places.randrange(len(content))]


def silent_damage(folder, work):
    """The damages that were not found, of files of each kind, and how many there were; in copies of their folders."""
    silent, total = [], 0
    for kind, file in one_of_each_kind(folder).items():
        made = next((above for above in file.parents if (folder / above / MANIFEST).is_file()), None)
        beside = [file, file.with_name(f"{file.name}{DIGEST}"), file.with_name(file.name.removesuffix(DIGEST))]
        for one in [made] if made else beside:
            (work / one).parent.mkdir(parents=True, exist_ok=True)
            if (folder / one).is_dir():
                shutil.copytree(folder / one, work / one)
            elif (folder / one).is_file():
                shutil.copyfile(folder / one, work / one)
        reader_of(file)()  # before it is damaged
        content = file.read_bytes()
        for what, damaged in damages(content):
            file.write_bytes(damaged)
            total += 1
            try:
                reader_of(file)()
                silent.append(f"{kind}: {what}")
            except InputError:
                pass
        shutil.rmtree(work / "resources")
    return silent, total


def test_no_damage_is_silent(replicated, tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # jobs' logs take it
    silent, total = silent_damage(replicated.folder, work)
    logging.captureWarnings(capture=False)
    logging.getLogger().handlers.clear()
    assert silent == []
    assert total > 200
