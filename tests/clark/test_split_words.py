"""The share of split words: a loop over words, and a known answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.clark.split_words import sums, table
from bert_attention.statistics.sums import Sums

WORDPIECES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)
TEXTS = st.lists(st.lists(WORDPIECES, min_size=1, max_size=6), min_size=1, max_size=8)


def share(texts):
    (row,) = table(Sums.of(map(sums, texts), len(texts))).to_dict("records")
    return row


@given(TEXTS)
def test_equals_a_loop_over_words(texts):
    split = total = 0
    for text in texts:
        for wordpieces in text:
            total += 1
            if len(wordpieces) != 1:
                split += 1
    assert share(texts) == {"share": pytest.approx(split / total), "n": total}


def test_a_word_of_several_wordpieces_counts_once():
    assert share([[("a",)], [("b",), ("c", "##c", "##c")]]) == {"share": pytest.approx(1 / 3), "n": 3}
