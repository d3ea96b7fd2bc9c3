"""The words of segments, and which of them predict each other (Vig 2018, "Deconstructing BERT", part 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from nltk.stem.snowball import SnowballStemmer

from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.corpora.segment_words import SegmentWords

# In nats of pointwise mutual information: a word predicts another if it makes it 20 times as likely as by chance.
LEAST_INFORMATION = 3.0
stem = cache(SnowballStemmer("english").stem)


def words_of_segments(
    forms: Sequence[Sequence[str]], articles: Iterable[str], lengths: Iterable[int], co_occurrences: CoOccurrences
) -> list[SegmentWords]:
    """Return the words of each segment, from the form and the article of each segment and its number of tokens.

    A word predicts the word of the segment with another stem that has the highest pointwise mutual information with it,
    if this is above :data:`LEAST_INFORMATION`. The pairs of words of the segment's own article are left out.
    """
    longest, found = max(lengths, default=0), []
    for of_segment, article in zip(forms, articles, strict=True):
        vocabulary = sorted({form for form in of_segment if form})
        best = _predicted(vocabulary, co_occurrences.information(vocabulary, article))
        found.append(SegmentWords(tuple(of_segment), tuple(best.get(form, "") for form in of_segment), longest))
    return found


def _predicted(vocabulary: Sequence[str], information: np.ndarray) -> dict[str, str]:
    """Return the word that each word predicts. ``information`` is ``[word, other word]``."""
    if not vocabulary:
        return {}
    stems = np.array(list(map(stem, vocabulary)))
    information = np.where(stems[:, None] == stems, -np.inf, information)
    best = zip(vocabulary, information.argmax(1), information.max(1), strict=True)
    return {form: vocabulary[index] for form, index, largest in best if largest > LEAST_INFORMATION}
