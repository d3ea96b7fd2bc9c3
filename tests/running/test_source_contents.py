"""What sources hold: every change of content is noticed, and nothing is read twice."""

import os

import pytest

from bert_attention.running import source_contents
from bert_attention.running.source_contents import MODEL_FILES_READ, SourceContents

OLD = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / ".snakemake" / "contents.json"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    (folder / "checkpoints").mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "optimizer.pt", "checkpoints/model.safetensors", ".hidden"):
        (folder / name).write_text(name)
    return folder


def overwrite(file):
    """Give a file another content of the same size and an old time, as `cp -p` and `rsync -a` do."""
    file.write_text(file.read_text()[::-1])
    os.utime(file, OLD)


def replaced_by_link(file):
    other = file.with_name("other")
    other.write_text(file.read_text()[::-1])
    file.unlink()
    file.symlink_to(other.rename(file.parent.parent / "other"))


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: overwrite(folder / "model.safetensors"),
        lambda folder: replaced_by_link(folder / "model.safetensors"),
        lambda folder: (folder / "config.json").unlink(),
        lambda folder: (folder / "config.json").rename(folder / "generation_config.json"),
        lambda folder: (folder / "new.json").touch(),
        lambda folder: overwrite(folder / "checkpoints" / "model.safetensors"),
    ],
)
def test_a_change_within_a_folder_changes_its_digest(folder, memory, change):
    for file in folder.rglob("*.*"):
        os.utime(file, OLD)
    before = SourceContents(memory).digest(folder)
    change(folder)
    assert SourceContents(memory).digest(folder) != before


def test_a_file_that_is_overwritten_changes_its_digest(folder, memory):
    before = SourceContents(memory).digest(folder / "config.json")
    overwrite(folder / "config.json")
    assert SourceContents(memory).digest(folder / "config.json") != before


def test_touching_and_copying_change_nothing(folder, memory):
    before = SourceContents(memory).digest(folder)
    for file in folder.rglob("*.*"):
        file.write_text(file.read_text())
    (folder / ".hidden").write_text("else")
    assert SourceContents(memory).digest(folder) == before


def test_of_a_models_folder_only_the_model_counts(folder, memory):
    before = SourceContents(memory).digest(folder, MODEL_FILES_READ)
    overwrite(folder / "optimizer.pt")
    overwrite(folder / "checkpoints" / "model.safetensors")
    assert SourceContents(memory).digest(folder, MODEL_FILES_READ) == before
    overwrite(folder / "model.safetensors")
    assert SourceContents(memory).digest(folder, MODEL_FILES_READ) != before


def test_a_file_is_read_once_by_all_processes(folder, memory, monkeypatch):
    before = SourceContents(memory).digest(folder)
    read = []
    monkeypatch.setattr(source_contents, "sha256", lambda file: read.append(file.name) or "0")
    assert SourceContents(memory).digest(folder) == before
    assert not read
    overwrite(folder / "config.json")
    SourceContents(memory).digest(folder)
    assert read == ["config.json"]


@pytest.mark.parametrize("content", ["", "{", '{"x": 3}', "[]"])
def test_a_damaged_memory_is_passed_over(folder, memory, content):
    before = SourceContents(memory).digest(folder)
    memory.write_text(content)
    assert SourceContents(memory).digest(folder) == before


def test_a_link_that_leads_back_ends(folder, memory):
    (folder / "checkpoints" / "back").symlink_to(folder)
    assert SourceContents(memory).digest(folder)


def test_what_is_not_there_has_no_digest(tmp_path, memory):
    (tmp_path / "empty").mkdir()
    assert SourceContents(memory).digest(tmp_path / "nowhere") is None
    assert SourceContents(memory).digest(tmp_path / "empty") is None
