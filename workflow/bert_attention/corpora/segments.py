"""Build two-part segments of running text, ``[CLS] first [SEP] second [SEP]``, as in Clark et al. 2019.

Section 3 of the paper uses two consecutive paragraphs. The released ``preprocess_unlabeled.py`` packs consecutive
sentences and splits them at a random sentence boundary. ``spans`` selects one of the two methods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from warnings import warn

import numpy as np

from bert_attention.corpora.types import Article, Segment
from bert_attention.errors import InputError, check_choice

MIN_REMAINING = 10  # minimum number of segments to fit a masked-language-model head, one of them held out

# A wordpiece, and True if it begins a word.
Piece = tuple[str, bool]
Pieces = tuple[Piece, ...]
Tokenize = Callable[[Sequence[str]], list[Pieces]]


def build_segments(
    articles: Iterable[Article], tokenize: Tokenize, spans: str, budget: int, seed: int
) -> tuple[list[Segment], Counter[str]]:
    """Return all segments that the articles yield, in random order, and counts of skipped chunks, by reason.

    The released code takes the first segments that it finds. A random order agrees with the paper ("1000 random
    Wikipedia segments") and covers more than the letter A. ``tokenize`` returns the wordpieces of each text, without
    special tokens, each with True if it begins a word. ``budget`` is the maximum number of wordpieces of both parts
    together.

    With the spans ``sentences``, as released, a segment is consecutive sentences that fill the budget, split at a
    random sentence boundary. With ``paragraphs``, as in the paper, a segment is two consecutive paragraphs. A pair that
    is too long loses wordpieces one by one, at a random end of its longer part, as released.
    """
    kinds = {"sentences": _sentence_pairs, "paragraphs": _paragraph_pairs}
    check_choice("spans", spans, kinds)
    pairs = kinds[spans]
    left_out: Counter[str] = Counter()
    found = []
    known: dict[Piece, Piece] = {}  # share equal wordpieces, which occur millions of times
    for index, article in enumerate(articles):
        random = np.random.default_rng([seed, index])
        for pair in pairs(article, tokenize, budget, random, left_out):
            first, second = (
                [known.setdefault(piece, piece) for piece in part] for part in cut_pair(*pair, budget, random)
            )
            columns = zip(*(zip(*part, strict=True) for part in (first, second)), strict=True)
            (first_pieces, second_pieces), (first_begins, second_begins) = columns
            found.append(Segment(article.title, first_pieces, second_pieces, first_begins, second_begins))
    return [found[index] for index in np.random.default_rng(seed).permutation(len(found))], left_out


def number_to_analyze(found: int, at_most: int, mlm_head: str) -> int:
    """Return how many of ``found`` segments are analyzed: at most ``at_most``, but all if the text yields fewer.

    Unless ``mlm_head`` is ``own``, ``MIN_REMAINING`` segments are kept to try or fit a masked-language-model head.
    Raise InputError if no segment is left to analyze.
    """
    kept = 0 if mlm_head == "own" else MIN_REMAINING
    if found > kept:
        return min(at_most, found - kept)
    problem = f"yields {found} segments, each of two consecutive sentences or paragraphs of an article"
    if kept:
        problem += f", but mlm_head: {mlm_head} needs {kept} to fit the head, and the analyses need others"
    raise InputError("the running text", problem, "give a longer text, or one with shorter sentences")


def sample_segments(segments: Sequence[Segment], at_most: int, mlm_head: str = "own") -> list[Segment]:
    """Return the first of the segments, which are in random order, sorted by article.

    Warn if there are fewer than ``at_most``. The parameters and errors are those of :func:`number_to_analyze`.
    """
    size = number_to_analyze(len(segments), at_most, mlm_head)
    if size < at_most:
        why = f"corpora.wikipedia.segments is {at_most}, but the text yields only {len(segments)}"
        warn(f"{size} segments are analyzed: {why}", stacklevel=2)
    return sorted(segments[:size], key=attrgetter("article"))


def remaining_segments(segments: Sequence[Segment], analyzed: int, at_most: int) -> list[Segment]:
    """Return up to ``at_most`` segments to fit a masked-language-model head, none of which is analyzed.

    ``analyzed`` is the ``at_most`` of :func:`sample_segments`. Raise InputError if there are too few segments.
    """
    return list(segments[number_to_analyze(len(segments), analyzed, "fit") :][:at_most])


def _sentence_pairs(
    article: Article, tokenize: Tokenize, budget: int, random: np.random.Generator, left_out: Counter[str]
) -> Iterator[tuple[Pieces, Pieces]]:
    """Yield chunks of sentences that fill ``budget``, each split at a random boundary (``preprocess_unlabeled.py``).

    A chunk of one sentence cannot be split. The released code then drops the rest of the article. This code drops only
    the chunk.
    """
    sentences = [sentence for paragraph in article.paragraphs for sentence in paragraph]
    lengths = list(map(len, tokenize(sentences)))
    used = [index for index, length in enumerate(lengths) if length]
    chunk: list[int] = []
    for index in used:
        chunk.append(index)
        if sum(lengths[sentence] for sentence in chunk) < budget and index != used[-1]:
            continue
        if len(chunk) > 1:
            boundary = int(random.integers(1, len(chunk)))
            parts = chunk[:boundary], chunk[boundary:]
            # Each part is tokenized as one text, because some tokenizers cut the first word of a text differently.
            first, second = tokenize([" ".join(sentences[sentence] for sentence in part) for part in parts])
            yield first, second
        else:
            left_out["chunks of a single sentence"] += 1
        chunk = []


def _paragraph_pairs(
    article: Article, tokenize: Tokenize, budget: int, random: np.random.Generator, left_out: Counter[str]
) -> Iterator[tuple[Pieces, Pieces]]:
    """Yield paragraphs 1 and 2, 3 and 4, and so on, so that no text is in two segments."""
    paragraphs = tokenize([" ".join(sentences) for sentences in article.paragraphs])
    paragraphs = [paragraph for paragraph in paragraphs if paragraph]
    if len(paragraphs) % 2:
        left_out["last paragraphs without a partner"] += 1
    yield from zip(paragraphs[0::2], paragraphs[1::2], strict=False)


def cut_pair(first: Pieces, second: Pieces, budget: int, random: np.random.Generator) -> tuple[Pieces, Pieces]:
    """Cut wordpieces off a random end of the longer part (the second if they are equal) until both fit ``budget``."""
    parts = [list(first), list(second)]
    while len(parts[0]) + len(parts[1]) > budget:
        longer = parts[0] if len(parts[0]) > len(parts[1]) else parts[1]
        longer.pop(0 if random.random() < 0.5 else -1)
    return tuple(parts[0]), tuple(parts[1])
