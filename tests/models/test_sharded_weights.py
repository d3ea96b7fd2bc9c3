"""Models whose weights are spread over several files."""

import json

import pytest
from transformers import AutoModelForSequenceClassification
from transformers.models.auto import CONFIG_MAPPING

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier
from bert_attention.models.sharded_weights import check_weight_files
from tests.models.random_models import SHAPE


@pytest.fixture
def sharded(tmp_path):
    """A classifier in several files."""
    folder = tmp_path / "model"
    model = AutoModelForSequenceClassification.from_config(CONFIG_MAPPING["bert"](**SHAPE, vocab_size=90))
    model.save_pretrained(folder, max_shard_size="20KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    return folder


def rename_first(folder, name):
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    first = next(iter(index["weight_map"].values()))
    index["weight_map"] = {key: name if file == first else file for key, file in index["weight_map"].items()}
    path.write_text(json.dumps(index))
    return folder / first


def test_weights_in_several_files_are_loaded(sharded):
    assert load_classifier(sharded, "cpu").config.model_type == "bert"


def test_an_index_that_leads_out_of_the_folder_is_refused(sharded):
    rename_first(sharded, "../other.safetensors").rename(sharded.parent / "other.safetensors")
    with pytest.raises(
        InputError, match=r"index.json: names '../other.safetensors', which is not a safetensors file in"
    ):
        load_classifier(sharded, "cpu")


@pytest.mark.parametrize("name", ["/etc/passwd", "pytorch_model.bin", "a/b.safetensors", "..\\b.safetensors", 3])
def test_other_names_are_refused(sharded, name):
    rename_first(sharded, name)
    with pytest.raises(InputError, match="which is not a safetensors file in this folder"):
        check_weight_files(sharded)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"weight_map": []}', '{"weight_map": {"a": []}}', "[" * 9999])
def test_what_is_no_index_is_refused(sharded, content):
    (sharded / "model.safetensors.index.json").write_text(content)
    with pytest.raises(InputError, match="is not an index of weights"):
        check_weight_files(sharded)


def test_a_missing_file_is_named(sharded):
    rename_first(sharded, "gone.safetensors")
    with pytest.raises(InputError, match=r"names 'gone.safetensors', but the folder has no such file"):
        check_weight_files(sharded)
