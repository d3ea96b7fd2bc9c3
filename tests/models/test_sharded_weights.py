"""Models whose weights are spread over several files."""

import json

import pytest

from bert_attention.errors import InputError
from bert_attention.models.classification import load_classifier
from tests.models.random_models import random_classifier

INDEX = "model.safetensors.index.json"


@pytest.fixture
def sharded(tmp_path):
    folder = tmp_path / "model"
    random_classifier("bert").save_pretrained(folder, max_shard_size="20KB")
    (tmp_path / "other.safetensors").write_bytes(min(folder.glob("*.safetensors")).read_bytes())
    return folder


def test_weights_in_several_files_are_loaded(sharded):
    assert len(list(sharded.glob("*.safetensors"))) > 1
    assert load_classifier(sharded, "cpu").config.model_type == "bert"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        *(
            (name, "which is not a safetensors file in this folder")
            for name in (
                "../other.safetensors",
                "/etc/passwd",
                "pytorch_model.bin",
                "a/b.safetensors",
                "..\\b.safetensors",
            )
        ),
        (3, "which is not a safetensors file in this folder"),
        ("gone.safetensors", "but the folder has no such file"),
    ],
)
def test_an_index_that_names_a_file_elsewhere_or_missing_is_refused(sharded, name, problem):
    index = json.loads((sharded / INDEX).read_text())
    first = min(index["weight_map"].values())
    index["weight_map"] = {key: name if file == first else file for key, file in index["weight_map"].items()}
    (sharded / INDEX).write_text(json.dumps(index))
    with pytest.raises(InputError, match=f"{INDEX}: names .*{problem}"):
        load_classifier(sharded, "cpu")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"weight_map": []}', '{"weight_map": {"a": []}}', "[" * 9999])
def test_an_index_without_a_map_of_weights_is_refused(sharded, content):
    (sharded / INDEX).write_text(content)
    with pytest.raises(InputError, match="is not an index of weights"):
        load_classifier(sharded, "cpu")
