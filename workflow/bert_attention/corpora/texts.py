"""Raw texts of corpora for the parser, and the parsed sentences of each text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.types import Article, PairTask, Sentence
from bert_attention.errors import InputError

Item = TypeVar("Item")

_NEW_TEXT = "newdoc id"
_NEW_PARAGRAPH = "newpar id"
_HELD_OUT = 5  # one article in five is for development


def paragraphs_of_articles(articles: Iterable[Article]) -> dict[str, tuple[str, ...]]:
    """Return the sentences of each paragraph, named by the title of its article and its number from 1."""
    return {
        f"{article.title} {number}": sentences
        for article in articles
        for number, sentences in enumerate(article.paragraphs, start=1)
    }


def texts_of_articles(articles: Iterable[Article]) -> dict[str, str]:
    """Return each paragraph as running text, named as by :func:`paragraphs_of_articles`."""
    return {name: " ".join(sentences) for name, sentences in paragraphs_of_articles(articles).items()}


def texts_of_task(task: PairTask) -> dict[str, str]:
    """Return each sentence of the validation examples, named by number from 1 and part."""
    return {
        f"{number} {part}": text
        for number, example in enumerate(task.validation, start=1)
        for part, text in (("first", example.first), ("second", example.second))
        if text is not None
    }


def joined_texts(names: Iterable[str], parsed: Iterable[Sequence[Sentence]]) -> Iterator[Sentence]:
    """Yield the sentences of all texts. The first sentence of each text carries the text's name (``# newdoc id``)."""
    for name, sentences in zip(names, parsed, strict=True):
        for number, sentence in enumerate(sentences, start=1):
            opening = (f"# {_NEW_TEXT} = {name}",) if number == 1 else ()
            named = with_id(sentence, name, number)
            yield replace(named, comments=(*opening, *named.comments))


def with_id(sentence: Sentence, name: str, number: int) -> Sentence:
    """Return the sentence with the comment ``# sent_id``: the name of its text, and its number in the text from 1."""
    return replace(sentence, comments=(f"# sent_id = {name} {number}", *sentence.comments))


def read_texts(path: Path | str) -> dict[str, list[Sentence]]:
    """Read the sentences of each text of a file that :func:`joined_texts` made, by the text's name."""
    texts: dict[str, list[Sentence]] = {}
    for sentence in read_conllu(path)[0]:
        name = sentence.comment(_NEW_TEXT)
        if name is not None:
            texts[name] = []
        texts[next(reversed(texts))].append(sentence)
    return texts


def silver_split(
    texts: Mapping[str, Sequence[Sentence]], split: str, size: int | None = None, seed: int = 0
) -> list[Sentence]:
    """Sample sentences of parsed paragraphs for one split of a treebank (:func:`draw_split`, :func:`in_documents`).

    ``texts`` are paragraphs as :func:`read_texts` returns them.
    """
    return in_documents(draw_split(texts, split, size, seed), texts)


def draw_split(
    texts: Mapping[str, Sequence[Item]], split: str, size: int | None = None, seed: int = 0
) -> list[tuple[str, Item]]:
    """Sample sentences of paragraphs for one split of a treebank, and return each with its paragraph's name.

    Each article belongs to one split: the first and every fifth after it to ``dev``, the others to ``train``. The
    sample does not depend on what the sentences are, so they can be parsed before or after. ``texts`` has the sentences
    of each paragraph, named as by :func:`paragraphs_of_articles`. A ``size`` that is None or too large takes all
    sentences. Raise InputError if no sentence is left for this split.
    """
    articles = _articles(texts)
    held_out = set(articles[::_HELD_OUT])
    found = [
        (name, sentence)
        for name, sentences in texts.items()
        if (_article(name) in held_out) == (split == "dev")
        for sentence in sentences
    ]
    if not found:
        problem = f"has no sentence for the split {split}: only {len(articles)} articles were parsed"
        raise InputError("the treebank", problem, "give a text with at least two articles")
    return sample(found, size, seed)


def in_documents(drawn: Sequence[tuple[str, Sentence]], names: Iterable[str]) -> list[Sentence]:
    """Return a sample's sentences, drawn by :func:`draw_split`, as a treebank's.

    An article is a document, whose first sentence has the comment ``# newdoc id`` with the article's title. ``names``
    are the names of all paragraphs that the sample was drawn from.
    """
    documents = {title: number for number, title in enumerate(_articles(names), start=1)}
    before = [None, *(name for name, _ in drawn)]
    return [
        replace(sentence, document=documents[_article(name)], comments=_treebank_comments(sentence, name, previous))
        for (name, sentence), previous in zip(drawn, before, strict=False)
    ]


def _articles(names: Iterable[str]) -> list[str]:
    """Return the titles of the paragraphs' articles, each once."""
    return list(dict.fromkeys(map(_article, names)))


def _article(name: str) -> str:
    """Return the title of a paragraph's article from the paragraph's name (:func:`paragraphs_of_articles`)."""
    return name.rpartition(" ")[0]


def _treebank_comments(sentence: Sentence, name: str, previous: str | None) -> tuple[str, ...]:
    """Return a sentence's comments for CoNLL-U, which say where a new document or paragraph begins.

    ``name`` and ``previous`` are the paragraphs of this sentence and of the sentence before it, if any.
    """
    begins_article = previous is None or _article(name) != _article(previous)
    opening = [f"# {_NEW_TEXT} = {_article(name)}"] if begins_article else []
    opening += [f"# {_NEW_PARAGRAPH} = {name}"] if name != previous else []
    others = (comment for comment in sentence.comments if not comment.startswith(f"# {_NEW_TEXT}"))
    return (*opening, *others)


def character_spans(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the span of each word of a sentence parsed by Stanza in its text: first character, one past the last.

    A word that is not written out in its multiword token (French *du* for *de le*) gets the token's span. Raise
    ValueError if a word has no offsets in MISC.
    """
    spans = [_span(word.misc) for word in sentence.words]
    for _, line in sentence.other_lines:
        number, *_, misc = line.split("\t")
        if "-" in number:
            first, last = map(int, number.split("-"))
            spans[first - 1 : last] = [span or _span(misc) for span in spans[first - 1 : last]]
    if None in spans:
        raise ValueError(f"word {spans.index(None) + 1} has no start_char and end_char in MISC")
    return spans


def _span(misc: str) -> tuple[int, int] | None:
    entries = dict(entry.split("=", 1) for entry in misc.split("|") if "=" in entry)
    return (int(entries["start_char"]), int(entries["end_char"])) if "start_char" in entries else None
