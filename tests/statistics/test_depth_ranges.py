"""The layers that claims ask about, in encoders of the papers' depth and of another one."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.statistics.queries import at_relative_depth
from tests.claims.claim_tables import claims_of

# By the depth of the encoder that a claim is about, and its range of layers: the layers of 6, and those of 12.
EXPECTED = {
    (12, 1, 4): ([1, 2], [1, 2, 3, 4]),
    (12, 1, 6): ([1, 2, 3], [1, 2, 3, 4, 5, 6]),
    (12, 1, 10): ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    (12, 1, 11): ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (12, 5, 9): ([3, 4], [5, 6, 7, 8, 9]),
    (12, 5, 10): ([3, 4, 5], [5, 6, 7, 8, 9, 10]),
    (12, 5, 12): ([3, 4, 5, 6], [5, 6, 7, 8, 9, 10, 11, 12]),
    (12, 6, 10): ([3, 4, 5], [6, 7, 8, 9, 10]),
    (12, 7, 12): ([4, 5, 6], [7, 8, 9, 10, 11, 12]),
    (12, 11, 12): ([6], [11, 12]),
    (12, 12, 12): ([6], [12]),
    (6, 1, 2): ([1, 2], [1, 2, 3, 4]),
    (6, 1, 6): ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (6, 2, 2): ([2], [3, 4]),
    (6, 4, 6): ([4, 5, 6], [7, 8, 9, 10, 11, 12]),
}


def layers_at(layers, first, last, depth):
    numbers = pd.Series(range(1, layers + 1))
    return numbers[at_relative_depth(numbers, first, last, depth)].to_list()


def asked():
    """The ranges of layers of all claims, by depth."""
    for paper in ("clark", "kovaleva", "kobayashi", "coenen", "vig"):
        publication = claims_of(paper)
        for claim in publication.claims:
            query = claim.get("measured", {})
            for part in (query, query.get("minus", {})):
                if "layers" in part:
                    yield claim.get("needs", {}).get("depth", publication.depth), *part["layers"]


def test_the_table_has_every_range_that_a_claim_asks_for():
    assert set(asked()) == set(EXPECTED)


@pytest.mark.parametrize(("asked", "expected"), EXPECTED.items())
def test_a_range_has_the_layers_at_its_relative_depth(asked, expected):
    depth, first, last = asked
    assert [layers_at(layers, first, last, depth) for layers in (6, 12)] == list(expected)


@pytest.mark.parametrize("depth", [1, 2, 3, 6, 12, 24])
def test_ranges_that_follow_each_other_part_the_layers_of_any_encoder(depth):
    for layers in (*range(1, 50), 97, 128):
        parts = [layers_at(layers, layer, layer, depth) for layer in range(1, depth + 1)]
        assert np.concatenate(parts).tolist() == list(range(1, layers + 1))
        for last in range(1, depth):
            below, above = layers_at(layers, 1, last, depth), layers_at(layers, last + 1, depth, depth)
            assert below + above == list(range(1, layers + 1))
