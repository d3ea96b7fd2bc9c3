"""Encoders: loading, and checks of their input."""

import re

import numpy as np
import pytest

from bert_attention.errors import InputError
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import random_encoder


def test_the_embedded_encoder_has_six_layers_of_twelve_heads(embedded_model):
    encoder = load_encoder(embedded_model, "cpu")
    assert (encoder.layers, encoder.heads, encoder.max_length) == (6, 12, 512)
    assert not encoder.model.training


@pytest.mark.parametrize("load", [load_encoder, load_masked_language_model])
def test_a_model_of_no_supported_family_is_refused(tmp_path, load):
    with pytest.raises(InputError, match=r"lacks config\.json"):
        load(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(
        InputError, match=r"model type gpt2 is not .*\n.* choose an encoder of one of these families: B"
    ):
        load(tmp_path)


def sequence(n, token_id=0):
    return EncodedSequence(*(np.full(n, fill, dtype=np.int32) for fill in (token_id, 0, 0)))


@pytest.mark.parametrize(
    ("kind", "accepted", "refused", "segment_ids", "problem"),
    [
        ("bert", sequence(3, 89), sequence(3, 90), "zeros", "gives the id 90, but its config.json says vocab_size: 90"),
        # 66 positions, without those up to the padding id
        ("roberta", sequence(64), sequence(65), "zeros", "takes at most 64 tokens, but the corpus has sequences of 65"),
        ("roberta", None, sequence(3), "pair", "has one segment type, but pairs of segments need two"),
        ("distilbert", None, sequence(3), "pair", "has one segment type, but pairs of segments need two"),
        ("bert", sequence(3), None, "pair", None),
    ],
)
def test_input_that_an_encoder_cannot_take_is_refused_before_the_run(kind, accepted, refused, segment_ids, problem):
    encoder = random_encoder(kind)
    if accepted:
        check_fits(encoder, [accepted], segment_ids)
    if refused:
        with pytest.raises(InputError, match=re.escape(problem)):
            check_fits(encoder, [sequence(3), refused], segment_ids)
