"""The internet of the tests of downloads, on this machine."""

import urllib.request
from collections.abc import Iterator

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


def _forget_proxies() -> None:
    """Let clients read the proxies from the environment again."""
    huggingface_hub.close_session()
    urllib.request.install_opener(None)
