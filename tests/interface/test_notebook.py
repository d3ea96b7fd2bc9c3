"""The example notebook gives the outputs that it shows."""

import ast

import nbformat
import pandas as pd
import pytest
from IPython.core.formatters import PlainTextFormatter

from tests.conftest import ROOT

FILE = ROOT / "docs" / "example.ipynb"


@pytest.mark.long
def test_the_cells_give_the_stored_outputs():
    """The cells run in this process, because a kernel would load all libraries again."""
    names: dict = {}
    cells = [cell for cell in nbformat.read(FILE, as_version=4).cells if cell.cell_type == "code"]
    with pd.option_context("display.max_columns", 20, "display.width", 80):  # as in Jupyter
        for cell in cells:
            source = cell.source.replace("reviews.splitlines()", "reviews.splitlines()[:20]")  # they are only drawn
            *statements, last = ast.parse(source.removeprefix("%matplotlib inline\n")).body
            exec(compile(ast.Module(statements, []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            assert cell.outputs or value._repr_html_().startswith("<iframe")  # the explorer's page is not stored
            for output in cell.outputs:
                assert output.data["text/plain"] == PlainTextFormatter()(value)
    assert "image/png" in cells[-2].outputs[0].data  # its bytes depend on the version of matplotlib


def test_the_file_is_small_and_names_no_machine():
    text = FILE.read_text(encoding="utf-8")
    assert len(text) < 200_000
    assert "site-packages" not in text
    assert str(ROOT) not in text
