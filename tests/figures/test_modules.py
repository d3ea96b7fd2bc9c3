"""Every figure's module has one function, and a caption of the same name."""

import ast

import pytest

from bert_attention.results import results
from tests.conftest import ROOT

LIBRARY = ROOT / "workflow" / "bert_attention"
FIGURES = {file.stem: file for file in sorted((LIBRARY / "figures").glob("*/*_figure_*.py"))}


@pytest.mark.parametrize("name", FIGURES)
def test_a_module_has_one_public_function(name):
    functions = [node.name for node in ast.parse(FIGURES[name].read_text()).body if isinstance(node, ast.FunctionDef)]
    assert [function for function in functions if not function.startswith("_")] == ["draw"]


def test_every_figure_has_a_caption_and_every_caption_a_figure():
    assert set(FIGURES) == set(results().figures) - {"scoreboard"}


def test_a_caption_says_which_paper_the_figure_is_from():
    template = (ROOT / "workflow" / "report" / "paper.typ").read_text(encoding="utf-8")
    from_papers = {name: file for name, file in FIGURES.items() if f'"{name}"' in template}
    assert len(from_papers) > 20
    for name, file in from_papers.items():
        authors = file.parent.name.capitalize()
        assert results().figures[name].caption.startswith((f"{authors} et al.", f"{authors} 20")), name
