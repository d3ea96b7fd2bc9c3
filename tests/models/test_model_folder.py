"""Checks of a model folder, most of them before its weights are read."""

import json
from contextlib import nullcontext

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from bert_attention import AttentionModel, InputError
from bert_attention.explorer.own_text import show_text
from bert_attention.models.encoders import load_encoder
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.loading import load_config
from bert_attention.models.model_folder import check_as_stated, check_config, check_model
from tests.models.random_models import change_config, save_bert


@pytest.fixture
def folder(tmp_path, embedded_model):
    return save_bert(tmp_path / "model", embedded_model)


def add_weights(folder, tensors):
    weights = folder / "model.safetensors"
    save_file(load_file(weights) | tensors, weights, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("settings", "listed"),
    [
        ({"rotary_dim": 16}, "rotary_dim: 16"),
        ({"alibi": True, "window": [128, 1]}, r"alibi: True, window: \[128, 1\]"),
        ({"quantization_config": {"bits": 4}}, r"quantization_config: \{'bits': 4\}"),
    ],
)
def test_one_error_names_all_settings_that_change_attention_before_weights_are_read(folder, settings, listed):
    (folder / "model.safetensors").unlink()
    change_config(folder, **settings)
    problem = rf"bert models does not support: {listed}\n  Remedy: .*delete it from config"
    for load in (check_model, load_encoder, lambda folder: new_classifier(folder, ("no", "yes"), "random", 1)):
        with pytest.raises(InputError, match=problem):
            load(folder)


# The first tensor is saved with relative positions, and the second with scores that heads share.
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"position_embedding_type": "relative_key"}, "encoder.layer.0.attention.self.distance_embedding.weight"),
        ({"talking_head": True}, "encoder.layer.1.attention.self.head_logits_proj.weight"),
        ({}, "embeddings.more.weight"),
    ],
)
def test_weights_that_the_encoder_lacks_are_an_error(folder, settings, name):
    change_config(folder, **settings)
    add_weights(folder, {name: torch.ones(1023, 8)})
    with pytest.raises(InputError, match=f"without 1 of the parameters in its weights, such as {name}"):
        load_encoder(folder, "cpu")


@pytest.mark.parametrize("positions", ["rope", "alibi"])
def test_weights_without_learned_positions_are_an_error(folder, positions):
    """As of a model with rotary positions or distances that an older or another library trained."""
    change_config(folder, position_embedding_type=positions)
    weights = load_file(folder / "model.safetensors")
    del weights["embeddings.position_embeddings.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"lack 1 of the model's parameters, such as embeddings\.position_embeddings"):
        load_encoder(folder, "cpu")


def test_empty_settings_and_weights_of_heads_poolers_and_old_tables_are_ignored(folder):
    change_config(folder, window=None, pruned_heads={})
    head = {"cls.predictions.bias": torch.ones(90), "classifier.weight": torch.ones(2, 32)}
    old = {"embeddings.position_ids": torch.arange(512)[None], "pooler.further.weight": torch.ones(2)}
    add_weights(folder, head | old)
    load_encoder(folder, "cpu")


# Settings in published files that the configurations of current transformers do not declare, by model type.
PUBLISHED = {
    "albert": {"down_scale_factor": 1, "gap_size": 0, "net_structure_type": 0, "num_memory_blocks": 0},
    "bert": {"directionality": "bidi", "transformers.js_config": {"a": 1}, "alibi": False},
    "deberta-v2": {"position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    "distilbert": {"qa_dropout": 0.1, "sinusoidal_pos_embds": False, "tie_weights_": True},
    "deberta": {"talking_head": True},
    "electra": {"position_embedding_type": "absolute", "summary_type": "first", "output_past": True},
    "eurobert": {"rope_theta": 250000.0},
    "gte": {
        "position_embedding_type": "rope",
        "rope_theta": 160000,
        "layer_norm_type": "layer_norm",
        "pack_qkv": True,
        "unpad_inputs": True,
    },
    "jina_embeddings_v3": {"position_embedding_type": "rotary"},
    "modernbert": {"global_attn_every_n_layers": 3, "layer_norm_eps": 1e-05, "local_rope_theta": 10000.0},
    "mpnet": {"position_embedding_type": "relative"},
}


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("model_type", PUBLISHED)
def test_settings_of_published_models_are_known(model_type, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": model_type} | PUBLISHED[model_type]))
    load_config(tmp_path, "")


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("value", ["absolute", "sans_pos"])
def test_a_setting_that_no_version_of_the_familys_code_reads_can_have_any_value(value, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "modernbert", "position_embedding_type": value}))
    check_config(tmp_path)
    load_config(tmp_path, "")


@pytest.mark.parametrize(
    ("config", "stated", "problem"),
    [
        ({"model_type": "bert"}, (2, "bert"), None),
        ({"model_type": "bert"}, (1, "bert"), "set segment_types: 2"),
        ({"model_type": "roberta", "type_vocab_size": 1}, (1, "bert"), None),
        ({"model_type": "distilbert"}, (2, "bert"), "set segment_types: 1"),
        ({"model_type": "deberta-v2", "type_vocab_size": 0}, (1, "nomic_bert"), None),  # lacks the same analyses
        ({"model_type": "deberta-v2", "type_vocab_size": 0}, (1, "bert"), "set model_type: deberta-v2 for this model"),
    ],
)
def test_a_model_must_have_the_segments_and_analyses_of_the_plan(tmp_path, config, stated, problem):
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=problem) if problem else nullcontext():
        check_as_stated(tmp_path, *stated)


def test_every_loader_raises_an_error_for_added_tokens_without_embeddings(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    size = len(tokenizer)
    tokenizer.add_tokens(["<entity>", "</entity>"])
    tokenizer.save_pretrained(folder)
    problem = rf"has {size} embeddings, but its tokenizer has 2 tokens more, such as '<entity>'\n.*resize_token_embeddi"
    for load in (
        lambda: check_model(folder),
        lambda: AttentionModel.from_pretrained(folder, "cpu"),
        lambda: AttentionModel.from_transformers(AutoModel.from_pretrained(folder), tokenizer),
        lambda: show_text(folder, "The cat.", device="cpu"),
    ):
        with pytest.raises(InputError, match=problem):
            load()


def test_unknown_settings_are_reported(folder):
    change_config(folder, my_note="trained on Tuesday", team={"lead": "me"}, run_id=7)
    reported = "does not know these settings .*my_note: 'trained on Tuesday', run_id: 7, team: {'lead': 'me'}"
    with pytest.warns(UserWarning, match=reported):
        AttentionModel.from_pretrained(folder, "cpu")
