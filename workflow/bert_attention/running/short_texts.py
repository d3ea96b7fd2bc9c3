"""Running text that is too short: its articles and segments are counted before the first job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bert_attention.corpora.compressed import plain_name
from bert_attention.corpora.next_sentence import next_sentence_task
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments, number_to_analyze
from bert_attention.corpora.types import Article
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from bert_attention.running.edition import Edition
from bert_attention.statistics.jackknife import FEWEST_BLOCKS
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import load_tokenizer, segment_reader

# A longer text has enough articles and segments for everything, and reading it would delay each dry run.
_LONGEST_READ = 1_000_000  # bytes
_COMPRESSION = 4  # a compressed file counts as this many times its size

# Every fifth article is held out for the treebank's dev part and for validation in next-sentence prediction.
_HELD_OUT = 5
_ENOUGH_HELD_OUT = _HELD_OUT * (FEWEST_BLOCKS - 1) + 1  # articles
_PLAIN = "in plain text, forty paragraphs count as an article, or each file of a folder of 36 or more"

# What a job needs the text for, and the encoder if the job draws segments for one.
SEGMENTS, TREES, NEXT_SENTENCE = "segments", "trees", "nsp"
Uses = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class ShortText:
    """A short running text: its articles, and the number of its segments for each encoder on this machine."""

    articles: Sequence[Article]
    segments: Mapping[str, int]


@lru_cache(maxsize=1)
def read_short_text(edition: Edition, uses: Uses) -> ShortText | None:
    """Return the edition's running text, or None if the text is long, is not on this machine or is not used.

    ``uses`` are pairs of ``SEGMENTS``, ``TREES`` or ``NEXT_SENTENCE``, and the encoder for which segments are drawn.
    Raise InputError if the text cannot be read.
    """
    source, settings = edition.origin("corpora", "wikipedia")["source"], edition.config["corpora"]["wikipedia"]
    if not uses or parse_source(source).is_remote or _size(locate(source)) > _LONGEST_READ:
        return None
    articles = list(read_running_text(locate(source), settings["format"], settings["articles"])[0])
    tokenizers = {model: tokenizer for model in edition.models if (tokenizer := _local_tokenizer(edition, model))}
    counts = {
        model: _segments(edition, articles, tokenizers, model)
        for use, model in sorted(uses)
        if use == SEGMENTS and model in tokenizers
    }
    return ShortText(articles, counts)


def _size(path: Path) -> int:
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_size * (1 if plain_name(file) == file.name else _COMPRESSION) for file in files)


def _local_tokenizer(edition: Edition, model: str) -> Tokenizer | None:
    """Return the tokenizer of an encoder, or None if it is not on this machine."""
    try:
        return load_tokenizer(locate(edition.origin("models", model)["source"]))
    except InputError:  # a job downloads it, or preflight reports it
        return None


def _segments(edition: Edition, articles: Sequence[Article], tokenizers: Mapping[str, Tokenizer], model: str) -> int:
    """Return the number of segments that articles yield for an encoder beside all others on this machine."""
    settings = edition.config["corpora"]["wikipedia"]
    readers = {name: segment_reader(tokenizer, settings["max_wordpieces"]) for name, tokenizer in tokenizers.items()}
    tokenize, budget = readers.pop(model)
    seed = edition.config["seed"]
    return len(build_segments(articles, tokenize, settings["spans"], budget, seed, [*readers.values()])[0])


def shortages(edition: Edition, text: ShortText, uses: Uses) -> Iterator[str]:
    """Yield what a text is too short for, and what to do."""
    needs = {use for use, _ in uses}
    for model, found in text.segments.items():
        try:
            number_to_analyze(found, found, edition.mlm_head_of_all)
        except InputError as error:
            yield f"segments for {model}: the text {error.problem}; {error.remedy}"
    if TREES in needs and len(text.articles) < 2:
        yield f"treebank: one article is held out, and no other is left to train on; give at least two ({_PLAIN})"
    if NEXT_SENTENCE in needs:
        try:
            next_sentence_task(text.articles, edition.config["seed"])
        except InputError as error:
            yield f"task nsp: {error.problem}; {error.remedy} ({_PLAIN}), or set corpora.tasks.nsp: null"


def limitations(edition: Edition, text: ShortText, uses: Uses) -> Iterator[str]:
    """Yield where a text gives fewer segments than the edition asks for, or no intervals."""
    needs, articles = {use for use, _ in uses}, len(text.articles)
    at_most = edition.config["corpora"]["wikipedia"]["segments"]
    for model, found in text.segments.items():
        with suppress(InputError):  # the text is too short
            analyzed = number_to_analyze(found, at_most, edition.models[model]["mlm_head"])
            if analyzed < at_most:
                why = f"corpora.wikipedia.segments is {at_most}, but the text yields only {found}"
                yield f"{analyzed} segments will be analyzed for {model}: {why}"
    if articles < FEWEST_BLOCKS:
        yield (
            f"the text has {articles} articles, too few for intervals, which need {FEWEST_BLOCKS} of similar length "
            f"({_PLAIN})"
        )
    elif needs & {TREES, NEXT_SENTENCE} and articles < _ENOUGH_HELD_OUT:
        yield (
            f"the text has {articles} articles, too few for intervals of results on trees or on next-sentence "
            f"prediction, which hold out every fifth article and need {_ENOUGH_HELD_OUT} ({_PLAIN})"
        )
