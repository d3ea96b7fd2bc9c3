"""Build two-part segments of running text, ``[CLS] first [SEP] second [SEP]``, as in Clark et al. 2019.

Section 3 of the paper uses two consecutive paragraphs. The released ``preprocess_unlabeled.py`` packs consecutive
sentences and splits them at a random sentence boundary. ``spans`` selects one of the two methods.

If several encoders are compared, all read the same text. A segment ends where it is long enough for the first of them,
and is cut by whole words until it fits all.
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
# An encoder's tokenizer, and the maximum number of wordpieces of both parts together.
Reader = tuple[Tokenize, int]


def build_segments(
    articles: Iterable[Article],
    tokenize: Tokenize,
    spans: str,
    budget: int,
    seed: int,
    others: Sequence[Reader] = (),
) -> tuple[list[Segment], Counter[str]]:
    """Return all segments that the articles yield, in random order, and counts of skipped chunks, by reason.

    The released code takes the first segments that it finds. A random order agrees with the paper ("1000 random
    Wikipedia segments") and covers more than the letter A. ``tokenize`` returns the wordpieces of each text, without
    special tokens, each with True if it begins a word. ``budget`` is the maximum number of wordpieces of both parts
    together.

    With the spans ``sentences``, as released, a segment is consecutive sentences that fill the budget, split at a
    random sentence boundary. With ``paragraphs``, as in the paper, a segment is two consecutive paragraphs. A pair that
    is too long loses wordpieces one by one, at a random end of its longer part, as released.

    With ``others``, the segments hold the same text, in the same order, as those of the other encoders. Then a pair
    that is too long for any of them loses whole words.
    """
    kinds = {"sentences": _sentence_pairs, "paragraphs": _paragraph_pairs}
    check_choice("spans", spans, kinds)
    readers = [(tokenize, budget), *others]
    left_out: Counter[str] = Counter()
    found = []
    known: dict[Piece, Piece] = {}  # share equal wordpieces, which occur millions of times
    sizes: dict[str, list[int]] = {}  # of words, for each encoder
    for index, article in enumerate(articles):
        random = np.random.default_rng([seed, index])
        for texts in kinds[spans](article, readers, random, left_out):
            # Each part is tokenized as one text, because some tokenizers cut the first word of a text differently.
            fitting = _cut_words(texts, readers, sizes, random) if others else texts
            if not fitting:
                left_out["chunks with a word that is too long for an encoder"] += 1
                continue
            first, second = (
                [known.setdefault(piece, piece) for piece in part]
                for part in cut_pair(*tokenize(fitting), budget, random)
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
    article: Article, readers: Sequence[Reader], random: np.random.Generator, left_out: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Yield chunks of sentences that fill a budget, each split at a random boundary (``preprocess_unlabeled.py``).

    A chunk of one sentence cannot be split. The released code then drops the rest of the article. This code drops only
    the chunk.
    """
    sentences = [sentence for paragraph in article.paragraphs for sentence in paragraph]
    lengths = np.array([[*map(len, tokenize(sentences))] for tokenize, _ in readers])  # [reader, sentence]
    budgets = np.array([budget for _, budget in readers])
    used = np.flatnonzero(lengths.all(0)).tolist()
    chunk: list[int] = []
    for index in used:
        chunk.append(index)
        if (lengths[:, chunk].sum(1) < budgets).all() and index != used[-1]:
            continue
        if len(chunk) > 1:
            boundary = int(random.integers(1, len(chunk)))
            first, second = (
                " ".join(sentences[sentence] for sentence in part) for part in (chunk[:boundary], chunk[boundary:])
            )
            yield first, second
        else:
            left_out["chunks of a single sentence"] += 1
        chunk = []


def _paragraph_pairs(
    article: Article, readers: Sequence[Reader], random: np.random.Generator, left_out: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Yield paragraphs 1 and 2, 3 and 4, and so on, so that no text is in two segments."""
    paragraphs = [" ".join(sentences) for sentences in article.paragraphs]
    read = [tokenize(paragraphs) for tokenize, _ in readers]
    paragraphs = [paragraph for paragraph, *pieces in zip(paragraphs, *read, strict=True) if all(pieces)]
    if len(paragraphs) % 2:
        left_out["last paragraphs without a partner"] += 1
    yield from zip(paragraphs[0::2], paragraphs[1::2], strict=False)


def _cut_words(
    texts: Sequence[str], readers: Sequence[Reader], known: dict[str, list[int]], random: np.random.Generator
) -> list[str]:
    """Cut words off a random end of the longer part until both parts fit the budget of every encoder.

    Words end at spaces, so that all encoders lose the same. Return nothing if no words of a part are left. ``known``
    has the numbers of wordpieces of words that were read before.
    """
    parts = [text.split() for text in texts]
    new = [word for word in dict.fromkeys(parts[0] + parts[1]) if word not in known]
    for word, *pieces in zip(new, *(tokenize(new) for tokenize, _ in readers), strict=True):
        known[word] = [*map(len, pieces)]
    sizes = [np.array([known[word] for word in part]).T for part in parts]  # [reader, word]
    budgets = [budget for _, budget in readers]

    def cut() -> None:
        longer = 0 if sizes[0].sum() > sizes[1].sum() else 1
        kept = slice(1, None) if random.random() < 0.5 else slice(None, -1)
        parts[longer], sizes[longer] = parts[longer][kept], sizes[longer][:, kept]

    while (sizes[0].sum(1) + sizes[1].sum(1) > budgets).any():
        cut()
    while True:
        fitting = [*map(" ".join, parts)]
        read = np.array([[*map(len, tokenize(fitting))] for tokenize, _ in readers])  # [reader, part]
        if (read.sum(1) <= budgets).all():
            return fitting if read.all() else []
        cut()  # a tokenizer can cut words within a text into more wordpieces than words alone


def cut_pair(first: Pieces, second: Pieces, budget: int, random: np.random.Generator) -> tuple[Pieces, Pieces]:
    """Cut wordpieces off a random end of the longer part (the second if they are equal) until both fit ``budget``."""
    parts = [list(first), list(second)]
    while len(parts[0]) + len(parts[1]) > budget:
        longer = parts[0] if len(parts[0]) > len(parts[1]) else parts[1]
        longer.pop(0 if random.random() < 0.5 else -1)
    return tuple(parts[0]), tuple(parts[1])
