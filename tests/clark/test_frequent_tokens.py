from functools import partial

import numpy as np
import pytest

from bert_attention.papers.clark.frequent_tokens import most_frequent, sums, table
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums, blocks_of


def test_shares_are_those_of_the_most_frequent_tokens():
    random = np.random.default_rng(0)
    vocabulary = [f"t{number:02}" for number in range(30)]
    texts = [random.choice(vocabulary, size, p=np.arange(30) / 435).tolist() for size in random.integers(1, 40, 60)]
    tokens = most_frequent(texts)
    found = tabulated(partial(table, tokens=tokens), Sums.of((sums(text, tokens) for text in texts), range(60)))
    without_third = [text for index, text in enumerate(texts) if index not in blocks_of(range(60))[2]]
    for replicate, part in ((found.whole, texts), (found.left_out[2], without_third)):
        everything = [token for text in part for token in text]
        assert replicate["share"].tolist() == pytest.approx([everything.count(t) / len(everything) for t in tokens])
        assert set(replicate["n"]) == {len(everything)}
    counts = {token: sum(text.count(token) for text in texts) for token in vocabulary}
    assert found.whole["token"].tolist() == sorted(vocabulary, key=lambda token: (-counts[token], token))[:20]
    assert found.whole["rank"].tolist() == list(range(1, 21))


def test_a_text_can_have_fewer_tokens():
    assert most_frequent([["b", "a"], ["b", "c"]]) == ["b", "a", "c"]
