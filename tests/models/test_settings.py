"""Settings and weights that transformers passes over: a model is refused where they would change what it computes."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from bert_attention.errors import InputError
from bert_attention.models.encoders import load_encoder
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.loading import load_config
from tests.models.random_models import random_model


@pytest.fixture
def saved(tmp_path):
    """The folder of a BERT, what writes settings into its ``config.json``, and what writes weights beside its own."""
    folder = tmp_path / "model"
    random_model("bert").save_pretrained(folder)
    weights, config = folder / "model.safetensors", folder / "config.json"

    def state(**settings):
        config.write_text(json.dumps(json.loads(config.read_text()) | settings))

    def add(tensors):
        save_file(load_file(weights) | tensors, weights, metadata={"format": "pt"})

    return folder, state, add


@pytest.mark.parametrize("kind", ["relative_key", "relative_key_query"])
def test_a_bert_with_relative_positions_is_not_read_as_one_without(saved, kind):
    """Old transformers had them; their weights stand beside query, key and value of each layer."""
    folder, state, add = saved
    add({f"encoder.layer.{n}.attention.self.distance_embedding.weight": torch.ones(1023, 8) for n in range(3)})
    with pytest.raises(
        InputError, match=r"3 of the parameters .* encoder.layer.0.attention.self.distance_embedding.weight"
    ):
        load_encoder(folder, "cpu")
    state(position_embedding_type=kind)
    for load in (
        lambda: load_encoder(folder, "cpu"),
        lambda: new_classifier(folder, ("no", "yes"), "random", 1, "cpu"),
    ):
        with pytest.raises(
            InputError, match=rf"bert models does not support: position_embedding_type: '{kind}'\n  Rem"
        ):
            load()


def test_all_unknown_settings_are_named(saved):
    folder, state, _ = saved
    state(alibi=True, window=[128, 1])
    with pytest.raises(InputError, match=r"support: alibi: True, window: \[128, 1\]\n.*delete it from config.json"):
        load_encoder(folder, "cpu")


def test_what_is_null_or_empty_asks_for_nothing(saved):
    folder, state, _ = saved
    state(window=None, pruned_heads={})
    load_encoder(folder, "cpu")


def test_weights_of_heads_poolers_and_old_tables_are_passed_over(saved):
    folder, _, add = saved
    add(
        {
            "cls.predictions.bias": torch.ones(90),
            "classifier.weight": torch.ones(2, 32),
            "embeddings.position_ids": torch.arange(512)[None],
            "pooler.further.weight": torch.ones(2),
        }
    )
    load_encoder(folder, "cpu")


@pytest.mark.parametrize("where", ["embeddings.further.weight", "encoder.rel_embeddings.weight"])
def test_weights_within_the_encoder_that_it_does_not_have_are_refused(saved, where):
    folder, _, add = saved
    add({where: torch.ones(4, 32)})
    with pytest.raises(
        InputError, match=rf"config.json describes a model without 1 of the parameters in its weights, such as {where}"
    ):
        load_encoder(folder, "cpu")


def test_weights_within_the_encoder_that_are_missing_are_refused(saved):
    folder, _, _ = saved
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.attention.self.query.bias"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    for load in (load_encoder, lambda folder, device: new_classifier(folder, ("no", "yes"), "pretrained", 1, device)):
        with pytest.raises(
            InputError, match=r"lack 1 of the model's parameters, such as \S*encoder.layer.1.attention.self.query.bias"
        ):
            load(folder, "cpu")


def test_what_is_refused_would_have_been_another_model(saved):
    """The reason for all this: transformers itself loads it, and says nothing."""
    folder, state, add = saved
    add({"encoder.layer.0.attention.self.distance_embedding.weight": torch.ones(1023, 8)})
    state(position_embedding_type="relative_key")
    AutoModel.from_pretrained(folder)


# What the published files say that the configurations of today's transformers do not declare.
PUBLISHED = {
    "albert-base-v2": {
        "model_type": "albert",
        "down_scale_factor": 1,
        "gap_size": 0,
        "net_structure_type": 0,
        "num_memory_blocks": 0,
    },
    "bert-base-multilingual-cased": {
        "model_type": "bert",
        "directionality": "bidi",
        "pooler_fc_size": 768,
        "pooler_num_attention_heads": 12,
        "pooler_num_fc_layers": 3,
        "pooler_size_per_head": 128,
        "pooler_type": "first_token_transform",
    },
    "deberta-v3-base": {
        "model_type": "deberta-v2",
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
    },
    "distilbert-base-uncased": {
        "model_type": "distilbert",
        "qa_dropout": 0.1,
        "seq_classif_dropout": 0.2,
        "sinusoidal_pos_embds": False,
        "tie_weights_": True,
    },
    "electra-base-discriminator": {
        "model_type": "electra",
        "position_embedding_type": "absolute",
        "summary_activation": "gelu",
        "summary_last_dropout": 0.1,
        "summary_type": "first",
        "summary_use_proj": True,
    },
    "ModernBERT-base": {
        "model_type": "modernbert",
        "global_attn_every_n_layers": 3,
        "global_rope_theta": 160000.0,
        "gradient_checkpointing": False,
        "layer_norm_eps": 1e-05,
        "local_rope_theta": 10000.0,
        "position_embedding_type": "absolute",
        "torch_dtype": "float32",
    },
    "opus-mt": {
        "model_type": "marian",
        "_num_labels": 3,
        "add_bias_logits": False,
        "add_final_layer_norm": False,
        "bad_words_ids": [[58100]],
        "classif_dropout": 0.0,
        "classifier_dropout": 0.0,
        "decoder_start_token_id": 58100,
        "do_blenderbot_90_layernorm": False,
        "extra_pos_embeddings": 58101,
        "force_bos_token_to_be_generated": False,
        "forced_eos_token_id": 0,
        "normalize_before": False,
        "normalize_embedding": False,
        "num_beams": 4,
        "static_position_embeddings": True,
        "unk_token_id": 1,
    },
    "xlm-roberta-base": {"model_type": "xlm-roberta", "output_past": True, "position_embedding_type": "absolute"},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_settings_of_published_models_are_known(name, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(PUBLISHED[name]))
    load_config(tmp_path, "")
