import os
from pathlib import Path

import pytest

from bert_attention.errors import InputError, nearest
from bert_attention.files import numbered_lines, replacing, replacing_folder, sha256, unfinished, visible_files


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def write():
        with replacing(path) as partial:
            partial.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
    assert path.read_text() == "old"


def test_a_finished_write_replaces_the_file_and_makes_its_folder(tmp_path):
    path = tmp_path / "new" / "table.csv"
    with replacing(path) as partial:
        partial.write_text("whole")
    assert [file.name for file in path.parent.iterdir()] == ["table.csv"]
    assert path.read_text() == "whole"


@pytest.fixture
def on_disk(monkeypatch):
    """Files whose content was written to disk, and files that got their names, in order of time."""
    events = []
    fsync, rename = os.fsync, Path.replace

    def noted_fsync(descriptor):
        events.append(("on disk", Path(f"/proc/self/fd/{descriptor}").readlink().name))
        fsync(descriptor)

    def noted_rename(old, new):
        events.append(("named", Path(new).name))
        return rename(old, new)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_rename)
    return events


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no way to tell which file a descriptor is of")
def test_what_is_written_is_on_disk_before_it_has_its_name(tmp_path, on_disk):
    with replacing(tmp_path / "table.csv") as partial:
        partial.write_text("whole")
    with replacing_folder(tmp_path / "model") as partial:
        (partial / "part").mkdir()
        (partial / "part" / "weights").touch()
    assert on_disk == [
        ("on disk", f".table.csv{unfinished()}"),
        ("named", "table.csv"),
        ("on disk", "weights"),
        ("named", "model"),
    ]


def test_processes_do_not_write_into_each_others_unfinished_files(tmp_path):
    with replacing(tmp_path / "table.csv") as partial, replacing_folder(tmp_path / "model") as folder:
        assert str(os.getpid()) in partial.name
        assert str(os.getpid()) in folder.name
        partial.touch()


def test_an_interrupted_folder_leaves_the_old_one_and_nothing_else(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old").touch()

    def write():
        with replacing_folder(tmp_path / "model") as partial:
            (partial / "new").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*")] == ["model", "model/old"]


def test_a_finished_folder_takes_the_place_of_the_old_one(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old").touch()
    with replacing_folder(tmp_path / "model") as partial:
        (partial / "new").touch()
    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*")] == ["model", "model/new"]


def test_sha256_of_a_known_text(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256(tmp_path / "abc").startswith("ba7816bf8f01cfea")


def test_a_file_that_is_not_utf8_is_named_with_line_and_byte(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("first\nzweit \xe4\n".encode("latin1"))
    with pytest.raises(InputError, match=r"latin1.txt, line 2: byte 0xe4 at column 7 is not UTF-8"):
        list(numbered_lines(path))


def test_windows_line_ends_are_dropped(tmp_path):
    (tmp_path / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    assert list(numbered_lines(tmp_path / "crlf.txt")) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize(("word", "found"), [("segmnts", "segments"), ("zzz", None)])
def test_nearest_word(word, found):
    assert nearest(word, ["segments", "seed", "spans"]) == found


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("one\n\ufefftwo\n", encoding="utf-8-sig")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "\ufefftwo")]


def test_hidden_files_are_not_read(tmp_path):
    """Nor are they watched: a change of one would go unnoticed (:mod:`bert_attention.running.source_contents`)."""
    for name in ("b.txt", "a.txt", "._a.txt", "c.md", "inner/d.txt", ".inner/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert visible_files(tmp_path, "*.txt") == [tmp_path / "a.txt", tmp_path / "b.txt"]
    assert visible_files(tmp_path, "**/*.txt") == [tmp_path / name for name in ("a.txt", "b.txt", "inner/d.txt")]
