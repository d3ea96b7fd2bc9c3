"""Every function that loads a model raises an error for wrong weights and settings."""

import json
from functools import partial

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
)
from transformers.models.auto import CONFIG_MAPPING
from transformers.utils import ModelOutput

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier
from bert_attention.models.encoders import load_encoder, save_model
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.translation import load_translation_model
from tests.models.random_models import (
    CONFIGURATIONS,
    SHAPE,
    TRANSLATION,
    change_config,
    random_classifier,
)

MARIAN = TRANSLATION | {"pad_token_id": 0}
new_encoder = partial(new_classifier, classes=("no", "yes"), initialisation="pretrained", seed=1)
# The loader, the class, the model type and the settings of a model for it, and the setting that counts its layers.
LOADERS = {
    "encoder": (load_encoder, AutoModel, "bert", SHAPE, "num_hidden_layers"),
    "encoder with heads": (load_encoder, AutoModelForMaskedLM, "bert", SHAPE, "num_hidden_layers"),
    "DistilBERT": (load_encoder, AutoModel, "distilbert", CONFIGURATIONS["distilbert"], "n_layers"),
    "encoder to fine-tune": (new_encoder, AutoModel, "bert", SHAPE, "num_hidden_layers"),
    "fine-tuned": (load_classifier, AutoModelForSequenceClassification, "bert", SHAPE, "num_hidden_layers"),
    "masked": (load_masked_language_model, AutoModelForMaskedLM, "bert", SHAPE, "num_hidden_layers"),
    "translation": (load_translation_model, AutoModelForSeq2SeqLM, "marian", MARIAN, "decoder_layers"),
}
INDEX = "model.safetensors.index.json"


@pytest.fixture(params=LOADERS)
def saved(request, tmp_path, monkeypatch):
    """A loader, the folder of a model for it, and the setting that counts its layers."""
    load, auto_class, kind, settings, layers = LOADERS[request.param]
    monkeypatch.setattr("bert_attention.models.translation._load_tokenizer", lambda folder: None)
    monkeypatch.setattr("bert_attention.models.translation._choose_languages", lambda *_: None)
    save_model(auto_class.from_config(CONFIG_MAPPING[kind](**settings | {"vocab_size": 90})), tmp_path / "model")
    return partial(load, device="cpu"), tmp_path / "model", layers


def test_wrong_numbers_of_layers_and_numbers_that_are_not_finite_are_errors(saved):
    load, folder, layers = saved
    load(folder)
    change_config(folder, **{layers: 2})
    with pytest.raises(InputError, match=r"without \d+ of the parameters in its weights, such as \S+\.2\.\S+"):
        load(folder)
    change_config(folder, **{layers: 4})
    with pytest.raises(InputError, match=r"lack \d+ of the model's parameters, such as \S+\.3\.\S+"):
        load(folder)
    change_config(folder, **{layers: 3})
    weights = folder / "model.safetensors"
    whole = load_file(weights)
    matrices = ("lin.weight", "dense.weight", "k_proj.weight", "q_lin.weight")
    name = next(name for name in sorted(whole) if name.endswith(matrices))
    for value in (torch.nan, -torch.inf):
        whole[name].view(-1)[7] = value
        save_file(whole, weights, metadata={"format": "pt"})
        with pytest.raises(InputError, match=r"parameter \S+ holds numbers that are not finite"):
            load(folder)


def test_models_return_outputs_by_name_whatever_config_json_says(saved):
    load, folder, _ = saved
    change_config(folder, return_dict=False)
    loaded = load(folder)
    model = loaded if isinstance(loaded, PreTrainedModel) else loaded.model
    ids = torch.tensor([[5, 9, 7]])
    given = {"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}
    assert isinstance(model(ids, **given), ModelOutput)


def test_unusable_settings_and_damaged_or_pickled_weights_are_errors(saved):
    load, folder, layers = saved
    change_config(folder, **{layers: "three"})
    with pytest.raises(InputError, match=r"cannot be loaded|not a whole number"):
        load(folder)
    change_config(folder, **{layers: 3})
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be loaded"):
        load(folder)
    weights.rename(folder / "pytorch_model.bin")  # a pickle, which can hide code
    with pytest.raises(InputError, match=r"lacks model.safetensors \(it has pytorch_model.bin, .*\n  Remedy: convert"):
        load(folder)


@pytest.fixture
def sharded(tmp_path):
    """The folder of a model with its weights in several files."""
    random_classifier("bert").save_pretrained(tmp_path / "model", max_shard_size="20KB")
    assert len(list(tmp_path.glob("model/*.safetensors"))) > 1
    return tmp_path / "model"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../other.safetensors", "which is not a safetensors file in this folder"),
        ("..\\b.safetensors", "which is not a safetensors file in this folder"),
        ("pytorch_model.bin", "which is not a safetensors file in this folder"),
        (3, "which is not a safetensors file in this folder"),
        ("gone.safetensors", "but the folder has no such file"),
    ],
)
def test_an_index_that_names_a_missing_file_or_another_folder_is_an_error(sharded, name, problem):
    assert load_classifier(sharded, "cpu").config.model_type == "bert"
    index = json.loads((sharded / INDEX).read_text())
    (sharded.parent / "other.safetensors").write_bytes(min(sharded.glob("*.safetensors")).read_bytes())
    first = min(index["weight_map"].values())
    index["weight_map"] = {key: name if file == first else file for key, file in index["weight_map"].items()}
    (sharded / INDEX).write_text(json.dumps(index))
    with pytest.raises(InputError, match=f"{INDEX}: names .*{problem}"):
        load_classifier(sharded, "cpu")


def test_an_index_without_a_map_of_weights_is_an_error(sharded):
    for content in ("", "{}", '{"weight_map": []}', '{"weight_map": {"a": []}}', "[" * 9999):
        (sharded / INDEX).write_text(content)
        with pytest.raises(InputError, match="is not an index of weights"):
            load_classifier(sharded, "cpu")
