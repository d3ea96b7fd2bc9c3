"""Every change of the content of a source is noticed."""

import os

import pytest

from bert_attention.downloads.sources import locate, obtain
from bert_attention.errors import InputError
from bert_attention.running.source_contents import MODEL_FILES_READ, content_digest

OLD = (1_000_000_000, 1_000_000_000)


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
def test_a_change_within_a_folder_changes_its_digest(folder, change):
    for file in folder.rglob("*.*"):
        os.utime(file, OLD)
    before = content_digest(folder)
    change(folder)
    assert content_digest(folder) != before


def test_touching_and_copying_change_no_digest_and_links_may_lead_back(folder):
    (folder / "checkpoints" / "back").symlink_to(folder)
    before = content_digest(folder)
    for file in (folder / "config.json", folder / "checkpoints" / "model.safetensors"):
        file.write_text(file.read_text())
    (folder / ".hidden").write_text("else")
    assert content_digest(folder) == before


@pytest.mark.parametrize(("file", "counts"), [("model.safetensors", True), ("optimizer.pt", False)])
def test_only_the_files_of_the_model_count_in_its_folder(folder, file, counts):
    before = content_digest(folder, MODEL_FILES_READ)
    overwrite(folder / "checkpoints" / "model.safetensors")
    overwrite(folder / file)
    assert (content_digest(folder, MODEL_FILES_READ) != before) is counts


def test_files_have_a_digest_and_missing_or_empty_folders_have_none(folder, tmp_path):
    before = content_digest(folder / "config.json")
    overwrite(folder / "config.json")
    assert content_digest(folder / "config.json") != before
    (tmp_path / "empty").mkdir()
    assert content_digest(tmp_path / "nowhere") is content_digest(tmp_path / "empty") is None


@pytest.mark.parametrize("pattern", ["*-train*.conllu", "t[0-9]/*.conllu"])
def test_a_pattern_of_files_is_a_source_whose_content_counts(tmp_path, pattern):
    file = tmp_path / pattern.replace("*", "a").replace("[0-9]", "1")
    source = f"path:{tmp_path / pattern}"
    with pytest.raises(InputError, match="does not exist"):
        locate(source)
    file.parent.mkdir(exist_ok=True)
    file.write_text("1")
    before = content_digest(locate(source))
    (tmp_path / "other.conllu").write_text("1")
    assert content_digest(locate(source)) == before
    file.write_text("2")
    assert content_digest(locate(source)) != before
    assert obtain(source, None) == tmp_path / pattern
    with pytest.raises(InputError, match="is not a single file, so it has no sha256"):
        obtain(source, "0" * 64)
