"""What a run leaves behind that was killed: less of it by hanging up, and the rest cleared away by the next run."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_LOCKS = "*.output.lock"  # one for each run of Snakemake in a working directory


def end_on_hangup() -> None:
    """Let a closed terminal end this process as Ctrl-C does, by which Snakemake frees its lock; but not under nohup."""
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) == signal.SIG_DFL:
        with suppress(ValueError):  # not the main thread
            signal.signal(hangup, signal.default_int_handler)


def clear_leftovers(folders: Iterable[Path | str], locks: Path | str) -> list[Path]:
    """Remove unfinished files and folders below some folders, and return them, sorted.

    They have the names that :mod:`bert_attention.files` gives. Nothing is removed while several runs use the working
    directory, for such a file may then be somebody's work.

    Parameters
    ----------
    locks
        The folder of Snakemake's locks, one of which is this run's.
    """
    if len(list(Path(locks).glob(_LOCKS))) != 1:
        return []
    found = sorted(path for folder in folders for path in Path(folder).rglob(".*.partial"))
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return found
