"""Plain text: paragraphs out of lines."""

from collections import Counter

import pytest

from bert_attention.corpora.plain_text import has_paragraph_on_each_line, plain_articles

WRAPPED = "It was a dark night, and the well-\nknown owl sat  on an out\u00ad\nlook. It said\nnothing.\n"
JOINED = "It was a dark night, and the well-known owl sat on an outlook. It said nothing."


def paragraphs(text, left_out=None):
    left_out = Counter() if left_out is None else left_out
    return [kept for _, part in plain_articles(text.split("\n"), "book", text, left_out) for kept in part]


def test_blank_lines_part_paragraphs_and_wrapped_lines_are_joined():
    assert paragraphs(f"\n{WRAPPED}\n \t\n{WRAPPED}") == [JOINED, JOINED]


def test_headings_are_left_out_and_short_sentences_are_not():
    left_out = Counter()
    assert paragraphs("CHAPTER I\n\n“No!”\n\nYes.\n", left_out) == ["“No!”", "Yes."]
    assert left_out == {"headings and other short lines": 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [("One. Two.\nThree.\nFour five\n", True), ("One\ntwo. Three\nfour.\n", False), ("One.\n\nTwo.\n", False)],
)
def test_lines_are_paragraphs_if_none_is_blank_and_most_end_as_sentences(text, found):
    assert has_paragraph_on_each_line(text) == found


def test_a_text_with_a_paragraph_on_each_line_keeps_them():
    assert paragraphs("One. Two.\nThree.\nFour.\n") == ["One. Two.", "Three.", "Four."]


def test_a_long_text_is_cut_into_articles_with_titles():
    text = "A sentence.\n\n" * 90
    found = list(plain_articles(text.split("\n"), "book", text, Counter()))
    assert [(title, len(kept)) for title, kept in found] == [("book 1", 40), ("book 2", 40), ("book 3", 10)]
