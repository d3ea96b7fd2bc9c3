"""A server on this machine that acts as the hub, a plain web server, or the stores of gensim, NLTK and Stanza."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from huggingface_hub.utils.sha import git_hash

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class LoopbackServer:
    """Serves ``files`` (path -> content), and ``compresses`` some on their way, if it may or is ``stubborn``.

    ``breaks`` says after how many bytes it hangs up, and how often; after that, it serves what ``changes`` has. Those
    in ``cuts`` are cut to so many bytes, after compression, as if that were all; those in ``drips`` come byte by byte.
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
    """A running server."""
    server = LoopbackServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server)) as running:
        server.url = f"http://127.0.0.1:{running.server_port}"
        thread = Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        running.shutdown()
