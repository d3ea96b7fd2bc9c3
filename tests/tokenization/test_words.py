"""Words of wordpieces, and attention between words."""

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from bert_attention.attention.words import word_attention, word_starts
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from tests.conftest import random_attention

# [CLS] un ##aff ##able cats [SEP]
WORD_IDS = np.array([-1, 0, 0, 0, 1, -1])


def pieces(words, tokenizer):
    return next(wordpieces_of_words([words], tokenizer))


def test_words_are_encoded_as_the_tokenizer_does_itself(bert, embedded_model):
    words = ["Unaffable", "cats", "don't", "(", "3.5", "naïve", "-LRB-"]
    encoded = encode_words(pieces(words, bert), bert)
    expected = AutoTokenizer.from_pretrained(embedded_model)(words, is_split_into_words=True, padding=False)
    assert encoded.token_ids.tolist() == expected["input_ids"]
    assert encoded.word_ids.tolist() == [-1 if word is None else word for word in expected.word_ids()]
    assert not encoded.segment_ids.any()


def test_byte_level_words_stand_after_a_space(roberta):
    encoded = encode_words(pieces(["The", "cat", "sat"], roberta), roberta)
    assert roberta.backend.decode(encoded.token_ids, skip_special_tokens=False) == "<s> The cat sat</s>"
    assert encoded.word_ids[0] == encoded.word_ids[-1] == -1
    assert sorted(set(encoded.word_ids)) == [-1, 0, 1, 2]


def test_a_word_without_wordpieces_is_an_error(bert):
    words = pieces(["a", "\u200b"], bert)
    assert words[1] == ()
    with pytest.raises(ValueError, match="word 2 has no wordpiece"):
        encode_words(words, bert)


def test_special_tokens_beside_each_other_are_apart():
    assert word_starts(np.array([-1, -1, 0, 0, 1, -1, -1])).tolist() == [0, 1, 2, 4, 5, 6]


@pytest.mark.parametrize("queries", ["mean", "first", "max"])
def test_word_attention_equals_its_definition(queries):
    attention = random_attention(np.random.default_rng(3), 2, 3, 6)
    groups = [[0], [1, 2, 3], [4], [5]]
    expected = np.zeros((2, 3, 4, 4))
    for layer, head, query, key in np.ndindex(expected.shape):
        cells = [sum(attention[layer, head, i, j] for j in groups[key]) for i in groups[query]]
        expected[layer, head, query, key] = {"mean": np.mean(cells), "first": cells[0], "max": max(cells)}[queries]
    if queries == "max":
        expected /= expected.sum(-1, keepdims=True)
    found = word_attention(torch.from_numpy(attention), WORD_IDS, queries).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)


def test_whole_words_stay_as_they_are():
    attention = torch.from_numpy(random_attention(np.random.default_rng(3), 1, 2, 4))
    assert word_attention(attention, np.array([-1, 0, 1, -1]), "mean") is attention
