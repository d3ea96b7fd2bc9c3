import json

import pytest

from bert_attention.errors import InputError
from bert_attention.models.model_folder import check_as_stated


@pytest.mark.parametrize(
    ("config", "types"),
    [
        ({"model_type": "bert", "type_vocab_size": 2}, 2),
        ({"model_type": "bert"}, 2),
        ({"model_type": "roberta", "type_vocab_size": 1}, 1),
        ({"model_type": "distilbert"}, 1),
    ],
)
def test_segment_types_are_those_of_the_model(tmp_path, config, types):
    (tmp_path / "config.json").write_text(json.dumps(config))
    check_as_stated(tmp_path, types, "bert")
    with pytest.raises(InputError, match=f"set segment_types: {types}"):
        check_as_stated(tmp_path, 3 - types, "bert")


def test_a_model_has_the_analyses_that_the_run_was_planned_for(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "deberta-v2", "type_vocab_size": 0}))
    check_as_stated(tmp_path, 1, "nomic_bert")  # the same analyses are left out
    with pytest.raises(InputError, match="set model_type: deberta-v2 for this model in the edition"):
        check_as_stated(tmp_path, 1, "bert")


def test_a_model_that_cannot_be_used_is_refused_on_arrival(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    with pytest.raises(InputError, match="model type gpt2 is not among the encoders that are supported"):
        check_as_stated(tmp_path, 1, "bert")
