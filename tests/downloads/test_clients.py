"""Every client against a server on this machine: what arrives, and what is refused."""

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


@pytest.mark.parametrize("is_pinned", [True, False])
def test_a_download_that_breaks_off_is_an_error_and_leaves_nothing(server, tmp_path, is_pinned):
    server.files["/text.txt"] = CONTENT
    server.breaks["/text.txt"] = [1_000_000]
    source = f"{server.url}/text.txt"
    pinned = digest(CONTENT) if is_pinned else None
    with pytest.raises(InputError, match=r"cannot be downloaded: .*\n  Remedy: check the network"):
        fetch(source, pinned, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert fetch(source, pinned, tmp_path).read_bytes() == CONTENT


def test_a_server_is_asked_not_to_compress(server, tmp_path):
    """Of what it compresses, a part could look whole."""
    server.files["/text.txt"] = CONTENT
    server.compresses.add("/text.txt")
    assert fetch(f"{server.url}/text.txt", None, tmp_path).read_bytes() == CONTENT
    assert server.sent["/text.txt"] == len(CONTENT)


def test_what_is_compressed_all_the_same_is_refused(server, tmp_path):
    """A part of it, properly sent, would be taken for all."""
    server.files["/text.txt"] = CONTENT
    server.compresses.add("/text.txt")
    server.stubborn = True
    server.cuts["/text.txt"] = 5000
    with pytest.raises(
        InputError, match=r"text.txt': the server compresses the file \(gzip\).*\n  Remedy: download the file by hand"
    ):
        fetch(f"{server.url}/text.txt", None, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_server_that_sends_next_to_nothing_is_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "_PATIENCE", 0.3)
    server.files["/text.txt"] = CONTENT
    server.drips.add("/text.txt")
    with pytest.raises(
        InputError,
        match=r"cannot be downloaded: TimeoutError: the server is too slow: it sent \d+ bytes in 0.3 seconds",
    ):
        fetch(f"{server.url}/text.txt", None, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_another_content_than_pinned_is_refused_and_not_kept(server, tmp_path):
    server.files["/text.txt"] = CONTENT
    source = f"{server.url}/text.txt"
    with pytest.raises(InputError, match=r"cannot be downloaded: ValueError: .*hash"):
        fetch(source, digest(b"other"), tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        locate(source, tmp_path)


def test_a_missing_file_and_a_server_that_is_not_there_are_named(server, tmp_path):
    with pytest.raises(InputError, match=r"none.txt': cannot be downloaded: .*404"):
        fetch(f"{server.url}/none.txt", None, tmp_path)
    with pytest.raises(InputError, match=r"cannot be downloaded: .*refused"):
        fetch("http://127.0.0.1:9/none.txt", None, tmp_path)


def test_members_of_an_archive_share_its_download(server, tmp_path):
    server.files["/all.zip"] = zipped({"a/b/one.txt": "1", "a/b/two.txt": "2", "a/three.txt": "3"})
    folder = fetch(f"{server.url}/all.zip!a/b", None, tmp_path)
    assert sorted(file.name for file in folder.iterdir()) == ["one.txt", "two.txt"]
    assert fetch(f"{server.url}/all.zip!a/three.txt", None, tmp_path).read_text() == "3"
    assert server.requests["GET /all.zip"] == 1


def test_a_broken_archive_and_a_missing_member_are_named(server, tmp_path):
    server.files["/all.zip"] = zipped({"a.txt": "1"})
    with pytest.raises(InputError, match=r"all.zip: has no member 'b.txt'"):
        fetch(f"{server.url}/all.zip!b.txt", None, tmp_path)
    server.files["/cut.zip"] = server.files["/all.zip"][:-10]
    with pytest.raises(InputError, match=r"cut.zip: is damaged or not a zip archive"):
        fetch(f"{server.url}/cut.zip!a.txt", None, tmp_path)


def test_a_digest_of_a_member_is_that_of_the_member(server, tmp_path):
    server.files["/all.zip"] = zipped({"a.txt": "1"})
    source = f"{server.url}/all.zip!a.txt"
    with pytest.raises(InputError, match=r"a.txt: has the wrong content"):
        fetch(source, digest(b"2"), tmp_path)
    assert fetch(source, digest(b"1"), tmp_path).read_text() == "1"


def test_downloads_of_similar_names_have_folders_of_their_own(server, tmp_path):
    for path in ("/v1/en/b.txt", "/v1_en/b.txt"):
        server.files[path] = path.encode()
        fetch(f"{server.url}{path}", None, tmp_path)
    for path in ("/v1/en/b.txt", "/v1_en/b.txt"):
        assert locate(f"{server.url}{path}", tmp_path).read_text() == path


def test_a_long_address_makes_no_long_name():
    name = parse_source(f"https://host/{'long/' * 100}file.txt").download_name
    assert len(name) < 120
    assert "file.txt" in name


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


def test_a_model_that_breaks_off_is_not_half_there(hub, tmp_path):
    hub.add_repository("org/model", MODEL)
    weights = f"/org/model/resolve/{COMMIT}/model.safetensors"
    hub.breaks[weights] = [1_000_000] + [0] * 20
    source = f"hub:org/model@{COMMIT}"
    with pytest.raises(InputError, match=r"hub:org/model@.*cannot be downloaded"):
        fetch(source, None, tmp_path)
    assert not (tmp_path / parse_source(source).download_name / "model.safetensors").exists()
    del hub.breaks[weights]
    assert (fetch(source, None, tmp_path) / "model.safetensors").read_bytes() == CONTENT


def test_a_file_that_changes_while_it_is_fetched_is_not_kept(hub, tmp_path):
    """The client goes on with the rest of the new one."""
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


def test_an_unknown_model_or_revision_is_named(hub, tmp_path):
    hub.add_repository("org/model", MODEL)
    for source in (f"hub:org/other@{COMMIT}", "hub:org/model@nosuchrevision"):
        with pytest.raises(InputError, match=r"cannot be downloaded: \w*Not\w*Error"):
            fetch(source, None, tmp_path)


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
    """Which NLTK refuses by itself."""
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
    monkeypatch.setattr(stanza.resources.common.download, "__kwdefaults__", None)
    defaults = list(stanza.resources.common.download.__defaults__)
    place = defaults.index(stanza.resources.common.DEFAULT_RESOURCES_URL)
    monkeypatch.setattr(
        stanza.resources.common.download,
        "__defaults__",
        (*defaults[:place], server.url, *defaults[place + 1 :]),
    )
    folder = fetch("stanza:en@9.9", None, tmp_path)
    assert {path.parent.name: path.read_bytes() for path in folder.rglob("*.pt")} == weights
    server.files["/en/9.9/pos/small.pt"] = b"other"
    (folder / "en" / "pos" / "small.pt").unlink()
    with pytest.raises(InputError, match="stanza:en@9"):
        fetch("stanza:en@9.9", None, tmp_path)
