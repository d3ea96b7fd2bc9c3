"""Where models and corpora come from, and where each is on this machine.

==============================================  =======================================================================
``package:<distribution>/<path>``               a file or folder inside an installed Python package
``path:<file or folder>``                       on this machine
``miniature:``, ``trained:``, ``counted:``      made by the workflow; the rules know where
``https://.../<file>[!<member>]``               downloaded; a member (file or folder) of a zip archive
``hub:<repository>@<revision>[/<folder>]``      downloaded from the Hugging Face hub; ``datasets/...`` for a dataset
``gensim:<name>``                               word vectors, downloaded by gensim
``nltk:<name>``                                 a corpus, downloaded by NLTK
``stanza:<language>@<resources version>``       a pipeline, downloaded by Stanza
==============================================  =======================================================================
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath

from bert_attention.errors import InputError
from bert_attention.files import sha256
from bert_attention.manifest import MANIFEST, check_files

_LOCAL = ("package", "path", "miniature", "trained", "counted")
_REMOTE = ("https", "http", "hub", "gensim", "nltk", "stanza")
_HOW_TO_DOWNLOAD = "download it first: snakemake downloads"
_READABLE = 100  # characters of a source in the name of its download; file systems allow 255

_FILE_ON_A_SERVER = re.compile(r"//[^/!]+/(?:[^!]*/)?[^/!]+(?:!.*[^/])?")
_HUB = re.compile(r"(?P<repository>[^@]+)@(?P<revision>[^/]+)(?:/(?P<folder>.+))?")


@dataclass(frozen=True)
class Source:
    """A source as written in an edition, split into its parts."""

    text: str
    scheme: str
    place: str

    @property
    def is_remote(self) -> bool:
        """Whether it must be downloaded."""
        return self.scheme in _REMOTE

    @property
    def download_name(self) -> str:
        """A unique name for its download; members of one archive share it."""
        fetched = self.text.partition("!")[0]
        readable = re.sub(r"[^\w.@-]+", "_", fetched)[-_READABLE:]
        return f"{readable}-{hashlib.sha256(fetched.encode()).hexdigest()[:8]}"

    @property
    def hub_parts(self) -> tuple[str, str, str]:
        """Repository, revision and folder (may be empty) of a source on the hub."""
        match = _HUB.fullmatch(self.place)
        return match["repository"], match["revision"], match["folder"] or ""


def parse_source(text: str) -> Source:
    """Split a source into its parts.

    Raises
    ------
    InputError
        If its scheme is unknown or its form is wrong.
    """
    scheme, _, place = text.partition(":")
    if scheme not in (*_LOCAL, *_REMOTE) or not place:
        remedy = f"write one of {':, '.join((*_LOCAL, *_REMOTE))}:, see config.yaml"
        raise InputError(f"source {text!r}", "has no known scheme", remedy)
    if scheme not in ("path", "miniature") and ".." in re.split(r"[/!\\]", place):
        raise InputError(f"source {text!r}", "leads out of its folder by ..", "write the path without ..")
    if scheme == "package" and not all(place.partition("/")):
        raise InputError(f"source {text!r}", "names no file", "write package:<distribution>/<path inside it>")
    if scheme in ("https", "http") and not _FILE_ON_A_SERVER.fullmatch(place):
        raise InputError(f"source {text!r}", "names no file", f"write {scheme}://<host>/<file>[!<member>]")
    if scheme == "hub" and not _HUB.fullmatch(place):
        raise InputError(f"source {text!r}", "has no revision", "write hub:<repository>@<revision>, a pinned commit")
    if scheme == "stanza" and "@" not in place:
        raise InputError(f"source {text!r}", "has no version", "write stanza:<language>@<resources version>")
    return Source(text, scheme, place)


def entries_with_sources(
    settings: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Mapping]]:
    """Every entry with a source in an edition or a part of one, with the keys on the way to it.

    Entries of lists go by their names, or else by their places.
    """
    if isinstance(settings, Mapping) and "source" in settings:
        yield path, settings
    elif isinstance(settings, Mapping):
        for key, part in settings.items():
            yield from entries_with_sources(part, (*path, key))
    elif isinstance(settings, list):
        for place, part in enumerate(settings):
            key = part.get("name", place) if isinstance(part, Mapping) else place
            yield from entries_with_sources(part, (*path, key))


def locate(text: str, downloads: Path | str = "resources/downloads") -> Path:
    """Find the file or folder that a source names, without importing any package or using the network.

    Parameters
    ----------
    downloads
        The folder into which :func:`bert_attention.downloads.clients.fetch` downloads.

    Raises
    ------
    InputError
        If the source cannot be parsed, the package is not installed, the path does not exist or cannot be read, or the
        source is not yet downloaded.
    """
    source = parse_source(text)
    if source.scheme == "package":
        path = _in_package(source)
    elif source.scheme == "path":
        path = _on_this_machine(source)
    else:
        path = downloaded_path(source, Path(downloads))
    problem = _unreadable(path)
    if problem:
        remedy = _HOW_TO_DOWNLOAD if source.is_remote else "correct the path, or what it leads to"
        raise InputError(f"source {text!r}", f"{path} {problem}", remedy)
    return path


def _unreadable(path: Path) -> str | None:
    """What is wrong with a path from which a file or folder is to be read; None if nothing is."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "does not exist"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would be waited for
        return "is neither a file nor a folder"
    return None if os.access(path, os.R_OK) else "cannot be read (Permission denied)"


def check_download(text: str, downloads: Path | str = "resources/downloads", *, contents: bool = True) -> None:
    """Compare a remote source that was downloaded with the manifest of its download.

    Parameters
    ----------
    contents
        As in :func:`bert_attention.manifest.check_files`.

    Raises
    ------
    InputError
        If it is not or only partly downloaded, or files are missing, were added or have changed.
    """
    source = parse_source(text)
    folder = Path(downloads) / source.download_name
    if not (folder / MANIFEST).is_file():
        raise InputError(f"source {text!r}", "is not downloaded", _HOW_TO_DOWNLOAD)
    place = downloaded_path(source, Path(downloads)).relative_to(folder)
    check_files(folder, lambda name: PurePosixPath(name).is_relative_to(place), contents=contents)


def _in_package(source: Source) -> Path:
    distribution, _, inside = source.place.partition("/")
    try:
        return Path(str(metadata.distribution(distribution).locate_file(inside)))
    except metadata.PackageNotFoundError:
        raise InputError(
            f"source {source.text!r}",
            f"the Python package {distribution} is not installed here",
            f"pip install {distribution}",
        ) from None


def _on_this_machine(source: Source) -> Path:
    try:
        return Path(source.place).expanduser()
    except RuntimeError:
        problem = "begins with the home of a user whom this machine does not know"
        raise InputError(f"source {source.text!r}", problem, "correct the path") from None


def downloaded_path(source: Source, downloads: Path) -> Path:
    """Where a remote source is once it is downloaded: in ``downloads / source.download_name``."""
    folder = downloads / source.download_name
    if source.scheme in ("https", "http"):
        url, _, member = source.text.partition("!")
        return folder / "unpacked" / member if member else folder / url.rpartition("/")[2]
    if source.scheme == "hub":
        return folder / source.hub_parts[2]
    if source.scheme == "gensim":
        return folder / source.place / f"{source.place}.gz"
    if source.scheme == "nltk":
        return folder / "corpora" / source.place
    return folder


def check_sha256(path: Path | str, expected: str | None) -> None:
    """Compare a file with its pinned digest; None pins nothing.

    Raises
    ------
    InputError
        If the file's digest differs.
    """
    if expected is None:
        return
    found = sha256(path)
    if found != expected:
        raise InputError(
            path,
            f"has the wrong content: sha256 {found}, but the edition pins {expected}",
            "install or download the file again; if the change is intended, correct `sha256` in the edition",
        )


def obtain(source: str, sha256: str | None, *, is_model: bool = False) -> Path:
    """Find the file or folder that a source names (see :func:`locate`), and check a file's digest.

    A download must also be as it arrived.

    Parameters
    ----------
    is_model
        Whether it is a model or pipeline: what loads it compares its files, so that they are read for it but once.

    Raises
    ------
    InputError
        As in :func:`locate`, :func:`check_download` and :func:`check_sha256`. Also if a digest is given for a folder.
    """
    if parse_source(source).is_remote:
        check_download(source, contents=not is_model)
    path = locate(source)
    if not path.is_dir():
        check_sha256(path, sha256)
    elif sha256:
        raise InputError(f"source {source!r}", "is a folder, which has no sha256", "set its sha256 to null")
    return path
