"""Words to which wordpieces belong, as strings that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bert_attention.corpora.types import Article, Segment, Wordpieces
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.word_boundaries import piece_text
from bert_attention.tokenization.wordpieces import TokenizedText, is_unknown, tokenize_texts

NO_FORM = ""


def forms_of_segments(segments: Iterable[Segment], tokenizer: Tokenizer) -> list[list[str]]:
    """Return the word of each wordpiece of each segment; see :func:`word_forms`.

    A word never continues from the first part into the second part.
    """
    return [
        [form for part in _parts(segment) for word, form in _words(*part, tokenizer) for _ in word]
        for segment in segments
    ]


def tokens_of_segments(segments: Iterable[Segment], tokenizer: Tokenizer) -> list[list[str]]:
    """Return the wordpieces of each segment, written alike for all tokenizers: lowercased, ``##`` inside of words."""
    return [
        [
            ("" if begins_word else "##") + piece_text([wordpiece], tokenizer.marks).lower()
            for wordpieces, begins in _parts(segment)
            for wordpiece, begins_word in zip(wordpieces, begins, strict=True)
        ]
        for segment in segments
    ]


def _parts(segment: Segment) -> tuple[tuple[Wordpieces, tuple[bool, ...]], ...]:
    return (segment.first, segment.first_begins), (segment.second, segment.second_begins)


def forms_of_articles(articles: Iterable[Article], tokenizer: Tokenizer) -> dict[str, list[list[str]]]:
    """Return the words of every sentence of each article, by title, without words that have no form."""
    found: dict[str, list[list[str]]] = {}
    for article in articles:
        sentences = [sentence for paragraph in article.paragraphs for sentence in paragraph]
        forms = (word_forms(text, tokenizer) for text in tokenize_texts(tokenizer, sentences))
        found.setdefault(article.title, []).extend([form for form in sentence if form] for sentence in forms)
    return found


def word_forms(text: TokenizedText, tokenizer: Tokenizer) -> list[str]:
    """Return the words of a text, lowercased and without the marks of wordpieces.

    ``NO_FORM`` stands for punctuation and for words with an unknown part, because these cannot be compared.
    """
    return [form for _, form in _words(text.wordpieces, text.begins, tokenizer)]


def _words(wordpieces: Sequence[str], begins: Sequence[bool], tokenizer: Tokenizer) -> list[tuple[list[str], str]]:
    """Return the wordpieces and the form of each word."""
    words: list[list[str]] = []
    for wordpiece, begins_word in zip(wordpieces, begins, strict=True):
        if begins_word or not words:
            words.append([])
        words[-1].append(wordpiece)
    return [(word, _form(word, tokenizer)) for word in words]


def _form(word: Sequence[str], tokenizer: Tokenizer) -> str:
    form = piece_text(word, tokenizer.marks).lower()
    unknown = any(is_unknown(wordpiece, tokenizer) for wordpiece in word)
    return NO_FORM if unknown or not any(map(str.isalnum, form)) else form
