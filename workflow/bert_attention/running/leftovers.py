"""What a run leaves behind that was killed: less by hanging up. The next run finds its jobs and clears its files."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from bert_attention.errors import InputError
from bert_attention.files import RUN
from bert_attention.running.at_work import HERE, hold, is_held


def end_on_hangup() -> None:
    """Let a closed terminal end this process as Ctrl-C does, by which Snakemake frees its lock; but not under nohup."""
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) == signal.SIG_DFL:
        with suppress(ValueError):  # not the main thread
            signal.signal(hangup, signal.default_int_handler)


def begin_run(folder: Path | str) -> IO[str]:
    """Make this process the run to which the jobs belong that it starts, and no more those of runs that were killed.

    Parameters
    ----------
    folder
        Where the files of processes at work are.

    Returns
    -------
    The file of this run, locked, which has to stay open.

    Raises
    ------
    InputError
        If jobs of a run that was killed are still at work on this machine.
    """
    folder = Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    alive = {file.name for file in folder.iterdir() if is_held(file)}
    orphans = {}
    for name in sorted(name for name in alive if name.startswith(HERE["job"])):
        run, _, what = (folder / name).read_text(encoding="utf-8").partition("\n")
        if what and run not in alive:
            orphans[name.removeprefix(HERE["job"])] = what
    if orphans:
        listed = "".join(f"\n  - process {process}: {what}" for process, what in orphans.items())
        problem = f"jobs of a run that was killed are still at work:{listed}"
        remedy = f"wait for them, or kill {' '.join(orphans)}; then run again"
        raise InputError("this working directory", problem, remedy)
    for file in folder.iterdir():
        if file.name not in alive:
            file.unlink(missing_ok=True)
    own = folder / f"{HERE['run']}{os.getpid()}"
    os.environ[RUN] = str(own)
    return hold(own, "")


def clear_leftovers(folders: Iterable[Path | str]) -> list[Path]:
    """Remove unfinished files and folders below some folders, and return them, sorted.

    They have the names that :mod:`bert_attention.files` gives. Nothing is removed while another run is at work here
    (Snakemake's option ``--nolock``), for such a file may then be somebody's work.
    """
    own = Path(os.environ[RUN])
    if any(is_held(run) for run in own.parent.glob("run.*") if run != own):
        return []
    found = sorted(path for folder in folders for path in Path(folder).rglob(".*.partial"))
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return found
