import pytest

from bert_attention.papers.clark import split_words
from tests.statistics.blocks import table_of


def test_split_words_have_several_wordpieces():
    texts = [[("a",), ("b", "##c"), ("d",)], [("b", "##c", "##d"), ("a",)]]
    assert table_of(split_words, texts).to_dict("records") == [{"share": pytest.approx(2 / 5), "n": 5}]
