"""Server on this machine that acts as the hub, a plain web server, or the stores of gensim, NLTK and Stanza."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import gensim.downloader
import nltk.pathsec
import pytest
from huggingface_hub.utils.sha import git_hash

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def zipped(files: Mapping[str, str]) -> bytes:
    """Zip archive of files, by their names."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as content:
        for name, text in files.items():
            content.writestr(name, text)
    return archive.getvalue()


def nltk_index(archives: Mapping[str, bytes], base: str) -> bytes:
    """NLTK's list of corpora, whose archives are at ``base/<name>.zip``."""
    packages = ""
    for name, archive in archives.items():
        with zipfile.ZipFile(io.BytesIO(archive)) as content:
            unpacked = sum(file.file_size for file in content.infolist())
        packages += (
            f'<package id="{name}" name="x" subdir="corpora" unzip="1" size="{len(archive)}"'
            f' unzipped_size="{unpacked}" checksum="{hashlib.md5(archive).hexdigest()}"'
            f' sha256_checksum="{hashlib.sha256(archive).hexdigest()}" url="{base}/{name}.zip"/>'
        )
    return f"<nltk_data><packages>{packages}</packages><collections/></nltk_data>".encode()


class LoopbackServer:
    """Server of ``files`` (path to content) with faults, by path.

    ``compresses``: compress if the client allows it, or if the server is ``stubborn``. ``breaks``: hang up after these
    numbers of bytes, one for each request, then serve ``changes``. ``cuts``: send only this number of bytes, as if they
    were the whole content. ``drips``: send byte by byte.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.breaks: dict[str, list[int]] = {}
        self.changes: dict[str, bytes] = {}
        self.compresses: set[str] = set()
        self.stubborn = False
        self.cuts: dict[str, int] = {}
        self.drips: set[str] = set()
        self.requests: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()  # bytes, by path
        self.url = ""

    def add_repository(self, repository: str, files: dict[str, bytes]) -> None:
        """Serve a repository in the hub's layout, at any revision."""
        kind = "datasets" if repository.startswith("datasets/") else "models"
        name = repository.removeprefix("datasets/")
        prefix = f"/{repository}/resolve/{COMMIT}"
        listing = [{"rfilename": path} for path in files]
        description = {"id": name, "sha": COMMIT, "siblings": listing, "private": False, "tags": [], "downloads": 0}
        self.files[f"/api/{kind}/{name}/revision/{COMMIT}"] = json.dumps(description).encode()
        tree = [
            {"type": "file", "path": path, "size": len(content), "oid": git_hash(content)}
            for path, content in files.items()
        ]
        self.files[f"/api/{kind}/{name}/tree/{COMMIT}"] = json.dumps(tree).encode()
        self.files |= {f"{prefix}/{path}": content for path, content in files.items()}

    def add_nltk(self, archives: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
        """Serve NLTK's corpora, and have NLTK ask for them here."""
        self.files["/index.xml"] = nltk_index(archives, self.url)
        self.files |= {f"/{name}.zip": archive for name, archive in archives.items()}
        monkeypatch.setenv("NLTK_INDEX_URL", f"{self.url}/index.xml")
        monkeypatch.setattr(nltk.pathsec, "_ip_is_forbidden", lambda _ip: False)  # it refuses servers on this machine

    def add_gensim(self, archives: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
        """Serve gensim's word vectors, and have gensim ask for them here."""
        models = {
            name: {"parts": 1, "checksum": hashlib.md5(archive).hexdigest(), "file_name": f"{name}.gz"}
            for name, archive in archives.items()
        }
        self.files["/list.json"] = json.dumps({"corpora": {}, "models": models}).encode()
        for name, archive in archives.items():
            self.files[f"/{name}/__init__.py"] = b"raise SystemExit('must not run')"
            self.files[f"/{name}/{name}.gz"] = archive
        monkeypatch.setattr(gensim.downloader, "DOWNLOAD_BASE_URL", self.url)
        monkeypatch.setattr(gensim.downloader._load_info, "__defaults__", (f"{self.url}/list.json", "utf-8"))


def _handler(server: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            path = self.path.partition("?")[0]
            server.requests[f"{self.command} {path}"] += 1
            content = server.files.get(path)
            if content is None:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            may = server.stubborn or "gzip" in self.headers.get("Accept-Encoding", "")
            encoded = path in server.compresses and may
            content = gzip.compress(content, mtime=0) if encoded else content
            content = content[: server.cuts.get(path)]
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            start = int(asked[1]) if asked else 0
            self.send_response(206 if asked else 200)
            self.send_header("Content-Length", str(len(content) - start))
            if encoded:
                self.send_header("Content-Encoding", "gzip")
            if asked:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if path.endswith("/"):  # pip takes no other page of an index
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            if body:
                self._send(path, content[start:])

        def _send(self, path: str, content: bytes) -> None:
            stops = server.breaks.get(path)
            part = content[: stops.pop(0)] if stops else content
            with suppress(ConnectionError):  # the client has hung up
                if path in server.drips:
                    self._drip(part)
                self.wfile.write(part)
            server.sent[path] += len(part)
            if len(part) < len(content):
                self.close_connection = True
                server.files[path] = server.changes.get(path, server.files[path])

        def _drip(self, content: bytes) -> None:
            for place in range(len(content)):
                self.wfile.write(content[place : place + 1])
                time.sleep(0.01)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def loopback() -> Iterator[LoopbackServer]:
    """Start a server, and stop it at the end."""
    server = LoopbackServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server)) as running:
        server.url = f"http://127.0.0.1:{running.server_port}"
        thread = Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        running.shutdown()
