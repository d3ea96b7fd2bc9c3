"""Properties of an edition's encoders that are known before the first job."""

import copy
import json

import pytest

from bert_attention.errors import InputError
from bert_attention.running.encoders import PlannedEncoder, planned_encoders


@pytest.fixture
def config(edition):
    return copy.deepcopy(edition)


def entry(source, **more):
    return {"name": "mine", "source": source, "mlm_head": "fit", **more}


def folder(tmp_path, **content):
    (tmp_path / "config.json").write_text(json.dumps(content))
    return f"path:{tmp_path}"


def test_a_local_model_is_read(config, tmp_path):
    assert planned_encoders(config) == {"all-MiniLM-L6-v2": PlannedEncoder("bert", 2)}
    config["models"] = [entry(folder(tmp_path, model_type="modernbert"))]
    assert planned_encoders(config) == {"mine": PlannedEncoder("modernbert", 1)}


def test_all_unusable_models_are_named_at_once(config, tmp_path):
    for name, model_type in (("a", "gpt2"), ("b", "fnet"), ("c", "bert"), ("d", None)):
        (tmp_path / name).mkdir()
        folder(tmp_path / name, model_type=model_type)
    config["models"] = [entry(f"path:{tmp_path}/{name}") | {"name": name} for name in "abcd"]
    config["fine_tuning"]["checkpoints"] = [{"model": "c", "task": "qnli", "source": f"path:{tmp_path}/b"}]
    with pytest.raises(InputError) as caught:
        planned_encoders(config)
    lines = [line.strip() for line in str(caught.value).splitlines()[1:5]]
    assert [line.partition("; ")[0] for line in lines] == [
        "- a: model type gpt2 is not among the encoders that are supported",
        "- b: model type fnet has no attention",
        "- d: its config.json gives no model_type",
        "- fine_tuning.checkpoints, c on qnli: model type fnet has no attention",
    ]
    assert "DistilBERT" in lines[0]
    assert '"model_type": "bert"' in lines[2]


def test_models_that_contradict_the_edition_are_an_error(config, tmp_path):
    config["models"] = [entry(folder(tmp_path, model_type="roberta", type_vocab_size=1), segment_types=2)]
    with pytest.raises(InputError, match=r"mine: the edition says segment_types: 2, but the model's files say 1"):
        planned_encoders(config)
    config["models"] = [entry("hub:me/mine@main", model_type="gpt2")]
    with pytest.raises(InputError, match="mine: model type gpt2 is not among"):
        planned_encoders(config)


@pytest.mark.parametrize("source", ["hub:me/mine@main", "path:nowhere"])
def test_properties_of_other_models_come_from_the_edition(config, source):
    config["models"] = [entry(source)]
    assert planned_encoders(config) == {"mine": PlannedEncoder("bert", 2)}
    config["models"] = [entry(source, model_type="modernbert", segment_types=1)]
    assert planned_encoders(config) == {"mine": PlannedEncoder("modernbert", 1)}


def test_analyses_that_a_family_leaves_out_have_no_results():
    names = ["kobayashi_mixing", "kobayashi_table_mixing_frequency", "kobayashi_categories", "vig_neuron_examples"]
    names += ["vig_figure_neurons", "vig_patterns"]
    made = {kind: [name for name in names if PlannedEncoder(kind, 1).makes(name)] for kind in ("bert", "modernbert")}
    assert made == {"bert": names, "modernbert": ["kobayashi_categories", "vig_patterns"]}
    assert PlannedEncoder("deberta-v2", 1).makes("kobayashi_mixing")
    assert "mixing" in PlannedEncoder("modernbert", 1).lacks
