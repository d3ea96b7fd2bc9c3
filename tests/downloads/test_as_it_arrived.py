"""Comparison of downloads with their manifests."""

import pytest

from bert_attention.downloads.sources import check_download, locate, obtain, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import MANIFEST, write_manifest

FOLDER = "hub:org/corpus@1"
INSIDE = "hub:datasets/org/corpora@1/b"
FILE = "https://host/text.txt"
FILES = {FOLDER: ("a.txt", "b/c.txt"), INSIDE: ("a.txt", "b/c.txt"), FILE: ("text.txt",)}


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """Folders of downloaded sources, by source."""
    monkeypatch.chdir(tmp_path)
    folders = {source: tmp_path / "resources" / "downloads" / parse_source(source).download_name for source in FILES}
    for source, folder in folders.items():
        for name in FILES[source]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
        write_manifest(folder)
        assert obtain(source, None) == locate(source)
    return folders


def test_only_the_part_of_a_download_that_a_source_names_is_compared(folders):
    (folders[INSIDE] / "a.txt").write_text("other")
    assert obtain(INSIDE, None) == locate(INSIDE)
    (folders[INSIDE] / "b" / "c.txt").write_text("other")
    check_download(INSIDE, contents=False)
    with pytest.raises(InputError, match=r"b/c.txt has changed: .*\n  Remedy: delete the folder resources/downloads/"):
        obtain(INSIDE, None)


def test_missing_and_added_files_are_found_without_reading_contents(folders):
    locate(FILE).unlink()
    (folders[FOLDER] / "new.txt").touch()
    for source, message in ((FILE, r"text.txt is missing, .*\n  Remedy: delete"), (FOLDER, r"new.txt was added")):
        with pytest.raises(InputError, match=message):
            check_download(source, contents=False)
    (folders[FOLDER] / MANIFEST).unlink()
    with pytest.raises(InputError, match="is not downloaded\n  Remedy: download it first"):
        obtain(FOLDER, None)
