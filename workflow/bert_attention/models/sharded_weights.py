"""Weights that are spread over several files, and the index that names the files."""

from __future__ import annotations

import json
from pathlib import Path

from bert_attention.errors import InputError

_INDEX = "model.safetensors.index.json"


def check_weight_files(folder: Path | str) -> None:
    """Check that the index of a model's weights, if any, names only safetensors files in the model's own folder.

    transformers opens any file that the index names, ``../`` included.

    Raises
    ------
    InputError
        If the file is no index, or the index names a file that is elsewhere, in another format, or missing.
    """
    index = Path(folder) / _INDEX
    if not index.is_file():
        return
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
