"""Six patterns of attention (Vig 2018, "Deconstructing BERT", part 1), as a number for each head.

Vig found the patterns by inspection, and calls them preliminary and partly subjective. He gives no numbers: we derived
the measures from his descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.segment_words import SegmentWords
from bert_attention.heads import head_table
from bert_attention.papers.vig.columns import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.papers.vig.parts import parts
from bert_attention.papers.vig.words import stem
from bert_attention.statistics.sums import Sums, ratio

PATTERNS = (*PATTERN_LABELS, *FURTHER_PATTERNS)
# A head could also show these patterns by attending to a distance at which such words are frequent.
WORD_PATTERNS = ("identical", "identical_others", "identical_other_sentence", "predictive")
_NO_WORD = -1


def sums(sequence: StoredSequence, words: SegmentWords) -> dict[str, np.ndarray | int]:
    """Return a sequence's sums: attention to partners ``[pattern, layer, head]``, and the terms of its baseline.

    ``with_partners`` counts the tokens that have partners, ``[pattern]``. ``by_chance`` is the attention to partners if
    attention is uniform, ``[pattern]``. ``text`` counts the tokens that are not special. Three sums are over pairs of
    tokens of words ``[..., across or inside, distance]``, separately across parts and inside parts. ``word_attention``
    is their attention ``[layer, head, ...]``, ``word_pairs`` counts them, and ``word_partners`` counts the partners of
    each pattern of ``WORD_PATTERNS``. ``words`` are those of the tokens that are not special. Raise ValueError if
    their number is not the number of such tokens.
    """
    attention, text, longest = sequence.attention, _Text(sequence, words), words.longest
    by_pattern = partners(text)
    masks = np.stack([by_pattern[pattern] for pattern in PATTERNS])
    return {
        "attention": attention_to(attention, masks),
        "with_partners": masks.any(-1).sum(-1),
        "by_chance": masks.sum((1, 2)) / masks.shape[-1],
        "text": text.is_text.sum(),
        "word_attention": _by_distance(attention, text, longest),
        "word_pairs": _by_distance(np.ones(masks.shape[1:]), text, longest),
        "word_partners": _by_distance(np.stack([by_pattern[pattern] for pattern in WORD_PATTERNS]), text, longest),
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``vig_patterns``: the attention of each head to six kinds of partners of a token, and further kinds.

    ``attention`` is the attention of a token to all its partners together, averaged over the tokens that have partners.
    ``n`` counts these tokens, and ``share`` is ``n`` over the number of tokens that are not special. Partners of a
    token are:

    - ``next``, ``previous``: the next and the previous token, which can be special.
    - ``identical``: all wordpieces of the token's word, and of the same word elsewhere in its sentence. Tokens whose
      word occurs only once in the sentence have no partners. ``identical_others``: the same without the token's word.
    - ``identical_other_sentence``: all wordpieces of the same word in the other sentence.
    - ``predictive``: all wordpieces of the word in the input that has the highest pointwise mutual information with the
      token's word, if it is above a limit (:mod:`.words`). With a limit of zero, almost every word would have some
      function word as a partner.
    - ``delimiter``: [CLS] and [SEP]. ``delimiter_cls`` and ``delimiter_sep``: only [CLS], only [SEP].
    - ``cls_from_sep``: [CLS], if the token is a [SEP]. Special tokens have no partners in other patterns.

    "Sentence" is Vig's word for one part of an input. Two words are the same if they differ only in case, or have the
    same stem (Snowball's for English): "store" and "stores" are the same, "go" and "went" are not. Punctuation and
    unknown words have no partners in patterns of words.

    ``baseline`` is the attention to the partners from a head that ignores the pattern. For next, previous, delimiter
    and cls_from_sep, this head attends uniformly to all tokens. For the other patterns, it is the measured head, with
    its attention between two words replaced by its mean over all pairs of words at the same distance. Pairs in the same
    sentence and across sentences have separate means.
    """
    n = sums["with_partners"][:, None, None]  # has the axes of attention, [pattern, layer, head]
    at_distance = sums["word_attention"] / np.maximum(sums["word_pairs"], 1)
    baselines = np.broadcast_to(sums["by_chance"][:, None, None], sums["attention"].shape).copy()
    baselines[[*map(PATTERNS.index, WORD_PATTERNS)]] = np.einsum("lhsd,psd->plh", at_distance, sums["word_partners"])
    return head_table(
        {"pattern": PATTERNS},
        attention=ratio(sums["attention"], n),
        baseline=ratio(baselines, n),
        share=n / sums["text"],
        n=n,
    )


class _Text:
    """The tokens of one sequence, with the properties that define the patterns.

    ``is_text`` is True for tokens that are not special. ``word`` is the number of the token's word, ``form`` the number
    of its form, ``stem`` that of its stem, and ``predicted`` that of the form that it predicts; tokens without one have
    ``_NO_WORD``. These are ``[n]``. ``in_same_part`` and ``are_words`` are ``[n, n]``: True if two tokens are in the
    same part, and if both belong to words.
    """

    def __init__(self, sequence: StoredSequence, words: SegmentWords):
        self.categories = sequence.categories
        self.word = sequence.word_ids
        self.is_text = self.word >= 0
        part = parts(self.is_text)
        self.in_same_part = part[:, None] == part
        if self.is_text.sum() != len(words.forms):
            raise ValueError(f"the sequence has {self.is_text.sum()} tokens of text, but {len(words.forms)} word forms")
        self._numbers: dict[str, int] = {}
        self.form, self.predicted = self._numbered(words.forms), self._numbered(words.predicted)
        self.stem = self._numbered([form and stem(form) for form in words.forms])
        self.are_words = (self.form[:, None] >= 0) & (self.form >= 0)

    def _numbered(self, texts: Sequence[str]) -> np.ndarray:
        """Return a number for each token's text, which is the same in all calls."""
        numbers = np.full(len(self.word), _NO_WORD)
        numbers[self.is_text] = [
            self._numbers.setdefault(text, len(self._numbers)) if text else _NO_WORD for text in texts
        ]
        return numbers


def partners(text: _Text) -> dict[str, np.ndarray]:
    """Return a mask ``[query, key]`` for each of ``PATTERNS``; rows of tokens without partners are empty."""
    n = len(text.word)
    same = text.are_words & (text.stem[:, None] == text.stem)
    inside = text.in_same_part
    others = same & inside & (text.word[:, None] != text.word)
    cls, sep = (np.broadcast_to(text.categories[name], (n, n)) for name in ("cls", "sep"))
    masks = {
        "next": np.eye(n, k=1, dtype=bool),
        "previous": np.eye(n, k=-1, dtype=bool),
        "identical": same & inside & others.any(1, keepdims=True),
        "identical_others": others,
        "identical_other_sentence": same & ~inside,
        "predictive": text.are_words & (text.predicted[:, None] == text.form),
        "delimiter": cls | sep,
        "delimiter_cls": cls,
        "delimiter_sep": sep,
    }
    from_text = {pattern: mask & text.is_text[:, None] for pattern, mask in masks.items()}
    return from_text | {"cls_from_sep": cls & sep.T}


def attention_to(attention: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the attention to the partners of all tokens together, ``[pattern, layer, head]``.

    The input is ``[layer, head, query, key]`` and masks ``[pattern, query, key]``.
    """
    layers, heads = attention.shape[:2]
    totals = masks.reshape(len(masks), -1).astype(attention.dtype) @ attention.reshape(layers * heads, -1).T
    return totals.reshape(len(masks), layers, heads).astype(np.float64)


def _by_distance(values: np.ndarray, text: _Text, max_length: int) -> np.ndarray:
    """Return sums of values ``[..., query, key]`` over pairs of tokens of words, by their distance.

    The sums are ``[..., across or inside, distance]``, separately across parts and inside parts. Distances run from
    ``1 - max_length`` to ``max_length - 1``.
    """
    n, distances = values.shape[-1], 2 * max_length - 1
    cells = np.flatnonzero(text.are_words)
    query, key = np.divmod(cells, n)
    bins = text.in_same_part.ravel()[cells] * distances + key - query + max_length - 1
    rows = values.reshape(-1, n * n)[:, cells]
    return np.stack([np.bincount(bins, row, 2 * distances) for row in rows]).reshape(*values.shape[:-2], 2, distances)
