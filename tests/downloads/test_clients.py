"""Every client against a server on this machine."""

import copy
import hashlib
import json
import zlib

import nltk.pathsec
import pytest

from bert_attention.downloads import clients
from bert_attention.downloads.clients import fetch
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from tests.rehearsal.corpora import zipped
from tests.rehearsal.internet import RAW

CONTENT = bytes(range(256)) * 9000  # 2.3 MB
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def digest(content):
    return hashlib.sha256(content).hexdigest()


# A plain server.


@pytest.mark.parametrize("compresses", [False, True])
def test_a_file_is_downloaded_once_and_without_compression(internet, tmp_path, compresses):
    source = f"{internet.url}/data/text.txt"
    internet.add(source, CONTENT)
    internet.compresses = {source} if compresses else set()
    path = fetch(source, digest(CONTENT), tmp_path)
    assert path.read_bytes() == CONTENT
    assert path == locate(source, tmp_path) == fetch(source, digest(CONTENT), tmp_path)
    assert internet.requests[f"GET {source}"] == 1
    assert internet.sent[source] == len(CONTENT)


HOST = "https://host.test"
# Faults of the server, the pinned content if any, and the message.
FAILURES = {
    "breaks off": ({"breaks": {f"{HOST}/text.txt": [1_000_000]}}, None, r"cannot be downloaded: .*\n  Remedy: check"),
    "compressed and cut": (
        {"compresses": {f"{HOST}/text.txt"}, "stubborn": True, "cuts": {f"{HOST}/text.txt": 5000}},
        None,
        r"text.txt': the server compresses the file \(gzip\).*\n  Remedy: download the file by hand",
    ),
    "slow": ({"drips": {f"{HOST}/text.txt"}}, None, r"the server is too slow: it sent \d+ bytes in 0.3 seconds"),
    "another content": ({}, b"other", "cannot be downloaded: ValueError: .*hash"),
    "missing": ({"answers": {}}, None, r"text.txt': cannot be downloaded: .*404"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_download_is_an_error_and_leaves_no_file(internet, tmp_path, monkeypatch, failure):
    monkeypatch.setattr(clients, "_PERIOD", 0.3 if failure == "slow" else 60)
    faults, pinned, message = FAILURES[failure]
    internet.add(f"{HOST}/text.txt", CONTENT)
    vars(internet).update(copy.deepcopy(faults))
    with pytest.raises(InputError, match=message):
        fetch(f"{HOST}/text.txt", pinned and digest(pinned), tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    if "breaks" in faults:
        assert fetch(f"{HOST}/text.txt", None, tmp_path).read_bytes() == CONTENT


def test_the_error_names_an_unreachable_server(tmp_path):
    with pytest.raises(InputError, match=r"cannot be downloaded: .*refused"):
        fetch("http://127.0.0.1:9/none.txt", None, tmp_path)


def test_a_member_of_an_archive_can_be_a_folder_or_a_file(internet, tmp_path):
    archive = f"{HOST}/all.zip"
    internet.add(archive, zipped({"a/b/one.txt": b"1", "a/b/two.txt": b"2", "a/three.txt": b"3"}))
    folder = fetch(f"{archive}!a/b", None, tmp_path)
    assert sorted(file.name for file in folder.iterdir()) == ["one.txt", "two.txt"]
    assert fetch(f"{archive}!a/three.txt", digest(b"3"), tmp_path).read_text() == "3"
    with pytest.raises(InputError, match=r"all.zip: has no member 'a/four.txt'"):
        fetch(f"{archive}!a/four.txt", None, tmp_path)
    with pytest.raises(InputError, match=r"a/three.txt: has the wrong content"):  # the digest is of the member
        fetch(f"{archive}!a/three.txt", digest(b"4"), tmp_path)


@pytest.mark.parametrize("damage", ["wrong digest", "wrong sum"])
def test_a_refused_member_of_an_archive_leaves_no_file(internet, tmp_path, damage):
    archive, content = f"{HOST}/all.zip", zipped({"a.txt": b"an owl"})
    if damage == "wrong sum":  # the end of the compressed file
        content = content.replace(zlib.compress(b"an owl", wbits=-15)[-4:], b"\0\0\0\0", 1)
    internet.add(archive, content)
    for _ in range(2):
        with pytest.raises(InputError, match=r"a.txt: has the wrong content|is damaged or not a zip or tar archive"):
            fetch(f"{archive}!a.txt", digest(b"an elk"), tmp_path)
        with pytest.raises(InputError, match="does not exist"):
            locate(f"{archive}!a.txt", tmp_path)


# The hub.


@pytest.fixture
def hub(internet, monkeypatch):
    """The hub at a mirror without encryption, so that it can break off connections properly."""
    internet.hub, internet.hub_store = internet.url, internet.url.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("HF_ENDPOINT", internet.url)
    monkeypatch.setattr("time.sleep", lambda _: None)  # the client waits before it tries again
    return internet


MODEL = {"config.json": b"{}", "model.safetensors": CONTENT, "pytorch_model.bin": b"pickle", "tokenizer.json": b"{}"}
SHARDED = dict.fromkeys(("config.json", "model.safetensors.index.json", "pytorch_model.bin.index.json"), b"{}")
SHARDED |= {f"model-0000{part}-of-00002.safetensors": CONTENT[:part] for part in (1, 2)}


@pytest.fixture
def weights(hub):
    """The address of the weights of a model on the hub."""
    hub.add_hub_repository("org/model", COMMIT, MODEL)
    return hub.answers[f"{hub.url}/org/model/resolve/{COMMIT}/model.safetensors"].headers["Location"]


def test_a_model_is_downloaded_once_and_without_pickled_weights(hub, weights, tmp_path):
    source = f"hub:org/model@{COMMIT}"
    folder = fetch(source, None, tmp_path)
    assert folder == locate(source, tmp_path)
    assert {file.name for file in folder.iterdir() if file.is_file()} == set(MODEL) - {"pytorch_model.bin"}
    assert (folder / "model.safetensors").read_bytes() == CONTENT
    fetch(source, None, tmp_path)
    assert hub.requests[f"GET {weights}"] == 1


def test_weights_in_several_files_are_downloaded_with_their_index(hub, tmp_path):
    hub.add_hub_repository("org/sharded", COMMIT, SHARDED)
    folder = fetch(f"hub:org/sharded@{COMMIT}", None, tmp_path)
    assert {file.name for file in folder.iterdir() if file.is_file()} == set(SHARDED) - {"pytorch_model.bin.index.json"}


def test_only_the_named_folder_of_a_dataset_is_downloaded(internet, tmp_path):
    """Through the proxy, as all clients download where the environment names one."""
    files = {"mrpc/train.parquet": b"1", "rte/train.parquet": b"2"}
    internet.add_hub_repository("datasets/nyu-mll/glue", COMMIT, files)
    folder = fetch(f"hub:datasets/nyu-mll/glue@{COMMIT}/mrpc", None, tmp_path)
    assert (folder / "train.parquet").read_bytes() == b"1"
    assert not list(tmp_path.rglob("rte"))


def test_incomplete_missing_and_mixed_files_of_the_hub_are_an_error(hub, weights, tmp_path):
    source = f"hub:org/model@{COMMIT}"
    hub.breaks[weights] = [1_000_000] + [0] * 20
    for wrong in (source, f"hub:org/other@{COMMIT}", "hub:org/model@nosuchrevision"):
        with pytest.raises(InputError, match=rf"{wrong}.*cannot be downloaded: \w+Error"):
            fetch(wrong, None, tmp_path)
    assert not list(tmp_path.rglob("model.safetensors"))
    hub.breaks[weights] = [1_000_000]
    hub.changes[weights] = CONTENT[::-1]  # the hub's client resumes with the rest of the new file
    problem = "downloaded files differ from the hub's checksums: model.safetensors\n  Remedy: run again"
    with pytest.raises(InputError, match=problem):
        fetch(source, None, tmp_path)
    hub.add(weights, CONTENT)
    assert (fetch(source, None, tmp_path) / "model.safetensors").read_bytes() == CONTENT


# gensim, NLTK and Stanza.


def test_gensim_downloads_word_vectors(internet, tmp_path):
    internet.add_gensim("tiny", b"gzipped vectors")
    path = fetch("gensim:tiny", digest(b"gzipped vectors"), tmp_path)
    assert path.read_bytes() == b"gzipped vectors"
    requests = internet.requests.total()
    assert fetch("gensim:tiny", None, tmp_path) == path
    assert internet.requests.total() == requests
    with pytest.raises(InputError, match="wrong content"):
        fetch("gensim:tiny", digest(b"x"), tmp_path)


def test_nltk_downloads_a_corpus(internet, tmp_path):
    """Through a proxy, which NLTK refuses by default."""
    address = internet.add_nltk("tiny_frames", zipped({"tiny_frames/frame/Motion.xml": b"<frame/>"}))
    folder = fetch("nltk:tiny_frames", None, tmp_path)
    assert (folder / "frame" / "Motion.xml").read_text() == "<frame/>"
    fetch("nltk:tiny_frames", None, tmp_path)
    assert internet.requests[f"GET {address}"] == 1
    assert not nltk.pathsec.ALLOW_PROXIED_FETCH
    with pytest.raises(InputError, match="nltk:gone"):
        fetch("nltk:gone", None, tmp_path)


def test_stanza_downloads_a_pipeline(internet, tmp_path):
    weights = {name: name.encode() for name in ("tokenize", "mwt", "pos", "lemma", "depparse")}
    resources = {
        "en": {
            "lang_name": "English",
            "packages": {"default": dict.fromkeys(weights, "small")},
            **{name: {"small": {"md5": hashlib.md5(content).hexdigest()}} for name, content in weights.items()},
        },
        "url": f"{HOST}/{{lang}}/{{resources_version}}/{{filename}}",
    }
    internet.add(f"{RAW}/stanfordnlp/stanza-resources/main/resources_9.9.json", json.dumps(resources).encode())
    for name, content in weights.items():
        internet.add(f"{HOST}/en/9.9/{name}/small.pt", content)
    folder = fetch("stanza:en@9.9", None, tmp_path)
    assert {path.parent.name: path.read_bytes() for path in folder.rglob("*.pt")} == weights
    internet.add(f"{HOST}/en/9.9/pos/small.pt", b"other")
    (folder / "en" / "pos" / "small.pt").unlink()
    with pytest.raises(InputError, match="stanza:en@9"):
        fetch("stanza:en@9.9", None, tmp_path)
