"""The example notebook runs, and its outputs are those that it shows."""

import os
import runpy

import nbformat
import pytest

from tests.conftest import ROOT

NOTEBOOK = runpy.run_path(str(ROOT / "docs" / "notebook.py"))


@pytest.fixture(scope="module")
def run():
    with pytest.MonkeyPatch.context() as patched:
        path = os.pathsep.join(filter(None, [str(ROOT / "workflow"), os.environ.get("PYTHONPATH")]))
        patched.setenv("PYTHONPATH", path)  # the kernel is a process of its own
        return NOTEBOOK["executed"]()


def results(notebook):
    """Return the value of each code cell, by kind."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [output.data for cell in cells for output in cell.outputs if output.output_type == "execute_result"]


def test_the_notebook_shows_what_it_gives(run):
    """Numbers and words; a picture has other bytes with each release of matplotlib."""
    stored = results(nbformat.read(NOTEBOOK["NOTEBOOK"], as_version=4))
    assert [output["text/plain"] for output in stored] == [output["text/plain"] for output in results(run)][:-1]
    assert "image/png" in stored[-1]


def test_the_explorer_is_a_page_in_its_cell(run):
    assert results(run)[-1]["text/html"].startswith("<iframe")


def test_what_is_kept_is_small_and_names_no_machine(run):
    text = nbformat.writes(NOTEBOOK["kept"](run))
    assert len(text) < 200_000
    assert "site-packages" not in text
    assert str(ROOT) not in text
