"""Words of tokenizers that mark wordpieces in other ways."""

import pytest
from tokenizers import Tokenizer as Backend
from tokenizers import models, pre_tokenizers, trainers
from transformers import AutoTokenizer

from bert_attention.interface.model import AttentionModel
from bert_attention.tokenization.word_forms import word_forms
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories, tokenize_texts
from tests.models.random_models import LIKE_BERT, save_encoder, trained_tokenizer

TEXT = "Unusually, the cats' re-reading pleased three readers."
WORDS = ["Unusually", ",", "the", "cats", "'", "re", "-", "reading", "pleased", "three", "readers", "."]
MARKS = "。，、।،։"  # Chinese, Japanese, Hindi, Arabic and Armenian


@pytest.mark.parametrize(("marks", "vocab_size"), [({"end_of_word_suffix": "</w>"}, 61), ({}, 53)])
def test_words_are_found_without_marks_of_beginnings(tmp_path, marks, vocab_size):
    """In HerBERT's tokenizer, pieces mark where a word ends. In others, pieces have no marks."""
    backend = Backend(models.BPE(unk_token="[UNK]", **marks))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(LIKE_BERT), **marks)
    tokenizer = trained_tokenizer(backend, trainer, [TEXT, " ".join(MARKS)], LIKE_BERT)
    folder = save_encoder(tmp_path, "bert", tokenizer)
    assert list(AttentionModel.from_pretrained(folder, "cpu").run(TEXT).words) == ["[CLS]", *WORDS, "[SEP]"]
    tokenizer = load_tokenizer(folder)
    (text,) = tokenize_texts(tokenizer, [TEXT])
    assert len(text.wordpieces) > len(WORDS)  # some words are split
    assert word_forms(text, tokenizer) == [word.lower() if word.isalnum() else "" for word in WORDS]
    found = tokenizer.convert_ids_to_tokens(token_categories(tokenizer).punctuation)
    assert {token.removesuffix("</w>") for token in found} >= {".", ",", *MARKS}


@pytest.mark.parametrize(
    ("added", "text", "words"),
    [
        ("covid", "The covid19 cats, covid-free.", ["the", "covid19", "cats", "", "covid", "", "free", ""]),
        ("read", "Re-reading threads.", ["re", "", "reading", "threads", ""]),
        ("<e>", "The <e>cat<e>.", ["the", "<e>", "cat", "<e>", ""]),
    ],
)
def test_a_token_that_was_added_to_the_vocabulary_cuts_no_word(tmp_path, embedded_model, added, text, words):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    tokenizer.add_tokens([added])
    tokenizer.save_pretrained(tmp_path)
    own = load_tokenizer(tmp_path)
    (found,) = tokenize_texts(own, [text])
    assert added in found.wordpieces
    assert word_forms(found, own) == words
