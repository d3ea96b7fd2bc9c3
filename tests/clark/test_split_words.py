"""The share of split words: a loop over words, and known answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.clark.split_words import split_words
from bert_attention.statistics.intervals import bootstrap_interval

WORDPIECES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)
TEXTS = st.lists(st.lists(WORDPIECES, min_size=1, max_size=6), min_size=1, max_size=8)


@given(TEXTS, st.integers(0, 100))
def test_equals_a_loop_over_words(texts, seed):
    split, total = [], []
    for text in texts:
        split.append(0)
        total.append(0)
        for wordpieces in text:
            total[-1] += 1
            if len(wordpieces) != 1:
                split[-1] += 1
    (row,) = split_words({"some": texts}, seed).to_dict("records")
    bounds = bootstrap_interval(np.array(split)[:, None], np.array(total)[:, None], seed)
    assert (row["low"], row["high"]) == tuple(bound[0] for bound in bounds)
    assert row["share"] == pytest.approx(sum(split) / sum(total))
    assert (row["corpus"], row["n"]) == ("some", sum(total))


def test_each_corpus_has_a_row():
    table = split_words({"one": [[("a",), ("b", "##b")]], "other": [[("a",)], [("b",), ("c", "##c", "##c")]]}, 0)
    assert table["corpus"].tolist() == ["one", "other"]
    assert table["share"].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert table["n"].tolist() == [2, 3]
