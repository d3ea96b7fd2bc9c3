"""The internet as a run sees it, on this machine: a proxy behind which every host answers with files of our own.

Clients find the proxy by ``HTTPS_PROXY`` and trust the certificates by ``SSL_CERT_FILE``. The hosts answer as the real
hosts do: the hub redirects to another host, and GitHub packs an archive while sending it. The proxy is also a plain web
server (``url``), and a test can give it faults.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import ssl
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

import trustme
from huggingface_hub.utils.sha import git_hash

RAW = "https://raw.githubusercontent.com"
_LARGE = 10_000  # bytes: the hub keeps larger files of its repositories in a store of their own
_PIECE = 1 << 16


@dataclass(frozen=True)
class Answer:
    """The answer of a server to a request for an address."""

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    states_length: bool = True


@dataclass
class Internet:
    """Answers by address (``https://host/path``), and the requests (``GET https://host/path``) with the bytes sent.

    Faults, by address: ``compresses``: compress if the client allows it, or if the server is ``stubborn``. ``breaks``:
    hang up after these numbers of bytes, one per request, then serve ``changes``. ``cuts``: send only this number of
    bytes, as if they were the whole content. ``drips``: send byte by byte.
    """

    certificates: Path
    url: str = ""
    hub: str = "https://huggingface.co"
    hub_store: str = "https://cas-bridge.xethub.hf.co"
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    breaks: dict[str, list[int]] = field(default_factory=dict)
    changes: dict[str, bytes] = field(default_factory=dict)
    compresses: set[str] = field(default_factory=set)
    stubborn: bool = False
    cuts: dict[str, int] = field(default_factory=dict)
    drips: set[str] = field(default_factory=set)

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which programs use the proxy and trust its certificates."""
        authority = str(self.certificates)
        return {"HTTPS_PROXY": self.url, "SSL_CERT_FILE": authority, "REQUESTS_CA_BUNDLE": authority}

    def add(self, address: str, content: bytes, **headers: str) -> None:
        """Serve a file."""
        self.answers[address] = Answer(content, headers={"ETag": f'"{_sha256(content)}"', **headers})

    def add_github_archive(self, repository: str, commit: str, archive: bytes) -> None:
        """Serve a repository as GitHub packs it: at another host, without a length, with a weak version."""
        packed = f"https://codeload.github.com/{repository}/zip/{commit}"
        self.answers[f"https://github.com/{repository}/archive/{commit}.zip"] = _elsewhere(packed)
        self.answers[packed] = Answer(archive, headers={"ETag": f'W/"{_sha256(archive)}"'}, states_length=False)

    def add_gensim(self, name: str, vectors: bytes, **more: object) -> None:
        """Serve gensim's list of word vectors, and the vectors at another host."""
        entry = {"parts": 1, "checksum": hashlib.md5(vectors).hexdigest(), "file_name": f"{name}.gz", **more}
        listing = {"corpora": {}, "models": {name: entry}}
        repository = "RaRe-Technologies/gensim-data"
        self.add(f"{RAW}/{repository}/master/list.json", json.dumps(listing).encode())
        for file, content in {"__init__.py": b"raise SystemExit('must not run')", f"{name}.gz": vectors}.items():
            stored = f"https://release-assets.githubusercontent.com/{repository}/{name}/{file}"
            self.answers[f"https://github.com/{repository}/releases/download/{name}/{file}"] = _elsewhere(stored)
            self.add(stored, content)

    def add_nltk(self, name: str, archive: bytes) -> str:
        """Serve NLTK's list of corpora, and the zip archive of a corpus; return the archive's address."""
        with zipfile.ZipFile(io.BytesIO(archive)) as content:
            unpacked = sum(file.file_size for file in content.infolist())
        pages = f"{RAW}/nltk/nltk_data/gh-pages"
        address = f"{pages}/packages/corpora/{name}.zip"
        self.add(address, archive)
        package = (
            f'<package id="{name}" name="x" license="Creative Commons Attribution 3.0" unzip="1" size="{len(archive)}"'
            f' unzipped_size="{unpacked}" subdir="corpora" url="{address}"'
            f' checksum="{hashlib.md5(archive).hexdigest()}"/>'
        )
        index = f'<?xml version="1.0"?>\n<nltk_data><packages>{package}</packages><collections/></nltk_data>\n'
        self.add(f"{pages}/index.xml", index.encode())
        return address

    def add_hub_repository(self, repository: str, revision: str, files: dict[str, bytes]) -> None:
        """Serve a repository of the hub at one revision: a commit, or a tag."""
        kind = "datasets" if repository.startswith("datasets/") else "models"
        name = repository.removeprefix("datasets/")
        commit = revision if re.fullmatch("[0-9a-f]{40}", revision) else hashlib.sha1(revision.encode()).hexdigest()
        description = {"id": name, "sha": commit, "siblings": [{"rfilename": path} for path in files]}
        description |= {"private": False, "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0}
        listing = [
            {"type": "file", "path": path, "size": len(content), "oid": git_hash(content)}
            for path, content in files.items()
        ]
        self.add(f"{self.hub}/api/{kind}/{name}", json.dumps(description).encode())  # as the newest revision
        for asked in {revision, commit}:
            self.add(f"{self.hub}/api/{kind}/{name}/revision/{asked}", json.dumps(description).encode())
            self.add(f"{self.hub}/api/{kind}/{name}/tree/{asked}", json.dumps(listing).encode())
            for path, content in files.items():
                self.answers[f"{self.hub}/{repository}/resolve/{asked}/{path}"] = self._stored(
                    f"{kind}/{name}/{commit}/{path}", content, commit
                )

    def _stored(self, path: str, content: bytes, commit: str) -> Answer:
        """Redirect to a file of the hub: to the store of large files, or to an address without a host."""
        size = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(content)), "Accept-Ranges": "bytes"}
        if len(content) > _LARGE:
            stored = f"{self.hub_store}/{_sha256(path.encode())}"
            self.add(stored, content)
            return _elsewhere(stored, **size, **{"X-Linked-ETag": f'"{_sha256(content)}"'})
        stored = f"/api/resolve-cache/{path}"
        tag = f'"{hashlib.sha1(content).hexdigest()}"'
        self.answers[f"{self.hub}{stored}"] = Answer(content, headers={"X-Repo-Commit": commit, "ETag": tag})
        return _elsewhere(stored, status=307, **size, **{"X-Linked-ETag": tag})


def _elsewhere(address: str, status: int = 302, **headers: str) -> Answer:
    return Answer(status=status, headers={"Location": address, **headers})


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class _Certificates:
    """A certificate for each host, made at the first request."""

    def __init__(self) -> None:
        self.authority = trustme.CA()
        self._made: dict[str, ssl.SSLContext] = {}
        self._lock = Lock()

    def of(self, host: str) -> ssl.SSLContext:
        with self._lock:
            if host not in self._made:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                self.authority.issue_cert(host).configure_cert(context)
                self._made[host] = context
            return self._made[host]


def _handler(internet: Internet, certificates: _Certificates) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        host = ""

        def do_CONNECT(self) -> None:
            """Answer in the place of a host: all further requests of this connection are for the host."""
            self.host = self.path.rpartition(":")[0]
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            self.connection = certificates.of(self.host).wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb")
            self.wfile = self.connection.makefile("wb", 0)
            self.close_connection = False

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            site = f"https://{self.host}" if self.host else f"http://{self.headers['Host']}"
            address = site + self.path.partition("?")[0]
            internet.requests[f"{self.command} {address}"] += 1
            answer = internet.answers.get(address, Answer(status=404))
            content, headers, status = answer.content, dict(answer.headers), answer.status
            if address in internet.compresses and (
                internet.stubborn or "gzip" in self.headers.get("Accept-Encoding", "")
            ):
                content, headers["Content-Encoding"] = gzip.compress(content, mtime=0), "gzip"
            content, start = content[: internet.cuts.get(address)], 0
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            if asked and status == 200:
                start, status = int(asked[1]), 206
                headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if answer.states_length:
                self.send_header("Content-Length", str(len(content) - start))
            else:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if body:
                with suppress(ConnectionError):  # the client has hung up
                    self._send(address, answer, content[start:])

        def _send(self, address: str, answer: Answer, content: bytes) -> None:
            stops = internet.breaks.get(address)
            part = content[: stops.pop(0)] if stops else content
            internet.sent[address] += len(part)
            if len(part) < len(content):
                self.close_connection = True
                if address in internet.changes:
                    internet.answers[address] = replace(answer, content=internet.changes[address])
            size = 1 if address in internet.drips else _PIECE
            for start in range(0, len(part), size):
                piece = part[start : start + size]
                self.wfile.write(piece if answer.states_length else f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                time.sleep(0.01 if size == 1 else 0)
            if not answer.states_length:
                self.wfile.write(b"0\r\n\r\n")

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that hang up or do not trust the certificate."""


@contextmanager
def internet_here(folder: Path) -> Iterator[Internet]:
    """A running proxy without any files yet; its certificates are written to ``folder``."""
    certificates = _Certificates()
    internet = Internet(folder / "authority.pem")
    certificates.authority.cert_pem.write_to_path(str(internet.certificates))
    with _Server(("127.0.0.1", 0), _handler(internet, certificates)) as running:
        internet.url = f"http://127.0.0.1:{running.server_port}"
        Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield internet
        running.shutdown()
