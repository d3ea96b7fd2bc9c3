"""Copying a model into a folder of standard form."""

from __future__ import annotations

import shutil
from pathlib import Path

from bert_attention.downloads.sources import check_sha256
from bert_attention.errors import InputError
from bert_attention.files import replacing

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
