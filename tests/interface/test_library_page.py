"""The code in docs/library.md does what the page says."""

import doctest
import re

from bert_attention.errors import InputError
from bert_attention.interface.requirements import corpora_for
from bert_attention.plan import target
from bert_attention.results import results
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(tmp_path, monkeypatch):
    """One after another, as a reader types them."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, "library.md", "docs/library.md", 0)
    said: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append)
    assert not results.failed, "".join(said)
    assert results.attempted > 20
    assert (tmp_path / "figure_2.png").stat().st_size > 10_000
    assert "</html>" in (tmp_path / "heads.html").read_text(encoding="utf-8")


def test_the_page_lists_what_can_be_made_of_which_corpora():
    made = {}
    for name in (*results().tables, *results().figures):
        try:
            corpora = " and ".join(sorted(corpora_for(name)))
        except InputError:
            continue
        made.setdefault(corpora, set()).add(target(name))
    rows = re.findall(r"^\| (`.*?`) \| (`.*?`) \|$", PAGE, flags=re.M)
    listed = {" and ".join(re.findall(r"`(\w+)`", given)): set(re.findall(r"`(\w+)`", asked)) for given, asked in rows}
    assert listed == made
