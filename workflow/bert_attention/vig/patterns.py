"""Six patterns of attention (Vig 2018, "Deconstructing BERT", part 1), as a number for each head.

Vig found the patterns by looking, and calls them preliminary and partly subjective. He gives no numbers; the measures
here are our reading of his words.
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
from bert_attention.statistics.sums import Sums, ratio
from bert_attention.vig.column_values import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.vig.parts import parts

PATTERNS = (*PATTERN_LABELS, *FURTHER_PATTERNS)
# Patterns of words, which a head could also show by attending to a distance at which such words often stand.
OF_WORDS = ("identical", "identical_others", "identical_other_sentence", "predictive")
# Nats of pointwise mutual information: a word that predicts another makes it 20 times as likely as by chance.
LEAST_INFORMATION = 3.0
_NO_WORD = -1
_stem = cache(SnowballStemmer("english").stem)


def sums(
    sequence: StoredSequence, forms: Sequence[str], article: str, co_occurrences: CoOccurrences, longest: int
) -> dict[str, np.ndarray | int]:
    """Return a sequence's sums: attention to partners ``[pattern, layer, head]``, and the terms of its baseline.

    ``with_partners`` counts the tokens that have partners, ``[pattern]``. ``by_chance`` is the attention to partners if
    all tokens got the same, ``[pattern]``. ``text`` counts the tokens that are not special. Three sums are over pairs
    of words by distance, across and inside parts: ``word_attention`` is the attention ``[layer, head, across or inside,
    distance]``, ``word_pairs`` the number of pairs, and ``word_partners`` the number of partners of each pattern of
    ``OF_WORDS``.

    Parameters
    ----------
    sequence
        Attention between wordpieces.
    forms
        The word of each token, special tokens left out; empty for tokens without a word.
    article
        The article of the sequence, whose own pairs of words are left out of the mutual information.
    longest
        Number of tokens of the longest sequence.

    Raises
    ------
    ValueError
        If the sequence does not have as many tokens as forms.
    """
    attention, text = sequence.attention, _Text(sequence, forms)
    of_patterns = partners(text, co_occurrences.information(text.vocabulary, article))
    masks = np.stack([of_patterns[pattern] for pattern in PATTERNS])
    return {
        "attention": attention_to(attention, masks),
        "with_partners": masks.any(-1).sum(-1),
        "by_chance": masks.sum((1, 2)) / masks.shape[-1],
        "text": text.is_text.sum(),
        "word_attention": _by_distance(attention, text, longest),
        "word_pairs": _by_distance(np.ones(masks.shape[1:]), text, longest),
        "word_partners": _by_distance(np.stack([of_patterns[pattern] for pattern in OF_WORDS]), text, longest),
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``vig_patterns``: the attention of each head to six kinds of partners of a token, and further kinds.

    ``attention`` is the attention of a token to all its partners together, averaged over the tokens that have partners.
    ``n`` counts these tokens, and ``share`` is ``n`` over the number of tokens that are not special. Partners of a
    token are:

    - ``next``, ``previous``: the token after or before it, which can be special.
    - ``identical``: all wordpieces of its own word and of the same word elsewhere in its sentence. Tokens whose word
      occurs there once have no partners. ``identical_others``: the same without its own word.
    - ``identical_other_sentence``: all wordpieces of the same word in the other sentence.
    - ``predictive``: all wordpieces of one other word in the input. This is the word with the highest pointwise mutual
      information with the token's word (:mod:`bert_attention.corpora.co_occurrence`), if above ``LEAST_INFORMATION``.
      Just above zero, almost every word would have some function word as a partner.
    - ``delimiter``: [CLS] and [SEP]; ``delimiter_cls`` and ``delimiter_sep`` are either of them.
    - ``cls_from_sep``: [CLS], if the token is a [SEP]. Special tokens have no partners of other kinds.

    "Sentence" is Vig's word for one part of an input. Two words are the same if they are equal but for case, or have
    the same stem (Snowball's for English): "store" and "stores" are the same, "go" and "went" are not. Punctuation and
    unknown words have no partners of these kinds.

    ``baseline`` is the attention to the partners from a head that does not look for them. For next, previous,
    delimiter and cls_from_sep, this head attends to all tokens alike. For the other patterns, it is the measured head,
    with its attention between two words replaced by its mean over all pairs of words at the same distance. Pairs in the
    same sentence and across sentences have separate means.
    """
    n = sums["with_partners"][:, None, None]  # as attention, [pattern, layer, head]
    at_distance = sums["word_attention"] / np.maximum(sums["word_pairs"], 1)
    baselines = np.broadcast_to(sums["by_chance"][:, None, None], sums["attention"].shape).copy()
    baselines[[*map(PATTERNS.index, OF_WORDS)]] = np.einsum("lhsd,psd->plh", at_distance, sums["word_partners"])
    return head_table(
        {"pattern": PATTERNS},
        attention=ratio(sums["attention"], n),
        baseline=ratio(baselines, n),
        share=n / sums["text"],
        n=n,
    )


class _Text:
    """The tokens of one sequence, with the properties that the patterns need.

    Attributes
    ----------
    is_text, word, form, stem
        ``[n]`` each: True if a token is not special; the number of its word; and the numbers of its word's form in
        ``vocabulary`` and of its stem, or ``_NO_WORD``.
    stem_of
        The number of the stem of each form in ``vocabulary``.
    in_same_part, are_words
        ``[n, n]`` each: pairs of tokens in one part; pairs of tokens of words.
    """

    def __init__(self, sequence: StoredSequence, forms: Sequence[str]):
        self.categories = sequence.categories
        self.word = sequence.word_ids
        self.is_text = self.word >= 0
        part = parts(self.is_text)
        self.in_same_part = part[:, None] == part
        if self.is_text.sum() != len(forms):
            raise ValueError(f"{self.is_text.sum()} tokens of text, but {len(forms)} words that they are part of")
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

    ``information`` is the mutual information of each two words of the text's vocabulary, ``[word, other word]``.
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
    of_text = {pattern: mask & text.is_text[:, None] for pattern, mask in masks.items()}
    return of_text | {"cls_from_sep": cls & sep.T}


def _predictive(text: _Text, information: np.ndarray) -> np.ndarray:
    """Return a mask from each token to those of the word that its word predicts best, ``[query, key]``."""
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


def _by_distance(values: np.ndarray, text: _Text, longest: int) -> np.ndarray:
    """Return sums over pairs of words by the distance from the first to the second, across parts and inside.

    Parameters
    ----------
    values
        ``[..., query, key]``.

    Returns
    -------
    ``[..., across or inside, distance]``, distances from ``1 - longest`` to ``longest - 1``.
    """
    n, distances = values.shape[-1], 2 * longest - 1
    cells = np.flatnonzero(text.are_words)
    query, key = np.divmod(cells, n)
    bins = text.in_same_part.ravel()[cells] * distances + key - query + longest - 1
    rows = values.reshape(-1, n * n)[:, cells]
    return np.stack([np.bincount(bins, row, 2 * distances) for row in rows]).reshape(*values.shape[:-2], 2, distances)
