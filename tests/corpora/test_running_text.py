"""Formats of running text, named or detected, compressed or not."""

import bz2
import gzip
import lzma
import re
import tracemalloc
from collections import Counter
from time import process_time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora import compressed, running_text, wikipedia
from bert_attention.corpora.compressed import text_lines
from bert_attention.corpora.conllu import format_sentence, parse_sentence
from bert_attention.corpora.plain_text import plain_articles
from bert_attention.corpora.running_text import detect_format, read_running_text, train_sentence_splitter
from bert_attention.corpora.texts import texts_of_articles
from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.wikipedia import prose_paragraphs
from bert_attention.corpora.writing_systems import count_words, join_lines, split_sentences
from bert_attention.errors import InputError
from tests.corpora.test_wikipedia import PROSE, dump, page

PLAIN = f"A heading\n\n{PROSE}\n\n{PROSE}\n".encode()
WIKITEXT = f" \n = A title = \n \n {PROSE.replace('.', ' .')} \n".encode()
DUMP = dump(page("A", PROSE), page("B", PROSE), page("C", PROSE))
TEXTS = {"plain": PLAIN, "wikitext": WIKITEXT, "mediawiki": DUMP}
COMPRESSIONS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
COMPRESSIONS[".zst"] = lambda content: pa.compress(content, codec="zstd", asbytes=True)
SENTENCES = tuple(PROSE.replace(". A", ".|A").split("|"))


def written(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("form", TEXTS)
def test_every_format_is_read_by_name_and_by_content(tmp_path, form, ending):
    compress = COMPRESSIONS[ending]
    path = written(tmp_path / f"text.xyz{ending}", compress(TEXTS[form]))
    # With a byte-order mark, and in parts, as Wikipedia's multistream dumps are compressed.
    parts = compress(b"\xef\xbb\xbf" + TEXTS[form][:150]) + compress(TEXTS[form][150:])
    marked = written(tmp_path / f"marked{ending}", parts)
    assert detect_format(path) == detect_format(marked) == form
    for file, named in ((path, "auto"), (path, form), (marked, "auto")):
        articles = list(read_running_text(file, named)[0])
        assert articles[0].paragraphs[0] == SENTENCES
        assert len(articles) == (3 if form == "mediawiki" else 1)


def test_a_wrong_format_is_an_error_that_names_all_formats(tmp_path):
    path = written(tmp_path / "text", WIKITEXT)
    with pytest.raises(InputError, match="text: looks like wikitext, not like plain") as caught:
        read_running_text(path, "plain")
    assert "auto, plain, lines, wikitext, documents, mediawiki" in caught.value.for_workflow().remedy


@pytest.mark.parametrize("ending", ["", ".bz2", ".xz", ".zst", ".gz"])
def test_a_truncated_file_is_named(tmp_path, ending):
    whole = dump(*[page(str(number), PROSE * 50 + str(number) * 1000) for number in range(100)])
    content = COMPRESSIONS[ending](whole)
    path = written(tmp_path / f"d.xml{ending}", content[: -len(content) // 3])
    with pytest.raises(InputError, match=f"d.xml{ending}: (is incomplete or not a media|cannot be read)"):
        list(read_running_text(path)[0])


def test_a_folder_of_text_files_gives_articles_of_each(tmp_path):
    for name in ("b.txt.gz", "a.txt", "notes.md", "._a.txt"):  # some systems add hidden files
        ending = ".gz" if name.endswith(".gz") else ""
        written(tmp_path / "folder" / name, COMPRESSIONS[ending](PLAIN))
    assert [article.title for article in read_running_text(tmp_path / "folder")[0]] == ["a 1", "b 1"]


@pytest.mark.parametrize(("files", "articles"), [(36, 36), (35, 3 * 35)])
def test_each_file_of_a_large_folder_is_an_article(tmp_path, files, articles):
    for number in range(files):
        written(tmp_path / f"{number}.txt", b"It rained here.\n\n" * 90)
    assert len(list(read_running_text(tmp_path)[0])) == articles


def test_articles_are_streamed_after_the_splitter_is_trained(tmp_path, monkeypatch):
    monkeypatch.setattr(running_text, "_ARTICLES_TO_LEARN_FROM", 1)
    pages = [page("A", PROSE), page("R", "#REDIRECT [[B]]"), *(page(str(number), PROSE) for number in range(3))]
    (limited,) = read_running_text(written(tmp_path / "d.xml", dump(*pages)[:-20]), limit=1)[0]
    assert limited.title == "A"  # the damage at the end is not reached
    articles, left_out = read_running_text(written(tmp_path / "d.xml", dump(*pages)))
    assert next(articles).title == "A"
    assert not left_out
    assert [article.title for article in articles] == ["0", "1", "2"]
    assert left_out == {"redirects": 1}


@pytest.mark.parametrize(
    ("name", "content", "problem", "remedy"),
    [
        ("a.bin", PLAIN * 99 + bytes(9), "is not text in UTF-8", "MediaWiki XML dump"),
        ("a.txt", b" \n\n", "is empty", "MediaWiki XML dump"),
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


WRAPPED = "It was a dark night, and the well-\nknown owl sat  on an out\u00ad\nlook. It said\nnothing.\n"
JOINED = "It was a dark night, and the well-known owl sat on an outlook. It said nothing."


@pytest.mark.parametrize(
    ("text", "paragraphs", "headings"),
    [
        (f"\n{WRAPPED}\n \t\n{WRAPPED}", [JOINED, JOINED], 0),  # wrapped lines are joined
        ("CHAPTER I\n\n“No!”\n\nYes.\n", ["“No!”", "Yes."], 1),
        ("One. Two.\nThree.\nFour five\n", ["One. Two.", "Three."], 1),  # most lines end as sentences: paragraphs
        ("One\ntwo. Three\nfour.\n", ["One two. Three four."], 0),
    ],
)
def test_paragraphs_and_headings(text, paragraphs, headings):
    left_out = Counter()
    found = [kept for _, part in plain_articles(text.split("\n"), "book", text, left_out) for kept in part]
    assert (found, left_out.total()) == (paragraphs, headings)


def test_a_long_text_is_cut_into_articles_with_titles():
    text = "A sentence.\n\n" * 90
    found = list(plain_articles(text.split("\n"), "book", text, Counter()))
    assert [(title, len(kept)) for title, kept in found] == [("book 1", 40), ("book 2", 40), ("book 3", 10)]


LINES = [
    "",
    " = Red fox = ",
    " ",
    ' The red @-@ brown fox weighs 2 @.@ 5 kg ( 5 @.@ 5 lb ) . It eats 1 @,@ 000 mice , a <unk> and " fruit " . ',
    " = = Habitat = = ",
    " It lives in the cities ' gardens , and it doesn 't fear people at all . ",
    " = Owl = ",
    " Owls fly at night , when few other birds do , and hear very well . ",
]
FOX = (
    ("The red-brown fox weighs 2.5 kg (5.5 lb).", 'It eats 1,000 mice, a [UNK] and "fruit".'),
    ("It lives in the cities' gardens, and it doesn't fear people at all.",),
)
OWL = (("Owls fly at night, when few other birds do, and hear very well.",),)


def test_articles_are_joined_from_tokens(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text("\n".join(LINES))
    articles, left_out = read_running_text(path)
    assert [(article.title, article.paragraphs) for article in articles] == [("Red fox", FOX), ("Owl", OWL)]
    assert left_out == {"headings and other short lines": 1, "words <unk>, kept as unknown": 1}
    for number, part in enumerate((LINES[:5], LINES[5:])):  # the first article continues in the second file
        pq.write_table(pa.table({"text": part}), tmp_path / f"train-{number:05d}.parquet")
    assert next(read_running_text(tmp_path)[0]).paragraphs == FOX
    pq.write_table(pa.table({"text": ["A line.", None]}), tmp_path / "w.parquet")
    with pytest.raises(InputError, match=r"w.parquet, row 2: has no text \(null\)"):
        list(read_running_text(tmp_path / "w.parquet")[0])


def test_real_wikitext(real_data, tmp_path):
    lines = real_data("wikitext2/valid.txt").read_text().splitlines()[:600]
    (tmp_path / "wiki.txt").write_text("\n".join(lines))
    articles = list(read_running_text(tmp_path / "wiki.txt")[0])
    assert len(articles) == sum(line.startswith(" = ") and not line.startswith(" = = ") for line in lines)
    text = " ".join(sentence for article in articles for paragraph in article.paragraphs for sentence in paragraph)
    assert not any(mark in text for mark in ("@-@", "@.@", "( ", " ;", "<unk>"))


def test_blanked_paragraphs_are_skipped_and_counted(tmp_path):
    path = written(tmp_path / "text.txt", f"{PROSE}\n\n{'____ __ ___ ' * 9}".encode())
    articles, left_out = read_running_text(path)
    assert [len(article.paragraphs) for article in articles] == [1]
    assert left_out["paragraphs whose words are blanked out"] == 1
    with pytest.raises(InputError, match=r"holds no article with running text .*blanked out"):
        list(read_running_text(written(tmp_path / "text.txt", b"____ __ ___ " * 9))[0])


CHINESE = ["今天早上下雨了。", "孩子们还想去公园吗？", "“我们下午去！”", "妈妈笑着说，她会带伞。"]
ENGLISH = ["Dr. Smith met her near the old station.", "She asked: “Why did you come?”", "He left without a word."]
HINDI = ["आज सुबह बारिश हुई।", "बच्चे बाग़ में खेलना चाहते हैं।", "क्या हम दोपहर में जाएँगे?", "माँ ने छाता लिया।"]


@pytest.mark.parametrize(("sentences", "between"), [(CHINESE, ""), (HINDI, " "), (ENGLISH, " ")])
def test_sentences_end_as_unicode_says(sentences, between):
    text = between.join(sentences)
    assert list(split_sentences(text, train_sentence_splitter([text] * 9))) == sentences
    kept, left_out = prose_paragraphs(f"{text * 2}\n\n{text * 3}")
    assert (len(kept), left_out.total()) == (2, 0)


def test_scripts_without_spaces():
    assert join_lines("今天下雨了， 孩子们 went out。 她笑了") == "今天下雨了，孩子们 went out。她笑了"
    assert count_words("今天 rain") == 3


TOO_LONG = f"{PROSE} " * (LONGEST_PARAGRAPH // len(PROSE))


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
        ("mediawiki", dump(page("A", f"{PROSE}\n\n{TOO_LONG}\n\n{PROSE}"))),
        ("wikitext", f" = A = \n {PROSE}\n {TOO_LONG}\n {PROSE}\n".encode()),
        ("plain", f"{PROSE}\n\n{TOO_LONG}\n{TOO_LONG}\n\n{PROSE}\n".encode()),
    ],
)
def test_a_paragraph_that_is_too_long_is_skipped_and_counted(tmp_path, form, content):
    articles, left_out = read_running_text(written(tmp_path / form, content))
    assert [len(article.paragraphs) for article in articles] == [2]
    assert left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] == 1


def test_a_page_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(wikipedia, "LONGEST_PAGE", 100_000)
    allowed = [page(str(number), PROSE * 40) for number in range(50)]
    bomb = written(tmp_path / "bomb.xml.bz2", bz2.compress(dump(*allowed, page("B", "x" * 20_000_000))))
    tracemalloc.start()
    assert len(list(read_running_text(bomb, limit=50)[0])) == 50
    with pytest.raises(InputError, match=r"bomb.xml.bz2: .*a page has more than 0 MB"):
        list(read_running_text(bomb)[0])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8_000_000


def test_a_line_without_an_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "LONGEST_LINE", 1000)
    (tmp_path / "spaces.txt").write_bytes(b"one\n" + b" " * 10_000)
    with pytest.raises(InputError, match=r"spaces.txt, line 2: has more than 0 MB"):
        list(text_lines(tmp_path / "spaces.txt"))


LAMPS = [f"The keeper of the old lighthouse lit lamp number {number} at dusk." for number in range(1, 60)]


@pytest.mark.parametrize("separator", ["\f", "\u2028", "\x85", "\v", "\x1d"])
def test_other_separators_do_not_join_paragraphs(tmp_path, separator):
    lines = [*LAMPS[:27], LAMPS[27] + separator, separator + LAMPS[28]]
    text = written(tmp_path / "a.txt", "\n".join(lines).encode())
    assert [len(article.paragraphs) for article in read_running_text(text)[0]] == [29]
    with pytest.raises(InputError, match=rf"has no line feeds, but the separator U\+{ord(separator):04X}"):
        read_running_text(written(tmp_path / "a.txt", separator.join(LAMPS).encode()))


def test_articles_with_one_title_stay_apart(tmp_path):
    text = " = Owl = \n {} \n = Fox = \n {} \n = Owl = \n {} \n = Owl (2) = \n {} \n".format(*LAMPS)
    articles = list(read_running_text(written(tmp_path / "a.txt", text.encode()))[0])
    assert [article.title for article in articles] == ["Owl", "Fox", "Owl (2)", "Owl (2) (2)"]
    assert len(texts_of_articles(articles)) == 4
    twice = dump(page("A", PROSE * 2), page(" A\n", PROSE * 3))
    assert [a.title for a in read_running_text(written(tmp_path / "a.xml", twice))[0]] == ["A", "A (2)"]


def documents_on_lines(*sizes):
    lines = iter(LAMPS)
    return "\n\n".join("\n".join(next(lines) for _ in range(size)) for size in sizes).encode()


@pytest.mark.parametrize("sizes", [(9, 12, 8), (20, 10, 10, 15)])
def test_sentences_on_lines_with_blank_lines_between_documents(tmp_path, sizes):
    path = written(tmp_path / "bert.txt", documents_on_lines(*sizes))
    assert [len(article.paragraphs) for article in read_running_text(path)[0]] == list(sizes)
    assert len(next(read_running_text(path, "plain")[0]).paragraphs) == len(sizes)


@pytest.mark.parametrize("sizes", [(4,) * 12, (2, 9, 3, 2, 5)])
def test_an_unclear_layout_is_asked_for(tmp_path, sizes):
    path = written(tmp_path / "text.txt", documents_on_lines(*sizes))
    with pytest.raises(InputError, match=r"each line may be a sentence .*\n  Remedy: .*text_format"):
        read_running_text(path)
    assert len(list(read_running_text(path, "lines")[0])) == len(sizes)
    assert len(list(read_running_text(path, "plain")[0])) == 1


DEEP, DENSE = "articles whose markup is nested too deeply", "articles with more markup than text"


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        *((unit, DEEP) for unit in ("{{a|", "[[a|", "{|\n", "<b>", "<br ", "[http://a ", "<!-- ")),
        *((unit, DENSE) for unit in ("; a:b\n", "{|\n|a\n|}\n", "<br>")),
    ],
)
def test_a_page_of_nothing_but_markup_is_skipped_at_once(tmp_path, unit, reason):
    content = dump(page("A", PROSE * 2), page("B", unit * (900_000 // len(unit))))
    started = process_time()
    articles, left_out = read_running_text(written(tmp_path / "a.xml", content))
    assert [article.title for article in articles] == ["A"]
    assert left_out[reason] == 1
    assert process_time() - started < 3


def test_long_pages_of_closed_markup_are_read(tmp_path):
    markup = "[[a|b]] <br> <b>d</b> <ref name=e /> [http://f g] <!-- h --> {{cite\n|a=b\n}}"
    content = dump(page("A", f"{PROSE * 2} {markup} {PROSE}\n\n" * 300))
    assert len(next(read_running_text(written(tmp_path / "a.xml", content))[0]).paragraphs) == 300


@pytest.mark.parametrize(
    "content",
    ["<!-- a -->\n" * 40 + "<html>\n", "1\t" + "word " * 13_000, '"' * 49_000, ")" * 49_000, "." + "”" * 49_000],
)
def test_no_text_takes_exponential_or_quadratic_time(tmp_path, content):
    started = process_time()
    is_read = True
    try:
        list(read_running_text(written(tmp_path / "a.txt", content.encode()))[0])
    except InputError:
        is_read = False
    assert process_time() - started < 2, is_read


@pytest.mark.parametrize("marks", ["!", ". ", ".)"])
def test_paragraphs_of_marks_are_skipped_and_counted(tmp_path, marks):
    content = f"{PROSE}\n\n{marks * 1000}\n\n{marks * 50}\n\n{PROSE}\n"
    articles, left_out = read_running_text(written(tmp_path / "a.txt", content.encode()))
    assert [len(article.paragraphs) for article in articles] == [3]
    assert left_out == {"paragraphs of marks instead of words": 1}
