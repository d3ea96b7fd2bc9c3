"""Archives that are damaged, encrypted or too large."""

import struct
import zipfile
from types import SimpleNamespace

import pytest

from bert_attention.downloads import unpacking
from bert_attention.downloads.unpacking import unpack
from bert_attention.errors import InputError


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


def test_no_more_than_the_stated_size_is_unpacked(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    header = content.rindex(b"PK\x01\x02", 0, content.index(b"small.txt", content.index(b"PK\x01\x02")) - 46)
    content[header + 24 : header + 28] = struct.pack("<I", 10)
    archive.write_bytes(content)
    with pytest.raises(InputError, match=r"all.zip: is damaged or not a zip archive"):
        unpack(archive, "zeros.txt", tmp_path / "unpacked")
    assert all(file.stat().st_size <= 10 for file in tmp_path.rglob("zeros.txt"))


def test_an_encrypted_member_is_named(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(signature) + flags] |= 1
    archive.write_bytes(content)
    with pytest.raises(InputError, match=r"all.zip: cannot be unpacked \(.*encrypted"):
        unpack(archive, "small.txt", tmp_path / "unpacked")
