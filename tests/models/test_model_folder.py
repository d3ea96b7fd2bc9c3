import json

import pytest

from bert_attention.errors import InputError
from bert_attention.models.model_folder import check_segment_types


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
    check_segment_types(tmp_path, types)
    with pytest.raises(InputError, match=f"set segment_types: {types}"):
        check_segment_types(tmp_path, 3 - types)
