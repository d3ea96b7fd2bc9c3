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
from bert_attention.corpora.wikipedia import PageLimit, prose_paragraphs
from bert_attention.errors import InputError
from bert_attention.files import numbered_lines
from tests.corpora.test_wikipedia import PROSE as ONE_PARAGRAPH
from tests.corpora.test_wikipedia import dump, page

PROSE = f"{ONE_PARAGRAPH} "
TOO_LONG = PROSE * (LONGEST_PARAGRAPH // len(PROSE) + 1)


def write_dump(path, *pages):
    path.write_bytes(bz2.compress(dump(*pages)))
    return path


def seconds(function, *arguments):
    """Return the processor's time for a call, which hardly depends on other processes."""
    started = process_time()
    function(*arguments)
    return process_time() - started


def test_long_sentences_and_paragraphs_take_linear_time():
    chain = [(n, f"{n}\tw\t_\t_\t_\t_\t{n + 1 if n < 60_000 else 0}\tdep\t_\t_") for n in range(1, 60_001)]
    assert seconds(parse_sentence, chain) < 2
    empty_nodes = [(n, f"0.{n}\tw\t_\t_\t_\t_\t_\t_\t_\t_") for n in range(1, 300_000)]
    sentence = parse_sentence([*empty_nodes, (300_000, "1\tw\t_\t_\t_\t_\t0\troot\t_\t_")])
    assert seconds(format_sentence, sentence) < 2
    assert seconds(prose_paragraphs, f"{PROSE}({' ' * 60_000}x{' ' * 60_000}){PROSE}") < 2


def read_all(path):
    articles, left_out = read_running_text(path)
    return list(articles), left_out


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("mediawiki", dump(page("A", f"{PROSE.strip()}\n\n{TOO_LONG.strip()}\n\n{PROSE.strip()}"))),
        ("wikitext", f" = A = \n {PROSE}\n {TOO_LONG}\n {PROSE}\n".encode()),
        ("plain", f"{PROSE}\n\n{TOO_LONG}\n{TOO_LONG}\n\n{PROSE}\n".encode()),
    ],
)
def test_a_paragraph_that_is_too_long_is_left_out_and_counted(tmp_path, form, content):
    (tmp_path / form).write_bytes(content)
    (article,), left_out = read_all(tmp_path / form)
    assert len(article.paragraphs) == 2
    assert left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] == 1


def test_a_page_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(wikipedia, "LONGEST_PAGE", 1_000_000)
    bomb = write_dump(tmp_path / "bomb.xml.bz2", page("A", PROSE), page("B", "x" * 50_000_000))
    assert bomb.stat().st_size < 1000
    tracemalloc.start()
    with pytest.raises(InputError, match=r"bomb.xml.bz2: .*a page has more than 1 MB"):
        read_all(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000


def test_many_pages_of_an_allowed_length_are_read(tmp_path):
    path = write_dump(tmp_path / "d.xml.bz2", *(page(str(n), PROSE * 100) for n in range(100)))
    with bz2.open(path) as file:
        limited = PageLimit(file, longest=10_000)
        whole = b"".join(iter(lambda: limited.read(1000), b""))
    assert whole == bz2.decompress(path.read_bytes())


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    path = tmp_path / "zeros.txt"
    path.write_bytes(b"one\n" + bytes(10_000))
    with pytest.raises(InputError, match=r"zeros.txt, line 2: has more than 0 MB"):
        list(numbered_lines(path))
