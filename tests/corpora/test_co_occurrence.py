"""Pointwise mutual information of word pairs against plain counts."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from bert_attention.corpora.co_occurrence import MIN_COUNT, SMOOTHING, WINDOW, CoOccurrences

WORDS = list("abcdef")


def random_articles(seed):
    random = np.random.default_rng(seed)

    def sentence():
        return [WORDS[index] for index in random.geometric(0.35, random.integers(1, 3 * WINDOW)).clip(1, 6) - 1]

    return {title: [sentence() for _ in range(6)] for title in ("x", "y", "z")}


def by_loops(articles, excluded):
    pairs = Counter()
    for title, sentences in articles.items():
        for sentence in sentences if title != excluded else ():
            for i, j in itertools.product(range(len(sentence)), repeat=2):
                if 0 < abs(i - j) <= WINDOW:
                    pairs[sentence[i], sentence[j]] += 1
    word_totals = Counter()
    for (word, _), count in pairs.items():
        word_totals[word] += count
    total, smoothed = sum(word_totals.values()), sum(count**SMOOTHING for count in word_totals.values())

    def information(word, other):
        if pairs[word, other] < MIN_COUNT:
            return -math.inf
        chance = (word_totals[word] / total) * (word_totals[other] ** SMOOTHING / smoothed)
        return math.log(pairs[word, other] / total / chance)

    return information


@pytest.mark.parametrize("excluded", ["none", "y"])
@pytest.mark.parametrize("seed", range(2))
def test_pairs_equal_those_of_plain_loops(seed, excluded):
    articles = random_articles(seed)
    expected = by_loops(articles, excluded)
    words = [*WORDS[::-1], "unseen"]
    found = CoOccurrences(articles).information(words, excluded)
    assert np.isfinite(found).any()
    for (i, word), (j, other) in itertools.product(enumerate(words), repeat=2):
        assert found[i, j] == pytest.approx(expected(word, other)), (word, other)
