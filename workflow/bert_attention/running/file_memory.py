"""What was found out of files, kept for later processes: a file is read again only when it has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bert_attention.files import replacing


class FileMemory:
    """What a function finds in files, once for each of their states."""

    def __init__(self, find: Callable[[Path], Any], memory: Path | str | None):
        """Start with what an earlier process kept in a file; one that is damaged or not there is passed over.

        Parameters
        ----------
        find
            What it returns is kept as JSON.
        memory
            The file; None if nothing is to be kept.
        """
        self._find, self._memory = find, memory and Path(memory)
        self._known: dict[str, tuple[list[int], Any]] = {}
        self._has_news = False
        with suppress(OSError, ValueError, TypeError, AttributeError):
            kept = json.loads(self._memory.read_text(encoding="utf-8"))
            self._known = {name: (state, found) for name, (state, found) in kept.items()}

    def of(self, file: Path) -> Any:
        """What the function finds in a file as it is now."""
        name, state = str(file.absolute()), _state_of(file)
        if name not in self._known or self._known[name][0] != state:
            self._known[name] = (state, self._find(file))
            self._has_news = True
        return self._known[name][1]

    def keep(self) -> None:
        """Write what is known for later processes. Where that is not possible, they read again."""
        if self._has_news and self._memory:
            self._has_news = False
            with suppress(OSError), replacing(self._memory) as partial:
                partial.write_text(json.dumps(self._known), encoding="utf-8")


def _state_of(file: Path) -> list[int]:
    """What changes whenever a file's content does: size, times and number of the file.

    The time of the last change of the file's entry cannot be set by a program.
    """
    status = file.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
