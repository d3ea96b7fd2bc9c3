"""Digests of a model's files: what they find later."""

import shutil

import pytest

from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.models.file_digests import DIGESTS, check_digests, write_digests


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", ".hidden"):
        (folder / name).write_text(f"content of {name}\n")
    write_digests(folder)
    return folder


def test_what_is_written_is_what_sha256sum_writes(folder):
    listed = "".join(f"{sha256(folder / name)}  {name}\n" for name in ("config.json", "model.safetensors"))
    assert (folder / DIGESTS).read_text() == listed


def test_an_unchanged_folder_passes_wherever_it_lies(folder, tmp_path):
    check_digests(folder)
    check_digests(shutil.copytree(folder, tmp_path / "elsewhere"))


def test_digests_written_anew_replace_the_old(folder):
    (folder / "config.json").write_text("{}")
    write_digests(folder)
    check_digests(folder)


def test_a_users_own_folder_has_none(folder):
    (folder / DIGESTS).unlink()
    (folder / "config.json").write_text("{}")
    check_digests(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_changed_or_missing_file_is_named_with_what_to_delete(folder, name):
    (folder / name).write_text("other content\n")
    with pytest.raises(
        InputError, match=rf"{name}: has changed .*\n  Remedy: delete the folder .*/model and run again"
    ):
        check_digests(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: is missing.*\n  Remedy: delete the folder .*/model and run again"):
        check_digests(folder)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: content.index(b"\n") + 1],  # cut between lines: the weights are not listed
        lambda content: content.replace(b"config", b"../config"),
        lambda content: b"\xff\x00" * 40,
    ],
)
def test_damaged_digests_pass_nothing(folder, damage):
    listing = folder / DIGESTS
    listing.write_bytes(damage(listing.read_bytes()))
    with pytest.raises(InputError, match="does not list the digests of all weights"):
        check_digests(folder)
