"""Whether a download is still what arrived."""

import pytest

from bert_attention.downloads.sources import check_download, downloaded_path, locate, obtain, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import MANIFEST, write_manifest

FOLDER = "hub:org/corpus@1"
INSIDE = "hub:datasets/org/corpora@1/b"
FILE = "https://host/text.txt"


@pytest.fixture(autouse=True)
def downloads(tmp_path, monkeypatch):
    """Sources that were downloaded, where the workflow has them."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "resources" / "downloads"
    downloaded = {FOLDER: ("a.txt", "b/c.txt"), INSIDE: ("a.txt", "b/c.txt"), FILE: ("text.txt",)}
    for source, files in downloaded.items():
        place = folder / parse_source(source).download_name
        for name in files:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(name)
        write_manifest(place)
    return folder


@pytest.mark.parametrize("source", [FOLDER, INSIDE, FILE])
def test_what_is_as_it_arrived_is_taken(source):
    assert obtain(source, None) == locate(source)


def test_a_changed_file_is_named_with_what_to_delete(downloads):
    place = downloaded_path(parse_source(FOLDER), downloads)
    (place / "b" / "c.txt").write_text("other")
    check_download(FOLDER, contents=False)
    with pytest.raises(InputError, match=r"b/c.txt has changed: .*\n  Remedy: delete the folder resources/downloads/"):
        obtain(FOLDER, None)


def test_only_the_part_of_a_download_that_a_source_names_is_compared(downloads):
    place = downloads / parse_source(INSIDE).download_name
    (place / "a.txt").write_text("other")
    assert obtain(INSIDE, None) == locate(INSIDE)
    (place / "b" / "c.txt").write_text("other")
    with pytest.raises(InputError, match=r"b/c.txt has changed"):
        obtain(INSIDE, None)


def test_missing_and_added_files_show_without_reading_contents(downloads):
    locate(FILE).unlink()
    with pytest.raises(InputError, match=r"text.txt is missing, .*\n  Remedy: delete the folder resources/downloads/"):
        check_download(FILE, contents=False)
    (locate(FOLDER) / "new.txt").touch()
    with pytest.raises(InputError, match=r"new.txt was added"):
        check_download(FOLDER, contents=False)


def test_a_download_without_a_manifest_is_not_taken(downloads):
    (downloads / parse_source(FOLDER).download_name / MANIFEST).unlink()
    with pytest.raises(InputError, match="is not downloaded\n  Remedy: download it first"):
        obtain(FOLDER, None)
