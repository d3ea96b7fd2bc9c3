"""The share of a text that a tokenizer does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from warnings import warn

from bert_attention.corpora.types import Segment, Wordpieces
from bert_attention.errors import InputError
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import is_unknown

# On text of its own language and domain, a tokenizer of an encoder leaves less than 1% unknown.
_WARNED, _REFUSED = 0.05, 0.5


def unknown_share(texts: Iterable[Wordpieces], tokenizer: Tokenizer) -> float:
    """Return the share of the texts' wordpieces that stand for unknown words or characters; 0 without wordpieces."""
    counts = Counter(chain.from_iterable(texts))
    unknown = sum(count for wordpiece, count in counts.items() if is_unknown(wordpiece, tokenizer))
    return unknown / max(1, counts.total())


def check_is_known(texts: Iterable[Wordpieces], tokenizer: Tokenizer, where: object) -> float:
    """Return the share of unknown wordpieces (:func:`unknown_share`); warn if the share is above 5%.

    Raise InputError, which says ``where``, if more than half of the wordpieces are unknown.
    """
    share = unknown_share(texts, tokenizer)
    problem = f"{share:.0%} of the wordpieces are {tokenizer.unk_token}, because the tokenizer does not know them"
    if share > _REFUSED:
        remedy = "give text in a language and script of the encoder; if it is, get the encoder's own tokenizer"
        raise InputError(where, problem, remedy)
    if share > _WARNED:
        warn(f"{where}: {problem}; results say little about the words behind them", stacklevel=2)
    return share


def wordpieces_of(segments: Iterable[Segment]) -> Iterator[Wordpieces]:
    """Yield the wordpieces of each part of segments."""
    for segment in segments:
        yield from (segment.first, segment.second)
