"""Archives that are damaged, encrypted or too large."""

import io
import re
import struct
import tarfile
import zipfile
from types import SimpleNamespace

import pytest

from bert_attention.downloads import unpacking
from bert_attention.downloads.unpacking import unpack
from bert_attention.errors import InputError
from tests.rehearsal.corpora import zipped


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as content:
        content.writestr("zeros.txt", bytes(1_000_000))
        content.writestr("small.txt", "1")
    return path


@pytest.mark.parametrize(
    ("maximum", "free", "problem"),
    [
        (500_000, 10**9, "unpacks to 1 files of 0.0 GB; the maximum is"),
        (10**9, 1, "unpacks to 0.0 GB, but only 0.0 GB of disk space are free"),
    ],
)
def test_too_large_members_are_not_unpacked(archive, tmp_path, monkeypatch, maximum, free, problem):
    monkeypatch.setattr(unpacking, "LARGEST_UNPACKED", maximum)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(InputError, match=rf"all.zip: {problem}"):
        unpack(archive, "zeros.txt", tmp_path / "unpacked")
    assert not list(tmp_path.rglob("zeros.txt"))


def test_unpacking_stops_at_the_stated_size(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    header = content.rindex(b"PK\x01\x02", 0, content.index(b"small.txt", content.index(b"PK\x01\x02")) - 46)
    content[header + 24 : header + 28] = struct.pack("<I", 10)
    archive.write_bytes(content)
    with pytest.raises(InputError, match=r"all.zip: is damaged or not a zip or tar archive"):
        unpack(archive, "zeros.txt", tmp_path / "unpacked")
    assert all(file.stat().st_size <= 10 for file in tmp_path.rglob("zeros.txt"))


def tar_of(names, kind=tarfile.REGTYPE):
    """A tar archive of empty files; the last entry is of a kind."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = (kind if name == names[-1] else tarfile.REGTYPE), "/etc/passwd"
            archive.addfile(entry, io.BytesIO())
    return written.getvalue()


OUTSIDE = ("model/../../evil", "model/..", "model\\..\\..\\evil")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        *((zipped({"model/a": b"", name: b""}), f"has the file {name!r}, which would be") for name in OUTSIDE),
        *((tar_of(["model/a", name]), f"has the file {name!r}, which would be") for name in OUTSIDE),
        (tar_of(["model/a", "/evil"]), "has the file '/evil', which would be"),
        (tar_of(["model/a", "model/b"], tarfile.SYMTYPE), "has the link or device 'model/b', and only files are"),
        (tar_of(["model/a", "model/b"], tarfile.CHRTYPE), "has the link or device 'model/b'"),
        (tar_of(["model/a", "model/b"])[:-20], "is damaged or not a zip or tar archive"),
        (zipped({"model/a": b""})[:-20], "is damaged or not a zip or tar archive"),
        (b"no archive", "is damaged or not a zip or tar archive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_nothing_of_an_unsafe_or_damaged_archive_is_unpacked(tmp_path, content, problem):
    path = tmp_path / "model.tar.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"model.tar.gz: {re.escape(problem)}.*\n  Remedy: (unpack|delete)"):
        unpack(path, ".", tmp_path / "unpacked")
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and file != path]


def test_the_error_names_an_encrypted_member(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(signature) + flags] |= 1
    archive.write_bytes(content)
    with pytest.raises(InputError, match=r"all.zip: cannot be unpacked \(.*encrypted"):
        unpack(archive, "small.txt", tmp_path / "unpacked")


TEXT = b"".join(b"A sentence about owl number %d.\n" % number for number in range(2000))


def tar_of(mode, *names):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(TEXT)
            archive.addfile(entry, io.BytesIO(TEXT))
    return bytearray(content.getvalue())


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_damaged_archive_is_an_error_or_unpacked_right(tmp_path, mode):
    archive, intact = tmp_path / "a.tar", tar_of(mode, "a.txt")
    for number in range(0, len(intact), len(intact) // 40):
        damaged = intact.copy()
        damaged[number] ^= 1 << number % 8
        archive.write_bytes(damaged)
        try:
            unpack(archive, "a.txt", tmp_path / str(number))
        except InputError as error:
            assert "is damaged or not a zip or tar archive" in error.problem
            assert "not a zip file" not in error.problem
        else:
            assert (tmp_path / str(number) / "a.txt").read_bytes() == TEXT


@pytest.mark.parametrize("damage", ["cut", "header"])
def test_a_damaged_entry_of_a_tar_archive_hides_no_other(tmp_path, damage):
    content = tar_of("w", "a.txt", "b.txt")
    second = content.index(b"b.txt")
    archive = tmp_path / "a.tar"
    archive.write_bytes(content[:second] if damage == "cut" else content.replace(b"b.txt", b"c.txt"))
    with pytest.raises(InputError, match=r"is damaged or not .* \((the archive has no end|an entry is damaged)\)"):
        unpack(archive, ".", tmp_path / "unpacked")


@pytest.mark.parametrize("damage", [b"\xff", b"\xd1"])
def test_a_name_of_a_zip_archive_that_is_not_utf8_is_an_input_error(tmp_path, damage):
    content = zipped({"é.txt": TEXT})
    for place in (content.index("é".encode()), content.rindex("é".encode())):  # at the file, and in the list of files
        (tmp_path / "a.zip").write_bytes(content[:place] + damage + content[place + 1 :])
        with pytest.raises(InputError, match="is damaged or not a zip or tar archive"):
            unpack(tmp_path / "a.zip", ".", tmp_path / "unpacked")


@pytest.mark.parametrize("names", [("d", "d/a"), ("a" * 300,), ("a\nb",)])
def test_impossible_names_are_an_input_error(tmp_path, names):
    archive = tmp_path / "a.tar"
    archive.write_bytes(tar_of("w", *names))
    with pytest.raises(InputError, match="whose name is too long, not printable or also a folder's"):
        unpack(archive, ".", tmp_path / "unpacked")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as content:
        content.writestr(zipfile.ZipInfo(""), "1")
    with pytest.raises(InputError):
        unpack(tmp_path / "a.zip", ".", tmp_path / "unpacked")
