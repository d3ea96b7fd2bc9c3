"""Pointwise mutual information of word pairs against plain counts."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from bert_attention.corpora.co_occurrence import LEAST, SMOOTHING, WINDOW, CoOccurrences

WORDS = ["a", "b", "c", "d", "e", "f"]


def random_articles(seed):
    random = np.random.default_rng(seed)

    def sentence():
        return [WORDS[place] for place in random.geometric(0.35, random.integers(1, 3 * WINDOW)).clip(1, 6) - 1]

    return {title: [sentence() for _ in range(6)] for title in ("x", "y", "z")}


def by_loops(articles, without):
    pairs = Counter()
    for title, sentences in articles.items():
        for sentence in sentences if title != without else ():
            for i, j in itertools.product(range(len(sentence)), repeat=2):
                if 0 < abs(i - j) <= WINDOW:
                    pairs[sentence[i], sentence[j]] += 1
    of_words = Counter()
    for (word, _), count in pairs.items():
        of_words[word] += count
    total, smoothed = sum(of_words.values()), sum(count**SMOOTHING for count in of_words.values())

    def information(word, other):
        if pairs[word, other] < LEAST:
            return -math.inf
        chance = (of_words[word] / total) * (of_words[other] ** SMOOTHING / smoothed)
        return math.log(pairs[word, other] / total / chance)

    return information


@pytest.mark.parametrize("without", ["none", "y"])
@pytest.mark.parametrize("seed", range(3))
def test_each_pair_against_plain_loops(seed, without):
    articles = random_articles(seed)
    expected = by_loops(articles, without)
    words = [*WORDS[::-1], "unseen"]
    found = CoOccurrences(articles).information(words, without)
    assert np.isfinite(found).any()
    for (i, word), (j, other) in itertools.product(enumerate(words), repeat=2):
        assert found[i, j] == pytest.approx(expected(word, other)), (word, other)
