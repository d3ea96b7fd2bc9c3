"""Check a model before its weights are read, alike for the library, the explorer and a run."""

import json
import warnings

import pytest
from transformers import AutoModel, AutoTokenizer

from bert_attention import AttentionModel, InputError
from bert_attention.explorer.__main__ import main as explorer
from bert_attention.explorer.own_text import show_text
from bert_attention.models.model_folder import check_model
from tests.models.random_models import save_bert, save_encoder, unigram_tokenizer

TEXTS = ["The cat sat on the mat.", "Birds sing in the morning, and cats listen."]


@pytest.fixture
def folder(tmp_path, embedded_model):
    return save_bert(tmp_path / "model", embedded_model)


def state(folder, **settings):
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | settings))


def add_tokens(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["<entity>", "</entity>"])
    tokenizer.save_pretrained(folder)


def refusals(folder):
    """Return the message of each way to load a model."""
    ways = (
        lambda: check_model(folder),
        lambda: AttentionModel.from_pretrained(folder, "cpu"),
        lambda: AttentionModel.from_transformers(
            AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
        ),
        lambda: show_text(folder, "The cat.", device="cpu"),
    )
    for way in ways:
        with pytest.raises(InputError) as caught:
            way()
        yield str(caught.value)


def test_added_tokens_without_embeddings_of_a_bert(folder, capsys):
    add_tokens(folder)
    for message in refusals(folder):
        assert "has 30522 embeddings, but its tokenizer has 2 tokens more, such as '<entity>'" in message
        assert "resize_token_embeddings" in message
    with pytest.raises(SystemExit, match="2 tokens more"):
        explorer(["--model", str(folder), "--text", "a", "--output", str(folder / "x.html"), "--device", "cpu"])
    assert not (folder / "x.html").exists()


def test_added_tokens_without_embeddings_of_an_albert(tmp_path):
    folder = save_encoder(tmp_path, "albert", unigram_tokenizer(TEXTS * 20, 60))
    add_tokens(folder)
    assert all("such as '<entity>'" in message for message in refusals(folder))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"position_embedding_type": "relative_key"}, "position_embedding_type: 'relative_key'"),
        ({"alibi": True, "sliding_window": 128}, "alibi: True, sliding_window: 128"),
        ({"quantization_config": {"bits": 4}}, "quantization_config: {'bits': 4}"),
    ],
)
def test_settings_that_change_attention_are_refused_before_weights_are_read(folder, settings, message):
    (folder / "model.safetensors").unlink()
    state(folder, **settings)
    with pytest.raises(InputError, match="does not support") as caught:
        check_model(folder)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"sbert_ce_default_activation_function": "torch.nn.Identity", "model_max_length": 512, "adapters": {"a": 1}},
        {"transformers.js_config": {"dtype": "fp16"}, "matryoshka_dimensions": [64, 128], "alibi": False},
    ],
)
def test_harmless_settings_are_passed_over(folder, settings):
    state(folder, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AttentionModel.from_pretrained(folder, "cpu")


@pytest.mark.parametrize("settings", [{"my_note": "trained on Tuesday"}, {"team": {"lead": "me"}, "run_id": 7}])
def test_unknown_settings_are_told(folder, settings):
    state(folder, **settings)
    with pytest.warns(UserWarning, match="does not know these settings") as told:
        AttentionModel.from_pretrained(folder, "cpu")
    assert all(name in str(told[0].message) for name in settings)
