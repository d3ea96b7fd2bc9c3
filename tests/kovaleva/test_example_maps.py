from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.papers.kovaleva.example_maps import TOKENS, example_maps
from tests.conftest import random_attention


def test_the_first_example_of_about_twenty_tokens_is_shown_whole():
    random = np.random.default_rng(0)
    sequences = [
        SimpleNamespace(index=index, token_ids=np.zeros(n, dtype=int), attention=random_attention(random, 2, 3, n))
        for index, n in enumerate([5, TOKENS + 1, TOKENS - 1])
    ]
    found = example_maps(iter(sequences))
    expected = [
        [2, layer + 1, head + 1, query, key, pytest.approx(weight, abs=0.0005)]
        for (layer, head, query, key), weight in np.ndenumerate(sequences[1].attention)
    ]
    assert found.columns.tolist() == ["example", "layer", "head", "query", "key", "weight"]
    assert found.to_numpy().tolist() == expected
