"""Text that is too long, deep or dense: it is refused or left out, soon and in bounded memory."""

import bz2
import tracemalloc
from time import process_time

import pytest

from bert_attention import files
from bert_attention.corpora import wikipedia
from bert_attention.corpora.conllu import format_sentence, parse_sentence
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.wikipedia import prose_paragraphs
from bert_attention.errors import InputError
from tests.corpora.test_wikipedia import PROSE as ONE_PARAGRAPH
from tests.corpora.test_wikipedia import dump, page

PROSE = f"{ONE_PARAGRAPH} "
TOO_LONG = PROSE * (LONGEST_PARAGRAPH // len(PROSE) + 1)


def test_long_sentences_and_paragraphs_take_linear_time():
    chain = [(n, f"{n}\tw\t_\t_\t_\t_\t{n + 1 if n < 60_000 else 0}\tdep\t_\t_") for n in range(1, 60_001)]
    empty_nodes = [(n, f"0.{n}\tw\t_\t_\t_\t_\t_\t_\t_\t_") for n in range(1, 100_000)]
    sentence = parse_sentence([*empty_nodes, (100_000, "1\tw\t_\t_\t_\t_\t0\troot\t_\t_")])
    text = f"{PROSE}({' ' * 60_000}x{' ' * 60_000}){PROSE}"
    for function, argument in ((parse_sentence, chain), (format_sentence, sentence), (prose_paragraphs, text)):
        started = process_time()  # hardly depends on other processes
        function(argument)
        assert process_time() - started < 2, function


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("mediawiki", dump(page("A", f"{PROSE.strip()}\n\n{TOO_LONG.strip()}\n\n{PROSE.strip()}"))),
        ("wikitext", f" = A = \n {PROSE}\n {TOO_LONG}\n {PROSE}\n".encode()),
        ("plain", f"{PROSE}\n\n{TOO_LONG}\n{TOO_LONG}\n\n{PROSE}\n".encode()),
    ],
)
def test_a_paragraph_that_is_too_long_is_skipped_and_counted(tmp_path, form, content):
    (tmp_path / form).write_bytes(content)
    articles, left_out = read_running_text(tmp_path / form)
    assert [len(article.paragraphs) for article in articles] == [2]
    assert left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] == 1


def test_a_page_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(wikipedia, "LONGEST_PAGE", 100_000)
    allowed = [page(str(number), PROSE * 40) for number in range(50)]
    bomb = tmp_path / "bomb.xml.bz2"
    bomb.write_bytes(bz2.compress(dump(*allowed, page("B", "x" * 20_000_000))))
    tracemalloc.start()
    articles, _ = read_running_text(bomb, limit=50)
    assert len(list(articles)) == 50
    with pytest.raises(InputError, match=r"bomb.xml.bz2: .*a page has more than 0 MB"):
        list(read_running_text(bomb)[0])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8_000_000


def test_a_line_without_an_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    (tmp_path / "zeros.txt").write_bytes(b"one\n" + bytes(10_000))
    with pytest.raises(InputError, match=r"zeros.txt, line 2: has more than 0 MB"):
        list(files.numbered_lines(tmp_path / "zeros.txt"))
