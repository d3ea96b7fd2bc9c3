"""Checks of a model folder before its weights are read, for the library, the explorer and a run."""

import json
import warnings

import pytest
from transformers import AutoModel, AutoTokenizer

from bert_attention import AttentionModel, InputError
from bert_attention.explorer.__main__ import main as explorer
from bert_attention.explorer.own_text import show_text
from bert_attention.models.model_folder import check_as_stated, check_model
from tests.models.random_models import change_config, save_bert, save_encoder, unigram_tokenizer

TEXTS = ["The cat sat on the mat.", "Birds sing in the morning, and cats listen."]


@pytest.mark.parametrize(
    ("config", "stated", "problem"),
    [
        ({"model_type": "bert", "type_vocab_size": 2}, (2, "bert"), None),
        ({"model_type": "bert"}, (2, "bert"), None),
        ({"model_type": "bert"}, (1, "bert"), "set segment_types: 2"),
        ({"model_type": "roberta", "type_vocab_size": 1}, (1, "bert"), None),
        ({"model_type": "roberta", "type_vocab_size": 1}, (2, "bert"), "set segment_types: 1"),
        ({"model_type": "distilbert"}, (1, "bert"), None),
        ({"model_type": "distilbert"}, (2, "bert"), "set segment_types: 1"),
        ({"model_type": "deberta-v2", "type_vocab_size": 0}, (1, "nomic_bert"), None),  # lacks the same analyses
        ({"model_type": "deberta-v2", "type_vocab_size": 0}, (1, "bert"), "set model_type: deberta-v2 for this model"),
        ({"model_type": "gpt2"}, (1, "bert"), "model type gpt2 is not among the encoders that are supported"),
    ],
)
def test_a_model_must_have_the_segments_and_analyses_of_the_plan(tmp_path, config, stated, problem):
    (tmp_path / "config.json").write_text(json.dumps(config))
    if problem is None:
        check_as_stated(tmp_path, *stated)
    else:
        with pytest.raises(InputError, match=problem):
            check_as_stated(tmp_path, *stated)


@pytest.fixture
def folder(tmp_path, embedded_model):
    return save_bert(tmp_path / "model", embedded_model)


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_added_tokens_without_embeddings_are_refused_by_everything_that_loads_a_model(folder, kind, tmp_path):
    if kind == "albert":
        folder = save_encoder(tmp_path / "albert", "albert", unigram_tokenizer(TEXTS * 20, 60))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    size = len(tokenizer)
    tokenizer.add_tokens(["<entity>", "</entity>"])
    tokenizer.save_pretrained(folder)
    page = tmp_path / "x.html"
    problem = rf"has {size} embeddings, but its tokenizer has 2 tokens more, such as '<entity>'\n.*resize_token_embeddi"
    for load in (
        lambda: check_model(folder),
        lambda: AttentionModel.from_pretrained(folder, "cpu"),
        lambda: AttentionModel.from_transformers(AutoModel.from_pretrained(folder), tokenizer),
        lambda: show_text(folder, "The cat.", device="cpu"),
        lambda: explorer(["--model", str(folder), "--text", "a", "--output", str(page), "--device", "cpu"]),
    ):
        with pytest.raises((InputError, SystemExit), match=problem):
            load()
    assert not page.exists()


@pytest.mark.parametrize(
    "harmless",
    [
        {"sbert_ce_default_activation_function": "torch.nn.Identity", "model_max_length": 512, "adapters": {"a": 1}},
        {"transformers.js_config": {"dtype": "fp16"}, "matryoshka_dimensions": [64, 128], "alibi": False},
        {"unsloth_version": "2025.1", "license": "mit"},
        {"language_codes": ["de", "en"], "similarity_fn_name": "cosine"},
    ],
)
def test_harmless_settings_are_ignored_and_unknown_settings_are_reported(folder, harmless):
    change_config(folder, **harmless)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AttentionModel.from_pretrained(folder, "cpu")
    change_config(folder, my_note="trained on Tuesday", team={"lead": "me"}, run_id=7)
    reported = "does not know these settings .*my_note: 'trained on Tuesday', run_id: 7, team: {'lead': 'me'}"
    with pytest.warns(UserWarning, match=reported):
        AttentionModel.from_pretrained(folder, "cpu")
