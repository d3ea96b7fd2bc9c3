"""An encoder of every family gets the input, and gives the attention, that it does in transformers."""

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from bert_attention import AttentionModel
from tests.models.published_tokenizers import CLASSES, published_tokenizer
from tests.models.random_models import CONFIGURATIONS, save_encoder

TEXTS = ["The cat isn't on the mat, and the dog lay by the door.", "In 1990, the town grew by 3.5% (to 9,646 people)."]
PAIR = ("The cat sat.", "It didn't move, Tom said.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A function that saves an encoder of a family once."""
    saved = {}

    def save(kind):
        if kind not in saved:
            tokenizer = published_tokenizer(kind, [*TEXTS, *PAIR] * 5)
            saved[kind] = save_encoder(tmp_path_factory.mktemp("encoder"), kind, tokenizer)
        return saved[kind]

    return save


def test_every_family_has_a_tokenizer():
    assert CLASSES.keys() == CONFIGURATIONS.keys()


@pytest.mark.parametrize("parts", [(TEXTS[0],), PAIR], ids=["text", "pair"])
@pytest.mark.parametrize("kind", CLASSES)
def test_every_family_gets_the_input_and_gives_the_attention_of_transformers(folder, kind, parts):
    found = AttentionModel.from_pretrained(folder(kind), "cpu").run(parts if len(parts) > 1 else parts[0])
    tokenizer = AutoTokenizer.from_pretrained(folder(kind))
    model = AutoModel.from_pretrained(folder(kind), attn_implementation="eager").eval()
    has_segments = getattr(model.config, "type_vocab_size", 0) > 1
    inputs = tokenizer(*parts, return_tensors="pt", return_token_type_ids=has_segments)
    with torch.no_grad():
        expected = torch.cat(model(**inputs, output_attentions=True).attentions)
    assert found.token_ids.tolist() == inputs["input_ids"][0].tolist()
    if has_segments:
        assert found.segment_ids.tolist() == inputs["token_type_ids"][0].tolist()
    np.testing.assert_allclose(found.attention, expected.numpy(), atol=2e-6)
