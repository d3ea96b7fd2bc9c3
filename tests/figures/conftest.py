"""A fixture that saves figures."""

from __future__ import annotations

import pytest

from bert_attention.figures import style


@pytest.fixture
def saved(tmp_path):
    """A function that saves a figure and returns the bytes of the file."""

    def save(figure, suffix="pdf"):
        path = tmp_path / f"figure.{suffix}"
        style.save(figure, path)
        return path.read_bytes()

    return save
