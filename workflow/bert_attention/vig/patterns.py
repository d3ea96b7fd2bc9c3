"""Six patterns of attention (Vig 2018, "Deconstructing BERT", part 1), as a number for each head.

Vig found them by looking, and calls them preliminary and partly subjective. He gives no numbers; those here are our
reading of his words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from nltk.stem.snowball import SnowballStemmer

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.heads import head_table
from bert_attention.statistics.intervals import bootstrap_interval
from bert_attention.vig.column_values import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.vig.parts import parts

PATTERNS = (*PATTERN_LABELS, *FURTHER_PATTERNS)
# Patterns of words, which a head could show because it attends to a distance at which such words often stand.
OF_WORDS = ("identical", "identical_others", "identical_other_sentence", "predictive")
# Nats of pointwise mutual information: a word that predicts another makes it 20 times as likely as it is by chance.
LEAST_INFORMATION = 3.0
_NO_WORD = -1


def patterns(
    sequences: Iterable[StoredSequence],
    forms: Sequence[Sequence[str]],
    articles: Sequence[str],
    co_occurrences: CoOccurrences,
    seed: int,
) -> pd.DataFrame:
    """Table ``vig_patterns``: how much of its attention each head gives to six kinds of partners of a token.

    ``attention`` is what a token gives to all its partners together, averaged over the tokens that have any; these are
    counted by ``n``, and ``share`` is their share among all tokens that are not special. Partners of a token are:

    - ``next``, ``previous``: the token after or before it, which may be special.
    - ``identical``: all wordpieces of its own word and of the same word elsewhere in its sentence. Tokens whose word
      occurs there once have no partners. ``identical_others``: the same without its own word.
    - ``identical_other_sentence``: all wordpieces of the same word in the other sentence.
    - ``predictive``: all wordpieces of the one other word in the input that its word tells most of: that with the
      highest pointwise mutual information with it (:mod:`bert_attention.corpora.co_occurrence`), if that is above
      ``LEAST_INFORMATION``. Just above zero, almost every word has some function word to go with.
    - ``delimiter``: [CLS] and [SEP]; ``delimiter_cls`` and ``delimiter_sep`` are either of them.

    "Sentence" is Vig's word for one part of an input. Words are the same if they are equal but for case, or have the
    same stem (Snowball's for English): so "store" and "stores" are the same, "go" and "went" are not. Punctuation and
    unknown words have no partners of these kinds.

    ``baseline`` is what the partners would get from a head that does not look for them. For next, previous and
    delimiter, it is a head that attends to all tokens alike. For the other patterns, it is the same head, if only the
    distance of two words mattered and whether they are in the same sentence: its mean attention between all such
    pairs of words.

    Parameters
    ----------
    sequences
        Attention between wordpieces.
    forms
        For each sequence, the word that each of its tokens is part of, special tokens left out; empty for none.
    articles
        The article of each sequence; the pairs of words in it tell nothing of its own words.
    seed
        Seed of the bootstrap over sequences, which gives ``low`` and ``high``.

    Raises
    ------
    ValueError
        If there are not as many sequences as forms and articles, or one does not have as many tokens as its forms.
    """
    masses, counts, chances, texts = [], [], [], 0
    by_distance = _ByDistance()
    stem = _Stems()
    for sequence, words, article in zip(sequences, forms, articles, strict=True):
        attention = sequence.attention
        text = _Text(sequence, words, stem)
        masks = partners(text, co_occurrences.information(text.vocabulary, article))
        stacked = np.stack([masks[pattern] for pattern in PATTERNS])
        masses.append(attention_to(attention, stacked))
        counts.append(stacked.any(-1).sum(-1))
        chances.append(stacked.sum((1, 2)) / stacked.shape[-1])
        texts += text.is_text.sum()
        by_distance.add(attention, text, np.stack([masks[pattern] for pattern in OF_WORDS]))
    n = np.sum(counts, axis=0)
    shape = masses[0].shape[1:]
    at_same_distance = dict(zip(OF_WORDS, by_distance.expected_attention(), strict=True))
    low, high = _intervals(np.stack(masses), np.stack(counts), seed)
    with np.errstate(invalid="ignore"):
        means = np.sum(masses, axis=0) / n[:, None, None]
        tables = [
            head_table(
                pattern=pattern,
                attention=means[place],
                n=n[place],
                low=low[place],
                high=high[place],
                baseline=at_same_distance.get(pattern, np.broadcast_to(np.sum(chances, axis=0)[place], shape))
                / n[place],
                share=n[place] / texts,
            )
            for place, pattern in enumerate(PATTERNS)
        ]
    return pd.concat(tables, ignore_index=True)


class _Text:
    """What the patterns need to know of the tokens of one sequence.

    Attributes
    ----------
    is_text, part, word, form, stem
        ``[n]`` each: whether a token is not special; its part; its word's number; and the numbers of its word's form in
        ``vocabulary`` and of its stem, or ``_NO_WORD``.
    stem_of
        The number of the stem of each form in ``vocabulary``.
    """

    def __init__(self, sequence: StoredSequence, forms: Sequence[str], stem: _Stems):
        self.categories = sequence.categories
        self.word = sequence.word_ids
        self.is_text = self.word >= 0
        self.part = parts(self.is_text)
        if self.is_text.sum() != len(forms):
            raise ValueError(f"{self.is_text.sum()} tokens of text, but {len(forms)} words that they are part of")
        self.vocabulary = sorted({form for form in forms if form})
        numbers = {form: number for number, form in enumerate(self.vocabulary)}
        self.stem_of = np.array([stem(form) for form in self.vocabulary], dtype=int)
        self.form = np.full(len(self.word), _NO_WORD)
        self.form[self.is_text] = [numbers.get(form, _NO_WORD) for form in forms]
        self.stem = np.where(self.form >= 0, np.append(self.stem_of, _NO_WORD)[self.form], _NO_WORD)

    @property
    def in_same_part(self) -> np.ndarray:
        """Pairs of tokens, ``[n, n]``."""
        return self.part[:, None] == self.part

    @property
    def are_words(self) -> np.ndarray:
        """Pairs of tokens of words, ``[n, n]``."""
        return (self.form[:, None] >= 0) & (self.form >= 0)


class _Stems:
    """A number for each stem, that of a word's Snowball stem."""

    def __init__(self) -> None:
        self._stem = SnowballStemmer("english").stem
        self._of_words: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def __call__(self, word: str) -> int:
        if word not in self._of_words:
            self._of_words[word] = self._numbers.setdefault(self._stem(word), len(self._numbers))
        return self._of_words[word]


def partners(text: _Text, information: np.ndarray) -> dict[str, np.ndarray]:
    """A mask ``[query, key]`` for each of ``PATTERNS``; rows of tokens that have no partners are empty.

    ``information`` is that of each two words of the text's vocabulary, ``[word, other word]``.
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
    return {pattern: mask & text.is_text[:, None] for pattern, mask in masks.items()}


def _predictive(text: _Text, information: np.ndarray) -> np.ndarray:
    """From each token to those of the word that its word tells most of."""
    if not text.vocabulary:
        return np.zeros((len(text.word),) * 2, dtype=bool)
    information = np.where(text.stem_of[:, None] == text.stem_of, -np.inf, information)
    best = np.where(information.max(1) > LEAST_INFORMATION, information.argmax(1), _NO_WORD - 1)  # which no token has
    return text.are_words & (best[text.form][:, None] == text.form)


def attention_to(attention: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Attention to the partners of all tokens together, ``[pattern, layer, head]``.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    masks
        ``[pattern, query, key]``.
    """
    layers, heads = attention.shape[:2]
    sums = masks.reshape(len(masks), -1).astype(attention.dtype) @ attention.reshape(layers * heads, -1).T
    return sums.reshape(len(masks), layers, heads).astype(np.float64)


class _ByDistance:
    """Attention between words by their distance, within a part and across, summed over sequences."""

    def __init__(self) -> None:
        self._reach = 0
        self._attention = self._pairs = self._partners = np.zeros(0)

    def add(self, attention: np.ndarray, text: _Text, masks: np.ndarray) -> None:
        """Add one sequence: attention ``[layer, head, query, key]`` and partners ``[pattern, query, key]``."""
        layers, heads, n, _ = attention.shape
        if not self._reach:
            self._attention, self._pairs, self._partners = (
                np.zeros((*shape, 2, 1)) for shape in ((layers, heads), (), masks.shape[:1])
            )
            self._reach = 1
        self._grow(n)
        cells = np.flatnonzero(text.are_words)
        query, key = np.divmod(cells, n)
        bins = text.in_same_part.ravel()[cells] * (2 * self._reach - 1) + key - query + self._reach - 1

        def counted(values: np.ndarray) -> np.ndarray:
            rows = values.reshape(-1, n * n)[:, cells]
            size = 2 * (2 * self._reach - 1)
            return np.stack([np.bincount(bins, row, size) for row in rows]).reshape(*values.shape[:-2], 2, -1)

        self._attention += counted(attention)
        self._pairs += counted(np.ones((n, n)))
        self._partners += counted(masks)

    def expected_attention(self) -> np.ndarray:
        """What all partners would get if distance alone mattered, summed over tokens: ``[pattern, layer, head]``."""
        mean = self._attention / np.maximum(self._pairs, 1)
        return np.einsum("lhsd,psd->plh", mean, self._partners)

    def _grow(self, n: int) -> None:
        """Make room for the distances of a longer sequence on both sides."""
        more = max(n - self._reach, 0)
        self._reach += more
        self._attention, self._pairs, self._partners = (
            np.pad(sums, [*[(0, 0)] * (sums.ndim - 1), (more, more)])
            for sums in (self._attention, self._pairs, self._partners)
        )


def _intervals(masses: np.ndarray, counts: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds ``[pattern, layer, head]`` of means of ``masses`` ``[sequence, pattern, layer, head]``."""
    sequences, shape = len(masses), masses.shape[1:]
    total = np.broadcast_to(counts[..., None, None], masses.shape)
    low, high = bootstrap_interval(masses.reshape(sequences, -1), total.reshape(sequences, -1), seed)
    return low.reshape(shape), high.reshape(shape)
