"""A page in the browser on which a person labels attention maps with their patterns: a program.

    python -m bert_attention.running.annotation_server --maps MAPS --labels LABELS.csv

serves the page at http://127.0.0.1:8000/ until it is interrupted. Every label is in the CSV file as soon as its key is
pressed; started again with the same file, the page goes on where it stopped. ``--seed`` shuffles the maps, for another
pass. The server answers this machine alone, and only what is sent to it by this machine's own names.

``GET /`` is the page, ``GET /state`` what it needs to begin (patterns, numbers of maps in order, labels so far,
colours), ``GET /maps/<number>`` one map. ``POST /labels`` with ``{"map": 1, "pattern": "vertical"}`` sets a label; the
pattern ``null`` removes it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

import matplotlib as mpl
import numpy as np

from bert_attention.corpora.pattern_annotations import read_labels, read_maps, write_labels
from bert_attention.corpora.types import PATTERN_LABELS, PatternMap
from bert_attention.errors import InputError

_PAGE = Path(__file__).with_name("annotation_page.html")
_LONGEST_REQUEST = 1000  # bytes


class Annotation:
    """The maps in the order in which they are shown, and the labels so far, kept in a file."""

    def __init__(self, maps: Sequence[PatternMap], labels: Path, seed: int | None = None):
        """Take up the labels that the file has, if it is there.

        Raises
        ------
        InputError
            If the file holds something else than labels of these maps.
        """
        order = range(len(maps)) if seed is None else np.random.default_rng(seed).permutation(len(maps))
        self.maps = {maps[place].id: maps[place] for place in order}
        self._file = labels
        self._labels = read_labels(labels, maps) if labels.is_file() and labels.stat().st_size else {}
        self._lock = Lock()

    def state(self) -> dict:
        """What the page needs to begin."""
        colours = np.rint(mpl.colormaps["viridis"](np.arange(256))[:, :3] * 255).astype(int)
        with self._lock:
            labels = dict(self._labels)
        return {"patterns": PATTERN_LABELS, "maps": list(self.maps), "labels": labels, "colours": colours.tolist()}

    def map(self, number: int) -> dict:
        """One map: its number of tokens, its first [SEP], and the colours of its cells row by row.

        Colours are attention, from 0 to the map's own largest weight (255).
        """
        item = self.maps[number]
        values = np.rint(255 * item.attention / item.attention.max()).astype(int).ravel().tolist()
        return {"map": number, "tokens": len(item.attention), "separator": item.separator, "values": values}

    def label(self, number: int, pattern: str | None) -> None:
        """Set the label of a map, or remove it, and write all labels.

        Raises
        ------
        KeyError
            If there is no such map or pattern.
        """
        if number not in self.maps or (pattern is not None and pattern not in PATTERN_LABELS):
            raise KeyError(f"map {number!r}, pattern {pattern!r}")
        with self._lock:
            labels = {key: value for key, value in self._labels.items() if key != number}
            if pattern is not None:
                labels[number] = pattern
            write_labels(labels, self._file)
            self._labels = labels


def server(annotation: Annotation, port: int) -> ThreadingHTTPServer:
    """A server of the page on this machine; port 0 takes any that is free."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, annotation))


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, annotation: Annotation, *request: object) -> None:
        self.annotation = annotation
        super().__init__(*request)  # which answers the request

    def parse_request(self) -> bool:
        """Refuse what is sent to another name: so another site's page asks that has its name lead to this machine."""
        if not super().parse_request():
            return False
        name, _, port = self.headers.get("Host", "").partition(":")
        if name in ("127.0.0.1", "localhost") and (port or "80") == str(self.server.server_port):
            return True
        self._answer(HTTPStatus.MISDIRECTED_REQUEST, b"this is http://127.0.0.1, with its port")
        return False

    def do_GET(self) -> None:
        """Answer with the page, its state or a map."""
        number = self.path.removeprefix("/maps/")
        if self.path == "/":
            self._answer(HTTPStatus.OK, _PAGE.read_bytes(), "text/html; charset=utf-8")
        elif self.path == "/state":
            self._answer_json(self.annotation.state())
        elif number.isascii() and number.isdecimal() and int(number) in self.annotation.maps:
            self._answer_json(self.annotation.map(int(number)))
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"there is nothing here")

    def do_POST(self) -> None:
        """Take a label."""
        # Another site's page can send such a request only after asking first, which is never answered.
        if self.path != "/labels" or self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.NOT_FOUND, b"labels are sent to /labels, as JSON")
            return
        try:
            size = max(0, min(int(self.headers.get("Content-Length", 0)), _LONGEST_REQUEST))
            given = json.loads(self.rfile.read(size))
            self.annotation.label(given["map"], given["pattern"])
        except (ValueError, KeyError, TypeError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"not a label: {error}".encode())
        except OSError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"the label could not be written: {error}".encode())
        else:
            self._answer(HTTPStatus.NO_CONTENT, b"")

    def _answer_json(self, content: dict) -> None:
        self._answer(HTTPStatus.OK, json.dumps(content).encode(), "application/json")

    def _answer(self, status: HTTPStatus, content: bytes, kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing of every request on the terminal."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and serve."""
    parser = argparse.ArgumentParser(description="Label attention maps with their patterns, in a browser.")
    parser.add_argument("--maps", type=Path, required=True, help="the maps, as Parquet")
    parser.add_argument("--labels", type=Path, required=True, help="CSV file of your labels; made if it is not there")
    parser.add_argument("--port", type=int, default=8000, help="(default: %(default)s; 0: any that is free)")
    parser.add_argument("--seed", type=int, default=None, help="shuffle the maps, for another pass")
    given = parser.parse_args(arguments)
    try:
        annotation = Annotation(read_maps(given.maps), given.labels, given.seed)
    except InputError as error:
        sys.exit(f"ERROR {error}")
    with server(annotation, given.port) as serving:
        print(f"Label maps at http://127.0.0.1:{serving.server_port}/ (to stop: Ctrl-C). Labels go to {given.labels}")
        sys.stdout.flush()
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
