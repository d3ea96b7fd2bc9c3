"""The statistical aligner: a toy language with known links, and error rates in loops."""

import numpy as np
import pytest

from bert_attention.corpora.types import AlignedPair
from bert_attention.papers.kobayashi import aligners
from bert_attention.papers.kobayashi.aligners import DIRECTIONS, aligner_table, fast_align
from bert_attention.statistics.jackknife import interval
from tests.corpora.alignment_error_rate import alignment_error_rate


def phrase(*source):
    """A sentence and its translation: every word has one translation, and an adjective follows its noun."""
    order = (0, 2, 1, 3)
    links = frozenset((i, j) for j, i in enumerate(order))
    return AlignedPair(source, tuple(source[i].upper() for i in order), links, links)


PAIRS = [phrase("the", a, n, v) for a in ("red", "old", "big") for n in ("house", "dog") for v in ("sleeps", "falls")]


def sentences(pairs):
    return [(pair.source, pair.target) for pair in pairs]


def test_words_with_one_translation_are_linked_to_it_after_training():
    for pair, links in zip(PAIRS, fast_align(sentences(PAIRS) * 3, sentences(PAIRS)), strict=True):
        assert links == dict.fromkeys(DIRECTIONS, pair.sure)
    (untrained,) = fast_align(sentences(PAIRS[:1]), sentences(PAIRS[:1]))
    assert untrained["source_to_target"] != PAIRS[0].sure
    (links,) = fast_align(sentences(PAIRS) * 3, [(("sleeps", "old", "dog"), ("DOG",))])
    assert links["source_to_target"] == {(2, 0)}  # the source word comes first
    assert all((2, 0) in links[name] for name in DIRECTIONS)


def flawed_gold():
    """The pairs, with gold links of which some are only possible, some wrong, and some missing."""
    random = np.random.default_rng(0)
    for pair in PAIRS * 3:
        shuffled = frozenset((i, int(random.integers(4))) for i, _ in pair.sure)
        sure = frozenset(link for link in shuffled if random.random() < 0.6)
        yield AlignedPair(pair.source, pair.target, sure, shuffled | frozenset([(0, 0)]))


def test_error_rates_equal_those_in_loops():
    pairs, training = list(flawed_gold()), sentences(PAIRS)
    table = aligner_table(training, pairs)
    links = fast_align([*training, *sentences(pairs)], sentences(pairs))
    expected = [alignment_error_rate([found[name] for found in links], pairs) for name in DIRECTIONS]
    assert table.whole["aer"].tolist() == pytest.approx(expected)
    assert set(table.whole["n_train"]) == {len(training) + len(pairs)}
    assert set(table.whole["n"]) == {len(pairs)}
    found = interval(lambda rows: rows["aer"], table)
    assert (found.low < expected).all() and (expected < found.high).all()


def test_rates_are_empty_without_the_package(monkeypatch):
    monkeypatch.setattr(aligners, "IS_INSTALLED", False)
    table = aligner_table([], PAIRS).whole
    assert table["aer"].isna().all()
    assert set(table["n"]) == {len(PAIRS)}
