"""Models as their authors publish them: weights in several files, pickled weights, and other tokenizers."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM, RobertaModel

from bert_attention import AttentionModel, InputError
from bert_attention.files import sha256
from bert_attention.models.masked_language_model import load_masked_language_model
from bert_attention.models.model_folder import MODEL_FILES, check_is_complete, check_model, copy_model
from tests.models.random_models import SHAPE, change_config, save_bert, save_encoder, save_roberta

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "##s", ".")


def old_bert(folder):
    """A BERT with a language-modeling head as of 2019: pickled weights and vocab.txt."""
    model = BertForMaskedLM(BertConfig(**SHAPE, vocab_size=len(WORDS)))
    model.config.architectures = ["BertForMaskedLM"]
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    return model.bert


def old_roberta(folder):
    """A RoBERTa with pickled weights, vocab.json and merges.txt."""
    save_roberta(folder)
    content = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "vocab.json").write_text(json.dumps(content["vocab"]))
    (folder / "merges.txt").write_text("\n".join(" ".join(pair) for pair in content["merges"]))
    (folder / "tokenizer.json").unlink()
    model = RobertaModel.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return model


@pytest.mark.parametrize("publish", [old_bert, old_roberta])
def test_the_python_in_the_message_converts_a_model(publish, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    model = publish(folder)
    with pytest.raises(InputError, match=r"lacks model\.safetensors, .*it has pytorch_model\.bin, but") as error:
        AttentionModel.from_pretrained(folder, "cpu")
    first, *lines = error.value.remedy.splitlines()
    assert first == "convert the model with this Python, and give the new folder:"
    exec("\n".join(line.strip() for line in lines))
    new = tmp_path / "old-converted"
    found = AttentionModel.from_pretrained(new, "cpu").encoder.model.state_dict()
    assert all(found[name].equal(value) for name, value in model.state_dict().items() if "pooler" not in name)
    if publish is old_bert:
        load_masked_language_model(new, "cpu")  # the head was kept


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("hub:org/old@1a2b", ["('org/old', revision='1a2b').save_pretrained('old-converted')"] * 2),
        ("hub:old@main/sub", ["('old', revision='main', subfolder='sub').save_pretrained('old-converted')"] * 2),
        ("", ["('<repository>', revision='<revision>').save_pretrained('<repository>-converted')"] * 2),
    ],
)
def test_a_model_of_the_hub_is_converted_from_the_hub(source, lines, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    for check in (
        check_is_complete,
        check_model,
        lambda *arguments: copy_model(arguments[0], None, tmp_path / "new", arguments[1]),
    ):
        with pytest.raises(InputError, match=r"lacks model\.safetensors, tokenizer\.json") as error:
            check(tmp_path, source)
        assert re.findall(r"from_pretrained(\(.*)", error.value.remedy) == lines


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"tokenizer_class": "BertJapaneseTokenizer"}, r"\(BertJapaneseTokenizer\) exists only in Python"),
        ({"tokenizer_class": "PhobertTokenizer"}, r"\(PhobertTokenizer\) exists only in Python"),
        (
            {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}},
            "needs code from its own folder",
        ),
    ],
)
def test_the_error_names_a_tokenizer_that_cannot_be_converted(settings, problem, tmp_path, embedded_model):
    folder = save_bert(tmp_path / "model", embedded_model)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match=rf"its tokenizer {problem}.*\n.*whose tokenizer has a fast form"):
        AttentionModel.from_pretrained(folder, "cpu")


def test_a_missing_model_type_and_a_folder_without_fast_tokenizer_have_their_remedies(tmp_path, embedded_model):
    folder = save_bert(tmp_path / "model", embedded_model)
    model, tokenizer = AutoModelForMaskedLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"lacks tokenizer.json\n.*give AutoTokenizer.from_pretrained\('.*'\) instead"):
        AttentionModel.from_transformers(model, folder)
    tokenizer.save_pretrained(folder)
    content = json.loads((folder / "config.json").read_text())
    del content["model_type"]
    (folder / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r'gives no model_type\n.*write "model_type": "bert" into config\.json'):
        AttentionModel.from_pretrained(folder, "cpu")
    change_config(folder, model_type="bert")
    AttentionModel.from_pretrained(folder, "cpu")


@pytest.fixture(params=["bert", "modernbert"])
def sharded(request, tmp_path, embedded_model):
    """The folder of a model in one file, and the folder of the same model in several files."""
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    folders = SimpleNamespace(
        one=save_encoder(tmp_path / "one", request.param, tokenizer), several=tmp_path / "several"
    )
    tokenizer.save_pretrained(folders.several)
    model = AttentionModel.from_pretrained(folders.one, "cpu").encoder.model
    model.save_pretrained(folders.several, max_shard_size="100KB")
    assert len(list(folders.several.glob("*.safetensors"))) > 2
    assert not (folders.several / "model.safetensors").exists()
    return folders


def test_weights_in_several_files_are_merged_in_standard_form_and_loaded_directly(sharded, tmp_path):
    copy_model(sharded.several, None, tmp_path / "copy")
    assert {file.name for file in (tmp_path / "copy").iterdir()} == set(MODEL_FILES)
    expected, merged = (load_file(folder / "model.safetensors") for folder in (sharded.one, tmp_path / "copy"))
    assert merged.keys() == expected.keys()
    assert all(merged[name].equal(value) for name, value in expected.items())
    texts = [
        AttentionModel.from_pretrained(folder, "cpu").run("The cat sat.")
        for folder in (sharded.one, sharded.several, tmp_path / "copy")
    ]
    assert all(np.array_equal(text.attention, texts[0].attention) for text in texts)


def test_a_digest_of_several_files_is_the_digest_of_the_merged_file(sharded, tmp_path):
    copy_model(sharded.several, None, tmp_path / "copy")
    copy_model(sharded.several, sha256(tmp_path / "copy" / "model.safetensors"), tmp_path / "pinned")
    with pytest.raises(InputError, match="has the wrong content"):
        copy_model(sharded.several, "0" * 64, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_the_error_names_missing_and_damaged_parts_of_weights(sharded, tmp_path):
    part = min(sharded.several.glob("*.safetensors"))
    part.write_bytes(part.read_bytes()[:-5])
    with pytest.raises(InputError, match=rf"{part.name}: is damaged"):
        copy_model(sharded.several, None, tmp_path / "copy")
    part.unlink()
    for check in (check_is_complete, check_model, lambda folder: AttentionModel.from_pretrained(folder, "cpu")):
        with pytest.raises(InputError, match=rf"names '{part.name}', but the folder has no such file"):
            check(sharded.several)
    assert not (tmp_path / "copy").exists()
