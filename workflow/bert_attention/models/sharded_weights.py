"""Weights in safetensors files: one file, or several files and the index that names them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.models.conversion import without_weights

WEIGHTS = "model.safetensors"
_INDEX = "model.safetensors.index.json"


def check_weight_files(folder: Path | str, source: str = "") -> None:
    """Check that a model has safetensors weights, and that its index, if any, names only files of its own folder.

    transformers opens any file that the index names, ``../`` included. ``source`` is the source of the model in the
    edition, if the folder is its download. Raise InputError if there are no safetensors weights, the file is no index,
    or the index names a file that is elsewhere, in another format, or missing.
    """
    if not has_weights(folder):
        raise without_weights(folder, [WEIGHTS], source)
    shards(folder)


def has_weights(folder: Path | str) -> bool:
    """Return True if a folder has safetensors weights, in one file or with an index."""
    return any((Path(folder) / name).is_file() for name in (WEIGHTS, _INDEX))


def shards(folder: Path | str) -> list[Path]:
    """Return the files that the index of a model's weights names, in order of their names; none without an index.

    The errors are those of :func:`check_weight_files`.
    """
    index = Path(folder) / _INDEX
    if not index.is_file():
        return []
    remedy = "download all files of the model again, or choose another revision"
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError(index, "is not an index of weights", remedy) from None
    for name in sorted(map(str, names)):
        if Path(name).name != name or "\\" in name or not name.endswith(".safetensors"):
            raise InputError(index, f"names {name!r}, which is not a safetensors file in this folder", remedy)
        if not (index.parent / name).is_file():
            raise InputError(index, f"names {name!r}, but the folder has no such file", remedy)
    return [index.parent / name for name in sorted(names)]


def merge_weights(files: Sequence[Path], merged: Path) -> None:
    """Write the weights of several safetensors files into one file, whose bytes depend only on the weights.

    Raise InputError if a file is damaged.
    """
    from safetensors import SafetensorError  # noqa: PLC0415 (torch takes seconds, and few models need it)
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    tensors = {}
    for file in files:
        try:
            tensors |= load_file(file)
        except SafetensorError as error:
            raise InputError(file, f"is damaged ({error})", "download the file again") from None
    save_file(tensors, merged, metadata={"format": "pt"})
