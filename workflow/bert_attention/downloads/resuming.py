"""Downloading one file from a plain web server: continued where it broke off, and never taken as whole when it is not.

RFC 9110 has the rules: ``Range`` and ``If-Range`` in sections 13.1.5 and 14, the two kinds of validator in 8.8.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import requests

_ATTEMPTS = 4  # at one file, each continuing where the last one stopped
_CHUNK = 1 << 16  # bytes; an unfinished chunk is lost when the server hangs up

_PART = re.compile(r"bytes (?P<start>\d+)-\d+/(?P<whole>\d+|\*)")
_NO_PART = re.compile(r"bytes \*/(?P<whole>\d+)")


@dataclass(frozen=True)
class Begun:
    """What a server said of the file whose beginning has arrived.

    ``version`` is its ETag or the time of its last change, ``whole`` its length in bytes.
    """

    version: str
    whole: int


def resuming_download(url: str, output_file: str | Path, _pooch: object) -> None:
    """A downloader for pooch that continues where an earlier attempt stopped, even one in an earlier run.

    Until the file is whole, what has arrived is in ``<file>.part`` beside it, and what the server said of the file in
    ``<file>.part.json``. The beginning of a file that has changed since, or that cannot be told from a changed one, is
    dropped.

    Raises
    ------
    OSError
        If the server answers with an error, stops before the end at every attempt, contradicts itself, or does not say
        where the file ends.
    """
    part = Path(output_file).parent / f"{url.rpartition('/')[2]}.part"
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            _fetch_rest(url, part)
            break
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError, requests.Timeout):
            if attempt == _ATTEMPTS:
                raise
    shutil.move(part, output_file)
    _note(part).unlink(missing_ok=True)


def _fetch_rest(url: str, part: Path) -> None:
    """Fetch what is missing of a file; a ``requests.ConnectionError`` says that it is worth another attempt."""
    begun = _begun(part)
    arrived = part.stat().st_size if begun else 0
    # Offsets count the bytes that are kept: a server that compresses would count others.
    headers = {"Accept-Encoding": "identity"}
    if begun:
        headers |= {"Range": f"bytes={arrived}-", "If-Range": begun.version}
    with requests.get(url, stream=True, timeout=60, headers=headers) as answer:
        if begun and answer.status_code == requests.codes.requested_range_not_satisfiable:
            ends_there = _NO_PART.fullmatch(answer.headers.get("Content-Range", ""))
            if ends_there and int(ends_there["whole"]) == arrived:
                return
            raise _dropped(part, f"{url} does not go on at byte {arrived}")
        answer.raise_for_status()
        if answer.status_code == requests.codes.partial_content:
            if not begun or not _goes_on(answer, arrived, begun):
                raise _dropped(part, f"{url} is sent from another place than asked for")
            mode, whole = "ab", begun.whole
        else:
            mode, whole = "wb", _length(answer)
            _write_note(part, answer, whole)
        with open(part, mode) as file:
            for chunk in answer.iter_content(_CHUNK):
                file.write(chunk)
    _check_length(part, url, whole)


def _begun(part: Path) -> Begun | None:
    """What is noted of a file of which a part has arrived; None, and no part, if nothing usable is."""
    with suppress(OSError, ValueError, TypeError):
        begun = Begun(**json.loads(_note(part).read_text(encoding="utf-8")))
        if part.stat().st_size <= begun.whole:
            return begun
    _drop(part)
    return None


def _write_note(part: Path, answer: requests.Response, whole: int | None) -> None:
    """Note what a later attempt can go on with; without a version and a length, it cannot."""
    _drop(part)
    version = _version(answer)
    if version and whole is not None:
        _note(part).write_text(json.dumps(asdict(Begun(version, whole))), encoding="utf-8")


def _version(answer: requests.Response) -> str | None:
    """What tells this version of a file from another, byte for byte; a weak ETag does not."""
    tag = answer.headers.get("ETag", "")
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified")


def _length(answer: requests.Response) -> int | None:
    """How long a file will be that is sent from its beginning; None if only the end of the sending tells.

    Raises
    ------
    OSError
        If a connection that breaks off would look the same as the file's end.
    """
    length = answer.headers.get("Content-Length")
    if length is None and answer.headers.get("Transfer-Encoding", "").lower() != "chunked":
        raise OSError(f"{answer.url}: the server does not say how long the file is; get it by other means, as path:")
    is_itself = answer.headers.get("Content-Encoding", "identity").lower() == "identity"
    return int(length) if length is not None and is_itself else None


def _goes_on(answer: requests.Response, arrived: int, begun: Begun) -> bool:
    """Whether an answer is the rest of the file that was begun."""
    place = _PART.fullmatch(answer.headers.get("Content-Range", ""))
    encoded = answer.headers.get("Content-Encoding", "identity").lower() != "identity"
    return bool(place) and not encoded and int(place["start"]) == arrived and place["whole"] in ("*", str(begun.whole))


def _check_length(part: Path, url: str, whole: int | None) -> None:
    arrived = part.stat().st_size
    if whole is None or arrived == whole:
        return
    problem = f"{url} broke off after {arrived} of {whole} bytes"
    raise requests.ConnectionError(problem) if arrived < whole else _dropped(part, problem)


def _dropped(part: Path, problem: str) -> requests.ConnectionError:
    """The error for an attempt of which nothing can be kept."""
    _drop(part)
    return requests.ConnectionError(problem)


def _drop(part: Path) -> None:
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def _note(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")
