"""What the sources on this machine hold, so that a change of content reruns what read it, and nothing else does.

Times of files do not tell: a copy may keep an old time, a link may point to another file, and whoever touches a file
does not change it. So a rule that reads a source carries a digest of its content as a parameter. Digests are remembered
with the state of their files: gigabytes of weights are read once, and after that asked for their state.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

from bert_attention.files import sha256
from bert_attention.running.file_memory import FileMemory

# What counts of a model's folder: not the checkpoints and states of optimisers that training leaves beside it.
MODEL_FILES_READ = ("*.safetensors", "*.json", "*.txt", "*.spm", "*.model")


class SourceContents:
    """Digests of files and folders, each file read once for each of its states."""

    def __init__(self, memory: Path | str | None = None):
        """Start with what an earlier process remembered in a file, if one is named."""
        self._memory = FileMemory(sha256, memory)

    def digest(self, place: Path | str, names: Collection[str] = ()) -> str | None:
        """A digest of a file, or of all files of a folder with their names; None if there is nothing.

        Hidden files and folders do not count.

        Parameters
        ----------
        names
            Patterns of names: of a folder, only these files count, and none of its folders. Without any, all do.
        """
        place = Path(place).expanduser()
        files = [place] if place.is_file() else sorted(_files_of(place, names))
        contents = [(file.relative_to(place).as_posix(), self._memory.of(file)) for file in files]
        self._memory.keep()
        return hashlib.sha256(json.dumps(contents).encode()).hexdigest()[:16] if files else None


def _files_of(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """The files of a folder and of its folders, those that links point to included."""
    seen = set()
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [] if names or os.path.realpath(here) in seen else [name for name in folders if name[0] != "."]
        seen.add(os.path.realpath(here))
        for file in (Path(here, name) for name in files if name[0] != "."):
            if file.is_file() and (not names or any(fnmatch(file.name, pattern) for pattern in names)):
                yield file
