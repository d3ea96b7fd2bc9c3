import io
from collections import Counter
from xml.etree.ElementTree import ParseError

import pytest

from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.wikipedia import dump_articles, plain_text, prose_paragraphs
from bert_attention.downloads.sources import locate

PROSE = "This is a sentence of some length, in a paragraph. And this is another sentence."


def page(title, text, namespace=0):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<page><title>{title}</title><ns>{namespace}</ns><id>1</id><revision><text>{text}</text></revision></page>"


def dump(*pages):
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">{"".join(pages)}</mediawiki>'.encode()


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''Bold''' and ''italic''", "Bold and italic"),
        ("a [[link]], a [[page|text]], [[Category:X]][[File:x.jpg|thumb|a ''caption'']]", "a link, a text, "),
        (
            "[[:Category:X]], [[:de:Liga|the league]] and [[CSI: NY|the series]]",
            "Category:X, the league and the series",
        ),
        ("[[re:publica]] or [[Special:Export|export]]", "\1 or \1"),  # perhaps a link to another wiki
        ("see [http://x.org the site] [http://y.org]", "see the site "),
        ("said<ref>somewhere</ref> so<ref name=a />", "said so"),
        ("dash&ndash;here&nbsp;now", "dash\u2013here\xa0now"),
        ("height {{convert|10|km|mi}}, {{lang|fr|bonjour}}{{citation needed|date=May}}", "height 10 km, bonjour"),
        ("{{convert|5|to|6|mi|km}}, {{cvt|5|-|6|mi}}, {{convert|6|ft|2|in|cm}}", "5 to 6 mi, 5-6 mi, 6 ft 2 in"),
        ("{{convert|20|and(-)|30|km|mi|0}}, {{convert|20|km|mi|0}}, {{convert|20|km|0}}", "20 and 30 km, 20 km, 20 km"),
        ("{{convert|2|x|3|x|4|m}} and {{convert|2|to}}", "\1 and \1"),
        ("5{{nbsp}}km, {{harvtxt|Ann|1997}}, {{citation needed span|text=so}}{{sfn|Ann|1997}}", "5 km, \1, \1"),
        ("before {{unknown|x}} after <math>x^2</math>", "before \1 after \1"),
        ("one<br/>two<!-- no -->", "one two"),
        ("H<sub>2</sub>O", "H2O"),
        ("if a &lt; b then b &gt; a", "if a < b then b > a"),  # gensim's reader drops what is between
        ("a &#xD800; b &#1; c &eacute;", "a &#xD800; b &#1; c é"),  # half a pair of surrogates, a mark of the module
    ],
)
def test_markup_becomes_text(markup, text):
    assert plain_text(markup) == text


def test_paragraphs_are_separated_by_blank_lines_headings_and_lists():
    item = "* an item of a list. It is long enough to be prose."
    kept, left_out = prose_paragraphs(plain_text(f"{PROSE}\n{PROSE}\n== Heading ==\n{PROSE}\n{item}\n{PROSE}"))
    assert kept == [f"{PROSE} {PROSE}", PROSE, PROSE]
    kept, _ = prose_paragraphs(f"Alabama () is a state  ( ;  , ) (  , ; from {PROSE}) of the  Union, and large ().")
    assert kept == [f"Alabama is a state (from {PROSE}) of the Union, and large."]  # brackets that references left
    assert not left_out


@pytest.mark.parametrize(
    ("paragraph", "reason"),
    [
        (f"{PROSE} The formula <math>x</math> is lost.", "template or formula"),
        (f"{PROSE} '''''Broken''''' [[markup.", "broken markup"),
        ("A short line.", "fragments"),
        ("A long enough line that does not end as a sentence does", "fragments"),
    ],
)
def test_other_text_is_skipped_and_counted(paragraph, reason):
    kept, left_out = prose_paragraphs(plain_text(paragraph))
    assert kept == []
    assert [reason in counted for counted in left_out] == [True]


def test_the_newest_revision_of_a_page_is_read():
    pages = page("A", PROSE).replace("<revision>", "<revision><text>An old text.</text></revision><revision>")
    assert list(dump_articles(io.BytesIO(dump(pages)), Counter())) == [("A", [PROSE])]


def test_a_dump_is_read_in_order_as_a_stream():
    pages = [
        page("B", PROSE),
        page("R", "#REDIRECT [[B]]"),
        page("Talk:B", PROSE, namespace=1),
        page("Stub", "* nothing"),
        page("", PROSE),
        page("Deep", "{{" * 3000 + "x" + "}}" * 3000 + PROSE),
        page("A", f"{PROSE}\n\n{PROSE}"),
    ]
    left_out = Counter()
    articles = dump_articles(io.BytesIO(dump(*pages, *[page("C", PROSE * 50)] * 50)[:-20]), left_out)
    assert (next(articles), next(articles)) == (("B", [PROSE]), ("A", [PROSE, PROSE]))
    reasons = "redirects", "articles without running text", "pages without title"
    assert left_out == dict.fromkeys((*reasons, "articles whose markup is nested too deeply"), 1)
    with pytest.raises(ParseError):
        list(articles)


def test_the_embedded_dump_is_clean_text_split_into_sentences(edition):
    articles, left_out = read_running_text(locate(edition["corpora"]["wikipedia"]["source"]), limit=4)
    paragraphs = [paragraph for article in articles for paragraph in article.paragraphs]
    assert len(paragraphs) > 150
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph]
    assert 15 < sum(len(sentence.split()) for sentence in sentences) / len(sentences) < 30
    assert sum(sentence[0].islower() for sentence in sentences) < 0.005 * len(sentences)
    for mark in ("''", "[[", "]]", "{", "}", "|", "<", ">", "==", "http", "&nbsp;", "()", "\0", "\1"):
        assert not [sentence for sentence in sentences if mark in sentence], mark
    assert left_out["paragraphs with broken markup"] < 0.02 * len(paragraphs)
