"""The code in docs/library.md gives the output on the page."""

import doctest
import re

import pytest

from bert_attention.errors import InputError
from bert_attention.interface.requirements import corpora_for
from bert_attention.plan import target
from bert_attention.results import results
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_examples_print_the_output_on_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)).replace("texts=texts", "texts=texts[:20]")
    examples = doctest.DocTestParser().get_doctest(code, {}, "library.md", "docs/library.md", 0)
    output: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=output.append)
    assert not results.failed, "".join(output)
    assert results.attempted > 20
    assert (tmp_path / "figure_2.png").stat().st_size > 10_000
    assert "</html>" in (tmp_path / "heads.html").read_text(encoding="utf-8")


def test_the_page_lists_the_results_of_each_corpus():
    made = {}
    for name in (*results().tables, *results().figures):
        try:
            corpora = " and ".join(sorted(corpora_for(name)))
        except InputError:
            continue
        made.setdefault(corpora, set()).add(target(name))
    rows = re.findall(r"^\| (`.*?`) \| (`.*?`) \|$", PAGE, flags=re.M)
    listed = {" and ".join(re.findall(r"`(\w+)`", needs)): set(re.findall(r"`(\w+)`", names)) for needs, names in rows}
    assert listed == made
