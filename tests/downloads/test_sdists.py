"""Files of sdists from a package index on this machine."""

import gzip
import hashlib
import io
import sys
import tarfile

import pytest

from bert_attention.downloads.clients import fetch, unreachable_host
from bert_attention.downloads.sources import locate, obtain, parse_source
from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import write_manifest
from tests.downloads.conftest import files_below

# A build tool of the sdist's own, so that pip needs no other package to read the metadata.
BACKEND = """
from pathlib import Path

def prepare_metadata_for_build_wheel(folder, settings=None):
    info = Path(folder, "ratings-1.0.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: ratings\\nVersion: 1.0\\n")
    return info.name
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
INNER = "sdist:ratings@1.0!data/inner.tar.gz!inner/ratings.txt"


def archive_of(files):
    """Pack the files; the archive states no time, so that each process that runs tests has the same digest."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return gzip.compress(content.getvalue(), mtime=0)


SDIST = archive_of(
    {
        "ratings-1.0/PKG-INFO": b"Metadata-Version: 2.1\nName: ratings\nVersion: 1.0\n",
        "ratings-1.0/pyproject.toml": PROJECT.encode(),
        "ratings-1.0/backend.py": BACKEND.encode(),
        "ratings-1.0/data/inner.tar.gz": archive_of({"inner/ratings.txt": b"1\t2.5\tgood\n", "inner/other.txt": b""}),
        "ratings-1.0/README.txt": b"about",
    }
)
DIGEST = hashlib.sha256(SDIST).hexdigest()


@pytest.fixture
def index(publish):
    """Package index with one sdist; returns the address of the sdist."""
    return publish("ratings", "ratings-1.0.tar.gz", SDIST)


def test_each_file_of_an_sdist_is_downloaded_once(internet, index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    downloads = "resources/downloads"
    files = {INNER: "data/inner.tar.gz!/inner/ratings.txt", "sdist:ratings@1.0!README.txt": "README.txt"}
    for source, member in files.items():
        folder = tmp_path / downloads / parse_source(source).download_name
        fetch(source, DIGEST, downloads)
        assert files_below(folder) == ["sdist.tar.gz", f"unpacked/{member}"]
    assert internet.requests[f"GET {index}"] == 2
    internet.answers.clear()
    assert fetch(INNER, DIGEST, downloads).read_text() == "1\t2.5\tgood\n"
    folder = tmp_path / downloads / parse_source(INNER).download_name
    write_manifest(folder)
    assert obtain(INNER, DIGEST) == fetch(INNER, DIGEST, downloads) == locate(INNER)
    assert sha256(folder / "sdist.tar.gz") == DIGEST
    with pytest.raises(InputError, match=r"sdist.tar.gz: has the wrong content"):
        obtain(INNER, "0" * 64)


@pytest.mark.parametrize(
    ("source", "digest", "message"),
    [
        (INNER, "0" * 64, rf"ratings 1.0: the package index sent a file with sha256 {DIGEST}, but"),
        (INNER, None, r"has no sha256 digest\n  Remedy: write sha256:<digest of the sdist>"),
        ("sdist:ratings@2.0!a.txt", DIGEST, r"ratings 2.0: the package index does not have it.*\n  Remedy: check"),
    ],
)
def test_an_sdist_that_the_index_lacks_is_an_error(index, tmp_path, source, digest, message):
    with pytest.raises(InputError, match=message):
        fetch(source, digest, tmp_path)
    assert not files_below(tmp_path)


def test_an_unreachable_index_is_an_error(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert unreachable_host(INNER) is None  # only pip knows its indexes
    with pytest.raises(InputError, match="the package index does not have it, or cannot be reached"):
        fetch(INNER, DIGEST, tmp_path)


def test_the_error_names_a_python_without_pip(python_that_fails, tmp_path):
    python = python_that_fails(f"{sys.executable}: No module named pip")
    with pytest.raises(InputError, match=rf"{python} has no pip\n  Remedy: run {python} -m ensurepip"):
        fetch(INNER, DIGEST, tmp_path / "downloads")


def test_the_error_names_files_that_the_sdist_lacks(index, tmp_path):
    problems = {
        "none.txt": "has no member 'ratings-1.0/none.txt'",
        "data": "ratings-1.0/data is a folder, not a file",
        "data/inner.tar.gz!inner/none.txt": "has no member 'inner/none.txt'",
        "README.txt!a.txt": r"is damaged or not a zip or tar archive \(.*\)",
    }
    for file, problem in problems.items():
        archive = "".join(f"{name} of " for name in file.split("!")[:-1])
        with pytest.raises(
            InputError, match=rf"^{archive}the sdist of ratings 1.0: {problem}\n  Remedy: correct the part"
        ):
            fetch(f"sdist:ratings@1.0!{file}", DIGEST, tmp_path)
    assert {name.rpartition("/")[2] for name in files_below(tmp_path)} == {"sdist.tar.gz"}
