import bz2

import pytest

from bert_attention.corpora.wikipedia import plain_text, prose_paragraphs, read_dump, train_sentence_splitter
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError

PROSE = "This is a sentence of some length, in a paragraph. And this is another sentence."


def page(title, text, namespace=0):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<page><title>{title}</title><ns>{namespace}</ns><id>1</id><revision><text>{text}</text></revision></page>"


def dump(path, *pages):
    namespace = 'xmlns="http://www.mediawiki.org/xml/export-0.10/"'
    path.write_bytes(bz2.compress(f"<mediawiki {namespace}>{''.join(pages)}</mediawiki>".encode()))
    return path


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''Bold''' and ''italic''", "Bold and italic"),
        (
            "a [[link]], a [[page|shown text]], [[:Category:X]][[File:x.jpg|thumb|a ''caption'']]",
            "a link, a shown text, ",
        ),
        ("see [http://x.org the site] [http://y.org]", "see the site "),
        ("said<ref>somewhere</ref> so<ref name=a />", "said so"),
        ("dash&ndash;here&nbsp;now", "dash\u2013here\xa0now"),
        ("height {{convert|10|km|mi}}, {{lang|fr|bonjour}}{{citation needed|date=May}}", "height 10 km, bonjour"),
        ("before {{unknown|x}} after <math>x^2</math>", "before \1 after \1"),
        ("one<br/>two<!-- no -->", "one two"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_markup_becomes_text(markup, text):
    assert plain_text(markup) == text


def test_paragraphs_are_separated_by_blank_lines_headings_and_lists():
    text = plain_text(
        f"{PROSE}\n{PROSE}\n== Heading ==\n{PROSE}\n* an item of a list. It is long enough to be prose.\n{PROSE}"
    )
    kept, left_out = prose_paragraphs(text)
    assert kept == [f"{PROSE} {PROSE}", PROSE, PROSE]
    assert not left_out


@pytest.mark.parametrize(
    ("paragraph", "reason"),
    [
        (f"{PROSE} The formula <math>x</math> is lost.", "template or formula"),
        (f"{PROSE} {{{{unknown}}}} is lost.", "template or formula"),
        (f"{PROSE} '''''Broken''''' [[markup.", "broken markup"),
        (f"{PROSE} | cell | cell.", "broken markup"),
        ("A short line.", "fragments"),
        ("A long enough line that does not end as a sentence does", "fragments"),
    ],
)
def test_what_is_no_prose_is_left_out_and_counted(paragraph, reason):
    kept, left_out = prose_paragraphs(plain_text(paragraph))
    assert kept == []
    assert [reason in counted for counted in left_out] == [True]


def test_brackets_emptied_by_references_are_mended():
    kept, _ = prose_paragraphs(f"Alabama () is a state (; from {PROSE}) of the  Union, and it is large.")
    assert kept == [f"Alabama is a state (from {PROSE}) of the Union, and it is large."]


def test_sentences_are_split_but_not_at_abbreviations():
    splitter = train_sentence_splitter([PROSE])
    assert splitter.tokenize("He met Dr. Smith there. They talked.") == ["He met Dr. Smith there.", "They talked."]


def test_a_dump_gives_articles_in_order(tmp_path):
    path = dump(
        tmp_path / "d.xml.bz2",
        page("B", PROSE),
        page("R", "#REDIRECT [[B]]"),
        page("Talk:B", PROSE, namespace=1),
        page("Stub", "* nothing"),
        page("A", f"{PROSE}\n\n{PROSE}"),
    )
    articles, left_out = read_dump(path)
    assert [article.title for article in articles] == ["B", "A"]
    assert articles[1].paragraphs == (tuple(PROSE.replace(". A", ".|A").split("|")),) * 2
    assert left_out == {"redirects": 1, "articles without running text": 1}


def test_dumps_that_cannot_be_read_are_named(tmp_path):
    whole = dump(tmp_path / "d.xml.bz2", *[page(str(number), PROSE * 50) for number in range(50)]).read_bytes()
    for name, content in (
        ("cut.bz2", whole[: len(whole) // 2]),
        ("text.bz2", b"no bz2 at all"),
        ("empty.xml", b""),
        ("broken.xml", b"<mediawiki><page>"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=f"{name}: is not a readable MediaWiki XML dump"):
            read_dump(tmp_path / name)
    with pytest.raises(InputError, match="holds no article with running text"):
        read_dump(dump(tmp_path / "none.bz2", page("R", "#REDIRECT [[B]]")))


@pytest.fixture(scope="module")
def real(edition):
    return read_dump(locate(edition["corpora"]["wikipedia"]["source"]))


def test_the_embedded_dump_is_clean_text(real):
    articles, left_out = real
    paragraphs = [" ".join(paragraph) for article in articles for paragraph in article.paragraphs]
    assert len(articles) > 100
    assert len(paragraphs) > 4000
    for mark in ("''", "[[", "]]", "{", "}", "|", "<", ">", "==", "http", "&nbsp;", "()", "\0", "\1"):
        assert not [paragraph for paragraph in paragraphs if mark in paragraph], mark
    assert left_out["paragraphs with broken markup"] < 0.02 * len(paragraphs)


def test_the_embedded_dump_is_split_into_sentences(real):
    articles, _ = real
    sentences = [sentence for article in articles for paragraph in article.paragraphs for sentence in paragraph]
    words = [len(sentence.split()) for sentence in sentences]
    assert 15 < sum(words) / len(words) < 30
    assert sum(sentence[0].islower() for sentence in sentences) < 0.005 * len(sentences)
