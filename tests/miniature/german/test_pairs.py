"""The parallel corpus: its links, its lengths, and what it is made of."""

from collections import Counter
from itertools import combinations

import pytest

from bert_attention.corpora.alignments import diagonal_links
from miniature import aligned_pairs
from tests.corpora.alignment_error_rate import alignment_error_rate


@pytest.fixture(scope="module")
def corpus():
    return aligned_pairs(3000, 11)


# Words without a sure counterpart: auxiliaries, articles, reflexives, um ... zu, correlates; 's, do, to, articles.
FREE_GERMAN = {",", "habe", "hat", "haben", "bin", "ist", "sind", "der", "die", "das", "den", "dem", "des"}
FREE_GERMAN |= {"sich", "mich", "uns", "um", "es", "daran", "von", "an"}
FREE_ENGLISH = {",", "'s", "'", "to", "do", "does", "did", "the", "a", "an"}


def test_pairs_are_determined_by_the_seed_and_begin_alike(corpus):
    assert aligned_pairs(50, 11) == corpus[:50]
    assert aligned_pairs(50, 12) != corpus[:50]


def test_all_words_but_commas_are_linked_and_content_words_surely(corpus):
    for pair in corpus:
        assert pair.sure <= pair.possible
        for sentence, side, free in ((pair.source, 0, FREE_GERMAN), (pair.target, 1, FREE_ENGLISH)):
            sure, possible = ({link[side] for link in links} for links in (pair.sure, pair.possible))
            assert {word.lower() for place, word in enumerate(sentence) if place not in sure} <= free
            assert {word for place, word in enumerate(sentence) if place not in possible} <= {","}
            assert possible <= set(range(len(sentence)))


def test_sentences_are_varied_and_of_moderate_length(corpus):
    assert all(5 <= len(sentence) <= 20 for pair in corpus for sentence in (pair.source, pair.target))
    assert 10 < sum(len(pair.source) for pair in corpus) / len(corpus) < 15
    assert len(set(corpus)) > 0.95 * len(corpus)


def test_a_german_sentence_has_one_translation(corpus):
    assert len({pair.source for pair in corpus}) == len({(pair.source, pair.target) for pair in corpus})


def test_order_is_not_that_of_english(corpus):
    assert alignment_error_rate(map(diagonal_links, corpus), corpus) > 0.4
    crossing = sum(any(j > k for (_, j), (_, k) in combinations(sorted(pair.sure), 2)) for pair in corpus)
    assert crossing > 0.5 * len(corpus)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.1, {"because", "when", "although", "while", "if", "whether", "that"}),
        (0.03, {"who", "which"}),
        (0.1, {"not", "no"}),
        (0.15, {"can", "could", "may", "must", "should", "would", "will"}),
        (0.05, {"by"}),
        (0.1, {"and", "or", "but"}),
    ],
)
def test_constructions_are_frequent_enough(corpus, share, words):
    assert sum(not words.isdisjoint(pair.target) for pair in corpus) > share * len(corpus)


def test_some_words_have_several_counterparts(corpus):
    one_to_many = sum(max(Counter(i for i, _ in pair.sure).values()) > 1 for pair in corpus)
    many_to_one = sum(max(Counter(j for _, j in pair.sure).values()) > 1 for pair in corpus)
    assert one_to_many > 0.3 * len(corpus)
    assert many_to_one > 0.07 * len(corpus)
