"""A small encoder with its store."""

import pytest

from tests.explorer.sequences import small_store


@pytest.fixture(scope="session")
def small(embedded_model, tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store"), embedded_model)
