import copy
import itertools

import pytest

from bert_attention.errors import InputError
from bert_attention.running.configuration import (
    check_annotation,
    check_config,
    check_plain_yaml,
    tasks,
    translation_models,
)
from tests.conftest import ROOT

SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"


@pytest.fixture
def config(edition):
    return copy.deepcopy(edition)


def problems(config):
    with pytest.raises(InputError) as caught:
        check_config(config, SCHEMA)
    return str(caught.value)


def test_the_embedded_edition_is_valid(config):
    check_config(config, SCHEMA)


def test_an_unknown_key_names_itself_and_the_nearest_known_one(config):
    config["corpora"]["wikipedia"]["segmnts"] = 5
    config["divice"] = "cpu"
    message = problems(config)
    assert "unknown key corpora.wikipedia.segmnts: did you mean segments?" in message
    assert "unknown key divice: did you mean device?" in message


def test_counts_of_tokens_need_their_vocabulary(config):
    config["corpora"]["token_frequency"] |= {"source": "path:counts.txt"}
    assert "corpora.token_frequency.vocabulary is missing: expected the sha256 of the vocabulary" in problems(config)
    config["corpora"]["token_frequency"]["vocabulary"] = "0" * 64
    check_config(config, SCHEMA)


def test_a_key_like_no_other_lists_the_known_ones(config):
    config["attention"]["qqq"] = 1
    assert "unknown key attention.qqq: known here: batch_size, shards, words" in problems(config)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (
            ("corpora", "wikipedia", "segments"),
            0,
            "corpora.wikipedia.segments = 0: expected a whole number of at least 1",
        ),
        (("corpora", "wikipedia", "segments"), "4", "corpora.wikipedia.segments = '4': expected a whole number"),
        (("device",), "gpu", "device = 'gpu': expected auto, cpu or cuda"),
        (("edition",), "../x", "edition = '../x': expected a name of lower-case letters"),
        (("models",), [], r"models = \[\]: expected a list of at least one model"),
        (("keep_attention",), "no", "keep_attention = 'no': expected true or false"),
        (("segment_ids", "clark"), "ones", "segment_ids.clark = 'ones': expected zeros or pair"),
        (("attention",), None, "attention = None: expected shards, batch_size and words"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(config, path, value, expected):
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError, match=expected):
        check_config(config, SCHEMA)


def test_a_missing_key_is_named(config):
    del config["seed"]
    assert "missing key seed" in problems(config)


def test_two_models_of_one_name_are_refused(config):
    config["models"] *= 2
    assert "the name 'all-MiniLM-L6-v2' appears more than once" in problems(config)


def test_a_source_without_scheme_is_refused(config):
    config["models"][0]["source"] = "bert-base-uncased"
    assert "models.0.source = 'bert-base-uncased': expected a source such as path:" in problems(config)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (("corpora", "vectors"), "trained:miniature"),
        (("stanza",), "trained:wikipedia"),
        (("corpora", "frames"), "ftp://host/file"),
    ],
)
def test_a_source_that_its_entry_cannot_have_is_refused(config, path, source):
    place = config
    for key in path:
        place = place[key]
    place["source"] = source
    assert f"{'.'.join(path)}.source = {source!r}: expected " in problems(config)


@pytest.fixture
def with_seeds(config):
    """An edition of a model with two seeds, one without, and one that is not trained."""
    (entry,) = config["translation_models"]
    config["translation_models"] = [
        entry | {"name": "a", "seeds": [7, 9]},
        entry | {"name": "b"},
        entry | {"name": "c", "source": "path:somewhere"},
    ]
    return config


def test_a_translation_model_is_trained_from_each_of_its_seeds(with_seeds):
    check_config(with_seeds, SCHEMA)
    found = translation_models(with_seeds)
    names = [(model["name"], model["model"], model["seed"]) for model in found]
    assert names == [("a-7", "a", 7), ("a-9", "a", 9), ("b", "b", with_seeds["seed"] + 1), ("c", "c", None)]
    assert all("seeds" not in model for model in found)
    assert found[-1]["source"] == "path:somewhere"


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        ([], r"translation_models.0.seeds = \[\]: expected a list of at least one seed"),
        ([1, 1], r"translation_models.0.seeds = \[1, 1\]: expected a list of at least one seed, each of them once"),
        ([-1], "translation_models.0.seeds.0 = -1: expected a whole number from 0 to"),
        (3, "translation_models.0.seeds = 3: expected a list"),
    ],
)
def test_seeds_that_cannot_be_used_are_refused(with_seeds, seeds, expected):
    with_seeds["translation_models"][0]["seeds"] = seeds
    with pytest.raises(InputError, match=expected):
        check_config(with_seeds, SCHEMA)


def test_a_model_that_is_not_trained_has_no_seeds(with_seeds):
    with_seeds["translation_models"][2]["seeds"] = [1]
    assert "c has seeds, but its source is not trained:" in problems(with_seeds)


def test_translation_models_of_one_name_are_refused(with_seeds):
    with_seeds["translation_models"][1]["name"] = "a-7"
    assert "translation_models: the name 'a-7' appears more than once" in problems(with_seeds)


def test_every_key_is_explained_in_the_embedded_edition():
    """By a comment on its line or above it; keys of sources are explained once for all."""
    explained_once = {"source", "sha256", "name", "mlm_head", "languages", "train", "dev", "test"}
    lines = (ROOT / "config.yaml").read_text().splitlines()
    for before, line in itertools.pairwise(lines):
        key = line.strip().removeprefix("- ").partition(":")[0]
        is_source = key in explained_once or "{source:" in line
        if not line.strip() or line.strip().startswith("#") or is_source:
            continue
        assert before.strip().startswith("#") or "#" in line, line


def test_a_task_is_left_out_with_null_but_not_all_of_them(config):
    named = config["corpora"]["tasks"]
    named["rte"] = None
    check_config(config, SCHEMA)
    assert tasks(config) == ["mnli", "sst2", "stsb"]
    config["corpora"]["tasks"] = dict.fromkeys(named)
    assert "corpora.tasks: expected at least one that is not null" in problems(config)


def ready(**changes):
    entry = {"model": "all-MiniLM-L6-v2", "task": "sst2", "source": "path:/models/sst2", "sha256": None}
    return entry | changes


def test_a_ready_model_names_a_model_and_a_task_of_the_edition(config):
    config["fine_tuning"]["ready"] = [ready()]
    check_config(config, SCHEMA)
    config["fine_tuning"]["ready"] = [ready(model="bert"), ready(task="cola")]
    message = problems(config)
    assert "fine_tuning.ready.0.model = 'bert': expected one of all-MiniLM-L6-v2" in message
    assert "fine_tuning.ready.1.task = 'cola': expected one of mnli, rte, sst2, stsb" in message


def test_a_task_has_one_ready_model_for_each_model(config):
    config["fine_tuning"]["ready"] = [ready(), ready()]
    assert "fine_tuning.ready.1: all-MiniLM-L6-v2 has two ready models for sst2" in problems(config)


def put(config, path, value):
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), 7.0),
        (("corpora", "wikipedia", "segments"), 500.0),
        (("corpora", "wikipedia", "segments"), True),
        (("corpora", "treebank", "sentences", "dev"), 10.0),
        (("corpora", "alignment", "base"), 1.0),
        (("models", 0, "segment_types"), 2.0),
        (("attention", "shards"), 2.0),
        (("fine_tuning", "seeds", "random"), [1.0]),
        (("seed",), 2**32 + 1),
        (("fine_tuning", "seeds", "pretrained"), [2**64]),
        (("training_effort",), float("nan")),
        (("training_effort",), float("inf")),
        (("training_effort",), 1e-9),
        (("fine_tuning", "learning_rate"), float("nan")),
        (("edition",), "abc\n"),
        (("edition",), "a" * 300),
        (("edition",), "models"),
        (("edition",), "downloads"),
        (("models", 0, "name"), "bert\n"),
        (("models", 0, "name"), "tables"),
        (("models", 0, "sha256"), "0" * 64 + "\n"),
        (("translation_models", 0, "name"), "stanza"),
        (("translation_models", 0, "name"), "vectors"),
        (("models", 0, "source"), "package:/x"),
        (("models", 0, "source"), "package:gensim"),
        (("models", 0, "source"), "package:gensim/../x"),
        (("models", 0, "source"), "path:models/{model}"),
        (("models", 0, "source"), "path:models/a\nb"),
        (("models", 0, "source"), "hub:org/model"),
        (("models", 0, "source"), "hub:org/model@1/../../x"),
        (("corpora", "frames", "source"), "https://host"),
        (("corpora", "frames", "source"), "https://host/folder/"),
        (("corpora", "frames", "source"), "https://host/a.zip!"),
        (("corpora", "frames", "source"), "https://host/a.zip!../x"),
        (("pattern_annotation", "maps"), "{here}/maps.parquet"),
        (("pattern_annotation", "labels"), ["a.csv", "b{.csv"]),
        (("corpora", "alignment", "encoding"), "latin-99"),
        (("corpora", "alignment", "encoding"), "base64"),
    ],
)
def test_settings_with_which_a_job_would_fail_later_are_refused(config, path, value):
    put(config, path, value)
    named = ".".join(map(str, path[:1] if path[0] == "translation_models" else path))
    message = problems(config)
    assert f"  - {named}" in message
    assert "expected" in message or "write" in message


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), 4_000_000_000),
        (("training_effort",), 1),
        (("training_effort",), 0.02),
        (("corpora", "frames", "source"), "https://host/v1/a%20b.zip!folder/file.txt"),
        (("corpora", "frames", "source"), "path:../beside/frames.jsonl"),
        (("corpora", "alignment", "encoding"), "ISO-8859-1"),
    ],
)
def test_settings_that_can_be_used_are_taken(config, path, value):
    put(config, path, value)
    check_config(config, SCHEMA)


@pytest.mark.parametrize(
    "content",
    [
        "edition: mine\n__use_yte__: true\n",
        "__use_yte__: false\n",
        '{"__use_yte__": true}',
        "x: &x {__use_yte__: true}\n<<: *x\n",
    ],
)
def test_an_edition_that_snakemake_runs_as_a_template_is_named(tmp_path, content):
    (tmp_path / "plain.yaml").write_text("edition: mine\n")
    (tmp_path / "template.yaml").write_text(content)
    check_plain_yaml([tmp_path / "plain.yaml"])
    with pytest.raises(InputError, match=r"template.yaml: has the key __use_yte__: Snakemake has run whatever code"):
        check_plain_yaml([tmp_path / "plain.yaml", tmp_path / "template.yaml"])


def test_an_edition_that_is_not_plain_yaml_is_named(tmp_path):
    (tmp_path / "tagged.yaml").write_text("edition: !!python/tuple [a]\n")
    with pytest.raises(InputError, match=r"tagged.yaml: is not plain YAML"):
        check_plain_yaml([tmp_path / "tagged.yaml"])


@pytest.mark.parametrize(
    "content", ["seed: 1\nedition: mine\nseed: 2\n", "corpora:\n  wikipedia: {articles: 1, articles: 2}\n"]
)
def test_a_key_that_stands_twice_is_named_with_its_line(tmp_path, content):
    (tmp_path / "twice.yaml").write_text(content)
    with pytest.raises(InputError, match=r"twice.yaml: .*the key (seed|articles) is there twice.*line [23]"):
        check_plain_yaml([tmp_path / "twice.yaml"])


def test_keys_that_are_no_text_are_named(config):
    config[3] = 4
    config["corpora"]["tasks"][True] = None
    said = problems(config)
    assert "unknown key 3: expected a word" in said
    assert "unknown key corpora.tasks.True: expected a word" in said


def test_annotations_that_are_not_there_are_named(config):
    check_annotation(config, ROOT)
    config["pattern_annotation"]["labels"].append("nowhere.csv")
    with pytest.raises(InputError, match=r"pattern_annotation.labels: there is no file .*nowhere.csv"):
        check_annotation(config, ROOT)
