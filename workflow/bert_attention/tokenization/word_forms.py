"""The words that wordpieces are parts of, as strings that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bert_attention.corpora.types import Article, Segment, Wordpieces
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.word_boundaries import piece_text
from bert_attention.tokenization.wordpieces import TokenizedText, is_unknown, tokenize_texts

NO_FORM = ""


def forms_of_segments(segments: Iterable[Segment], tokenizer: Tokenizer) -> list[list[str]]:
    """For each segment, the word that each of its wordpieces is part of; see :func:`word_forms`.

    A word does not go on in the second part.
    """
    return [
        [form for part in _parts(segment) for word, form in _words(*part, tokenizer) for _ in word]
        for segment in segments
    ]


def _parts(segment: Segment) -> tuple[tuple[Wordpieces, tuple[bool, ...]], ...]:
    return (segment.first, segment.first_begins), (segment.second, segment.second_begins)


def forms_of_articles(articles: Iterable[Article], tokenizer: Tokenizer) -> dict[str, list[list[str]]]:
    """The words of every sentence of each article, by title; without those that have no form."""
    found: dict[str, list[list[str]]] = {}
    for article in articles:
        sentences = [sentence for paragraph in article.paragraphs for sentence in paragraph]
        forms = (word_forms(text, tokenizer) for text in tokenize_texts(tokenizer, sentences))
        found.setdefault(article.title, []).extend([form for form in of_one if form] for of_one in forms)
    return found


def word_forms(text: TokenizedText, tokenizer: Tokenizer) -> list[str]:
    """The words of a text, lower-cased and without the marks of wordpieces.

    ``NO_FORM`` stands for what is no word that could be compared: punctuation, and words with an unknown part.
    """
    return [form for _, form in _words(text.wordpieces, text.begins, tokenizer)]


def _words(wordpieces: Sequence[str], begins: Sequence[bool], tokenizer: Tokenizer) -> list[tuple[list[str], str]]:
    """The wordpieces of each word, and its form."""
    words: list[list[str]] = []
    for wordpiece, begins_word in zip(wordpieces, begins, strict=True):
        if begins_word or not words:
            words.append([])
        words[-1].append(wordpiece)
    return [(word, _form(word, tokenizer)) for word in words]


def _form(word: Sequence[str], tokenizer: Tokenizer) -> str:
    form = piece_text(word, tokenizer).lower()
    unknown = any(is_unknown(wordpiece, tokenizer) for wordpiece in word)
    return NO_FORM if unknown or not any(map(str.isalnum, form)) else form
