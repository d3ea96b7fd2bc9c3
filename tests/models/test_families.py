import json

import numpy as np
import pytest
import torch
from transformers.models.auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from bert_attention.errors import InputError
from bert_attention.models.attention_modules import FORMS
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.models.families import (
    FAMILIES,
    REFUSED,
    family_of,
    family_of_folder,
    segment_types,
)
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.results import results
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import CONFIGURATIONS, random_encoder, random_model

# Models that transformers lists for masked language modeling, but that are not encoders of text.
OTHER_MODELS = {"bart", "mbart", "mvp", "layoutlm", "tapas", "modernvbert", "ultravbert"}


def test_every_encoder_of_transformers_is_a_tested_family_or_an_error_that_names_it():
    assert set(CONFIGURATIONS) == set(FAMILIES)
    assert set(FAMILIES) <= set(CONFIG_MAPPING)
    assert not set(FAMILIES) & set(REFUSED)
    assert {family.form for family in FAMILIES.values()} == set(FORMS)
    assert set(MODEL_FOR_MASKED_LM_MAPPING_NAMES) <= {*FAMILIES, *REFUSED, *OTHER_MODELS}


def test_every_analysis_that_a_family_lacks_has_results():
    lacking = {analysis for family in FAMILIES.values() for analysis in family.left_out}
    assert lacking == {table.needs for table in results().tables.values()} - {None}
    assert results().needs("kobayashi_figure_mixing_frequency") == {"mixing"}
    assert results().needs("vig_figure_neurons") == {"neurons"}


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"model_type": "gpt2"}, "model type gpt2 is not among the encoders that are supported"),
        ({"model_type": "neobert", "auto_map": {"AutoModel": "x"}}, "neobert needs code from its own folder"),
        ({"model_type": "fnet"}, "model type fnet has no attention"),
        ({"model_type": "bert", "is_decoder": True}, r"is a decoder or contains one \(model type bert\)"),
    ],
)
def test_the_error_on_other_models_lists_the_families(config, problem):
    with pytest.raises(InputError, match=f"my-model: .*{problem}.*\n.*ALBERT.*ModernBERT[^\n]*$"):
        family_of(config, "my-model")


NO_TYPE = 'write "model_type": "bert" into config.json, or the type of its own family: bert, roberta, .*modernbert'


@pytest.mark.parametrize(
    ("config", "problem", "remedy"),
    [
        ({}, "its config.json gives no model_type", NO_TYPE),
        ({"model_type": ["bert"]}, r"model_type is \['bert'\] in its config.json, not the name", NO_TYPE),
        ({"model_type": "bert", "chunk_size_feed_forward": 7}, "chunk_size_feed_forward is not 0", "set it to 0"),
        ({"model_type": "bert", "num_attention_heads": 0}, "num_attention_heads is 0 .*not a whole", "get config.json"),
        (
            {"model_type": "bert", "type_vocab_size": "2"},
            "type_vocab_size is '2' .*not a whole",
            "get config.json again",
        ),
    ],
)
def test_a_setting_that_can_be_corrected_has_its_own_remedy(config, problem, remedy):
    with pytest.raises(InputError, match=f"my-model: .*{problem}.*\n  Remedy: {remedy}"):
        family_of(config, "my-model")


@pytest.mark.parametrize("load", [load_encoder, load_masked_language_model])
def test_loaders_check_the_family(tmp_path, load):
    with pytest.raises(InputError, match=r"lacks config\.json"):
        load(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(InputError, match="model type gpt2 is not among the encoders that are supported"):
        load(tmp_path)


def test_the_error_names_a_broken_configuration_but_a_byte_order_mark_and_code_are_ignored(tmp_path):
    for broken in ("{", "[" * 100_000, '{"vocab_size": ' + "9" * 5000 + "}"):
        (tmp_path / "config.json").write_text(broken)
        with pytest.raises(InputError, match=r"config\.json: is not JSON"):
            family_of_folder(tmp_path)
    config = json.dumps({"model_type": "modernbert", "auto_map": {"AutoModel": "x"}})
    (tmp_path / "config.json").write_text(config, encoding="utf-8-sig")
    assert family_of_folder(tmp_path).name == "ModernBERT"


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_saved_model_of_every_family_is_loaded_completely(kind, tmp_path):
    model = random_model(kind)
    model.save_pretrained(tmp_path)
    encoder = load_encoder(tmp_path, "cpu")
    assert (encoder.layers, encoder.heads, encoder.family) == (3, 4, FAMILIES[kind])
    assert encoder.max_length >= 60
    weights = encoder.model.state_dict()
    assert all(weights[name].equal(value) for name, value in model.state_dict().items())
    stated = json.loads((tmp_path / "config.json").read_text())
    for config, settings in ((model.config, stated), (CONFIG_MAPPING[kind](), {"model_type": kind})):
        assert segment_types(settings) == min(2, max(1, getattr(config, "type_vocab_size", None) or 1))


@pytest.mark.parametrize(("kind", "pad_id", "expected"), [("mpnet", 0, 64), ("mpnet", 3, 64), ("roberta", 3, 62)])
def test_an_input_of_the_maximum_length_fits_for_any_padding_id(kind, pad_id, expected):
    encoder = random_encoder(kind, pad_token_id=pad_id, max_position_embeddings=66)
    assert encoder.max_length == expected
    longest = np.full(expected, 7)
    encoder.model(torch.from_numpy(longest)[None])
    with pytest.raises((IndexError, RuntimeError)):
        encoder.model(torch.from_numpy(np.append(longest, 7))[None])


def sequence(n, token_id=0):
    return EncodedSequence(*(np.full(n, fill, dtype=np.int32) for fill in (token_id, 0, 0)))


@pytest.mark.parametrize(
    ("kind", "refused", "segment_ids", "problem"),
    [
        ("bert", sequence(3, 90), "zeros", "gives the id 90, but its config.json says vocab_size: 90"),
        # 66 positions, of which the padding id takes two
        ("roberta", sequence(65), "zeros", "takes at most 64 tokens, but the corpus has sequences of 65"),
        ("roberta", sequence(3), "pair", "has one segment type, but pairs of segments need two"),
        ("distilbert", sequence(3), "pair", "has one segment type, but pairs of segments need two"),
    ],
)
def test_input_that_an_encoder_cannot_take_is_an_error(kind, refused, segment_ids, problem):
    check_fits(random_encoder("bert"), [sequence(3, 89)], "pair")
    encoder = random_encoder(kind)
    check_fits(encoder, [sequence(64)], "zeros")
    with pytest.raises(InputError, match=problem):
        check_fits(encoder, [sequence(3), refused], segment_ids)
