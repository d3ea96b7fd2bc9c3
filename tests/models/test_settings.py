"""Settings and weights that transformers ignores, although they can change attention."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from bert_attention.errors import InputError
from bert_attention.models.encoders import load_encoder
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.loading import load_config
from bert_attention.models.model_folder import check_model
from tests.models.random_models import change_config, random_model

DISTANCES = {f"encoder.layer.{n}.attention.self.distance_embedding.weight": torch.ones(1023, 8) for n in range(3)}


@pytest.fixture
def folder(tmp_path):
    random_model("bert").save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def add(folder, tensors):
    """Write tensors beside a model's weights."""
    weights = folder / "model.safetensors"
    save_file(load_file(weights) | tensors, weights, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("settings", "listed"),
    [
        ({"position_embedding_type": "relative_key"}, "position_embedding_type: 'relative_key'"),
        ({"position_embedding_type": "relative_key_query"}, "position_embedding_type: 'relative_key_query'"),
        ({"alibi": True, "window": [128, 1]}, r"alibi: True, window: \[128, 1\]"),
        ({"quantization_config": {"bits": 4}}, r"quantization_config: \{'bits': 4\}"),
    ],
)
def test_settings_that_change_attention_are_all_named_before_weights_are_read(folder, settings, listed):
    (folder / "model.safetensors").unlink()
    change_config(folder, **settings)
    for load in (check_model, load_encoder, lambda folder: new_classifier(folder, ("no", "yes"), "random", 1)):
        with pytest.raises(
            InputError, match=rf"bert models does not support: {listed}\n  Remedy: .*delete it from config"
        ):
            load(folder)


@pytest.mark.parametrize(
    "tensors",
    [
        DISTANCES,  # of relative positions, in models saved by old versions of transformers
        {"embeddings.further.weight": torch.ones(4, 32)},
        {"encoder.rel_embeddings.weight": torch.ones(4, 32)},
    ],
)
def test_weights_that_the_encoder_lacks_are_refused(folder, tensors):
    add(folder, tensors)
    with pytest.raises(
        InputError, match=f"without {len(tensors)} of the parameters in its weights, such as {min(tensors)}"
    ):
        load_encoder(folder, "cpu")


def test_empty_settings_and_weights_of_heads_poolers_and_old_tables_are_ignored(folder):
    change_config(folder, window=None, pruned_heads={})
    head = {"cls.predictions.bias": torch.ones(90), "classifier.weight": torch.ones(2, 32)}
    add(folder, head | {"embeddings.position_ids": torch.arange(512)[None], "pooler.further.weight": torch.ones(2)})
    load_encoder(folder, "cpu")


# Settings in published files that the configurations of today's transformers do not declare.
PUBLISHED = {
    "albert-base-v2": """{"model_type": "albert", "down_scale_factor": 1, "gap_size": 0, "net_structure_type": 0,
        "num_memory_blocks": 0}""",
    "bert-base-multilingual-cased": """{"model_type": "bert", "directionality": "bidi", "pooler_fc_size": 768,
        "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3, "pooler_size_per_head": 128,
        "pooler_type": "first_token_transform"}""",
    "deberta-v3-base": """{"model_type": "deberta-v2", "position_buckets": 256, "norm_rel_ebd": "layer_norm",
        "share_att_key": true}""",
    "distilbert-base-uncased": """{"model_type": "distilbert", "qa_dropout": 0.1, "seq_classif_dropout": 0.2,
        "sinusoidal_pos_embds": false, "tie_weights_": true}""",
    "electra-base-discriminator": """{"model_type": "electra", "position_embedding_type": "absolute",
        "summary_activation": "gelu", "summary_last_dropout": 0.1, "summary_type": "first",
        "summary_use_proj": true}""",
    "ModernBERT-base": """{"model_type": "modernbert", "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0,
        "gradient_checkpointing": false, "layer_norm_eps": 1e-05, "local_rope_theta": 10000.0,
        "position_embedding_type": "absolute", "torch_dtype": "float32"}""",
    "opus-mt": """{"model_type": "marian", "_num_labels": 3, "add_bias_logits": false, "add_final_layer_norm": false,
        "bad_words_ids": [[58100]], "classif_dropout": 0.0, "classifier_dropout": 0.0, "decoder_start_token_id": 58100,
        "do_blenderbot_90_layernorm": false, "extra_pos_embeddings": 58101, "force_bos_token_to_be_generated": false,
        "forced_eos_token_id": 0, "normalize_before": false, "normalize_embedding": false, "num_beams": 4,
        "static_position_embeddings": true, "unk_token_id": 1}""",
    "xlm-roberta-base": """{"model_type": "xlm-roberta", "output_past": true, "position_embedding_type": "absolute"}""",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_settings_of_published_models_are_known(name, tmp_path):
    (tmp_path / "config.json").write_text(PUBLISHED[name])
    load_config(tmp_path, "")
