"""Patterns of attention by rules: measures against plain loops, and maps with known patterns."""

import numpy as np
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.papers.kovaleva.pattern_rules import pattern_measures, patterns_by_rules
from tests.conftest import random_attention
from tests.kovaleva.drawn_patterns import drawn_attention

TOKENS, SEPARATOR = 20, 9


def reference_measures(attention, separator, separators=1):
    """Return the measures of one map, from their definitions, with loops."""
    n = len(attention)
    specials = {0, *range(separator, separator + separators), n - 1}
    ordinary = [i for i in range(n) if i not in specials]

    def rescale(share, uniform):
        return (share - uniform) / (1 - uniform)

    to_special = [sum(attention[i, j] for j in specials) for i in range(n)]
    special = rescale(np.mean(to_special), len(specials) / n)
    mainly = sum(share > 0.5 for share in to_special) / n
    band = {i: [j for j in (i - 1, i, i + 1) if 0 <= j < n] for i in ordinary}
    diagonal = np.mean([sum(attention[i, j] for j in band[i]) for i in ordinary])
    diagonal = rescale(diagonal, np.mean([len(band[i]) / n for i in ordinary]))
    if len(specials) == 2:
        return special, mainly, diagonal, 0, 0, 0
    within, flat, uniform = [], [], []
    for i in ordinary:
        own = [j for j in ordinary if (j < separator) == (i < separator)]
        weights = np.array([attention[i, j] for j in own], dtype=np.float64)
        within.append(weights.sum() / sum(attention[i, j] for j in ordinary))
        uniform.append(len(own) / len(ordinary))
        if len(own) > 1:
            p = weights / weights.sum()
            flat.append(-sum(x * np.log(x) for x in p if x > 0) / np.log(len(own)))
    share, flatness = rescale(np.mean(within), np.mean(uniform)), np.mean(flat)
    return special, mainly, diagonal, share, flatness, (1 - special) * share * flatness


@pytest.mark.parametrize(("separator", "separators"), [(2, 1), (7, 1), (11, 1), (4, 2)])
def test_measures_equal_the_definitions(separator, separators):
    attention = random_attention(np.random.default_rng(separator), 2, 3, 12)
    measures = pattern_measures(attention, separator, separators)
    found = np.stack([*measures, measures.block], axis=-1)
    for layer, head in np.ndindex(2, 3):
        expected = reference_measures(attention[layer, head].astype(np.float64), separator, separators)
        assert found[layer, head].tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_known_patterns_are_found(pattern):
    random = np.random.default_rng(PATTERNS.index(pattern))
    maps = np.stack([drawn_attention(pattern, TOKENS, SEPARATOR, random) for _ in range(20)])
    found = patterns_by_rules(maps, SEPARATOR)
    assert np.mean(found == PATTERNS.index(pattern)) >= 0.9
    if pattern == "block":  # a single sentence has no block
        assert set(patterns_by_rules(maps, TOKENS - 1)) == {PATTERNS.index("heterogeneous")}


@pytest.mark.parametrize(
    ("key", "separator", "separators", "pattern"),
    [(5, 9, 1, "heterogeneous"), (5, 5, 1, "vertical"), (6, 6, 2, "vertical"), (7, 6, 2, "vertical")],
)
def test_a_line_is_vertical_only_at_special_tokens(key, separator, separators, pattern):
    attention = np.full((TOKENS, TOKENS), 0.2 / (TOKENS - 1))
    attention[:, key] = 0.8
    assert PATTERNS[patterns_by_rules(attention, separator, separators)] == pattern


@pytest.mark.parametrize(("rows", "pattern"), [(11, "vertical"), (10, "heterogeneous")])
def test_a_map_is_vertical_if_most_rows_give_over_half_to_special_tokens(rows, pattern):
    attention = np.full((TOKENS, TOKENS), 1 / TOKENS)
    attention[:rows] = 0.49 / (TOKENS - 3)  # 51% go to special tokens
    attention[:rows, [0, SEPARATOR, TOKENS - 1]] = 0.17
    assert PATTERNS[patterns_by_rules(attention, SEPARATOR)] == pattern


@pytest.mark.parametrize(("tokens", "separator"), [(3, 2), (4, 2), (5, 2)])
def test_the_smallest_inputs_have_all_measures(tokens, separator):
    with np.errstate(all="raise"):
        assert np.isfinite(pattern_measures(np.full((tokens, tokens), 1 / tokens), separator)).all()
