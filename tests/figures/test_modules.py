"""What holds for every figure's module: one function, a caption of the same name, no analysis behind it."""

import ast
import subprocess
import sys

import pytest

from bert_attention.paper.captions import read_captions
from tests.conftest import ROOT

LIBRARY = ROOT / "workflow" / "bert_attention"
CAPTIONS = read_captions(ROOT / "workflow" / "report" / "captions.yaml")
FIGURES = {file.stem: file for file in sorted((LIBRARY / "figures").glob("*/*_figure_*.py"))}


@pytest.mark.parametrize("name", FIGURES)
def test_a_module_has_one_public_function(name):
    functions = [node.name for node in ast.parse(FIGURES[name].read_text()).body if isinstance(node, ast.FunctionDef)]
    assert [function for function in functions if not function.startswith("_")] == ["draw"]


def test_every_figure_has_a_caption_and_every_caption_a_figure():
    assert set(FIGURES) == {name for name in CAPTIONS if "_figure_" in name}
    for name, file in FIGURES.items():
        assert CAPTIONS[name].caption.startswith(f"{file.parent.name.capitalize()} et al.")


@pytest.mark.parametrize("package", ["figures", "paper"])
def test_no_analysis_no_store_and_no_model_is_imported(package):
    """Column values aside. So an edited analysis draws and prints only what its new tables change."""
    files = [file for file in sorted((LIBRARY / package).rglob("*.py")) if file.stem != "__init__"]
    modules = [".".join(file.relative_to(LIBRARY.parent).with_suffix("").parts) for file in files]
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    path = {"PYTHONPATH": str(LIBRARY.parent)}
    imported = set(subprocess.check_output([sys.executable, "-c", code], env=path, text=True).split())
    assert set(modules) <= imported
    assert not imported & {"torch", "transformers"}
    ours = [name.split(".")[1:] for name in imported if name.startswith("bert_attention.")]
    assert not [name for name in ours if name[0] in ("attention", "models")]
    analyses = [name for name in ours if name[0] in ("clark", "kobayashi") and len(name) > 1]
    assert all(name[1] == "column_values" for name in analyses)
