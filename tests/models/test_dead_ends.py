"""Folders and weights in other forms: the error says what they are, and its Python gives a model that can be used."""

import json
import re
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

from bert_attention import AttentionModel, InputError
from bert_attention.models.encoders import load_encoder
from bert_attention.models.model_folder import check_config, check_is_complete, check_model
from tests.models.published_tokenizers import published_tokenizer
from tests.models.random_models import change_config, save_encoder

TEXTS = ["The cat sat on the mat.", "Birds sing, and cats listen to them."] * 5
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:12ab\nsize 90112\n"


@pytest.fixture(params=["bert", "roberta"])
def folder(request, tmp_path):
    return save_encoder(tmp_path / "model", request.param, published_tokenizer(request.param, TEXTS))


def save_weights(folder, weights):
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def run_remedy(error):
    """Run the lines of Python in a remedy, which follow its first line."""
    exec("\n".join(line.strip() for line in error.remedy.splitlines()[1:]))


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module.", "0.auto_model."])
def test_a_prefix_of_all_names_is_named_and_the_python_in_the_message_removes_it(folder, prefix):
    weights = load_file(folder / "model.safetensors")
    save_weights(folder, {prefix + name: value for name, value in weights.items()})
    with pytest.raises(InputError, match=rf"names of \d+ parameters in its weights begin with '{prefix}'") as error:
        load_encoder(folder, "cpu")
    run_remedy(error.value)
    found = AttentionModel.from_pretrained(f"{folder}-renamed", "cpu").encoder.model.state_dict()
    assert all(found[name].equal(value) for name, value in weights.items())


def test_a_prefix_before_the_name_of_the_encoder_is_removed_with_the_prefix_of_heads(folder):
    kind = json.loads((folder / "config.json").read_text())["model_type"]
    weights = {f"{kind}.{name}": value for name, value in load_file(folder / "model.safetensors").items()}
    save_weights(folder, {f"net.{name}": value for name, value in (weights | {"cls.bias": torch.ones(3)}).items()})
    with pytest.raises(InputError, match=r"begin with 'net\.', which"):
        load_encoder(folder, "cpu")


@pytest.mark.parametrize("cut", ["intermediate", "attention.self.query"])
def test_a_parameter_of_another_size_is_named(folder, cut):
    weights = load_file(folder / "model.safetensors")
    name = next(name for name in weights if f"{cut}" in name and name.endswith("bias"))
    save_weights(folder, weights | {name: weights[name][:-8].clone()})
    with pytest.raises(InputError, match=rf"weights have {name} of size \[\d+\], but by its config.json"):
        load_encoder(folder, "cpu")


@pytest.mark.parametrize("base", ["org/base", None])
def test_an_adapter_beside_weights_or_alone_is_an_error(folder, base):
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "base_model_name_or_path": base}))
    for load in (check_config, load_encoder, AttentionModel.from_pretrained):
        with pytest.raises(InputError, match=rf"adapter .*{base or 'does not name'}\n(.*\n)+.*merge_and_unload\(\)"):
            load(folder)
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match="has an adapter"):
        AttentionModel.from_pretrained(folder)


@pytest.mark.parametrize("inside", ["0_Transformer", "snapshots/86b5e093", "checkpoint-500"])
def test_a_model_below_the_folder_is_named(folder, inside, tmp_path):
    outer = tmp_path / "outer"
    shutil.copytree(folder, outer / inside)
    for config in (None, {"__version__": "0.2.5"}):
        if config:
            (outer / "config.json").write_text(json.dumps(config))
        with pytest.raises(InputError, match=f"holds no model itself.*\n.*own folder: {outer / inside}$"):
            AttentionModel.from_pretrained(outer)
    AttentionModel.from_pretrained(outer / inside, "cpu")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_pointer_of_git_lfs_is_named(folder, file):
    (folder / file).write_bytes(POINTER)
    for load in (check_model, AttentionModel.from_pretrained):
        with pytest.raises(InputError, match=f"{file}: is a pointer of Git LFS.*\n.*git lfs pull"):
            load(folder)


@pytest.mark.parametrize("pruned", [{"0": [1, 2]}, {"2": [0]}])
def test_pruned_heads_are_an_error_before_weights_are_read(folder, pruned):
    change_config(folder, pruned_heads=pruned)
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"heads were pruned \(pruned_heads"):
        check_model(folder)


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("tf_model.h5", r'"transformers<4.50" torch tensorflow tf-keras\)(.*\n)+.*from_tf=True\)\.save_pretrained'),
        ("flax_model.msgpack", r'"transformers<4.50" torch flax\)(.*\n)+.*from_flax=True\)\.save_pretrained'),
        ("onnx/model.onnx", "get the model from which model.onnx was exported"),
        ("small-Q4.gguf", "get the model from which small-Q4.gguf was exported"),
    ],
)
def test_weights_that_transformers_5_cannot_convert_have_another_remedy(folder, file, remedy):
    (folder / "model.safetensors").unlink()
    (folder / "training_args.bin").write_bytes(b"no weights")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(b"x")
    with pytest.raises(InputError, match=rf"it has {(folder / file).name}, but(.*\n)+?.*{remedy}"):
        check_is_complete(folder)


@pytest.mark.parametrize("content", [lambda weights: {"state_dict": weights, "epoch": 3}, dict])
def test_the_python_in_the_message_converts_a_checkpoint_of_lightning_or_torch(folder, content):
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(content(weights), folder / "last.ckpt")
    with pytest.raises(InputError, match=r"it has last\.ckpt") as error:
        AttentionModel.from_pretrained(folder)
    run_remedy(error.value)
    found = AttentionModel.from_pretrained(folder, "cpu").encoder.model.state_dict()
    assert all(found[name].equal(value) for name, value in weights.items())


def test_the_remedy_makes_no_tokenizer_without_a_vocabulary(folder):
    AutoTokenizer.from_pretrained(folder)
    for file in folder.glob("*"):
        if file.name not in ("config.json", "model.safetensors"):
            file.unlink()
    with pytest.raises(InputError, match=r"lacks tokenizer\.json\n.*copy tokenizer\.json .*from which it was") as error:
        AttentionModel.from_pretrained(folder)
    assert not re.search(r"AutoTokenizer\.from", error.value.remedy)
    (folder / "merges.txt").touch()
    with pytest.raises(InputError, match=r"AutoTokenizer\.from_pretrained"):
        AttentionModel.from_pretrained(folder)
