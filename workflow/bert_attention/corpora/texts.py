"""Raw texts of corpora for the parser, and the sentences that the parser makes of each text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bert_attention.corpora.conllu import Sentence, read_conllu
from bert_attention.corpora.types import Article, PairTask

_NEW_TEXT = "newdoc id"


def texts_of_articles(articles: Iterable[Article]) -> dict[str, str]:
    """Each paragraph, named by the title of its article and its number from 1."""
    return {
        f"{article.title} {number}": " ".join(sentences)
        for article in articles
        for number, sentences in enumerate(article.paragraphs, start=1)
    }


def texts_of_task(task: PairTask) -> dict[str, str]:
    """Each sentence of the validation examples (the ones analysed), named by number from 1 and part."""
    return {
        f"{number} {part}": text
        for number, example in enumerate(task.validation, start=1)
        for part, text in (("first", example.first), ("second", example.second))
        if text is not None
    }


def joined_texts(names: Iterable[str], parsed: Iterable[Sequence[Sentence]]) -> Iterator[Sentence]:
    """The sentences of all texts in one sequence; the first of each carries the text's name (``# newdoc id``)."""
    for name, sentences in zip(names, parsed, strict=True):
        for place, sentence in enumerate(sentences, start=1):
            opening = (f"# {_NEW_TEXT} = {name}",) if place == 1 else ()
            yield replace(sentence, comments=(*opening, f"# sent_id = {name} {place}", *sentence.comments))


def split_texts(sentences: Iterable[Sentence]) -> dict[str, list[Sentence]]:
    """The sentences of each text, by its name: undoes :func:`joined_texts`."""
    texts: dict[str, list[Sentence]] = {}
    for sentence in sentences:
        name = sentence.comment(_NEW_TEXT)
        if name is not None:
            texts[name] = []
        texts[next(reversed(texts))].append(sentence)
    return texts


def silver_split(texts: Mapping[str, Sequence[Sentence]], split: str) -> list[Sentence]:
    """Parsed texts as a treebank: every tenth text is ``dev``, the others are ``train``."""
    chosen = (sentences for place, sentences in enumerate(texts.values()) if (place % 10 == 9) == (split == "dev"))
    return [sentence for sentences in chosen for sentence in sentences]


def read_texts(path: Path | str) -> dict[str, list[Sentence]]:
    """The sentences of each text of a file, as :func:`joined_texts` put them there."""
    return split_texts(read_conllu(path)[0])
