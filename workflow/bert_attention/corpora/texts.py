"""Raw texts of corpora for the parser, and the sentences that the parser makes of each text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.types import Article, PairTask, Sentence

_NEW_TEXT = "newdoc id"


def texts_of_articles(articles: Iterable[Article]) -> dict[str, str]:
    """Each paragraph, named by the title of its article and its number from 1."""
    return {
        f"{article.title} {number}": " ".join(sentences)
        for article in articles
        for number, sentences in enumerate(article.paragraphs, start=1)
    }


def texts_of_task(task: PairTask) -> dict[str, str]:
    """Each sentence of the validation examples, named by number from 1 and part."""
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


def without_tags(sentence: Sentence) -> Sentence:
    """The sentence cut into the same words, but with nothing said of them (``_``); all hang on the first."""
    said = {"lemma": "_", "upos": "_", "xpos": "_", "feats": "_", "relation": "_"}
    words = (replace(word, head=int(place > 0), **said) for place, word in enumerate(sentence.words))
    return replace(sentence, words=tuple(words))


def read_texts(path: Path | str) -> dict[str, list[Sentence]]:
    """The sentences of each text of a file, by its name, as :func:`joined_texts` put them there."""
    texts: dict[str, list[Sentence]] = {}
    for sentence in read_conllu(path)[0]:
        name = sentence.comment(_NEW_TEXT)
        if name is not None:
            texts[name] = []
        texts[next(reversed(texts))].append(sentence)
    return texts


def silver_split(texts: Mapping[str, Sequence[Sentence]], split: str) -> list[Sentence]:
    """Parsed paragraphs as a treebank: every tenth is ``dev``, the others are ``train``; an article is a document."""
    chosen = [name for place, name in enumerate(texts) if (place % 10 == 9) == (split == "dev")]
    documents = {title: number for number, title in enumerate(dict.fromkeys(map(_article, chosen)), start=1)}
    return [
        replace(sentence, document=documents[_article(name)], comments=_of_paragraph(sentence.comments))
        for name in chosen
        for sentence in texts[name]
    ]


def _article(name: str) -> str:
    """The title of a paragraph's article, from the paragraph's name as :func:`texts_of_articles` makes it."""
    return name.rpartition(" ")[0]


def _of_paragraph(comments: Iterable[str]) -> tuple[str, ...]:
    """Comments of a sentence that begin a paragraph where they began a text."""
    return tuple(comment.replace(f"# {_NEW_TEXT}", "# newpar id", 1) for comment in comments)


def character_spans(sentence: Sentence) -> list[tuple[int, int]]:
    """Where each word of a sentence parsed by Stanza is in its text: first character, one past the last.

    A word that is not written out in its multiword token (French *du* for *de le*) gets the token's span.

    Raises
    ------
    ValueError
        If a word has no offsets in MISC.
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
