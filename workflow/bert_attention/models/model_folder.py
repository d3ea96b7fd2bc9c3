"""Copying a model into a folder of standard form."""

from __future__ import annotations

import shutil
from pathlib import Path

from bert_attention.downloads.sources import check_sha256
from bert_attention.errors import InputError
from bert_attention.files import replacing
from bert_attention.models.families import family_of, read_config, segment_types

# The standard form of a model folder in ``resources/models``; other files of a source are not copied.
MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def copy_model(origin: Path | str, expected_sha256: str | None, folder: Path | str) -> None:
    """Copy a model into ``folder`` in standard form (``MODEL_FILES``), after checking its weights by hash.

    Raises
    ------
    InputError
        If a file is missing or the weights are not the pinned ones.
    """
    origin = Path(origin)
    missing = [name for name in MODEL_FILES if not (origin / name).is_file()]
    if missing:
        raise InputError(
            f"model {origin}",
            f"lacks {', '.join(missing)}",
            "give a folder in Hugging Face form, with safetensors weights and a fast tokenizer (tokenizer.json)",
        )
    check_sha256(origin / "model.safetensors", expected_sha256)
    for name in MODEL_FILES:
        with replacing(Path(folder) / name) as partial:
            shutil.copyfile(origin / name, partial)


def check_segment_types(folder: Path | str, stated: int) -> None:
    """Compare how many kinds of segment a model tells apart with what the edition states: papers differ in segment ids.

    Raises
    ------
    InputError
        If its config.json says otherwise, or names a family that is not supported.
    """
    config = read_config(folder)
    family_of(config, f"model {folder}")
    found = segment_types(config)
    if found != min(2, stated):
        raise InputError(
            f"model {folder}",
            f"tells {found} kind(s) of segment apart, but the edition says {stated}",
            f"set segment_types: {found} for this model in the edition",
        )
