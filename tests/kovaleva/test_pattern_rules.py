"""Patterns of attention by rules: measures against plain loops, and maps with known patterns."""

import numpy as np
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.pattern_rules import pattern_measures, patterns_by_rules
from tests.conftest import random_attention
from tests.kovaleva.drawn_patterns import drawn_attention

TOKENS, SEPARATOR = 20, 9


def reference_measures(attention, separator, separators=1):
    """The five measures of one map, from their definitions, with loops."""
    n = len(attention)
    specials = {0, *range(separator, separator + separators), n - 1}
    ordinary = [i for i in range(n) if i not in specials]

    def beyond(share, uniform):
        return (share - uniform) / (1 - uniform)

    to_special = [sum(attention[i, j] for j in specials) for i in range(n)]
    special = beyond(np.mean(to_special), len(specials) / n)
    mainly = sum(share > 0.5 for share in to_special) / n
    band = {i: [j for j in (i - 1, i, i + 1) if 0 <= j < n] for i in ordinary}
    diagonal = np.mean([sum(attention[i, j] for j in band[i]) for i in ordinary])
    diagonal = beyond(diagonal, np.mean([len(band[i]) / n for i in ordinary]))
    if len(specials) == 2:
        return special, mainly, diagonal, 0, 0
    within, flat, uniform = [], [], []
    for i in ordinary:
        own = [j for j in ordinary if (j < separator) == (i < separator)]
        weights = np.array([attention[i, j] for j in own], dtype=np.float64)
        within.append(weights.sum() / sum(attention[i, j] for j in ordinary))
        uniform.append(len(own) / len(ordinary))
        if len(own) > 1:
            p = weights / weights.sum()
            flat.append(-sum(x * np.log(x) for x in p if x > 0) / np.log(len(own)))
    return special, mainly, diagonal, beyond(np.mean(within), np.mean(uniform)), np.mean(flat)


@pytest.mark.parametrize(("separator", "separators"), [(2, 1), (7, 1), (11, 1), (4, 2)])
def test_measures_equal_the_definitions(separator, separators):
    attention = random_attention(np.random.default_rng(separator), 2, 3, 12)
    measures = pattern_measures(attention, separator, separators)
    for layer in range(2):
        for head in range(3):
            expected = reference_measures(attention[layer, head].astype(np.float64), separator, separators)
            assert [float(measure[layer, head]) for measure in measures] == pytest.approx(expected, abs=1e-6)


def test_uniform_attention_is_beyond_nothing_and_is_heterogeneous():
    uniform = np.full((8, 8), 1 / 8)
    found = pattern_measures(uniform, 4)
    assert [found.special, found.diagonal, found.within] == pytest.approx([0, 0, 0], abs=1e-12)
    assert (found.mainly, found.flatness) == (0, pytest.approx(1))
    assert PATTERNS[patterns_by_rules(uniform, 4)] == "heterogeneous"


def test_how_much_of_a_block_a_map_is():
    """All attention, evenly, in the own sentence; then half of it to [CLS]."""
    place = np.arange(9)
    ordinary = ~np.isin(place, [0, 4, 8])
    own = ((place[:, None] < 4) == (place < 4)) & ordinary
    own = own / own.sum(1, keepdims=True)
    assert pattern_measures(own, 4).block == pytest.approx(1.5)  # special tokens get less than from uniform attention
    half = own / 2
    half[:, 0] = 0.5
    assert pattern_measures(half, 4).block == pytest.approx(1 - (0.5 - 1 / 3) / (2 / 3))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_known_patterns_are_found(pattern):
    random = np.random.default_rng(PATTERNS.index(pattern))
    maps = np.stack([drawn_attention(pattern, TOKENS, SEPARATOR, random) for _ in range(20)])
    found = patterns_by_rules(maps, SEPARATOR)
    assert np.mean(found == PATTERNS.index(pattern)) >= 0.9


def test_a_single_sentence_has_no_block():
    random = np.random.default_rng(0)
    block = drawn_attention("block", TOKENS, SEPARATOR, random)
    assert PATTERNS[patterns_by_rules(block, SEPARATOR)] == "block"
    assert PATTERNS[patterns_by_rules(block, TOKENS - 1)] == "heterogeneous"


def test_a_line_at_an_ordinary_token_is_not_vertical():
    attention = np.full((TOKENS, TOKENS), 0.2 / (TOKENS - 1))
    attention[:, 5] = 0.8
    assert PATTERNS[patterns_by_rules(attention, SEPARATOR)] == "heterogeneous"
    assert PATTERNS[patterns_by_rules(attention, 5)] == "vertical"


@pytest.mark.parametrize(("rows", "pattern"), [(11, "vertical"), (10, "heterogeneous")])
def test_a_map_is_vertical_if_most_rows_give_over_half_to_special_tokens(rows, pattern):
    """A given number of 20 rows give 51% to the first [SEP], and the rest to all tokens alike."""
    attention = np.full((TOKENS, TOKENS), 1 / TOKENS)
    uniform = 0.49 / (1 - 2 / TOKENS)
    attention[:rows] = uniform / TOKENS
    attention[:rows, SEPARATOR] += 1 - uniform
    to_special = attention[:, [0, SEPARATOR, TOKENS - 1]].sum(1)
    assert attention.sum(1) == pytest.approx(np.ones(TOKENS)) and (to_special > 0.5).sum() == rows
    assert PATTERNS[patterns_by_rules(attention, SEPARATOR)] == pattern


@pytest.mark.parametrize(("tokens", "separator"), [(3, 2), (4, 2), (5, 2)])
def test_the_smallest_inputs_have_measures(tokens, separator):
    with np.errstate(all="raise"):
        assert np.isfinite(pattern_measures(np.full((tokens, tokens), 1 / tokens), separator)).all()


@pytest.mark.parametrize("key", [6, 7, 13])
def test_attention_to_either_of_two_separators_is_vertical(key):
    attention = np.full((14, 14), 0.01)
    attention[:, key] = 1 - 0.13
    assert PATTERNS[patterns_by_rules(attention, 6, separators=2)] == "vertical"
