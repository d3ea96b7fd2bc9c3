"""Analyses of section 3 and 4 on the attention of a real encoder, as extraction stores it, against plain loops.

The segments are of the embedded edition's Wikipedia, the trees and documents of the miniature. The loops are those of
the analyses' own tests, in float64.
"""

import bz2
from functools import partial

import numpy as np
import pytest
import torch

from bert_attention.attention.extraction import extract, extract_words, shard_metadata
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import ATTENTION_ARRAYS, WORD_ARRAYS, AttentionStore, shard_writer
from bert_attention.attention.words import word_starts
from bert_attention.clark import dependency_heads as dependency_heads_module
from bert_attention.clark.coreference import coreference
from bert_attention.clark.dependency_heads import VARIANTS, dependency_heads
from bert_attention.clark.entropy import entropy
from bert_attention.clark.positions import positions
from bert_attention.clark.special_tokens import special_tokens
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments
from bert_attention.downloads.sources import locate
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer, tokenize
from bert_attention.tokenization.words import encode_words, wordpieces_of_words
from miniature import generate_documents
from tests.clark.test_coreference import check_table as check_coreference
from tests.clark.test_dependency_heads import check_table as check_dependency_heads
from tests.clark.test_entropy import plain_entropy, plain_largest_weights
from tests.clark.test_positions import reference
from tests.clark.test_special_tokens import check_table as check_special_tokens

_ARTICLES, _SEGMENTS, _WORDPIECES = 2, 4, 40
_SENTENCES = 60


@pytest.fixture(scope="module")
def model(embedded_model):
    """The tokenizer and the encoder, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield load_tokenizer(embedded_model), HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def store_of(model, embedded_model, tmp_path_factory):
    """A function that runs the encoder over sequences and stores its attention."""
    tokenizer, encoder = model

    def store(sequences, arrays, lengths, run):
        path = tmp_path_factory.mktemp("store") / "1-of-1.safetensors"
        metadata = shard_metadata(
            encoder,
            tokenizer,
            dict.fromkeys(("weights", "corpus"), embedded_model / "model.safetensors"),
            range(len(sequences)),
            model="embedded",
            segment_ids="zeros",
            masked_share=0,
            arrays=arrays,
            sequences=len(sequences),
        )
        with shard_writer(path, lengths, metadata) as writer:
            run(encoder, sequences, writer, first=0, batch_size=8, pad_id=tokenizer.pad_token_id)
        return list(AttentionStore([path]))

    return store


def beginning_of(dump, pages, path):
    """The first pages of a dump, as a dump."""
    with bz2.open(dump, "rt", encoding="utf-8") as lines, path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line)
            pages -= "</page>" in line
            if not pages:
                break
        file.write("</mediawiki>")
    return path


@pytest.fixture(scope="module")
def segments(edition, model, store_of, tmp_path_factory):
    """Attention between the wordpieces of real segments."""
    tokenizer, _ = model
    dump = locate(edition["corpora"]["wikipedia"]["source"])
    articles, _ = read_running_text(beginning_of(dump, _ARTICLES, tmp_path_factory.mktemp("dump") / "dump.xml"))
    room = _WORDPIECES - len(tokenizer.layout)
    found, _ = build_segments(articles, partial(tokenize, tokenizer), "sentences", room, seed=0)
    sequences = encode_segments(found[:_SEGMENTS], tokenizer, "zeros", dump)
    return store_of(sequences, ATTENTION_ARRAYS, [len(sequence) for sequence in sequences], extract)


@pytest.fixture(scope="module")
def documents():
    return generate_documents(_SENTENCES, seed=0)


@pytest.fixture(scope="module")
def words_store_of(model, store_of):
    """A function from texts in words to their attention between words."""
    tokenizer, _ = model

    def store(texts):
        sequences = [encode_words(wordpieces, tokenizer) for wordpieces in wordpieces_of_words(texts, tokenizer)]
        lengths = [len(word_starts(sequence.word_ids)) for sequence in sequences]
        return store_of(sequences, WORD_ARRAYS, lengths, partial(extract_words, queries="mean"))

    return store


@pytest.fixture(scope="module")
def treebank(documents):
    return [sentence for document in documents for sentence in document.sentences]


@pytest.fixture(scope="module")
def sentences(treebank, words_store_of):
    return words_store_of([sentence.forms for sentence in treebank])


def maps_by_head(segments):
    """Layer and head, from 0, with the head's map of each segment in float64."""
    maps = [segment.attention.astype(np.float64) for segment in segments]
    for layer, head in np.ndindex(maps[0].shape[:2]):
        yield layer, head, [attention[layer, head] for attention in maps]


def test_positions(segments):
    table = positions(segments).set_index(["layer", "head", "target"])["attention"]
    categories = [segment.categories for segment in segments]
    for layer, head, maps in maps_by_head(segments):
        of_segments = [reference(*both) for both in zip(maps, categories, strict=True)]
        for target in of_segments[0]:
            expected = sum(shares[target] for shares in of_segments) / len(of_segments)
            assert table[layer + 1, head + 1, target] == pytest.approx(expected, abs=1e-5), (layer, head, target)


@pytest.mark.parametrize("source", ["all", "cls"])
def test_entropy(segments, source):
    table = entropy(segments).set_index(["source", "layer", "head"])
    for layer, head, maps in maps_by_head(segments):
        expected = [plain_entropy(maps, source), *plain_largest_weights(maps, source)]
        found = table.loc[(source, layer + 1, head + 1), ["entropy", "largest_weight", "share_below_tenth"]]
        assert found.tolist() == pytest.approx(expected, abs=1e-5), (layer, head)


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_dependency_heads(sentences, treebank, variant, monkeypatch):
    monkeypatch.setattr(dependency_heads_module, "_FEWEST_INSTANCES", 8)
    table = dependency_heads(sentences, treebank, seed=3)
    assert {"nmod:poss", "aux_with_to", "mark_without_to"} <= set(table["relation"])
    check_dependency_heads(table, sentences, treebank, variant)


def test_special_tokens_as_predictions(sentences, treebank):
    check_special_tokens(special_tokens(sentences, treebank, seed=3), sentences, treebank, 3)


def test_antecedents(documents, words_store_of):
    texts = [[form for sentence in document.sentences for form in sentence.forms] for document in documents]
    sequences = words_store_of(texts)
    check_coreference(coreference(sequences, documents, 3), sequences, documents)
