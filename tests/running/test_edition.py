"""Editions: valid contents, messages on unusable ones, and the answers that the rules get."""

import copy
import itertools
import json
from pathlib import Path

import pytest
from snakemake.utils import update_config

from bert_attention.attention.contents import control_number, control_store
from bert_attention.attention.store import WORDPIECE_ARRAYS
from bert_attention.errors import InputError
from bert_attention.running.edition import Edition
from bert_attention.running.edition_checks import validated
from tests.conftest import ROOT

PIN = "0" * 64


@pytest.fixture
def config(edition):
    return copy.deepcopy(edition)


def put(config, path, value):
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value


def problems(config):
    with pytest.raises(InputError) as caught:
        validated(config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), 4_000_000_000),
        (("control_seeds",), 1),
        (("training_effort",), 1),
        (("training_effort",), 0.02),
        (("corpora", "frames", "source"), "https://host/v1/a%20b.zip!folder/file.txt"),
        (("corpora", "frames", "source"), "path:../beside/frames.jsonl"),
        (("corpora", "alignment", "encoding"), "ISO-8859-1"),
        (("corpora", "tasks", "qnli"), None),
        (("corpora", "token_frequency"), {"source": f"path:counts.txt vocabulary:{PIN}"}),
    ],
)
def test_settings_that_can_be_used_are_taken(config, path, value):
    validated(config)
    put(config, path, value)
    validated(config)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("divice",), "cpu", "unknown key divice: did you mean device?"),
        (("corpora", "wikipedia", "segmnts"), 5, "unknown key corpora.wikipedia.segmnts: did you mean segments?"),
        (("models", 0, "nmae"), "a", "unknown key models.0.nmae: did you mean name?"),
        (("models", 0, "sha256"), PIN, "unknown key models.0.sha256: known here: mlm_head, model_type, name"),
        (("corpora", "tasks", "cola"), None, "unknown key corpora.tasks.cola: known here: mnli, mrpc, nsp, qnli"),
        (("corpora", "tasks", "qnli"), {"sorce": "a"}, "unknown key corpora.tasks.qnli.sorce: did you mean source?"),
        (
            ("fine_tuning", "checkpoints"),
            [{"modl": "a"}],
            "unknown key fine_tuning.checkpoints.0.modl: did you mean model?",
        ),
        ((3,), 4, "unknown key 3: should be a word"),
        (("corpora", "tasks", "qnli"), {}, "missing key corpora.tasks.qnli.source"),
        (("device",), "gpu", "device = 'gpu': should be 'auto', 'cpu' or 'cuda'"),
        (("edition",), "../x", "edition = '../x': should be a name of at most 60 lower-case letters"),
        (("keep_attention",), "maybe", "keep_attention = 'maybe': should be a valid boolean"),
        (("segment_ids", "clark"), "ones", "segment_ids.clark = 'ones': should be 'zeros' or 'pair'"),
        (("models",), [], "models = []: List should have at least 1 item"),
        (("models", 0), "bert", "models.0 = 'bert': should be a mapping with name, source, mlm_head"),
        (("attention",), None, "attention = None: should be a mapping with shards, batch_size, words"),
        (("corpora", "tasks", "qnli"), 3, "corpora.tasks.qnli = 3: should be a mapping with source"),
        (
            ("corpora", "wikipedia", "segments"),
            0,
            "corpora.wikipedia.segments = 0: should be greater than or equal to 1",
        ),
        (("papers",), ["clrak"], "papers.0 = 'clrak': should be 'clark', 'kovaleva', 'kobayashi', 'coenen' or 'vig'"),
        (("papers_corpora",), ["tasks", "tasks"], "papers_corpora = ['tasks', 'tasks']: should have tasks only once"),
        (("translation_models", 0, "seeds"), [1, 1], "translation_models.0.seeds = [1, 1]: should have 1 only once"),
        (("translation_models", 0, "seeds"), [-1], "translation_models.0.seeds.0 = -1: should be greater than or"),
        (("models", 0, "source"), "bert", "models.0.source = 'bert': has no known scheme; write one of package:"),
        (("models", 0, "source"), "path:{model}", "should have no braces, line breaks or other control characters"),
        (("models", 0, "source"), f"path:{'a' * 5000}", "String should have at most 1000 characters"),
        (("models", 0, "source"), f"path:{'a' * 5000}", "...aaa"),
        (("models", 0, "source"), "hub:org/model", "models.0.source = 'hub:org/model': has no revision; write hub:"),
        (("models", 0, "source"), "path:a sha256:12", "has the malformed digest sha256:12; write sha256:<64 hexa"),
        (("stanza", "source"), f"trained:treebank sha256:{PIN}", "has a digest, but the workflow makes it"),
        (("corpora", "vectors", "source"), "trained:stand-in", "should be one of trained:wikipedia, package:..."),
        (("corpora", "frames", "source"), "ftp://host/file", "has no known scheme; write one of package:"),
        (("corpora", "token_frequency", "source"), "path:a", "should end with vocabulary:<sha256 of the vocabulary"),
        (("corpora", "tasks"), {}, "corpora.tasks should have at least one task that is not null"),
        (("corpora", "tasks"), {"qnli": None}, "corpora.tasks should have at least one task that is not null"),
    ],
)
def test_what_is_wrong_is_named_with_what_was_expected(config, path, value, expected):
    put(config, path, value)
    assert expected in problems(config)


def test_tasks_are_for_kovaleva_alone(config):
    config["corpora"]["tasks"] = {}
    config["papers"].remove("kovaleva")
    validated(config)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("corpora", "wikipedia", "segments"), 0),
        (("corpora", "wikipedia", "segments"), 500.5),
        (("corpora", "wikipedia", "segments"), True),
        (("models", 0, "segment_types"), None),
        (("fine_tuning", "seeds", "random"), []),
        (("seed",), 2**32 + 1),
        (("control_seeds",), 0),
        (("training_effort",), float("nan")),
        (("training_effort",), float("inf")),
        (("training_effort",), 1e-9),
        (("edition",), "abc\n"),
        (("edition",), "a" * 300),
        (("edition",), "models"),
        (("models", 0, "name"), "tables"),
        (("models", 0, "source"), f"path:a sha256:{PIN}\n"),
        (("translation_models", 0, "languages"), ["de"]),
        (("models", 0, "source"), "package:/x"),
        (("models", 0, "source"), "package:gensim"),
        (("models", 0, "source"), "package:gensim/../x"),
        (("models", 0, "source"), "path:models/a\nb"),
        (("models", 0, "source"), "path:models/\ud800"),
        (("models", 0, "source"), "hub:org/model@1/../../x"),
        (("corpora", "frames", "source"), "https://host"),
        (("corpora", "frames", "source"), "https://host/folder/"),
        (("corpora", "frames", "source"), "https://host/a.zip!"),
        (("corpora", "frames", "source"), "https://host/a.zip!../x"),
        (("pattern_annotation", "maps"), "{here}/maps.parquet"),
        (("corpora", "alignment", "encoding"), "latin-99"),
        (("corpora", "alignment", "encoding"), "base64"),
    ],
)
def test_settings_with_which_a_job_would_fail_later_are_refused(config, path, value):
    put(config, path, value)
    message = problems(config)
    assert f"  - {'.'.join(map(str, path))}" in message
    assert "should" in message or "write" in message


def test_all_that_is_wrong_is_said_at_once(config):
    del config["seed"]
    config |= {"divice": "cpu", "device": "gpu", "attention": {"shards": 0, "batch_size": 1, "wrds": "mean"}}
    config["corpora"]["frames"]["source"] = "hub:a"
    message = problems(config)
    assert "missing key seed\n" in message
    assert message.count("\n  - ") == 7


def entry(name, **more):
    return {"name": name, "source": "trained:stand-in", "languages": None, **more}


def ready(**changes):
    return {"model": "all-MiniLM-L6-v2", "task": "sst2", "source": "path:ready", **changes}


@pytest.mark.parametrize(
    ("key", "change", "expected"),
    [
        ("models", lambda models: models * 2, "models = [{...}, {...}]: should have all-MiniLM-L6-v2 only once"),
        (
            "translation_models",
            lambda _: [entry("a", seeds=[7]), entry("a-7")],
            "translation_models: a-7 should be the name of only one model",
        ),
        ("translation_models", lambda _: [entry("stanza")], "translation_models.0.name = 'stanza': should be another"),
        (
            "translation_models",
            lambda _: [entry("c", source="path:c", seeds=[1])],
            "c should have no seeds, for its source is not",
        ),
    ],
)
def test_entries_that_contradict_others_are_refused(config, key, change, expected):
    config[key] = change(config[key])
    assert expected in problems(config)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([ready(model="bert")], ".0.model = 'bert': should be one of all-MiniLM-L6-v2"),
        ([ready(), ready(task="cola")], ".1.task = 'cola': should be one of nsp, sst2, tweets"),
        ([ready(), ready()], ".1: all-MiniLM-L6-v2 has two checkpoints for sst2"),
    ],
)
def test_ready_models_of_what_the_edition_does_not_have_are_refused(config, entries, expected):
    config["fine_tuning"]["checkpoints"] = entries
    assert f"fine_tuning.checkpoints{expected}" in problems(config)


def test_every_key_is_explained_in_the_embedded_edition():
    """By a comment on its line or above it; keys of sources are explained once for all."""
    explained_once = {"source", "name", "mlm_head", "languages", "train", "dev", "test"}
    lines = (ROOT / "config.yaml").read_text().splitlines()
    for before, line in itertools.pairwise(lines):
        key = line.strip().removeprefix("- ").partition(":")[0]
        is_source = key in (*explained_once, "sha256") or "{source:" in line
        if not line.strip() or line.strip().startswith("#") or is_source:
            continue
        assert before.strip().startswith("#") or "#" in line, line


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
        keep_attention="false",
        attention={"shards": "3"},
        fine_tuning={"learning_rate": "2e-5", "seeds": {"random": ["1", "2"]}},
        corpora={"treebank": {"ptb_escapes": "true"}, "wikipedia": {"articles": "null"}, "tasks": {"nsp": "null"}},
    ).config
    assert (mine["seed"], mine["keep_attention"], mine["corpora"]["treebank"]["ptb_escapes"]) == (7, False, True)
    assert mine["attention"] == edition["attention"] | {"shards": 3}
    assert mine["fine_tuning"]["learning_rate"] == 2e-5
    assert mine["fine_tuning"]["seeds"]["random"] == [1, 2]
    assert mine["corpora"]["wikipedia"]["articles"] is mine["corpora"]["tasks"]["nsp"] is None


def test_another_source_does_not_keep_the_digest(edition, edition_with):
    assert "sha256:" in edition["corpora"]["wikipedia"]["source"]
    mine = edition_with(corpora={"wikipedia": {"source": "path:mine.txt"}})
    assert mine.origin("corpora", "wikipedia") == {"source": "path:mine.txt", "sha256": None}


@pytest.mark.parametrize(
    "keys", [{"seed": 7}, {"attention": {"words": "first"}}, {"corpora": {"tasks": {"nsp": None}}}]
)
def test_the_name_of_the_embedded_edition_stands_for_what_it_replicates(edition_with, keys):
    (key,) = keys
    with pytest.raises(InputError, match=f"edition embedded: is that of config.yaml, but has other {key}\n"):
        edition_with(edition="embedded", **keys)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"attention": {"shards": "8", "batch_size": 2}, "keep_attention": False, "published_curves": True},
        {"on_bad_input": "skip", "papers": ["vig"], "device": "cpu", "seed": "1906"},
    ],
)
def test_what_leaves_the_results_as_they_are_needs_no_name(edition_with, keys):
    assert edition_with(edition="embedded", **keys).name == "embedded"


@pytest.mark.parametrize(
    "place",
    ["resources/models/mine", "results/mine.conllu", "elsewhere/../resources/text", "link/text", "{cwd}/results"],
)
def test_sources_where_a_run_makes_files_are_refused(edition_with, place):
    """A run that makes the model ``mine`` anew deletes its folder before it copies the model."""
    Path("resources").mkdir()
    Path("link").symlink_to("resources")
    place = place.format(cwd=Path.cwd())
    with pytest.raises(
        InputError, match=rf"deletes what it makes again, lies path:{place}\n  Remedy: copy it to another"
    ):
        edition_with(corpora={"wikipedia": {"source": f"path:{place}", "format": "plain"}})


def test_labels_where_a_run_makes_files_are_refused(edition_with):
    labels = Path("results/labels.csv").absolute()
    labels.parent.mkdir()
    labels.touch()
    with pytest.raises(InputError, match=rf"again, lies {labels}\n"):
        edition_with(pattern_annotation={"labels": [str(labels)]})


def test_sources_elsewhere_are_taken(edition_with):
    Path("resources_of_mine").mkdir()
    edition_with(corpora={"wikipedia": {"source": "path:resources_of_mine", "format": "plain"}})


def test_tasks_are_those_that_are_not_left_out(edition_with):
    tasks = {"tweets": None, "mnli": {"source": "path:mnli"}}
    mine = edition_with(corpora={"tasks": tasks})
    assert mine.tasks == ["mnli", "nsp", "sst2"]
    assert mine.pair_tasks == ["mnli", "nsp"]


def test_a_translation_model_is_trained_from_each_of_its_seeds(edition_with):
    entries = [entry("a", seeds=[7, 9]), entry("b"), entry("c", source="path:somewhere")]
    mine = edition_with(translation_models=entries)
    found = [(name, model["model"], model["seed"]) for name, model in mine.translation_models.items()]
    assert found == [("a-7", "a", 7), ("a-9", "a", 9), ("b", "b", mine.config["seed"] + 1), ("c", "c", None)]
    assert all("seeds" not in model for model in mine.translation_models.values())
    assert mine.files("translation_models", "a-9") == ["resources/mine/trained/a-9"]
    assert mine.origin("translation_models", "c")["source"] == "path:somewhere"


def test_what_is_made_here_is_read_where_it_is_made(edition_with):
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
    (download,) = mine.downloads
    assert "vaderSentiment" in download


def test_what_is_on_this_machine_is_known_by_its_content(edition_with):
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


def test_members_of_one_archive_are_one_download(edition_with):
    parts = {part: {"source": f"https://host/a.zip!{part}.conllu"} for part in ("train", "dev")}
    parts["train"]["source"] += f" sha256:{PIN}"
    tasks = {"sst2": None, "tweets": None}
    mine = edition_with(corpora={"treebank": {"trees": "gold", **parts}, "tasks": tasks})
    ((name, sources),) = mine.downloads.items()
    assert sources == {"https://host/a.zip!train.conllu": PIN, "https://host/a.zip!dev.conllu": None}
    assert mine.files("corpora", "treebank", "dev") == [f"resources/downloads/{name}/SHA256SUMS"]
    assert mine.content("corpora", "treebank", "dev") is None


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"corpora": {"treebank": {"trees": "gold"}}}, "corpora.treebank.dev should have a source if"),
        (
            {"corpora": {"treebank": {"dev": {"source": "path:dev.conllu"}}}},
            "corpora.treebank.dev should have a source if corpora.treebank.trees is gold, and only then",
        ),
        ({"corpora": {"treebank": {"trees": "stanza"}}}, "stanza.source should not be trained:treebank"),
    ],
)
def test_where_trees_come_from_fits_the_other_keys(edition_with, keys, expected):
    with pytest.raises(InputError) as caught:
        edition_with(**keys)
    assert expected in str(caught.value)


def test_a_ready_model_stands_for_those_that_are_fine_tuned_from_its_weights(edition_with):
    mine = edition_with(fine_tuning={"checkpoints": [ready(task="nsp"), ready()], "seeds": {"random": [3, 4]}})
    (model,) = mine.models
    assert mine.origin(*mine.ready_model(model, "sst2")) == {"source": "path:ready", "sha256": None}
    assert mine.ready_model(model, "tweets") is None
    assert mine.fine_tuning_seeds(model, "sst2", "pretrained") == [1]
    assert mine.fine_tuning_seeds(model, "sst2", "random") == [3, 4]
    assert mine.fine_tuning_seeds(model, "tweets", "pretrained") == [1, 2]


def test_models_have_what_their_families_have_and_papers_with_the_same_input_share_a_store(edition_with):
    models = [
        {"name": "a", "source": "hub:me/a@1", "mlm_head": "own"},
        {"name": "b", "source": "hub:me/b@1", "mlm_head": "own", "segment_types": 1, "model_type": "modernbert"},
    ]
    mine = edition_with(models=models)
    assert [mine.segment_ids(paper, "a") for paper in ("clark", "kobayashi", "vig")] == ["zeros", "pair", "pair"]
    assert mine.segment_ids("kobayashi", "b") == "zeros"
    pair, zeros = (mine.provenance(f"segments_{ids}", "a")["arrays"] for ids in ("pair", "zeros"))
    assert {"attention", "summed_norms", "mixing"} <= set(pair)
    assert "summed_norms" not in zeros
    assert set(pair) - set(mine.provenance("segments_zeros", "b")["arrays"]) == {"mixing"}
    assert mine.provenance("segments_pair", "b")["arrays"] == []
    assert mine.finetuned_file("x", "random", 3) == "resources/mine/{model}/tasks/{task}/finetuned/random_3/x"


def test_how_a_store_is_made_follows_from_its_name(edition_with):
    mine = edition_with(attention={"words": "first"}, seed=7)
    (model,) = mine.models
    assert mine.provenance("segments_pair", model) == {
        "segment_ids": "pair",
        "masked_share": 0,
        "seed": None,
        "word_rule": None,
        "arrays": list(WORDPIECE_ARRAYS),
    }
    masked, of_task = mine.provenance("masked_segments", model), mine.provenance("tasks/nsp/finetuned", model)
    assert (masked["masked_share"], masked["seed"], masked["segment_ids"]) == (0.12, 7, "pair")
    assert masked["arrays"] == ["token_ids", "mixing"]
    assert (of_task["masked_share"], of_task["seed"], of_task["word_rule"]) == (0, None, None)
    for store in ("treebank_dev", "random_1/treebank_train", "coreference"):
        made = mine.provenance(store, model)
        assert (made["word_rule"], made["segment_ids"], made["arrays"]) == ("first", "zeros", ["word_ids", "attention"])
    for store in ("segments_pair", "masked_segments", "tasks/nsp/pretrained"):
        assert mine.provenance(f"random_12/{store}", model) == mine.provenance(store, model)


def test_random_encoders_are_numbered_from_1_and_have_seeds_of_their_own(edition_with):
    mine = edition_with(seed=7, control_seeds=2)
    assert mine.control_seeds == {"1": 7, "2": 8}
    stores = [control_store(name, "2") for name in ("treebank_dev", "tasks/nsp/pretrained")]
    assert stores == ["random_2/treebank_dev", "random_2/tasks/nsp/pretrained"]
    assert [control_number(name) for name in (*stores, "treebank_dev")] == ["2", "2", ""]
    # One model is fine-tuned from random weights: it stands beside each random encoder.
    assert {control_store("tasks/nsp/finetuned", number) for number in "12"} == {"random_1/tasks/nsp/finetuned"}


def test_a_source_that_may_not_be_read_has_no_content(edition_with, monkeypatch):
    """A missing model is reported before the first job, with all that is missing."""
    Path("dump").write_text("text")
    corpora = {"wikipedia": {"source": "path:dump"}}
    assert edition_with(corpora=corpora).content("corpora", "wikipedia")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("bert_attention.running.edition.content_digest", refuse)
    assert edition_with(corpora=corpora).content("corpora", "wikipedia") is None


def test_a_pinned_file_is_not_read_before_its_job(edition_with):
    Path("dump").write_text("text")
    mine = edition_with(corpora={"wikipedia": {"source": f"path:dump sha256:{PIN}"}})
    assert mine.content("corpora", "wikipedia") is None
