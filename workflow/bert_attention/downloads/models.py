"""Find the folder of a model that the user names by a folder or by a source."""

from __future__ import annotations

import re
from pathlib import Path

from bert_attention.downloads.clients import fetch
from bert_attention.downloads.sources import check_sha256, locate, parse_source, without_digests
from bert_attention.errors import InputError

_LONGEST_PATH = 1000  # characters
_WEIGHTS = "model.safetensors"
_NAME_ON_HUB = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")


def model_folder(model: Path | str, downloads: Path | str = "resources/downloads") -> Path:
    """Return the folder of a model that is given as a folder or as a source; download a remote source first.

    Raise InputError if the model does not exist, or its weights do not have the digest at the end of the source.
    """
    source = model_source(model)
    if source == f"path:{model}" and Path(model).is_dir():
        return Path(model)
    digest = parse_source(source).sha256
    if parse_source(source).is_remote:
        fetch(source, None, downloads)
    folder = locate(source, downloads)
    if digest and not (folder / _WEIGHTS).is_file():
        problem = f"has a sha256, which is of {_WEIGHTS}, but the model has no such file"
        raise InputError(f"source {without_digests(source)!r}", problem, "leave the digest out")
    check_sha256(folder / _WEIGHTS, digest)
    return folder


def model_source(model: Path | str) -> str:
    """Return the source of a model that is given as a folder or as a source; raise InputError if it is neither."""
    source = str(model)
    if not source or len(without_digests(source)) > _LONGEST_PATH:
        raise InputError(f"model {source[:40]!r}", "is neither a path nor a source", "give the folder of a model")
    # With digests, the name of a wheel's file is longer than a file system allows.
    if not source.startswith("wheel:") and Path(model).is_dir():
        return f"path:{source}"
    if _NAME_ON_HUB.fullmatch(source):
        remedy = f"give an existing folder, or hub:{source}@<revision> for the model on the Hugging Face hub"
        raise InputError(f"model {source}", "the folder does not exist", remedy)
    return source if ":" in source else f"path:{source}"
