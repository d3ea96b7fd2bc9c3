"""Tokenizers of BERT and of a small RoBERTa."""

import pytest

from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.models.random_models import save_roberta


@pytest.fixture(scope="package")
def bert(embedded_model):
    return load_tokenizer(embedded_model)


@pytest.fixture(scope="package")
def roberta(tmp_path_factory):
    """Byte-level tokenizer with a vocabulary of a few sentences."""
    return load_tokenizer(save_roberta(tmp_path_factory.mktemp("roberta")))
