"""Which processes are at work in a working directory: runs, and their jobs on this machine.

Each has a file that it keeps locked. The system frees the lock when the process ends, whatever ends it.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bert_attention.files import RUN, check_run_goes_on

# How the names of files begin that runs and jobs of this machine have, and the number of the process follows; and those
# of the GPUs that jobs have.
HERE = {kind: f"{kind}.{socket.gethostname()}-" for kind in ("run", "job", "gpu")}


def hold(file: Path, text: str) -> IO[str]:
    """Write and lock a file; the lock is kept until the stream is closed or the process ends.

    Where a file system has no locks, it stays unlocked.
    """
    stream = file.open("w", encoding="utf-8")
    with suppress(OSError):
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    stream.write(text)
    stream.flush()
    return stream


def is_held(file: Path) -> bool:
    """Whether a living process keeps a file locked."""
    try:
        with open(file, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def job_at_work(what: str) -> Iterator[Path | None]:
    """Let a later run know that this job is at work.

    Where a cluster does not hand on the environment, or a job does not see the run's folder, nobody is told.

    Yields
    ------
    Where the files of processes at work are, if the job sees it.

    Raises
    ------
    InputError
        If another run has begun before the job did.
    """
    run = Path(os.environ.get(RUN, ""))
    if RUN not in os.environ or not run.parent.is_dir():
        os.environ.pop(RUN, None)
        yield None
        return
    check_run_goes_on(what)
    file = run.parent / f"{HERE['job']}{os.getpid()}"
    with hold(file, f"{run.name}\n{what}"):
        try:
            yield run.parent
        finally:
            file.unlink(missing_ok=True)
