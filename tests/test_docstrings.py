"""Docstrings start with a verb or a noun."""

import re

from tests.conftest import ROOT

# Words that start a clause, or refer to another sentence.
UNCLEAR = {"What", "Whatever", "Whether", "How", "Which", "Those", "Where", "Of", "It", "That"}
FIRST_WORD = re.compile(r'^ *r?"""\W*(\w+)', flags=re.M)


def test_no_docstring_begins_with_an_unclear_word():
    files = [file for folder in ("workflow", "tests", "benchmarks", "docs") for file in (ROOT / folder).rglob("*.py")]
    found = {file: UNCLEAR & set(FIRST_WORD.findall(file.read_text(encoding="utf-8"))) for file in files}
    assert {file: words for file, words in found.items() if words} == {}
    assert len(files) > 100
