"""Pairs of words: loops over the definition, and known answers."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.coenen.columns import DIRECTIONS, NEGATIVES
from bert_attention.papers.coenen.pairs import binary_pairs, pair_orders, related_pairs
from tests.treebanks import random_trees, tree

ALL = 10**9


def rows(pairs):
    """Each pair as (sentence, first, second)."""
    return list(zip(pairs.sentence.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True))


def plain_dependencies(treebank):
    """Each dependent with its head, and the relation's name."""
    return {
        (index, dependent, word.head - 1): word.relation
        for index, sentence in enumerate(treebank)
        for dependent, word in enumerate(sentence.words)
        if word.head > 0
    }


def plain_unrelated(treebank):
    """All ordered pairs of different words of which neither is the other's head."""
    related = plain_dependencies(treebank)
    return [
        (index, i, j)
        for index, sentence in enumerate(treebank)
        for i, j in itertools.permutations(range(len(sentence.words)), 2)
        if (index, i, j) not in related and (index, j, i) not in related
    ]


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_every_dependency_is_a_pair_with_its_relation(seed):
    treebank = random_trees(seed, 8)
    pairs = related_pairs(treebank, ALL, seed)
    assert dict(zip(rows(pairs), pairs.label.tolist(), strict=True)) == plain_dependencies(treebank)


@pytest.mark.parametrize("negatives", NEGATIVES)
@given(seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_as_many_related_as_unrelated_pairs_of_each_sentence(negatives, seed):
    treebank = [tree([0]), tree([2, 0]), *random_trees(seed, 8)]
    pairs = binary_pairs(treebank, negatives, ALL, seed)
    related, unrelated = (pairs.select(pairs.label == label) for label in (True, False))
    if negatives == "random":
        assert rows(related) == [row for row in plain_dependencies(treebank) if len(treebank[row[0]].words) > 2]
    assert set(rows(related)) <= plain_dependencies(treebank).keys()
    assert set(rows(unrelated)) <= set(plain_unrelated(treebank))
    assert len(set(rows(pairs))) == len(pairs)
    assert Counter(related.sentence.tolist()) == Counter(unrelated.sentence.tolist())


def test_random_negatives_are_drawn_from_all_unrelated_pairs():
    treebank = [tree([0, 1, 1, 1, 1])] * 3000  # 12 unrelated pairs, of which 4 are drawn each time
    pairs = binary_pairs(treebank, "random", ALL, seed=0)
    counts = Counter((i, j) for _, i, j in rows(pairs.select(~pairs.label)))
    assert len(counts) == 12
    assert max(abs(count - 1000) for count in counts.values()) < 120


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_negatives_at_the_same_distance_are_as_many_as_there_can_be(seed):
    treebank = random_trees(seed, 8)
    pairs = binary_pairs(treebank, "same_distance", ALL, seed)
    related, unrelated = (
        Counter((index, j - i) for index, i, j in found)
        for found in (plain_dependencies(treebank), plain_unrelated(treebank))
    )
    expected = {cell: min(count, unrelated[cell]) for cell, count in related.items() if unrelated[cell]}
    for direction in DIRECTIONS:  # a distance does not predict the label in any direction
        distances = np.where(pair_orders(pairs, direction), -1, 1) * (pairs.second - pairs.first)
        cells = [
            Counter(zip(pairs.sentence[mask].tolist(), distances[mask].tolist(), strict=True))
            for mask in (pairs.label, ~pairs.label)
        ]
        assert cells[0] == cells[1]
        assert direction != "dependent_to_head" or cells[0] == expected


def test_a_direction_selects_the_word_that_attends():
    pairs = related_pairs(random_trees(0, 200), ALL, seed=0)
    assert not pair_orders(pairs, "dependent_to_head").any()
    assert pair_orders(pairs, "head_to_dependent").all()
    assert pair_orders(pairs, "either").mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("draw", [related_pairs, lambda trees, *rest: binary_pairs(trees, "random", *rest)])
def test_a_maximum_draws_a_sample_that_depends_on_the_seed(draw):
    treebank = random_trees(0, 100)
    some, again, others = (draw(treebank, 50, seed) for seed in (0, 0, 1))
    assert len(some) == 50
    assert rows(some) == rows(again) != rows(others)
    assert some.is_reversed.tolist() == again.is_reversed.tolist()
    assert len(np.unique(some.sentence)) > 15


def test_without_dependencies_there_are_no_pairs():
    assert len(related_pairs([tree([0])], 9, 0)) == len(binary_pairs([tree([0])], "random", 9, 0)) == 0
