"""Fixtures of many tests: the embedded encoder, real data, a browser, and random attention."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# Set before torch is imported. Small models are slower on many threads, and several tests run at a time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
import yaml
from hypothesis import settings

from bert_attention.downloads.sources import locate, parse_source
from bert_attention.figures import style
from bert_attention.models.model_folder import copy_model
from bert_attention.running.edition_checks import validated
from tests.real_data import folder_of_real_data, how_to_get

ROOT = Path(__file__).parents[1]

# The duration of an example depends on the machine more than on the code.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


def random_attention(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Attention ``[*shape, n, n]`` (the last of ``shape`` is n) whose rows sum to one, float32."""
    return random.dirichlet(np.full(shape[-1], 0.3), size=shape).astype(np.float32)


@pytest.fixture(scope="session")
def edition() -> dict:
    """The embedded edition."""
    return validated(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def embedded_model(edition, tmp_path_factory) -> Path:
    """The embedded edition's encoder, in standard form."""
    folder = tmp_path_factory.mktemp("model")
    model = edition["models"][0]["source"]
    copy_model(locate(model), parse_source(model).sha256, folder)
    return folder


@pytest.fixture(scope="session")
def real_data():
    """A function that returns the file at a path below the folder of real data, or skips the test without the file."""
    folder = folder_of_real_data()

    def find(path: str) -> Path:
        if not (folder / path).exists():
            pytest.skip(how_to_get(path, folder))
        return folder / path

    return find


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium by Playwright: the system's Chromium if there is one, else Playwright's own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    with playwright.sync_playwright() as running:
        try:
            launched = running.chromium.launch(executable_path=own, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"there is no Chromium here ({str(error).splitlines()[0]})")
        yield launched
        launched.close()


@pytest.fixture
def saved(tmp_path):
    """A function that saves a figure and returns the bytes of the file."""

    def save(figure, suffix="pdf"):
        path = tmp_path / f"figure.{suffix}"
        style.save(figure, path)
        return path.read_bytes()

    return save
