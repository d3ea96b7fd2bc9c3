"""The internet as a run sees it, on this machine: a proxy behind which every host answers with files of our own.

A client is sent here by ``HTTPS_PROXY`` and trusts the certificates by ``SSL_CERT_FILE``. The hosts answer as the real
ones do: the hub's files are elsewhere and it says where, GitHub packs an archive while it sends it.
"""

from __future__ import annotations

import hashlib
import json
import re
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

import trustme
from huggingface_hub.utils.sha import git_hash

_LARGE = 10_000  # bytes: the hub keeps larger files of its repositories in a store of their own
_PIECE = 1 << 16


@dataclass(frozen=True)
class Answer:
    """The answer of a server to a request for an address."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: bool = True  # whether it says how long it is


@dataclass
class Internet:
    """Files by address (``https://host/path``), and who asked for what (``GET https://host/path``)."""

    answers: dict[str, Answer] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    proxy: str = ""
    certificates: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which programs go through the proxy and trust its certificates."""
        authority = str(self.certificates)
        return {"HTTPS_PROXY": self.proxy, "SSL_CERT_FILE": authority, "REQUESTS_CA_BUNDLE": authority}

    def add(self, address: str, content: bytes, **headers: str) -> None:
        """Serve a file."""
        self.answers[address] = Answer(content, headers={"ETag": f'"{_sha256(content)}"', **headers})

    def add_github_archive(self, repository: str, commit: str, archive: bytes) -> None:
        """Serve a repository as GitHub packs it: at another host, without a length, with a weak version."""
        packed = f"https://codeload.github.com/{repository}/zip/{commit}"
        self.answers[f"https://github.com/{repository}/archive/{commit}.zip"] = _elsewhere(packed)
        weak = {"ETag": f'W/"{_sha256(archive)}"'}
        self.answers[packed] = Answer(archive, headers=weak, length=False)

    def add_github_release(self, repository: str, release: str, files: dict[str, bytes]) -> None:
        """Serve the files of a release, which are at another host."""
        for name, content in files.items():
            stored = f"https://release-assets.githubusercontent.com/{repository}/{release}/{name}"
            self.answers[f"https://github.com/{repository}/releases/download/{release}/{name}"] = _elsewhere(stored)
            self.add(stored, content)

    def add_hub_repository(self, repository: str, revision: str, files: dict[str, bytes]) -> None:
        """Serve a repository of the hub at one revision: a commit, or a tag."""
        host = "https://huggingface.co"
        kind = "datasets" if repository.startswith("datasets/") else "models"
        name = repository.removeprefix("datasets/")
        commit = revision if re.fullmatch("[0-9a-f]{40}", revision) else hashlib.sha1(revision.encode()).hexdigest()
        description = {"id": name, "sha": commit, "siblings": [{"rfilename": path} for path in files]}
        description |= {"private": False, "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0}
        listing = [
            {"type": "file", "path": path, "size": len(content), "oid": git_hash(content)}
            for path, content in files.items()
        ]
        for asked in {revision, commit}:
            self.add(f"{host}/api/{kind}/{name}/revision/{asked}", json.dumps(description).encode())
            self.add(f"{host}/api/{kind}/{name}/tree/{asked}", json.dumps(listing).encode())
            for path, content in files.items():
                self.answers[f"{host}/{repository}/resolve/{asked}/{path}"] = self._stored(
                    f"{kind}/{name}/{commit}/{path}", content, commit
                )

    def _stored(self, path: str, content: bytes, commit: str) -> Answer:
        """Redirect to a file of the hub: to the store of large files, or to an address without a host."""
        size = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(content)), "Accept-Ranges": "bytes"}
        if len(content) > _LARGE:
            stored = f"https://cas-bridge.xethub.hf.co/{_sha256(path.encode())}"
            self.add(stored, content)
            return _elsewhere(stored, **size, **{"X-Linked-ETag": f'"{_sha256(content)}"'})
        stored = f"/api/resolve-cache/{path}"
        tag = f'"{hashlib.sha1(content).hexdigest()}"'
        self.answers[f"https://huggingface.co{stored}"] = Answer(
            content, headers={"X-Repo-Commit": commit, "ETag": tag}
        )
        return _elsewhere(stored, status=307, **size, **{"X-Linked-ETag": tag})


def _elsewhere(address: str, status: int = 302, **headers: str) -> Answer:
    return Answer(status=status, headers={"Location": address, **headers})


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class _Certificates:
    """A certificate for each host, made when it is asked for the first time."""

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
            """Answer in the place of a host: what follows on this connection is for it."""
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
            address = f"https://{self.host}{self.path.partition('?')[0]}"
            internet.requests[f"{self.command} {address}"] += 1
            answer = internet.answers.get(address, Answer(status=404))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.length:
                self.send_header("Content-Length", str(len(answer.content)))
            else:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if body:
                with suppress(ConnectionError):  # the client has hung up
                    self._send(answer)

        def _send(self, answer: Answer) -> None:
            if answer.length:
                self.wfile.write(answer.content)
                return
            for start in range(0, len(answer.content), _PIECE):
                piece = answer.content[start : start + _PIECE]
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or does not trust the certificate, is none of the server's business."""


@contextmanager
def internet_here(folder: Path) -> Iterator[Internet]:
    """A running proxy without any files yet; its certificates are written to ``folder``."""
    certificates = _Certificates()
    internet = Internet(certificates=folder / "authority.pem")
    certificates.authority.cert_pem.write_to_path(str(internet.certificates))
    with _Server(("127.0.0.1", 0), _handler(internet, certificates)) as running:
        internet.proxy = f"http://127.0.0.1:{running.server_port}"
        Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield internet
        running.shutdown()
