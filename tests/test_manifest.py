"""A folder's manifest finds later changes."""

import shutil
import subprocess

import pytest

from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import MANIFEST, check_files, write_manifest

NAMES = ("config.json", "model.safetensors", "parts/a b.pt")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    for name in (*NAMES, ".hidden", ".cache/note"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"content of {name}\n")
    write_manifest(folder)
    return folder


def test_the_manifest_names_all_files_except_hidden_files(folder, tmp_path):
    assert (folder / MANIFEST).read_text() == "".join(f"{sha256(folder / name)}  {name}\n" for name in NAMES)
    check_files(shutil.copytree(folder, tmp_path / "elsewhere"))


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_sha256sum_reads_and_writes_manifests(folder):
    subprocess.run(["sha256sum", "--check", "--strict", MANIFEST], check=True, cwd=folder)
    written = subprocess.run(["sha256sum", "--binary", *NAMES], check=True, cwd=folder, capture_output=True).stdout
    (folder / MANIFEST).write_bytes(written)
    check_files(folder)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_names_a_changed_missing_or_added_file(folder, name):
    remedy = r"\n  Remedy: delete the folder .*/model and run again"
    (folder / name).write_text("other content\n")
    with pytest.raises(InputError, match=rf"/model: {name} has changed: its sha256 is \w+, .* says \w+{remedy}"):
        check_files(folder)
    (folder / name).rename(folder / "zzz")
    with pytest.raises(InputError, match=rf"/model: {name} is missing, .*{remedy}"):
        check_files(folder)
    write_manifest(folder)
    shutil.copyfile(folder / "zzz", folder / name)
    with pytest.raises(InputError, match=rf"/model: {name} was added: .*{remedy}"):
        check_files(folder)


def test_files_and_contents_that_are_not_read_can_change(folder):
    (folder / "model.safetensors").unlink()
    (folder / "config.json").write_text("{}")
    check_files(folder, lambda name: name == "config.json", contents=False)
    with pytest.raises(InputError, match=r"model.safetensors is missing"):
        check_files(folder, lambda name: name.startswith("model"), contents=False)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content.replace(b"config", b"../config"),
        lambda content: content.replace(b"  config", b" config"),
        lambda content: b"\xff\x00" * 40,
    ],
)
def test_a_damaged_manifest_is_an_error(folder, damage):
    manifest = folder / MANIFEST
    manifest.write_bytes(damage(manifest.read_bytes()))
    with pytest.raises(InputError, match=r"was added|is missing|is cut or damaged"):
        check_files(folder)


@pytest.mark.parametrize("name", ["caf\udce9.txt", "\udcff"])
def test_names_that_are_not_utf8_are_compared(tmp_path, name):
    (tmp_path / name).write_text("an owl")
    write_manifest(tmp_path)
    check_files(tmp_path)
    (tmp_path / name).write_text("an elk")
    with pytest.raises(InputError, match="has changed"):
        check_files(tmp_path)
