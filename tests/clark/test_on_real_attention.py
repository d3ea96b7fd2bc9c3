"""Analyses of section 4 on the attention of a real encoder, as extraction stores it, against loops."""

import pytest
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import WORD_ARRAYS
from bert_attention.clark import coreference, no_op, special_tokens
from bert_attention.clark import dependency_heads as dependency_heads_module
from bert_attention.clark.dependency_heads import VARIANTS
from bert_attention.corpora.conllu import read_conllu
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.wordpieces import (
    load_tokenizer,
    token_categories,
)
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from tests.attention.stores import extracted
from tests.clark.test_coreference import check_table as check_coreference
from tests.clark.test_dependency_heads import check_table as check_dependency_heads
from tests.clark.test_no_op import check_table as check_no_op
from tests.clark.test_special_tokens import check_table as check_special_tokens
from tests.statistics.blocks import table_of
from tests.written import written_documents


@pytest.fixture(scope="module")
def between_words(embedded_model, tmp_path_factory):
    """A function from texts in words to their attention between words, which the encoder gives on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    tokenizer, encoder = load_tokenizer(embedded_model), HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    of_model = {"pad_id": tokenizer.pad_token_id, "categories": token_categories(tokenizer)}

    def run(texts):
        sequences = [encode_words(wordpieces, tokenizer) for wordpieces in wordpieces_of_words(texts, tokenizer)]
        path = tmp_path_factory.mktemp("store") / "shard"
        return extracted(path, encoder, sequences, batch_size=8, arrays=WORD_ARRAYS, **of_model)

    yield run
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def documents():
    return written_documents(20)


@pytest.fixture(scope="module")
def treebank(documents):
    return [sentence for document in documents for sentence in document.sentences]


@pytest.fixture(scope="module")
def sentences(treebank, between_words):
    return between_words([sentence.forms for sentence in treebank])


@pytest.mark.parametrize("variant", VARIANTS)
def test_dependency_heads(sentences, treebank, variant, monkeypatch):
    monkeypatch.setattr(dependency_heads_module, "_FEWEST_INSTANCES", 8)
    table = table_of(dependency_heads_module, sentences, treebank)
    assert {"nmod:poss", "aux_with_to", "mark_without_to"} <= set(table["relation"])
    check_dependency_heads(table, sentences, treebank, variant)


def test_no_op(sentences, treebank):
    check_no_op(table_of(no_op, sentences, treebank), sentences, treebank)


def test_a_real_encoder_has_heads_for_objects_and_determiners(real_data, between_words):
    """Section 4.2: a head of its own for objects and one for determiners, far above any fixed offset."""
    sentences = read_conllu(real_data("ud_english_ewt/en_ewt-ud-dev.conllu"))[0][:300]
    attention = between_words([sentence.forms for sentence in sentences])
    table = table_of(dependency_heads_module, attention, sentences)
    for selection in ("same_data", "held_out"):
        rows = table[(table["variant"] == "described") & (table["selection"] == selection)].set_index("relation")
        gain = rows["gain"]
        assert gain["obj"] > 0.3
        assert gain["case"] > 0.25
        assert gain["det"] > 0.15
        assert rows.loc["obj", "baseline_offset"] == -2
    assert rows.loc["all", "n"] == sum(len(sentence.words) for sentence in sentences)


def test_special_tokens_as_predictions(sentences, treebank):
    check_special_tokens(table_of(special_tokens, sentences, treebank), sentences, treebank)


def test_antecedents(documents, between_words):
    sequences = between_words([document.forms for document in documents])
    check_coreference(table_of(coreference, sequences, documents), sequences, documents)
