"""A small encoder with its store."""

import pytest

from bert_attention.corpora.jsonlines import write_records
from bert_attention.tokenization.wordpieces import segment_of, tokenize_texts
from tests.explorer.sequences import TEXTS, small_store


@pytest.fixture(scope="session")
def small(embedded_model, tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store"), embedded_model)


@pytest.fixture(scope="session")
def small_corpus(small, tmp_path_factory):
    """A file with the segments of the small store."""
    _, tokenizer, _ = small
    path = tmp_path_factory.mktemp("corpus") / "segments.jsonl"
    write_records([segment_of("", *tokenize_texts(tokenizer, pair)) for pair in TEXTS], path)
    return path
