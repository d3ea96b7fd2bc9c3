"""Encoders: what is loaded, and what is refused."""

import json

import numpy as np
import pytest

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import random_encoder, random_model, save_bert


def test_the_embedded_encoder_has_six_layers_of_twelve_heads(embedded_model):
    encoder = load_encoder(embedded_model, "cpu")
    assert (encoder.layers, encoder.heads, encoder.longest_input) == (6, 12, 512)
    assert not encoder.model.training


def test_a_decoder_is_refused(tmp_path):
    random_model("bert", is_decoder=True).save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"is a decoder .*\n.* choose an encoder of one of these families: BERT"):
        load_encoder(tmp_path)


def test_damaged_or_missing_weights_are_refused(tmp_path, embedded_model):
    folder = save_bert(tmp_path / "model", embedded_model)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(folder)
    weights.unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(folder)


def sequence(n):
    return EncodedSequence(*(np.zeros(n, dtype=np.int32) for _ in range(3)))


def test_an_id_beyond_the_embeddings_is_refused_before_the_run():
    encoder = random_encoder("bert")
    size = encoder.model.config.vocab_size
    beyond = EncodedSequence(*(np.full(3, fill, dtype=np.int32) for fill in (size, 0, 0)))
    with pytest.raises(
        InputError, match=f"its tokenizer gives the id {size}, but its config.json says vocab_size: {size}"
    ):
        check_fits(encoder, [sequence(3), beyond], "zeros")


def test_too_long_a_sequence_is_refused_before_the_run():
    encoder = random_encoder("roberta")
    assert encoder.longest_input == 64  # 66 positions, of which the padding id's and those before are not used
    check_fits(encoder, [sequence(64)], "zeros")
    with pytest.raises(InputError, match="takes at most 64 tokens, but the corpus has sequences of 65"):
        check_fits(encoder, [sequence(3), sequence(65)], "zeros")


def test_pairs_are_refused_where_the_model_knows_one_segment():
    check_fits(random_encoder("bert"), [sequence(3)], "pair")
    for kind in ("roberta", "distilbert"):
        with pytest.raises(InputError, match="has one segment type, but pairs"):
            check_fits(random_encoder(kind), [sequence(3)], "pair")


@pytest.mark.parametrize(
    ("setting", "value"), [("hidden_act", "no such"), ("num_attention_heads", 7), ("layer_norm_eps", "small")]
)
@pytest.mark.parametrize("load", [load_encoder, load_masked_language_model, load_classifier])
def test_settings_that_transformers_cannot_use_are_an_error_that_names_the_model(tmp_path, setting, value, load):
    random_model("bert").save_pretrained(tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text()) | {setting: value}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match=rf"model {tmp_path}: .*\n  Remedy: "):
        load(tmp_path)


def test_a_masked_language_model_of_no_known_family_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"lacks config\.json"):
        load_masked_language_model(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(InputError, match="model type gpt2 is not among the encoders"):
        load_masked_language_model(tmp_path)
