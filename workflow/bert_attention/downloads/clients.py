"""Download each source once, with its own well-maintained client, into one folder, pinned.

After the download, :func:`bert_attention.downloads.sources.locate` finds each source offline, without this module.
The clients' own environment variables set mirrors (``HF_ENDPOINT``, ``STANZA_RESOURCES_URL``). The usual environment
variables set proxies.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from bert_attention.downloads.package_index import FREE_DISK_SPACE
from bert_attention.downloads.sdists import fetch_sdist
from bert_attention.downloads.sources import Source, check_sha256, downloaded_path, parse_source
from bert_attention.downloads.unpacking import unpack
from bert_attention.downloads.wheels import fetch_wheels
from bert_attention.errors import InputError
from bert_attention.files import replacing_folder

# Download only these files of a model: never pickled weights, never code.
_MODEL_PATTERNS = [
    "*.safetensors",
    "model.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
    "adapter_config.json",
    "sentence_*_config.json",
]
_MODEL_PATTERNS += ["vocab.*", "merges.txt", "*.spm", "*.model"]


# Give up on a server that sends fewer bytes per period: a very slow download would last for days.
_PERIOD = 60  # seconds
_MIN_BYTES_PER_PERIOD = 60_000

# For each client, the environment variable that sets its server's address, and the default address.
_ENDPOINTS = {
    "hub": ("HF_ENDPOINT", "https://huggingface.co"),
    "gensim": ("", "https://raw.githubusercontent.com/RaRe-Technologies/gensim-data/master/list.json"),
    "nltk": ("NLTK_INDEX_URL", "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/index.xml"),
    "stanza": ("STANZA_RESOURCES_URL", "https://raw.githubusercontent.com/stanfordnlp/stanza-resources/main"),
}
WITHOUT_NETWORK = (
    "connect to the network, or copy resources/downloads from a machine on which `snakemake downloads` has run"
)


def fetch(text: str, expected_sha256: str | None, downloads: Path | str) -> Path:
    """Download a source into ``downloads`` unless it is already there, and return its path.

    Raise InputError if the source cannot be reached or does not exist, the download breaks off, the content differs
    from the pinned content, or the disk is full.
    """
    source = parse_source(text)
    client = _CLIENTS[source.scheme]
    folder = Path(downloads) / source.download_name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        client(source, expected_sha256, folder)
    except InputError:
        raise
    except Exception as error:  # clients pass on the exceptions of their HTTP libraries
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem = "cannot be downloaded, because the disk is full"
            raise InputError(f"source {source.text!r}", problem, FREE_DISK_SPACE) from error
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        remedy = "check the network and the source, and run again; complete files are kept"
        raise InputError(f"source {source.text!r}", f"cannot be downloaded: {reason}", remedy) from error
    path = downloaded_path(source, Path(downloads))
    if not path.exists():
        problem = f"was downloaded, but does not contain {path.name}"
        raise InputError(f"source {source.text!r}", problem, "correct the path in the source")
    return path


def unreachable_host(text: str) -> str | None:
    """Return the address of a source's server if the server does not answer, else None."""
    if parse_source(text).scheme in ("sdist", "wheel"):  # only pip knows the user's package indexes
        return None
    variable, default = _ENDPOINTS.get(parse_source(text).scheme, ("", text))
    url = os.environ.get(variable) or default
    return None if _answers(url) else "/".join(url.split("/")[:3])


@lru_cache
def _answers(url: str) -> bool:
    import requests  # noqa: PLC0415

    try:
        requests.head(url, timeout=10)
    except requests.RequestException:
        return False
    return True


def _fetch_url(source: Source, expected_sha256: str | None, folder: Path) -> None:
    import pooch  # noqa: PLC0415 (clients are slow to import)

    url, _, member = source.text.partition("!")
    # The digest of a source with a member is the digest of the member, not of the archive.
    known_hash = f"sha256:{expected_sha256}" if expected_sha256 and not member else None
    file = Path(pooch.retrieve(url, known_hash, fname=url.rpartition("/")[2], path=folder, downloader=_save))
    if member:
        with replacing_folder(folder / "unpacked") as unpacked:
            unpack(file, member, unpacked)
            _check_member(unpacked / member, expected_sha256, file)


def _save(url: str, path: str, _pooch: object) -> None:
    """Save a server's response for pooch, whose own downloader waits for slow servers and accepts truncated content."""
    import requests  # noqa: PLC0415

    with (
        requests.get(url, headers={"Accept-Encoding": "identity"}, stream=True, timeout=_PERIOD) as response,
        open(path, "wb") as file,
    ):
        response.raise_for_status()
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise InputError(
                f"source {url!r}",
                f"the server compresses the file ({encoding}), so an incomplete download could go unnoticed",
                "download the file by hand, and give it as path:<file>",
            )
        _copy(response.raw, file)


def _copy(body: Any, file: BinaryIO) -> None:
    """Copy the body of urllib3's response; raise TimeoutError if the server is too slow."""
    begun, size = time.monotonic(), 0
    while piece := body.read1(1 << 20):  # `read` would wait for the whole megabyte
        file.write(piece)
        size += len(piece)
        if time.monotonic() - begun > _PERIOD:
            if size < _MIN_BYTES_PER_PERIOD:
                raise TimeoutError(f"the server is too slow: it sent {size} bytes in {_PERIOD} seconds")
            begun, size = time.monotonic(), 0


def _check_member(member: Path, expected_sha256: str | None, archive: Path) -> None:
    """Check the digest of a file from an archive, and delete the archive if the digest differs."""
    try:
        check_sha256(member, expected_sha256 if member.is_file() else None)
    except InputError:
        archive.unlink()
        raise


def _fetch_hub(source: Source, _expected_sha256: str | None, folder: Path) -> None:
    from huggingface_hub import HfApi  # noqa: PLC0415

    repository, revision, inside = source.hub_parts
    kind = "dataset" if repository.startswith("datasets/") else "model"
    hub = HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
    request = {"repo_type": kind, "revision": revision, "local_dir": folder}
    hub.snapshot_download(
        repository.removeprefix("datasets/"),
        allow_patterns=[f"{inside}/*"] if inside else _MODEL_PATTERNS if kind == "model" else None,
        max_workers=4,
        **request,
    )
    # The client resumes a partial download without checking that the file on the server is unchanged.
    wrong = hub.verify_repo_checksums(repository.removeprefix("datasets/"), **request).mismatches
    for file in wrong:
        (folder / file["path"]).unlink()
    if wrong:
        problem = f"downloaded files differ from the hub's checksums: {', '.join(file['path'] for file in wrong)}"
        raise InputError(f"source {source.text!r}", problem, "run again to download these files again")


def _fetch_gensim(source: Source, expected_sha256: str | None, folder: Path) -> None:
    import gensim.downloader  # noqa: PLC0415

    file = folder / source.location / f"{source.location}.gz"
    if not file.exists():
        gensim.downloader.BASE_DIR = str(folder.resolve())
        gensim.downloader.load(source.location, return_path=True)  # checks the MD5, does not run the downloaded loader
    check_sha256(file, expected_sha256)


def _fetch_nltk(source: Source, _expected_sha256: str | None, folder: Path) -> None:
    from nltk.downloader import Downloader  # noqa: PLC0415

    index = os.environ.get("NLTK_INDEX_URL")
    with _proxies_allowed():
        downloader = Downloader(server_index_url=index)
        downloader.download(source.location, download_dir=str(folder), quiet=True, raise_on_error=True)


@contextmanager
def _proxies_allowed() -> Iterator[None]:
    """Let NLTK download through a proxy inside the block.

    NLTK refuses proxies by default: whoever chooses the address could make the proxy fetch from hosts that only the
    proxy reaches. Here the user sets both the address and the proxy.
    """
    from nltk import pathsec  # noqa: PLC0415

    before = pathsec.ALLOW_PROXIED_FETCH
    pathsec.ALLOW_PROXIED_FETCH = True
    try:
        yield
    finally:
        pathsec.ALLOW_PROXIED_FETCH = before


def _fetch_stanza(source: Source, _expected_sha256: str | None, folder: Path) -> None:
    import stanza  # noqa: PLC0415

    language, _, version = source.location.partition("@")
    stanza.download(
        language,
        model_dir=str(folder),
        processors="tokenize,mwt,pos,lemma,depparse",
        resources_version=version,
        logging_level="WARN",
    )


_CLIENTS = {
    "https": _fetch_url,
    "http": _fetch_url,
    "sdist": fetch_sdist,
    "wheel": fetch_wheels,
    "hub": _fetch_hub,
    "gensim": _fetch_gensim,
    "nltk": _fetch_nltk,
    "stanza": _fetch_stanza,
}
