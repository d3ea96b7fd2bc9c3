"""The share of split words, in a loop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.clark import split_words
from tests.statistics.blocks import table_of

WORDPIECES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)
TEXTS = st.lists(st.lists(WORDPIECES, min_size=1, max_size=6), min_size=1, max_size=8)


@given(TEXTS)
def test_equals_a_loop_over_words(texts):
    split = total = 0
    for text in texts:
        for wordpieces in text:
            total += 1
            if len(wordpieces) != 1:
                split += 1
    (row,) = table_of(split_words, texts).to_dict("records")
    assert row == {"share": pytest.approx(split / total), "n": total}
