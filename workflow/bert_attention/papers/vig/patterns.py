"""Six patterns of attention (Vig 2018, "Deconstructing BERT", part 1), as a number for each head.

Vig found the patterns by inspection, and calls them preliminary and partly subjective. He gives no numbers: we derived
the measures from his descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd
from nltk.stem.snowball import SnowballStemmer

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.heads import head_table
from bert_attention.papers.vig.columns import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.papers.vig.parts import parts
from bert_attention.statistics.sums import Sums, ratio

PATTERNS = (*PATTERN_LABELS, *FURTHER_PATTERNS)
# A head could also show these patterns by attending to a distance at which such words are frequent.
WORD_PATTERNS = ("identical", "identical_others", "identical_other_sentence", "predictive")
# In nats of pointwise mutual information: a word predicts another if it makes it 20 times as likely as by chance.
LEAST_INFORMATION = 3.0
_NO_WORD = -1
_stem = cache(SnowballStemmer("english").stem)


def sums(
    sequence: StoredSequence, forms: Sequence[str], article: str, co_occurrences: CoOccurrences, max_length: int
) -> dict[str, np.ndarray | int]:
    """Return a sequence's sums: attention to partners ``[pattern, layer, head]``, and the terms of its baseline.

    ``with_partners`` counts the tokens that have partners, ``[pattern]``. ``by_chance`` is the attention to partners if
    attention is uniform, ``[pattern]``. ``text`` counts the tokens that are not special. Three sums are over pairs of
    tokens of words ``[..., across or inside, distance]``, separately across parts and inside parts. ``word_attention``
    is their attention ``[layer, head, ...]``, ``word_pairs`` counts them, and ``word_partners`` counts the partners of
    each pattern of ``WORD_PATTERNS``. ``forms`` are the words of the tokens that are not special, empty for tokens
    without a word. The pairs of words of the sequence's own article are left out of the mutual information. Raise
    ValueError if the number of forms is not the number of tokens.
    """
    attention, text = sequence.attention, _Text(sequence, forms)
    by_pattern = partners(text, co_occurrences.information(text.vocabulary, article))
    masks = np.stack([by_pattern[pattern] for pattern in PATTERNS])
    return {
        "attention": attention_to(attention, masks),
        "with_partners": masks.any(-1).sum(-1),
        "by_chance": masks.sum((1, 2)) / masks.shape[-1],
        "text": text.is_text.sum(),
        "word_attention": _by_distance(attention, text, max_length),
        "word_pairs": _by_distance(np.ones(masks.shape[1:]), text, max_length),
        "word_partners": _by_distance(np.stack([by_pattern[pattern] for pattern in WORD_PATTERNS]), text, max_length),
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
      token's word (:mod:`bert_attention.corpora.co_occurrence`), if it is above ``LEAST_INFORMATION``. With a limit of
      zero, almost every word would have some function word as a partner.
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

    ``is_text`` is True for tokens that are not special. ``word`` is the number of the token's word, ``form`` the index
    of its form in ``vocabulary``, and ``stem`` the number of its stem; tokens without a word have ``_NO_WORD``. These
    are ``[n]``. ``stem_of`` is the number of each form's stem. ``in_same_part`` and ``are_words`` are ``[n, n]``: True
    if two tokens are in the same part, and if both belong to words.
    """

    def __init__(self, sequence: StoredSequence, forms: Sequence[str]):
        self.categories = sequence.categories
        self.word = sequence.word_ids
        self.is_text = self.word >= 0
        part = parts(self.is_text)
        self.in_same_part = part[:, None] == part
        if self.is_text.sum() != len(forms):
            raise ValueError(f"the sequence has {self.is_text.sum()} tokens of text, but {len(forms)} word forms")
        self.vocabulary = sorted({form for form in forms if form})
        numbers = {form: number for number, form in enumerate(self.vocabulary)}
        stems = [_stem(form) for form in self.vocabulary]
        self.stem_of = np.unique(np.array(stems, dtype=str), return_inverse=True)[1]
        self.form = np.full(len(self.word), _NO_WORD)
        self.form[self.is_text] = [numbers.get(form, _NO_WORD) for form in forms]
        self.stem = np.where(self.form >= 0, np.append(self.stem_of, _NO_WORD)[self.form], _NO_WORD)
        self.are_words = (self.form[:, None] >= 0) & (self.form >= 0)


def partners(text: _Text, information: np.ndarray) -> dict[str, np.ndarray]:
    """Return a mask ``[query, key]`` for each of ``PATTERNS``; rows of tokens without partners are empty.

    ``information`` is the mutual information of every two words of the text's vocabulary, ``[word, other word]``.
    """
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
        "predictive": _predictive(text, information),
        "delimiter": cls | sep,
        "delimiter_cls": cls,
        "delimiter_sep": sep,
    }
    from_text = {pattern: mask & text.is_text[:, None] for pattern, mask in masks.items()}
    return from_text | {"cls_from_sep": cls & sep.T}


def _predictive(text: _Text, information: np.ndarray) -> np.ndarray:
    """Return a mask ``[query, key]`` of the tokens of the word that each token's word predicts best."""
    if not text.vocabulary:
        return np.zeros((len(text.word),) * 2, dtype=bool)
    information = np.where(text.stem_of[:, None] == text.stem_of, -np.inf, information)
    best = np.where(information.max(1) > LEAST_INFORMATION, information.argmax(1), _NO_WORD - 1)  # matches no token
    return text.are_words & (best[text.form][:, None] == text.form)


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
