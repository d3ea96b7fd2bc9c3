import pytest

from bert_attention.tokenization.wordpieces import load_tokenizer


@pytest.fixture(scope="package")
def tokenizer(embedded_model):
    return load_tokenizer(embedded_model)
