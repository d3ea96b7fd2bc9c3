"""A folder's manifest finds later changes."""

import shutil
import subprocess

import pytest

from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import MANIFEST, check_files, write_manifest


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    for name in ("config.json", "model.safetensors", "parts/a b.pt", ".hidden", ".cache/note"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"content of {name}\n")
    write_manifest(folder)
    return folder


def test_all_files_are_named_but_hidden_ones(folder):
    names = ("config.json", "model.safetensors", "parts/a b.pt")
    assert (folder / MANIFEST).read_text() == "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_sha256sum_reads_a_manifest_and_writes_one(folder):
    subprocess.run(["sha256sum", "--check", "--strict", MANIFEST], check=True, cwd=folder)
    names = ["config.json", "model.safetensors", "parts/a b.pt"]
    written = subprocess.run(["sha256sum", "--binary", *names], check=True, cwd=folder, capture_output=True).stdout
    (folder / MANIFEST).write_bytes(written)
    check_files(folder)


def test_an_unchanged_folder_passes_wherever_it_lies(folder, tmp_path):
    check_files(folder)
    check_files(shutil.copytree(folder, tmp_path / "elsewhere"))


def test_a_manifest_written_anew_replaces_the_old(folder):
    (folder / "config.json").write_text("{}")
    write_manifest(folder)
    check_files(folder)


def test_a_users_own_folder_has_none(folder):
    (folder / MANIFEST).unlink()
    (folder / "config.json").write_text("{}")
    check_files(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "parts/a b.pt"])
def test_a_changed_a_missing_and_an_added_file_are_named_with_what_to_delete(folder, name):
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


def test_only_what_is_read_is_compared(folder):
    (folder / "model.safetensors").unlink()
    check_files(folder, lambda name: name.endswith(".json"))
    with pytest.raises(InputError, match=r"model.safetensors is missing"):
        check_files(folder, lambda name: name.startswith("model"))


def test_names_can_be_compared_without_contents(folder):
    (folder / "config.json").write_text("{}")
    check_files(folder, contents=False)
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config.json is missing"):
        check_files(folder, contents=False)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: content.index(b"\n") + 1],
        lambda content: content.replace(b"config", b"../config"),
        lambda content: content.replace(b"  config", b" config"),
        lambda content: b"\xff\x00" * 40,
    ],
)
def test_a_damaged_manifest_passes_nothing(folder, damage):
    manifest = folder / MANIFEST
    manifest.write_bytes(damage(manifest.read_bytes()))
    with pytest.raises(InputError, match=r"was added|is missing|is cut or damaged"):
        check_files(folder)
