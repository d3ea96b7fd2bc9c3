"""All maps of one example, cell by cell."""

from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.kovaleva.example_maps import TOKENS, example_maps
from tests.conftest import random_attention


def sequences(*lengths):
    random = np.random.default_rng(0)
    return [
        SimpleNamespace(index=index, token_ids=np.zeros(n, dtype=int), attention=random_attention(random, 2, 3, n))
        for index, n in enumerate(lengths)
    ]


@pytest.mark.parametrize(
    ("lengths", "chosen"),
    [((TOKENS + 1, TOKENS, 5, TOKENS), 1), ((5, 6), 1), ((5, TOKENS + 3, TOKENS + 1, TOKENS - 1), 2)],
)
def test_the_first_example_of_about_twenty_tokens_is_shown_whole(lengths, chosen):
    stored = sequences(*lengths)
    found = example_maps(iter(stored))
    attention = stored[chosen].attention
    expected = [
        [chosen + 1, layer + 1, head + 1, query, key, pytest.approx(attention[layer, head, query, key], abs=0.0005)]
        for layer in range(2)
        for head in range(3)
        for query in range(lengths[chosen])
        for key in range(lengths[chosen])
    ]
    assert found.columns.tolist() == ["example", "layer", "head", "query", "key", "weight"]
    assert found.to_numpy().tolist() == expected
