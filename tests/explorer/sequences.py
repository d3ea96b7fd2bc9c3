"""Random sequences for the page, and a small encoder with its store."""

from __future__ import annotations

import numpy as np

from bert_attention.attention.extraction import extract, shard_metadata
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import WORDPIECE_ARRAYS, AttentionStore, shard_writer
from bert_attention.explorer.data import ShownSequence, ShownTokens, parts_between
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.wordpieces import encode_segment, load_tokenizer, segment_of, tokenize_texts
from tests.conftest import random_attention
from tests.models.random_models import save_bert

TEXTS = [
    ("The cat sat on the mat with strawberries.", "It slept."),
    ("A dog barked.", ""),
    ("Unbelievably, nobody came to the store today,", "and the strawberries rotted."),
]


def random_sequence(layers: int, heads: int, tokens: list[str], seed: int = 0) -> ShownSequence:
    """Return a sequence of words of one token each. The first and last are special."""
    random, n = np.random.default_rng(seed), len(tokens)
    special = np.isin(np.arange(n), (0, n - 1))
    shown = ShownTokens(tuple(tokens), tuple(tokens), np.arange(n), special, parts_between(special))
    return ShownSequence(
        shown,
        random_attention(random, layers, heads, n),
        random.gamma(4, 1, (layers, heads, n)).astype(np.float32),
        random.gamma(2, 0.1, (layers, n, n)).astype(np.float32),
    )


def random_vectors(layers: int, heads: int, n: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return queries and keys."""
    queries, keys = np.random.default_rng(1).normal(size=(2, layers, heads, n, size)).astype(np.float32)
    return queries, keys


def small_store(folder, vocabulary_from):
    """Return a random encoder of 3 layers and 4 heads, its tokenizer, and its store of three texts."""
    model = save_bert(folder / "model", vocabulary_from)
    encoder, tokenizer = HookedEncoder.of(load_encoder(model, "cpu")), load_tokenizer(model)
    segments = [segment_of("", *tokenize_texts(tokenizer, pair)) for pair in TEXTS]
    encoded = [encode_segment(segment, tokenizer, "pair") for segment in segments]
    files = dict.fromkeys(("weights", "tokenizer", "corpus"), model / "model.safetensors")
    metadata = shard_metadata(
        encoder,
        tokenizer,
        files,
        range(len(encoded)),
        model="small",
        segment_ids="pair",
        masked_share=0,
        seed=None,
        word_rule=None,
        arrays=WORDPIECE_ARRAYS,
        blocks=[range(len(encoded))],
    )
    path = folder / "store.safetensors"
    with shard_writer(path, list(map(len, encoded)), metadata) as writer:
        extract(encoder, encoded, writer, 2, tokenizer.pad_token_id)
    return encoder, tokenizer, AttentionStore([path])
