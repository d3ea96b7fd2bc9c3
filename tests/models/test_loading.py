"""Weights that cannot be right are refused by every function that loads a model."""

from functools import partial

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification
from transformers.models.auto import CONFIG_MAPPING

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier
from bert_attention.models.encoders import load_encoder, save_model
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.translation import load_translation_model
from tests.models.random_models import CONFIGURATIONS, SHAPE, TRANSLATION

MARIAN = TRANSLATION | {"pad_token_id": 0}
new_encoder = partial(new_classifier, classes=("no", "yes"), initialisation="pretrained", seed=1)
# Each loader, what saves a model for it, and the name of the setting that counts layers.
LOADERS = {
    "encoder": (load_encoder, AutoModel, "bert", SHAPE, "num_hidden_layers"),
    "encoder with heads": (load_encoder, AutoModelForMaskedLM, "bert", SHAPE, "num_hidden_layers"),
    "DistilBERT": (load_encoder, AutoModel, "distilbert", CONFIGURATIONS["distilbert"], "n_layers"),
    "encoder to fine-tune": (new_encoder, AutoModel, "bert", SHAPE, "num_hidden_layers"),
    "fine-tuned": (load_classifier, AutoModelForSequenceClassification, "bert", SHAPE, "num_hidden_layers"),
    "masked": (load_masked_language_model, AutoModelForMaskedLM, "bert", SHAPE, "num_hidden_layers"),
    "translation": (load_translation_model, AutoModelForSeq2SeqLM, "marian", MARIAN, "decoder_layers"),
}


@pytest.fixture(params=LOADERS)
def saved(request, tmp_path, monkeypatch):
    """A loader, the folder of a model for it that the project saved, and the setting that counts its layers."""
    load, auto_class, kind, settings, layers = LOADERS[request.param]
    monkeypatch.setattr("bert_attention.models.translation._load_tokenizer", lambda folder: None)
    monkeypatch.setattr("bert_attention.models.translation._choose_languages", lambda *_: None)
    save_model(auto_class.from_config(CONFIG_MAPPING[kind](**settings | {"vocab_size": 90})), tmp_path / "model")
    return partial(load, device="cpu"), tmp_path / "model", layers


def test_what_is_whole_is_loaded(saved):
    load, folder, _ = saved
    load(folder)


def test_numbers_that_are_not_finite_are_refused(saved):
    load, folder, _ = saved
    weights = folder / "model.safetensors"
    whole = load_file(weights)
    name = next(
        name for name in sorted(whole) if name.endswith(("lin.weight", "dense.weight", "k_proj.weight", "q_lin.weight"))
    )
    for value in (torch.nan, torch.inf, -torch.inf):
        whole[name].view(-1)[7] = value
        save_file(whole, weights, metadata={"format": "pt"})
        with pytest.raises(InputError, match=r"parameter \S+ holds numbers that are not finite"):
            load(folder)


def test_more_layers_than_the_configuration_counts_are_refused(saved):
    load, folder, layers = saved
    config = folder / "config.json"
    text = config.read_text()
    assert text.count(f'"{layers}": 3') == 1
    config.write_text(text.replace(f'"{layers}": 3', f'"{layers}": 2'))
    with pytest.raises(InputError, match=r"of the parameters in its weights, such as \S+\.2\.\S+"):
        load(folder)
