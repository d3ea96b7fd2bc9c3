"""A small encoder, loaded from its folder."""

import pytest

from bert_attention import AttentionModel
from tests.models.random_models import save_bert


@pytest.fixture(scope="session")
def small_model(embedded_model, tmp_path_factory):
    """A random BERT of 3 layers of 4 heads with the vocabulary of the embedded encoder."""
    folder = save_bert(tmp_path_factory.mktemp("bert"), embedded_model, max_position_embeddings=128)
    return AttentionModel.from_pretrained(folder, device="cpu")
