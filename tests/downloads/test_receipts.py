"""Whether a download is still what arrived."""

import hashlib
import json

import pytest

from bert_attention.downloads.receipts import write_receipt
from bert_attention.downloads.sources import check_download, downloaded_path, locate, obtain, parse_source
from bert_attention.errors import InputError

FOLDER = "hub:org/corpus@1"
FILE = "https://host/text.txt"


def digest(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def downloads(tmp_path, monkeypatch):
    """Two sources that were downloaded, with their receipts, where the workflow has them."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "resources" / "downloads"
    for source, files in ((FOLDER, {"a.txt": b"abc", "b/c.txt": b"def"}), (FILE, {"": b"text"})):
        parsed = parse_source(source)
        place = downloaded_path(parsed, folder)
        for name, content in files.items():
            file = place / name if name else place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        write_receipt({source: place}, parsed.receipt(folder))
    return folder


@pytest.fixture
def place(downloads):
    return downloaded_path(parse_source(FOLDER), downloads)


def test_a_receipt_lists_every_file_with_its_digest(tmp_path):
    (tmp_path / "folder" / ".cache").mkdir(parents=True)
    (tmp_path / "folder" / ".cache" / "note").touch()
    (tmp_path / "folder" / "a.txt").write_bytes(b"abc")
    (tmp_path / "text.txt").write_bytes(b"text")
    write_receipt({"file": tmp_path / "text.txt", "folder": tmp_path / "folder"}, tmp_path / "receipt.json")
    assert json.loads((tmp_path / "receipt.json").read_text()) == {
        "file": [{"file": "text.txt", "bytes": 4, "sha256": digest(b"text")}],
        "folder": [{"file": "a.txt", "bytes": 3, "sha256": digest(b"abc")}],
    }


@pytest.mark.parametrize("source", [FOLDER, FILE])
def test_what_is_as_it_arrived_is_taken(downloads, source):
    assert obtain(source, None) == locate(source)
    check_download(source)


def test_a_changed_file_is_named_with_what_to_delete(downloads, place):
    (place / "a.txt").write_bytes(b"abd")
    check_download(FOLDER, digests=False)
    with pytest.raises(InputError, match=r"is not what was downloaded to .*: a.txt has changed") as caught:
        obtain(FOLDER, None)
    assert f"delete {parse_source(FOLDER).receipt('resources/downloads')} and " in caught.value.remedy


def test_missing_and_added_files_and_other_sizes_show_without_reading_contents(downloads, place):
    (place / "a.txt").write_bytes(b"longer")
    (place / "b" / "c.txt").unlink()
    (place / "new.txt").touch()
    with pytest.raises(InputError, match=r"b/c.txt is missing, new.txt was added, a.txt has changed"):
        check_download(FOLDER, digests=False)


def test_a_missing_download_with_a_receipt_says_to_delete_the_receipt(downloads):
    locate(FILE).unlink()
    receipt = parse_source(FILE).receipt("resources/downloads")
    with pytest.raises(InputError, match=f"text.txt does not exist\n  Remedy: delete {receipt} and run again"):
        obtain(FILE, None)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"other": []}', '{"hub:org/corpus@1": [{"file": "a.txt"}]}', "[" * 9999]
)
def test_a_garbled_receipt_is_named(downloads, content):
    receipt = parse_source(FOLDER).receipt("resources/downloads")
    receipt.write_text(content)
    with pytest.raises(InputError, match=rf"{receipt}: is not a whole receipt of 'hub:org/corpus@1'\n.*rm {receipt}"):
        obtain(FOLDER, None)


def test_a_download_without_a_receipt_is_not_taken(downloads):
    parse_source(FOLDER).receipt(downloads).unlink()
    with pytest.raises(InputError, match="is not downloaded\n  Remedy: download it first: snakemake downloads"):
        obtain(FOLDER, None)
