"""What tests of figures share."""

from __future__ import annotations

import pytest

from bert_attention.claims.publications import published_curves
from bert_attention.figures import style
from tests.conftest import ROOT


@pytest.fixture
def no_curves():
    """The table of published curves when a paper has none."""
    return published_curves(None, "a figure")


@pytest.fixture
def curves_of():
    """A function that reads the published curves of a figure."""
    return lambda figure: published_curves(ROOT / "workflow" / "claims" / f"{figure.partition('_')[0]}.yaml", figure)


@pytest.fixture
def saved(tmp_path):
    """A function that saves a figure and returns the bytes of the file."""

    def save(figure, suffix="pdf"):
        path = tmp_path / f"figure.{suffix}"
        style.save(figure, path)
        return path.read_bytes()

    return save
