"""Shared parts of all jobs of the workflow: a log, a progress bar, and errors that a user can read."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tqdm import tqdm

from bert_attention.errors import InputError

logger = logging.getLogger("bert_attention")

# Set for jobs while the terminal shows one bar for the whole run. The jobs then write only to their logs.
PROGRESS_BAR_IS_SHOWN = "BERT_ATTENTION_PROGRESS_BAR"


def configure_logging(log: Path | str) -> None:
    """Log to a rule's log file, and to the terminal unless it shows one bar for the whole run.

    Uncaught errors are logged, too. Errors in the user's input have no traceback.
    """
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    in_file = logging.FileHandler(log, mode="w", encoding="utf-8")
    in_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handlers: list[logging.Handler] = [in_file]
    if PROGRESS_BAR_IS_SHOWN not in os.environ:
        on_terminal = logging.StreamHandler(sys.stderr)
        on_terminal.setFormatter(logging.Formatter("%(message)s"))
        handlers.append(on_terminal)
    logging.captureWarnings(True)
    logging.basicConfig(level=logging.INFO, handlers=handlers, force=True)
    logging.getLogger("gensim").setLevel(logging.WARNING)
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    sys.excepthook = _log_uncaught


# Remedies of operating-system errors that the user can fix.
_REMEDIES = {
    errno.EACCES: "get the permission, or name another file or folder",
    errno.EISDIR: "name a file, not a folder",
    errno.ENOTDIR: "name a folder, not a file",
    errno.ENOSPC: "free disk space, and run again",
    errno.EDQUOT: "free disk space, and run again",
    errno.EROFS: "run in a folder in which you can write",
}


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: object) -> None:
    if issubclass(kind, InputError):
        logger.error("%s", error)
    elif issubclass(kind, KeyboardInterrupt):
        logger.error("interrupted")
    elif isinstance(error, OSError) and error.errno in _REMEDIES:
        logger.error("%s: %s\n  Remedy: %s", error.filename or "a file", error.strerror, _REMEDIES[error.errno])
    else:
        logger.critical("uncaught error", exc_info=(kind, error, traceback))


def progress(items: Iterable, what: str, total: int | None = None) -> Iterator:
    """Yield the items, show a progress bar on a terminal, and log a line after the last item."""
    started = time.perf_counter()
    done = 0
    hidden = PROGRESS_BAR_IS_SHOWN in os.environ or not sys.stderr.isatty()
    bar = tqdm(items, desc=what, total=total, leave=False, disable=hidden, dynamic_ncols=True)
    for item in bar:
        yield item
        done += 1
    logger.info("%s: %d done in %.1f s", what, done, time.perf_counter() - started)


def library_function(name: str) -> Callable:
    """Import the library function that a rule names, such as ``bert_attention.papers.clark.entropy.entropy``."""
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(module), function)


def log_counts(title: str, counts: dict[str, int]) -> None:
    """Log the count of each reason for skipping items, the largest first. Reasons are plural nouns."""
    for reason, count in sorted(counts.items(), key=lambda item: -item[1]):
        logger.info("%s: %s (%d)", title, reason, count)
