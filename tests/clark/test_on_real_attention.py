"""Analyses of section 3 and 4 on the attention of a real encoder, as extraction stores it, against plain loops.

The segments are Lincoln's, the trees and documents of the miniature. The loops are those of
the analyses' own tests, in float64.
"""

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import ATTENTION_ARRAYS, WORD_ARRAYS
from bert_attention.clark import coreference, entropy, positions, special_tokens
from bert_attention.clark import dependency_heads as dependency_heads_module
from bert_attention.clark.dependency_heads import VARIANTS
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.types import Segment
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.wordpieces import (
    encode_segments,
    load_tokenizer,
    token_categories,
    tokenize,
)
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from miniature import generate_documents
from tests.attention.stores import extracted
from tests.clark.test_coreference import check_table as check_coreference
from tests.clark.test_dependency_heads import check_table as check_dependency_heads
from tests.clark.test_entropy import MEASURES, plain_measures
from tests.clark.test_positions import reference
from tests.clark.test_special_tokens import check_table as check_special_tokens
from tests.kobayashi.test_real_attention import TEXT
from tests.statistics.blocks import table_of

_SENTENCES = 60


@pytest.fixture(scope="module")
def model(embedded_model):
    """The tokenizer and the encoder, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield load_tokenizer(embedded_model), HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def stored(model, tmp_path_factory):
    """A function that runs the encoder over sequences and stores its attention."""
    tokenizer, encoder = model
    of_model = {"pad_id": tokenizer.pad_token_id, "categories": token_categories(tokenizer)}
    return lambda sequences, arrays: extracted(
        tmp_path_factory.mktemp("store") / "shard", encoder, sequences, batch_size=8, arrays=arrays, **of_model
    )


@pytest.fixture(scope="module")
def segments(model, stored):
    """Attention between the wordpieces of pairs of sentences."""
    tokenizer, _ = model
    found = [Segment("", *tokenize(tokenizer, pair)) for pair in TEXT]
    return stored(encode_segments(found, tokenizer, "zeros", "Lincoln"), ATTENTION_ARRAYS)


@pytest.fixture(scope="module")
def documents():
    return generate_documents(_SENTENCES, seed=0)


@pytest.fixture(scope="module")
def between_words(model, stored):
    """A function from texts in words to their attention between words."""
    tokenizer, _ = model
    return lambda texts: stored(
        [encode_words(wordpieces, tokenizer) for wordpieces in wordpieces_of_words(texts, tokenizer)], WORD_ARRAYS
    )


@pytest.fixture(scope="module")
def treebank(documents):
    return [sentence for document in documents for sentence in document.sentences]


@pytest.fixture(scope="module")
def sentences(treebank, between_words):
    return between_words([sentence.forms for sentence in treebank])


def maps_by_head(segments):
    """Layer and head, from 0, with the head's map of each segment in float64."""
    maps = [segment.attention.astype(np.float64) for segment in segments]
    for layer, head in np.ndindex(maps[0].shape[:2]):
        yield layer, head, [attention[layer, head] for attention in maps]


def test_positions(segments):
    table = table_of(positions, segments).set_index(["layer", "head", "target"])["attention"]
    categories = [segment.categories for segment in segments]
    for layer, head, maps in maps_by_head(segments):
        of_segments = [reference(*both) for both in zip(maps, categories, strict=True)]
        for target in of_segments[0]:
            expected = sum(shares[target] for shares in of_segments) / len(of_segments)
            assert table[layer + 1, head + 1, target] == pytest.approx(expected, abs=1e-5), (layer, head, target)


@pytest.mark.parametrize("source", ["all", "cls"])
def test_entropy(segments, source):
    table = table_of(entropy, segments).set_index(["source", "layer", "head"])
    for layer, head, maps in maps_by_head(segments):
        found = table.loc[(source, layer + 1, head + 1), MEASURES]
        assert found.tolist() == pytest.approx(plain_measures(maps, source), abs=1e-5), (layer, head)


@pytest.mark.parametrize("variant", VARIANTS)
def test_dependency_heads(sentences, treebank, variant, monkeypatch):
    monkeypatch.setattr(dependency_heads_module, "_FEWEST_INSTANCES", 8)
    table = table_of(dependency_heads_module, sentences, treebank)
    assert {"nmod:poss", "aux_with_to", "mark_without_to"} <= set(table["relation"])
    check_dependency_heads(table, sentences, treebank, variant)


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
