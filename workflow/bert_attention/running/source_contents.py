"""What the sources on this machine hold, so that a change of content reruns what read it, and nothing else does.

Times of files do not tell: a copy may keep an old time, a link may point to another file, and whoever touches a file
does not change it. So a rule that reads a source carries a digest of its content as a parameter.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

from bert_attention.files import sha256

# The files of a model's folder that are read: not the checkpoints and states of optimisers that training leaves there.
MODEL_FILES_READ = ("*.safetensors", "*.json", "*.txt", "*.spm", "*.model")


def content_digest(place: Path, names: Collection[str] = ()) -> str | None:
    """Return a digest of a file, or of all files of a folder with their names; None if there is nothing.

    Hidden files and folders do not count.

    Parameters
    ----------
    names
        Patterns of names: only these files of a folder count, and none of its folders. Without any, all do.
    """
    files = [place] if place.is_file() else sorted(_files_of(place, names))
    lines = "".join(f"{sha256(file)}  {file.relative_to(place).as_posix()}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()[:16] if files else None


def _files_of(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """The files of a folder and of its folders, including those that links point to."""
    seen = set()
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [] if names or os.path.realpath(here) in seen else [name for name in folders if name[0] != "."]
        seen.add(os.path.realpath(here))
        for file in (Path(here, name) for name in files if name[0] != "."):
            if file.is_file() and (not names or any(fnmatch(file.name, pattern) for pattern in names)):
                yield file
