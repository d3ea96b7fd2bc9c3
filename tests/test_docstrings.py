"""Docstrings start with a verb or a noun."""

import ast

from tests.conftest import ROOT

# Words that start a clause, or refer to another sentence.
UNCLEAR = {"What", "Whatever", "Whether", "How", "Which", "Those", "Where", "Of", "It", "That"}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def test_no_docstring_begins_with_an_unclear_word():
    found = []
    for folder in ("workflow", "tests", "benchmarks", "docs"):
        for file in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
            first = [text.split()[0].strip(",.:;") for text in texts if text]
            found += [f"{file.relative_to(ROOT)}: {word}" for word in first if word in UNCLEAR]
    assert found == []
