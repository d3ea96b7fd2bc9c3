"""Sequence classification models: what is refused, and what logits predict."""

import pytest
import torch
from transformers import AutoModelForSequenceClassification
from transformers.models.auto import CONFIG_MAPPING

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier, predictions
from tests.models.random_models import SHAPE, random_model


def test_a_model_is_loaded_as_it_was_saved(tmp_path):
    config = CONFIG_MAPPING["bert"](**SHAPE, vocab_size=90, num_labels=3)
    saved = AutoModelForSequenceClassification.from_config(config)
    saved.save_pretrained(tmp_path)
    loaded = load_classifier(tmp_path, "cpu")
    assert not loaded.training
    assert loaded.config._attn_implementation == "sdpa"
    assert loaded.num_labels == 3
    for name, weights in saved.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], weights)


def test_a_model_without_fast_attention_is_loaded_too(tmp_path):
    config = CONFIG_MAPPING["mpnet"](**SHAPE, vocab_size=90)
    AutoModelForSequenceClassification.from_config(config).save_pretrained(tmp_path)
    assert load_classifier(tmp_path, "cpu").config._attn_implementation == "eager"


def test_an_encoder_without_a_classification_head_is_refused(tmp_path):
    random_model("bert").save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"classifier\.bias among them"):
        load_classifier(tmp_path, "cpu")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be loaded"):
        load_classifier(tmp_path, "cpu")


def test_logits_predict_the_likeliest_class():
    logits = torch.tensor([[[0.1, 0.9, 0.3], [2.0, -1.0, 1.9]]])
    assert predictions(logits).tolist() == [[1.0, 0.0]]


def test_a_single_logit_is_a_score():
    assert predictions(torch.tensor([[0.5], [-2.0]])).tolist() == [0.5, -2.0]
