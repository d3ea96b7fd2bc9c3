"""The GPUs of this machine: whether there is one, and one for each job. Nothing here waits for PyTorch to load."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

# By which CUDA finds the GPUs that it may use; clusters set it.
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def visible_gpus() -> list[str]:
    """The GPUs that may be used here, as CUDA names them."""
    if _VISIBLE in os.environ:
        return [name for name in os.environ[_VISIBLE].split(",") if name.strip() not in ("", "-1", "NoDevFiles")]
    if shutil.which("nvidia-smi") is None:
        return []
    told = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^GPU .*\(UUID: ([^)]+)\)", told, flags=re.M)


def has_gpu() -> bool:
    """Whether this machine has a GPU that the installed PyTorch was built for."""
    return not metadata.version("torch").endswith("+cpu") and bool(visible_gpus())


@contextmanager
def own_gpu(folder: Path | str | None) -> Iterator[None]:
    """Give this process one of several GPUs, which no other job of the working directory has; any, if all have one.

    Parameters
    ----------
    folder
        Where jobs lock the GPUs that they have; None if this one needs none.
    """
    gpus = visible_gpus() if folder else []
    if len(gpus) < 2:
        yield
        return
    for gpu in gpus:
        with open(Path(folder, f"gpu.{socket.gethostname()}-{gpu.replace('/', '_')}"), "w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            os.environ[_VISIBLE] = gpu
            yield
            return
    yield
