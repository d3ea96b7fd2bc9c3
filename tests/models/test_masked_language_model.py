import math

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM

from bert_attention.errors import InputError
from bert_attention.models.encoders import Encoder, load_encoder
from bert_attention.models.masked_language_model import (
    _head_of,
    find_masked_language_model,
    fit_mlm_head,
    load_masked_language_model,
    save_head,
    table,
)
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer
from tests.models.random_models import CONFIGURATIONS, random_model, randomly_drawn, save_roberta


def text_with_a_rule(tokenizer, sequences, first_word=200):
    """Sequences of [CLS], six words that appear twice each, and [SEP], so that a token predicts its neighbor."""
    random = np.random.default_rng(0)
    for _ in range(sequences):
        words = np.repeat(first_word + random.integers(0, 6, 6), 2)
        token_ids = np.array([tokenizer.cls_token_id, *words, tokenizer.sep_token_id], dtype=np.int32)
        word_ids = np.array([-1, *range(12), -1], dtype=np.int32)
        yield EncodedSequence(token_ids, np.zeros(14, dtype=np.int32), word_ids)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return load_tokenizer(save_roberta(tmp_path_factory.mktemp("roberta")))


def encoder(kind):
    return Encoder(random_model(kind, vocab_size=330), torch.device("cpu"))


def fitted(encoder, sequences, tokenizer, epochs=1, seed=1, own=None):
    articles = ["a", "b", "c", "d"] * 20  # held-out sequences have several articles
    return fit_mlm_head(encoder, sequences, articles, tokenizer, epochs=epochs, batch_size=16, seed=seed, own=own)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_head_is_fitted_and_the_encoder_stays_frozen(kind, tokenizer):
    frozen = encoder(kind)
    before = {name: value.clone() for name, value in frozen.model.state_dict().items()}
    model, sums = fitted(frozen, list(text_with_a_rule(tokenizer, 60)), tokenizer, epochs=8)
    for part in (frozen.model, model.base_model):
        for name, value in part.state_dict().items():
            assert torch.equal(value, before[name]), name
    scores = table(sums, "fitted").iloc[0]
    assert scores["n"] == 12  # two of twelve tokens in each of six held-out sequences
    assert scores["loss"] < math.log(330)
    assert not model.training


@pytest.mark.parametrize(
    ("kind", "changes"), [*((kind, {}) for kind in CONFIGURATIONS), ("distilbert", {"activation": "relu"})]
)
def test_the_head_gives_the_logits_of_the_model(kind, changes):
    config = random_model(kind, **changes).config
    model = randomly_drawn(AutoModelForMaskedLM.from_config(config)).eval()
    output = model(torch.tensor([[5, 9, 7]]), output_hidden_states=True)
    torch.testing.assert_close(_head_of(model)(output.hidden_states[-1]), output.logits)


def test_a_fitted_head_is_better_than_frequencies(embedded_model):
    tokenizer = load_tokenizer(embedded_model)
    sequences = list(text_with_a_rule(tokenizer, 60, first_word=2003))
    _, sums = fitted(load_encoder(embedded_model, "cpu"), sequences, tokenizer, epochs=12)
    scores = table(sums, "fitted").iloc[0]
    assert scores["loss"] < scores["unigram_loss"]
    assert scores["accuracy"] > 0.3  # six words are as frequent


def test_a_head_depends_on_the_seed_and_the_segment_ids_alone(tokenizer):
    zeros = list(text_with_a_rule(tokenizer, 20))
    ones = [EncodedSequence(s.token_ids, np.ones_like(s.segment_ids), s.word_ids) for s in zeros]
    losses = [
        fitted(encoder("bert"), sequences, tokenizer, seed=seed)[1]["loss"]
        for sequences, seed in ((zeros, 1), (zeros, 1), (zeros, 2), (ones, 1))
    ]
    assert losses[0] == losses[1]
    assert all(abs(losses[0] - other) > 1e-4 for other in losses[2:])


@pytest.mark.parametrize("epochs", [12, 0])
def test_an_own_head_is_taken_if_it_works(embedded_model, epochs):
    """Without epochs, the own head is a new one."""
    tokenizer, encoder = load_tokenizer(embedded_model), load_encoder(embedded_model, "cpu")
    sequences = list(text_with_a_rule(tokenizer, 60, first_word=2003))
    own, _ = fitted(encoder, sequences, tokenizer, epochs=epochs)
    found, sums = fitted(encoder, sequences, tokenizer, epochs=12, own=own)
    assert (found is own) == (epochs > 0)
    assert (table(sums, "own")["loss"] < table(sums, "own")["unigram_loss"]).all()


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_fitted_head_is_saved_alone_and_loaded_with_its_encoder(kind, tokenizer, tmp_path):
    frozen = encoder(kind)
    frozen.model.save_pretrained(tmp_path)
    model, _ = fitted(frozen, list(text_with_a_rule(tokenizer, 12)), tokenizer)
    save_head(model, tmp_path / "head.safetensors", is_own=False)
    loaded = load_masked_language_model(tmp_path, "cpu", tmp_path / "head.safetensors")
    assert not loaded.training
    expected = model.state_dict()
    assert loaded.state_dict().keys() == expected.keys()
    for name, value in loaded.state_dict().items():
        assert torch.equal(value, expected[name]), name
    assert (tmp_path / "head.safetensors").stat().st_mode == (tmp_path / "config.json").stat().st_mode
    stored = load_file(tmp_path / "head.safetensors")
    assert stored and not any(name.startswith(f"{model.base_model_prefix}.") for name in stored)
    ids = torch.tensor([[0, 200, 4, 2]])
    with torch.inference_mode():
        assert torch.equal(loaded(input_ids=ids).logits, model(input_ids=ids).logits)


def test_an_own_head_is_read_from_the_folder_of_its_encoder(tokenizer, tmp_path):
    model, _ = fitted(encoder("bert"), list(text_with_a_rule(tokenizer, 12)), tokenizer)
    model.save_pretrained(tmp_path)
    save_head(model, tmp_path / "head.safetensors", is_own=True)
    assert load_file(tmp_path / "head.safetensors") == {}
    loaded = load_masked_language_model(tmp_path, "cpu", tmp_path / "head.safetensors")
    assert torch.equal(loaded.cls.predictions.bias, model.cls.predictions.bias)


def test_a_fitted_model_is_saved_and_loaded_completely(tokenizer, tmp_path):
    model, _ = fitted(encoder("bert"), list(text_with_a_rule(tokenizer, 12)), tokenizer)
    model.save_pretrained(tmp_path / "mlm")
    loaded = load_masked_language_model(tmp_path / "mlm", "cpu")
    ids = torch.tensor([[0, 200, 4, 2]])
    with torch.inference_mode():
        torch.testing.assert_close(loaded(input_ids=ids).logits, model(input_ids=ids).logits)
    assert find_masked_language_model(tmp_path / "mlm", "cpu") is not None
    random_model("bert").save_pretrained(tmp_path / "bare")
    assert find_masked_language_model(tmp_path / "bare", "cpu") is None
    with pytest.raises(InputError, match=r"has no masked-language-model head: .*\n  Remedy: set mlm_head: auto"):
        load_masked_language_model(tmp_path / "bare", "cpu")
