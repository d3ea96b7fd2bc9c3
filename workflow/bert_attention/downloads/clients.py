"""Download each source once, with its own well-maintained client, into one folder, pinned.

Once everything is fetched, nothing here is needed: :func:`bert_attention.downloads.sources.locate` finds it offline.
The clients' own environment variables set mirrors (``HF_ENDPOINT``, ``STANZA_RESOURCES_URL``); the usual ones set
proxies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from bert_attention.downloads.sdists import fetch_sdist
from bert_attention.downloads.sources import Source, check_sha256, downloaded_path, parse_source
from bert_attention.downloads.unpacking import unpack
from bert_attention.errors import InputError

# The files of a model that are fetched: never pickled weights, never code.
_MODEL_PATTERNS = [
    "*.safetensors",
    "config.json",
    "generation_config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
]
_MODEL_PATTERNS += ["vocab.*", "merges.txt", "*.spm", "*.model"]


# A server that sends less than so many bytes in so many seconds is given up: a byte now and then would last for days.
_PATIENCE = 60
_LEAST_IN_PATIENCE = 60_000

# Where each client starts, and the environment variable that sets another address.
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
    """Download a source into ``downloads`` unless it is there already, and return its path.

    Raises
    ------
    InputError
        If the source cannot be reached, does not exist, breaks off, or does not have the pinned content.
    """
    source = parse_source(text)
    client = _CLIENTS[source.scheme]
    folder = Path(downloads) / source.download_name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        client(source, expected_sha256, folder)
    except InputError:
        raise
    except Exception as error:  # the clients raise whatever their transport does
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        remedy = "check the network and the source, and run again: files that have arrived whole are kept"
        raise InputError(f"source {text!r}", f"cannot be downloaded: {reason}", remedy) from error
    path = downloaded_path(source, Path(downloads))
    if not path.exists():
        raise InputError(f"source {text!r}", f"was downloaded, but holds no {path.name}", "correct the source")
    return path


def unreachable_host(text: str) -> str | None:
    """The address at which a download would start, if nothing answers there; None if anything does."""
    if parse_source(text).scheme == "sdist":  # only pip knows the addresses of the user's indexes
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
    import pooch  # noqa: PLC0415 (each client is imported where it is used: they are slow to load)

    url, _, member = source.text.partition("!")
    # A digest is that of the file that is used: of the archive's member, not of the archive.
    known_hash = f"sha256:{expected_sha256}" if expected_sha256 and not member else None
    file = Path(pooch.retrieve(url, known_hash, fname=url.rpartition("/")[2], path=folder, downloader=_save))
    if member:
        unpack(file, member, folder / "unpacked")
        _check_member(downloaded_path(source, folder.parent), expected_sha256, file)


def _save(url: str, path: str, _pooch: object) -> None:
    """Save what a server sends, for pooch, whose own downloader waits for slow servers and decodes what ends early."""
    import requests  # noqa: PLC0415

    with (
        requests.get(url, headers={"Accept-Encoding": "identity"}, stream=True, timeout=_PATIENCE) as response,
        open(path, "wb") as file,
    ):
        response.raise_for_status()
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise InputError(
                f"source {url!r}",
                f"is sent in another form ({encoding}), though asked for as it is: a part of it could look whole",
                "download it by hand, and give the file as path:",
            )
        _copy(response.raw, file)


def _copy(body: Any, file: BinaryIO) -> None:
    """Copy the body of urllib3's response, at a least rate."""
    begun, size = time.monotonic(), 0
    while piece := body.read1(1 << 20):  # what there is; `read` would wait for all of it
        file.write(piece)
        size += len(piece)
        if time.monotonic() - begun > _PATIENCE:
            if size < _LEAST_IN_PATIENCE:
                raise TimeoutError(f"the server sent {size} bytes in {_PATIENCE} seconds")
            begun, size = time.monotonic(), 0


def _check_member(member: Path, expected_sha256: str | None, archive: Path) -> None:
    """Check the digest of a file from an archive; one that is not the pinned one is not kept."""
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
    what = {"repo_type": kind, "revision": revision, "local_dir": folder}
    hub.snapshot_download(
        repository.removeprefix("datasets/"),
        allow_patterns=[f"{inside}/*"] if inside else _MODEL_PATTERNS if kind == "model" else None,
        max_workers=4,
        **what,
    )
    # The client goes on with a file that broke off without asking whether it is still the same one.
    wrong = hub.verify_repo_checksums(repository.removeprefix("datasets/"), **what).mismatches
    for file in wrong:
        (folder / file["path"]).unlink()
    if wrong:
        problem = f"is not what the hub lists: {', '.join(file['path'] for file in wrong)}"
        raise InputError(f"source {source.text!r}", problem, "run again: what is not right is fetched anew")


def _fetch_gensim(source: Source, expected_sha256: str | None, folder: Path) -> None:
    import gensim.downloader  # noqa: PLC0415

    file = folder / source.place / f"{source.place}.gz"
    if not file.exists():
        gensim.downloader.BASE_DIR = str(folder.resolve())
        gensim.downloader.load(source.place, return_path=True)  # checks the MD5; the loader that comes along is not run
    check_sha256(file, expected_sha256)


def _fetch_nltk(source: Source, _expected_sha256: str | None, folder: Path) -> None:
    from nltk.downloader import Downloader  # noqa: PLC0415

    index = os.environ.get("NLTK_INDEX_URL")
    with _proxies_allowed():
        downloader = Downloader(server_index_url=index)
        downloader.download(source.place, download_dir=str(folder), quiet=True, raise_on_error=True)


@contextmanager
def _proxies_allowed() -> Iterator[None]:
    """Let NLTK download through a proxy inside the block.

    By itself it refuses to: whoever gives it an address could have the proxy fetch what only the proxy reaches. Here,
    address and proxy are both the user's.
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

    language, _, version = source.place.partition("@")
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
    "hub": _fetch_hub,
    "gensim": _fetch_gensim,
    "nltk": _fetch_nltk,
    "stanza": _fetch_stanza,
}
