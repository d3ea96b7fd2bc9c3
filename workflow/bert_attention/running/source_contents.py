"""Digests of the sources on this machine: jobs rerun if and only if the content of their sources changes.

Modification times are unreliable: a copy may keep an old time, a link may point to another file, and touching a file
does not change it. So a rule that reads a source carries a digest of its content as a parameter.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

from bert_attention.files import sha256, split_pattern, visible_files

# The files of a model that jobs read. Its folder may also hold checkpoints and optimizer states from training.
MODEL_FILES_READ = ("*.safetensors", "*.json", "*.txt", "*.spm", "*.model")


def content_digest(path: Path, names: Collection[str] = ()) -> str | None:
    """Return a digest of a file, or of the files of a folder or pattern and their names, or None if there are no files.

    Hidden files and folders are skipped. Patterns in ``names`` select files directly in the folder. Without patterns,
    all files count.
    """
    pattern = split_pattern(path)
    if pattern:
        path, files = pattern[0], visible_files(*pattern)
    else:
        files = [path] if path.is_file() else sorted(_files_in(path, names))
    lines = "".join(f"{sha256(file)}  {file.relative_to(path).as_posix()}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()[:16] if files else None


def _files_in(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """Yield the files of a folder and, without names, of its subfolders. Links are followed."""
    seen = set()
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [] if names or os.path.realpath(here) in seen else [name for name in folders if name[0] != "."]
        seen.add(os.path.realpath(here))
        for file in (Path(here, name) for name in files if name[0] != "."):
            if file.is_file() and (not names or any(fnmatch(file.name, pattern) for pattern in names)):
                yield file
