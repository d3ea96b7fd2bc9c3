"""Every client against a server on this machine."""

import copy
import hashlib
import json

import nltk.pathsec
import pytest
import stanza

from bert_attention.downloads import clients
from bert_attention.downloads.clients import fetch
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from tests.downloads.loopback import COMMIT, loopback, nltk_index, zipped
from tests.rehearsal.internet import internet_here

CONTENT = bytes(range(256)) * 9000  # 2.3 MB


@pytest.fixture
def server():
    with loopback() as running:
        yield running


def digest(content):
    return hashlib.sha256(content).hexdigest()


# A plain server.


def test_a_file_is_downloaded_once(server, tmp_path):
    server.files["/data/text.txt"] = CONTENT
    source = f"{server.url}/data/text.txt"
    path = fetch(source, digest(CONTENT), tmp_path)
    assert path.read_bytes() == CONTENT
    assert path == locate(source, tmp_path)
    assert fetch(source, digest(CONTENT), tmp_path) == path
    assert server.requests["GET /data/text.txt"] == 1


def test_a_server_is_asked_not_to_compress(server, tmp_path):
    server.files["/text.txt"] = CONTENT
    server.compresses.add("/text.txt")
    assert fetch(f"{server.url}/text.txt", None, tmp_path).read_bytes() == CONTENT
    assert server.sent["/text.txt"] == len(CONTENT)


# Settings of the server, the pinned content if any, and the message.
FAILURES = {
    "breaks off": ({"breaks": {"/text.txt": [1_000_000]}}, None, r"cannot be downloaded: .*\n  Remedy: check"),
    "breaks off, pinned": ({"breaks": {"/text.txt": [1_000_000]}}, CONTENT, "cannot be downloaded"),
    "compressed and cut": (
        {"compresses": {"/text.txt"}, "stubborn": True, "cuts": {"/text.txt": 5000}},
        None,
        r"text.txt': the server compresses the file \(gzip\).*\n  Remedy: download the file by hand",
    ),
    "slow": ({"drips": {"/text.txt"}}, None, r"TimeoutError: the server is too slow: it sent \d+ bytes in 0.3 seconds"),
    "another content": ({}, b"other", "cannot be downloaded: ValueError: .*hash"),
    "missing": ({"files": {}}, None, r"text.txt': cannot be downloaded: .*404"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_download_is_an_error_and_leaves_nothing(server, tmp_path, monkeypatch, failure):
    monkeypatch.setattr(clients, "_PATIENCE", 0.3 if failure == "slow" else 60)
    settings, pinned, message = FAILURES[failure]
    server.files["/text.txt"] = CONTENT
    vars(server).update(copy.deepcopy(settings))
    source = f"{server.url}/text.txt"
    with pytest.raises(InputError, match=message):
        fetch(source, pinned and digest(pinned), tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    if "breaks" in settings:
        assert fetch(source, pinned and digest(pinned), tmp_path).read_bytes() == CONTENT


def test_a_server_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot be downloaded: .*refused"):
        fetch("http://127.0.0.1:9/none.txt", None, tmp_path)


def test_members_of_an_archive_share_its_download(server, tmp_path):
    server.files["/all.zip"] = zipped({"a/b/one.txt": "1", "a/b/two.txt": "2", "a/three.txt": "3"})
    folder = fetch(f"{server.url}/all.zip!a/b", None, tmp_path)
    assert sorted(file.name for file in folder.iterdir()) == ["one.txt", "two.txt"]
    assert fetch(f"{server.url}/all.zip!a/three.txt", None, tmp_path).read_text() == "3"
    assert server.requests["GET /all.zip"] == 1


@pytest.mark.parametrize(
    ("cut", "member", "pinned", "message"),
    [
        (0, "b.txt", None, r"all.zip: has no member 'b.txt'"),
        (10, "a.txt", None, r"all.zip: is damaged or not a zip archive"),
        (0, "a.txt", b"2", r"a.txt: has the wrong content"),  # the digest is of the member, not of the archive
    ],
)
def test_an_archive_without_the_right_member_is_an_error(server, tmp_path, cut, member, pinned, message):
    whole = zipped({"a.txt": "1"})
    server.files["/all.zip"] = whole[: len(whole) - cut]
    with pytest.raises(InputError, match=message):
        fetch(f"{server.url}/all.zip!{member}", pinned and digest(pinned), tmp_path)
    server.files["/again/all.zip"] = whole
    assert fetch(f"{server.url}/again/all.zip!a.txt", digest(b"1"), tmp_path).read_text() == "1"


def test_names_of_downloads_are_short_and_differ():
    name = parse_source(f"https://host/{'long/' * 100}file.txt").download_name
    assert len(name) < 120
    assert "file.txt" in name
    assert len({parse_source(f"https://host/v1{mark}en/b.txt").download_name for mark in "/_"}) == 2


# The hub.


@pytest.fixture
def hub(server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    return server


MODEL = {"config.json": b"{}", "model.safetensors": CONTENT, "pytorch_model.bin": b"pickle", "tokenizer.json": b"{}"}


def test_a_model_is_downloaded_without_pickled_weights(hub, tmp_path):
    hub.add_repository("org/model", MODEL)
    source = f"hub:org/model@{COMMIT}"
    folder = fetch(source, None, tmp_path)
    assert folder == locate(source, tmp_path)
    assert {file.name for file in folder.iterdir() if file.is_file()} == set(MODEL) - {"pytorch_model.bin"}
    assert (folder / "model.safetensors").read_bytes() == CONTENT
    fetch(source, None, tmp_path)
    assert hub.requests[f"GET /org/model/resolve/{COMMIT}/model.safetensors"] == 1


def test_a_folder_of_a_dataset_is_downloaded_alone(hub, tmp_path):
    hub.add_repository("datasets/nyu-mll/glue", {"mrpc/train.parquet": b"1", "rte/train.parquet": b"2"})
    folder = fetch(f"hub:datasets/nyu-mll/glue@{COMMIT}/mrpc", None, tmp_path)
    assert (folder / "train.parquet").read_bytes() == b"1"
    assert not list(tmp_path.rglob("rte"))


def test_a_model_that_cannot_be_had_is_named_and_not_half_there(hub, tmp_path):
    hub.add_repository("org/model", MODEL)
    hub.breaks[f"/org/model/resolve/{COMMIT}/model.safetensors"] = [1_000_000] + [0] * 20
    for source in (f"hub:org/model@{COMMIT}", f"hub:org/other@{COMMIT}", "hub:org/model@nosuchrevision"):
        with pytest.raises(InputError, match=rf"{source}.*cannot be downloaded: \w+Error"):
            fetch(source, None, tmp_path)
    assert not list(tmp_path.rglob("model.safetensors"))
    hub.breaks.clear()
    assert (fetch(f"hub:org/model@{COMMIT}", None, tmp_path) / "model.safetensors").read_bytes() == CONTENT


def test_a_file_that_changes_while_it_is_fetched_is_not_kept(hub, tmp_path):
    """The hub's client resumes with the rest of the new file."""
    hub.add_repository("org/model", MODEL)
    weights = f"/org/model/resolve/{COMMIT}/model.safetensors"
    hub.breaks[weights] = [1_000_000]
    hub.changes[weights] = CONTENT[::-1]
    source = f"hub:org/model@{COMMIT}"
    with pytest.raises(
        InputError, match=r"downloaded files differ from the hub's checksums: model.safetensors\n  Remedy: run again"
    ):
        fetch(source, None, tmp_path)
    hub.files[weights] = CONTENT
    assert (fetch(source, None, tmp_path) / "model.safetensors").read_bytes() == CONTENT


# gensim, NLTK and Stanza.


def test_word_vectors_come_by_gensim(server, tmp_path, monkeypatch):
    archive = b"gzipped vectors"
    server.add_gensim({"tiny": archive, "bad": archive}, monkeypatch)
    server.files["/bad/bad.gz"] = b"other"
    path = fetch("gensim:tiny", digest(archive), tmp_path)
    assert path.read_bytes() == archive
    assert fetch("gensim:tiny", None, tmp_path) == path
    assert server.requests["GET /tiny/tiny.gz"] == 1
    with pytest.raises(InputError, match="Checksum comparison failed"):
        fetch("gensim:bad", None, tmp_path)
    with pytest.raises(InputError, match="wrong content"):
        fetch("gensim:tiny", digest(b"x"), tmp_path)


def test_a_corpus_comes_by_nltk(server, tmp_path, monkeypatch):
    archive = zipped({"tiny_frames/frame/Motion.xml": "<frame/>"})
    server.add_nltk({"tiny_frames": archive, "gone": archive}, monkeypatch)
    del server.files["/gone.zip"]
    folder = fetch("nltk:tiny_frames", None, tmp_path)
    assert (folder / "frame" / "Motion.xml").read_text() == "<frame/>"
    fetch("nltk:tiny_frames", None, tmp_path)
    assert server.requests["GET /tiny_frames.zip"] == 1
    with pytest.raises(InputError, match="nltk:gone"):
        fetch("nltk:gone", None, tmp_path)


def test_a_corpus_comes_by_nltk_through_a_proxy(tmp_path, monkeypatch):
    """NLTK refuses proxies by default."""
    archive = zipped({"tiny_frames/frame/Motion.xml": "<frame/>"})
    pages = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages"
    with internet_here(tmp_path) as internet:
        internet.add(f"{pages}/index.xml", nltk_index({"tiny_frames": archive}, pages))
        internet.add(f"{pages}/tiny_frames.zip", archive)
        for name, value in internet.environment.items():
            monkeypatch.setenv(name, value)
        folder = fetch("nltk:tiny_frames", None, tmp_path / "downloads")
    assert (folder / "frame" / "Motion.xml").read_text() == "<frame/>"
    assert internet.requests[f"GET {pages}/tiny_frames.zip"] == 1
    assert not nltk.pathsec.ALLOW_PROXIED_FETCH


def test_a_pipeline_comes_by_stanza(server, tmp_path, monkeypatch):
    weights = {name: name.encode() for name in ("tokenize", "mwt", "pos", "lemma", "depparse")}
    resources = {
        "en": {
            "lang_name": "English",
            "packages": {"default": dict.fromkeys(weights, "small")},
            **{name: {"small": {"md5": hashlib.md5(content).hexdigest()}} for name, content in weights.items()},
        },
        "url": f"{server.url}/{{lang}}/{{resources_version}}/{{filename}}",
    }
    server.files["/resources_9.9.json"] = json.dumps(resources).encode()
    server.files |= {f"/en/9.9/{name}/small.pt": content for name, content in weights.items()}
    common = stanza.resources.common
    defaults = [server.url if one == common.DEFAULT_RESOURCES_URL else one for one in common.download.__defaults__]
    monkeypatch.setattr(common.download, "__kwdefaults__", None)
    monkeypatch.setattr(common.download, "__defaults__", tuple(defaults))
    folder = fetch("stanza:en@9.9", None, tmp_path)
    assert {path.parent.name: path.read_bytes() for path in folder.rglob("*.pt")} == weights
    server.files["/en/9.9/pos/small.pt"] = b"other"
    (folder / "en" / "pos" / "small.pt").unlink()
    with pytest.raises(InputError, match="stanza:en@9"):
        fetch("stanza:en@9.9", None, tmp_path)
