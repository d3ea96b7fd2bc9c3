"""The internet of the tests of downloads, on this machine."""

import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub
import pytest

from tests.rehearsal.internet import Internet, internet_here


@pytest.fixture
def internet(tmp_path_factory, monkeypatch) -> Iterator[Internet]:
    """An internet without files, which all clients use."""
    with internet_here(tmp_path_factory.mktemp("internet")) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        _forget_proxies()
        yield running
    _forget_proxies()


@pytest.fixture
def publish(internet, monkeypatch) -> Callable[[str, str, bytes], str]:
    """A function that adds a project's file to a package index, and returns its address. pip asks no other index."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    settings = {"CONFIG_FILE": "/dev/null", "INDEX_URL": f"{internet.url}/simple", "NO_CACHE_DIR": "1", "RETRIES": "0"}
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)

    def add(project: str, name: str, content: bytes) -> str:
        file = f"{internet.url}/files/{name}"
        page = f'<html><a href="{file}">{name}</a></html>'.encode()
        internet.add(f"{internet.url}/simple/{project}/", page, **{"Content-Type": "text/html"})
        internet.add(file, content)
        return file

    return add


@pytest.fixture
def python_that_fails(tmp_path_factory, monkeypatch) -> Callable[[str], Path]:
    """A function that makes pip's Python a program that prints a message and fails; it returns the program."""
    python = tmp_path_factory.mktemp("bin") / "python"

    def say(message: str) -> Path:
        python.write_text(f'#!/bin/sh\necho "{message}" >&2\nexit 1\n')
        python.chmod(0o755)
        monkeypatch.setattr("sys.executable", str(python))
        return python

    return say


def files_below(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, hidden files included."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def _forget_proxies() -> None:
    """Let clients read the proxies from the environment again."""
    huggingface_hub.close_session()
    urllib.request.install_opener(None)
