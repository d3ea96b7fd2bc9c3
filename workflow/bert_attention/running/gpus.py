"""The GPUs of this machine, and one GPU for each job. This module avoids the slow import of PyTorch."""

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

# Environment variable that restricts CUDA to some GPUs. Clusters set it.
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA can use here, by CUDA's names."""
    if _VISIBLE in os.environ:
        return [name for name in os.environ[_VISIBLE].split(",") if name.strip() not in ("", "-1", "NoDevFiles")]
    if shutil.which("nvidia-smi") is None:
        return []
    listing = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^GPU .*\(UUID: ([^)]+)\)", listing, flags=re.M)


def has_gpu() -> bool:
    """Return True if this machine has a GPU that the installed PyTorch was built for."""
    return not metadata.version("torch").endswith("+cpu") and bool(visible_gpus())


@contextmanager
def own_gpu(folder: Path | str | None) -> Iterator[None]:
    """Reserve a GPU that no other job of the working directory uses. If all GPUs are in use, share all of them.

    ``folder`` has the jobs' lock files, and is None if this job needs no GPU.
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
