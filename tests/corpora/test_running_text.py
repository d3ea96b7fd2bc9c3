"""Formats of running text, by name and by look, compressed or not."""

import bz2
import gzip
import re

import pyarrow as pa
import pytest

from bert_attention.corpora import running_text
from bert_attention.corpora.running_text import look_of, read_running_text, train_sentence_splitter
from bert_attention.errors import InputError
from tests.corpora.test_wikipedia import PROSE, dump, page

PLAIN = f"A heading\n\n{PROSE}\n\n{PROSE}\n".encode()
WIKITEXT = f" \n = A title = \n \n {PROSE.replace('.', ' .')} \n".encode()
DUMP = dump(page("A", PROSE), page("B", PROSE), page("C", PROSE))
TEXTS = {"plain": PLAIN, "wikitext": WIKITEXT, "mediawiki": DUMP}
COMPRESSIONS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
}
SENTENCES = tuple(PROSE.replace(". A", ".|A").split("|"))


def written(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("form", TEXTS)
def test_every_format_is_read_by_name_and_by_look(tmp_path, form, ending):
    path = written(tmp_path / f"text.xyz{ending}", COMPRESSIONS[ending](TEXTS[form]))
    by_look, by_name = (list(read_running_text(path, asked)[0]) for asked in ("auto", form))
    assert by_look == by_name
    assert by_look[0].paragraphs[0] == SENTENCES
    marked = written(tmp_path / f"marked{ending}", COMPRESSIONS[ending](b"\xef\xbb\xbf" + TEXTS[form]))
    assert look_of(marked) == form
    assert next(read_running_text(marked)[0]).paragraphs[0] == SENTENCES


@pytest.mark.parametrize("ending", [".bz2", ".zst", ".gz"])
def test_compressed_files_may_be_joined(tmp_path, ending):
    """Wikipedia's multistream dumps consist of such parts."""
    half = DUMP.index(b"<page>")
    parts = (COMPRESSIONS[ending](part) for part in (DUMP[:half], DUMP[half:]))
    path = written(tmp_path / f"d.xml{ending}", b"".join(parts))
    assert [article.title for article in read_running_text(path)[0]] == ["A", "B", "C"]


@pytest.mark.parametrize(("look", "named"), [(look, named) for look in TEXTS for named in TEXTS if look != named])
def test_a_wrong_format_is_an_error_that_names_the_right_ones(tmp_path, look, named):
    path = written(tmp_path / "text", TEXTS[look])
    with pytest.raises(InputError, match=f"text: looks like {look}, not like {named}") as caught:
        read_running_text(path, named)
    assert "plain text" in caught.value.for_workflow().remedy
    assert "auto, plain, wikitext, mediawiki" in caught.value.for_workflow().remedy


@pytest.mark.parametrize("ending", ["", ".bz2", ".zst", ".gz"])
def test_a_file_that_is_cut_off_is_named(tmp_path, ending):
    whole = dump(*[page(str(number), PROSE * 50 + str(number) * 1000) for number in range(100)])
    content = COMPRESSIONS[ending](whole)
    path = written(tmp_path / f"d.xml{ending}", content[: -len(content) // 3])
    with pytest.raises(
        InputError, match=f"d.xml{ending}: (is incomplete or not a mediawiki file|cannot be decompressed)"
    ):
        list(read_running_text(path)[0])


def test_a_folder_of_text_files_gives_articles_of_each(tmp_path):
    for name in ("b.txt.gz", "a.txt", "notes.md", "._a.txt"):  # systems hide files beside one's own
        ending = ".gz" if name.endswith(".gz") else ""
        written(tmp_path / "folder" / name, COMPRESSIONS[ending](PLAIN))
    assert [article.title for article in read_running_text(tmp_path / "folder")[0]] == ["a 1", "b 1"]


def test_text_goes_by_as_a_stream_once_the_splitter_has_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(running_text, "_ARTICLES_TO_LEARN_FROM", 1)
    pages = [page("A", PROSE), page("R", "#REDIRECT [[B]]"), *(page(str(number), PROSE) for number in range(3))]
    (limited,) = read_running_text(written(tmp_path / "d.xml", dump(*pages)[:-20]), limit=1)[0]
    assert limited.title == "A"  # the damage at the end is not reached
    articles, left_out = read_running_text(written(tmp_path / "d.xml", dump(*pages)))
    assert next(articles).title == "A"
    assert not left_out
    assert [article.title for article in articles] == ["0", "1", "2"]
    assert left_out == {"redirects": 1}


def test_sentences_are_split_but_not_at_abbreviations():
    splitter = train_sentence_splitter([PROSE])
    assert splitter.tokenize("He met Dr. Smith there. They talked.") == ["He met Dr. Smith there.", "They talked."]


@pytest.mark.parametrize(
    ("name", "content", "problem", "remedy"),
    [
        ("a.jsonl", b'{"text": "A sentence."}\n', "looks like JSON", "MediaWiki XML dump"),
        ("a.html", b"<!DOCTYPE html><p>A sentence.", "looks like XML or HTML", "MediaWiki XML dump"),
        ("a.xml", b"<?xml version='1.0'?><corpus/>", "looks like XML or HTML", "MediaWiki XML dump"),
        ("a.conllu", b"# sent_id = 1\n1\tA\ta\tDET\t_\t_\t2\tdet\t_\t_\n", "looks like CoNLL-U", "MediaWiki XML dump"),
        ("a.rtf", b"{\\rtf1 A sentence.}", "looks like RTF", "MediaWiki XML dump"),
        ("a.docx", b"PK\x03\x04\x00\x00", "is not text in UTF-8", "MediaWiki XML dump"),
        ("a.txt", PROSE.encode("utf-16"), "is text in UTF-16, not UTF-8", "iconv -f utf-16"),
        ("a.txt", b" \n\n", "is empty", "MediaWiki XML dump"),
        ("a.txt.zst", COMPRESSIONS[".zst"](PLAIN)[:-6], "cannot be decompressed", "MediaWiki XML dump"),
        ("a.txt.bz2", PLAIN, "is not compressed, although its name ends in .bz2", "rename it"),
        ("folder/a.csv", b"A sentence.", "holds neither Parquet files nor text files", "MediaWiki XML dump"),
        ("a.txt", PLAIN + b"Caf\xe9.", ".*line 6: byte 0xe9", "iconv"),
        ("d.xml", dump(page("R", "#REDIRECT [[B]]")), r"holds no article .* \(left out: redirects \(1\)\)", "WikiText"),
    ],
)
def test_a_file_without_running_text_is_an_error_with_a_remedy(tmp_path, name, content, problem, remedy):
    written(tmp_path / name, content)
    path = tmp_path / name.split("/")[0]
    with pytest.raises(InputError, match=rf"{re.escape(path.name)}[:,] {problem}") as caught:
        list(read_running_text(path)[0])
    assert remedy in caught.value.remedy
