"""Words of tokenizers that mark wordpieces in other ways."""

import pytest
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from bert_attention.attention.words import word_starts
from bert_attention.interface.model import AttentionModel
from bert_attention.tokenization.word_forms import word_forms
from bert_attention.tokenization.wordpieces import (
    encode_segment,
    load_tokenizer,
    segment_of,
    token_categories,
    tokenize_texts,
)
from tests.models.random_models import LIKE_BERT, save_encoder, trained_tokenizer

TEXT = "Unusually, the cats' re-reading pleased three readers."
WORDS = ["Unusually", ",", "the", "cats", "'", "re", "-", "reading", "pleased", "three", "readers", "."]

MARKS = "。，、।،։"  # Chinese, Japanese, Hindi, Arabic and Armenian


def ends_marked(texts):
    """Tokenizer like HerBERT's: BPE whose pieces mark where a word ends."""
    backend = Backend(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.BPEDecoder("</w>")
    trainer = trainers.BpeTrainer(vocab_size=61, special_tokens=list(LIKE_BERT), end_of_word_suffix="</w>")
    return trained_tokenizer(backend, trainer, texts, LIKE_BERT)


def nothing_marked(texts):
    """Tokenizer whose pieces do not mark where words begin or end."""
    backend = Backend(models.BPE(unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=53, special_tokens=list(LIKE_BERT))
    return trained_tokenizer(backend, trainer, texts, LIKE_BERT)


@pytest.mark.parametrize("scheme", [ends_marked, nothing_marked])
def test_words_are_found_whatever_pieces_look_like(tmp_path, scheme):
    folder = save_encoder(tmp_path, "bert", scheme([TEXT, " ".join(MARKS)]))
    assert list(AttentionModel.from_pretrained(folder, "cpu").run(TEXT).words) == ["[CLS]", *WORDS, "[SEP]"]
    tokenizer = load_tokenizer(folder)
    (text,) = tokenize_texts(tokenizer, [TEXT])
    assert len(text.wordpieces) > len(WORDS)  # some words are split
    assert word_forms(text, tokenizer) == [word.lower() if word.isalnum() else "" for word in WORDS]
    encoded = encode_segment(segment_of("x", text), tokenizer, "zeros")
    assert len(word_starts(encoded.word_ids)) == len(WORDS) + 2
    found = tokenizer.convert_ids_to_tokens(token_categories(tokenizer).punctuation)
    assert {token.removesuffix("</w>") for token in found} >= {".", ",", *MARKS}
