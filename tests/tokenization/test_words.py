import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from bert_attention.attention.words import word_attention
from bert_attention.corpora.types import MASKED_WORD, Article, Segment
from bert_attention.tokenization.word_forms import (
    forms_of_articles,
    forms_of_segments,
    tokens_of_segments,
    word_forms,
)
from bert_attention.tokenization.wordpieces import TokenizedText, load_tokenizer, tokenize_texts, wordpiece_ids
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from tests.conftest import random_attention
from tests.models.published_tokenizers import published_tokenizer

WORD_IDS = np.array([-1, 0, 0, 0, 1, -1, -1])  # [CLS] un ##aff ##able cats [SEP] [SEP]


def pieces(words, tokenizer):
    return wordpieces_of_words([words], tokenizer)[0]


def test_words_are_encoded_as_the_tokenizer_does_itself(bert, embedded_model):
    words = ["Unaffable", "cats", "don't", "(", "3.5", "naïve", "-LRB-"]
    encoded = encode_words(pieces(words, bert), bert)
    expected = AutoTokenizer.from_pretrained(embedded_model)(words, is_split_into_words=True, padding=False)
    assert encoded.token_ids.tolist() == expected["input_ids"]
    assert encoded.word_ids.tolist() == [-1 if word is None else word for word in expected.word_ids()]
    assert not encoded.segment_ids.any()


@pytest.mark.parametrize("kind", ["mpnet", "roberta", "modernbert", "deberta-v2"])
def test_words_are_encoded_as_the_text_that_they_make(tmp_path, kind):
    """The first word has no space before it, and a mask takes in the space before it."""
    texts = ["The cat sat on 3 mats, and it isn't the dogs' mat.", "Caf\u00e9 \u6771\u4eac"]
    reference = published_tokenizer(kind, texts * 5)
    reference.save_pretrained(tmp_path)
    tokenizer = load_tokenizer(tmp_path)
    hidden = ["It", "is", MASKED_WORD, "10 000", "caf\u00e9", "\u6771\u4eac", "\u200d", "mat"]
    for words in (texts[0].split(), hidden):
        text = " ".join(words).replace(MASKED_WORD, reference.mask_token)
        own = pieces(words, tokenizer)
        ids = wordpiece_ids([piece for word in own for piece in word], tokenizer)
        assert [*tokenizer.layout.opening, *ids, *tokenizer.layout.closing] == reference(text)["input_ids"]
        assert [bool(word) for word in own] == [word != "\u200d" or kind != "mpnet" for word in words]
    assert own[2] == (reference.mask_token,)


@pytest.mark.parametrize("rule", ["mean", "first", "max"])
def test_word_attention_equals_its_definition(rule):
    attention = random_attention(np.random.default_rng(3), 2, 3, 7)
    groups = [[0], [1, 2, 3], [4], [5], [6]]
    expected = np.zeros((2, 3, 5, 5))
    for layer, head, query, key in np.ndindex(expected.shape):
        cells = [sum(attention[layer, head, i, j] for j in groups[key]) for i in groups[query]]
        expected[layer, head, query, key] = {"mean": np.mean(cells), "first": cells[0], "max": max(cells)}[rule]
    if rule == "max":
        expected /= expected.sum(-1, keepdims=True)
    found = word_attention(torch.from_numpy(attention), WORD_IDS, rule).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)


def test_wordpieces_are_joined_to_words_without_punctuation(bert):
    wordpieces = ("fresh", "straw", "##berries", ",", "[UNK]", "1990", "##s")
    begins = (True, True, False, True, True, True, False)
    assert word_forms(TokenizedText(wordpieces, (), begins), bert) == ["fresh", "strawberries", "", "", "1990s"]
    (for_each,) = forms_of_segments([Segment("x", wordpieces, (), begins, ())], bert)
    assert for_each == ["fresh", "strawberries", "strawberries", "", "", "1990s", "1990s"]


def test_a_byte_level_tokenizer_gives_the_same_words(roberta):
    (text,) = tokenize_texts(roberta, ["Unbelievable things happen, now. São—東 (café)"])
    assert len(text.wordpieces) > 6  # some words are split
    assert word_forms(text, roberta) == [
        *("unbelievable", "things", "happen", "", "now", ""),
        *("são", "", "東", "", "café", ""),
    ]


@pytest.mark.parametrize("tokenizer", ["bert", "roberta"])
def test_tokens_of_segments_are_written_alike_for_all_tokenizers(tokenizer, request):
    tokenizer = request.getfixturevalue(tokenizer)
    first, second = tokenize_texts(tokenizer, ["Unaffable, the cat.", "Now the end."])
    segment = Segment("x", first.wordpieces, second.wordpieces, first.begins, second.begins)
    (tokens,) = tokens_of_segments([segment], tokenizer)
    assert len(tokens) == len(first.wordpieces) + len(second.wordpieces)
    assert (tokens.count("the"), tokens.count(","), tokens.count(".")) == (2, 1, 2)
    begins = [not token.startswith("##") for token in tokens]
    assert begins == [*first.begins, *second.begins]
    assert not all(begins)


def test_the_words_of_an_article_are_found_by_its_title_and_sentence(bert):
    articles = [Article("x", (("One, two.", "?"), ("Three",))), Article("y", (("Four.",),)), Article("x", (("Five",),))]
    found = forms_of_articles(articles, bert)
    assert found == {"x": [["one", "two"], [], ["three"], ["five"]], "y": [["four"]]}
