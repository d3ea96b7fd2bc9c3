"""What an edition may hold, what a message says of one that cannot be used, and what the rules are told of one."""

import copy
import itertools
import json
from pathlib import Path

import pytest
import yaml

from bert_attention.attention.contents import control_number, control_store
from bert_attention.attention.store import WORDPIECE_ARRAYS
from bert_attention.errors import InputError
from bert_attention.running.edition import Edition, check_config, main
from bert_attention.running.source_contents import SourceContents
from tests.conftest import ROOT


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
        check_config(config)
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
        (("corpora", "token_frequency"), {"source": "path:counts.txt", "sha256": None, "vocabulary": "0" * 64}),
    ],
)
def test_settings_that_can_be_used_are_taken(config, path, value):
    check_config(config)
    put(config, path, value)
    check_config(config)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("divice",), "cpu", "unknown key divice: did you mean device?"),
        (("corpora", "wikipedia", "segmnts"), 5, "unknown key corpora.wikipedia.segmnts: did you mean segments?"),
        (("models", 0, "nmae"), "a", "unknown key models.0.nmae: did you mean name?"),
        (("corpora", "tasks", "cola"), None, "unknown key corpora.tasks.cola: known here: mnli, mrpc, qnli, qqp"),
        (("attention", "qqq"), 1, "unknown key attention.qqq: known here: batch_size, shards, words"),
        ((3,), 4, "unknown key 3: expected a word"),
        (("corpora", "tasks", True), None, "unknown key corpora.tasks.True: expected a word"),
        (("corpora", "tasks", "qnli"), {"source": "path:a"}, "missing key corpora.tasks.qnli.sha256"),
        (("device",), "gpu", "device = 'gpu': expected auto, cpu or cuda"),
        (("edition",), "../x", "edition = '../x': expected a name of lower-case letters"),
        (("keep_attention",), "no", "keep_attention = 'no': expected true or false"),
        (("segment_ids", "clark"), "ones", "segment_ids.clark = 'ones': expected zeros or pair"),
        (("models",), [], "models = []: expected a list of at least one model, each with name"),
        (("models", 0), "bert", "models.0 = 'bert': expected the keys source, sha256, name"),
        (("attention",), None, "attention = None: expected the keys shards, batch_size and words"),
        (("corpora", "tasks", "qnli"), 3, "corpora.tasks.qnli = 3: expected source and sha256 of a file or folder, or"),
        (("corpora", "wikipedia", "segments"), "4", "segments = '4': expected a whole number of at least 1"),
        (("fine_tuning", "learning_rate"), "2e-4", "a number above 0, at most 1; write it without quotes"),
        (("papers",), ["clrak"], "papers.0 = 'clrak': expected clark, kovaleva, kobayashi, coenen or vig"),
        (("papers",), [], "papers = []: expected a list of at least one paper, each of them once"),
        (("papers_corpora",), ["tasks", "tasks"], "expected a list of corpora, each of them once"),
        (("translation_models", 0, "seeds"), [], "translation_models.0.seeds = []: expected a list of at least one"),
        (("translation_models", 0, "seeds"), [1, 1], "seeds = [1, 1]: expected a list of at least one seed, each of"),
        (("translation_models", 0, "seeds"), [-1], "translation_models.0.seeds.0 = -1: expected a whole number from 0"),
        (("translation_models", 0, "seeds"), 3, "translation_models.0.seeds = 3: expected a list"),
        (("models", 0, "source"), "bert", "models.0.source = 'bert': expected a source such as path:"),
        (("models", 0, "source"), "path:{model}", "expected no braces, line breaks or other control characters"),
        (("models", 0, "source"), f"path:{'a' * 5000}", "...aaa"),
        (("models", 0, "source"), f"path:{'a' * 5000}", "expected at most 1000 characters"),
        (("models", 0, "source"), "hub:org/model", "models.0.source = 'hub:org/model': has no revision; write hub:"),
        (("corpora", "vectors", "source"), "trained:miniature", "corpora.vectors.source = 'trained:miniature': exp"),
        (("stanza", "source"), "trained:wikipedia", "stanza.source = 'trained:wikipedia': expected trained:miniature"),
        (("corpora", "frames", "source"), "ftp://host/file", "corpora.frames.source = 'ftp://host/file': expected"),
        (("corpora", "token_frequency", "source"), "path:a", "corpora.token_frequency.vocabulary is missing"),
        (("corpora", "tasks"), {}, "corpora.tasks: expected at least one that is not null"),
        (("corpora", "tasks"), {"qnli": None}, "corpora.tasks: expected at least one that is not null"),
    ],
)
def test_what_is_wrong_is_named_with_what_was_expected(config, path, value, expected):
    put(config, path, value)
    assert expected in problems(config)


def test_tasks_are_for_kovaleva_alone(config):
    config["corpora"]["tasks"] = {}
    config["papers"].remove("kovaleva")
    check_config(config)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("corpora", "wikipedia", "segments"), 0),
        (("corpora", "wikipedia", "segments"), 500.0),
        (("corpora", "wikipedia", "segments"), True),
        (("corpora", "treebank", "sentences", "dev"), 10.0),
        (("models", 0, "segment_types"), None),
        (("fine_tuning", "seeds", "random"), [1.0]),
        (("seed",), 2**32 + 1),
        (("control_seeds",), 0),
        (("training_effort",), float("nan")),
        (("training_effort",), float("inf")),
        (("training_effort",), 1e-9),
        (("edition",), "abc\n"),
        (("edition",), "a" * 300),
        (("edition",), "models"),
        (("models", 0, "name"), "tables"),
        (("models", 0, "sha256"), "0" * 64 + "\n"),
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
    assert "expected" in message or "write" in message


def test_all_that_is_wrong_is_said_at_once(config):
    del config["seed"]
    config |= {"divice": "cpu", "device": "gpu", "attention": {"shards": 0, "batch_size": 1, "wrds": "mean"}}
    config["corpora"]["frames"]["source"] = "hub:a"
    message = problems(config)
    assert "missing key seed\n" in message
    assert message.count("\n  - ") == 7


def entry(name, **more):
    return {"name": name, "source": "trained:miniature", "sha256": None, "languages": None, **more}


def ready(**changes):
    return {"model": "all-MiniLM-L6-v2", "task": "sst2", "source": "path:ready", "sha256": None, **changes}


@pytest.mark.parametrize(
    ("key", "change", "expected"),
    [
        ("models", lambda models: models * 2, "models: the name 'all-MiniLM-L6-v2' appears more than once"),
        (
            "translation_models",
            lambda _: [entry("a", seeds=[7]), entry("a-7")],
            "the name 'a-7' appears more than once",
        ),
        ("translation_models", lambda _: [entry("stanza")], "translation_models = 'stanza': expected another name"),
        (
            "translation_models",
            lambda _: [entry("c", source="path:c", seeds=[1])],
            "c has seeds, but its source is not",
        ),
    ],
)
def test_entries_that_contradict_others_are_refused(config, key, change, expected):
    config[key] = change(config[key])
    assert expected in problems(config)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([ready(model="bert")], ".0.model = 'bert': expected one of all-MiniLM-L6-v2"),
        ([ready(), ready(task="cola")], ".1.task = 'cola': expected one of mnli, qnli, sst2, stsb"),
        ([ready(), ready()], ".1: all-MiniLM-L6-v2 has two ready models for sst2"),
    ],
)
def test_ready_models_of_what_the_edition_does_not_have_are_refused(config, entries, expected):
    config["fine_tuning"]["ready"] = entries
    assert f"fine_tuning.ready{expected}" in problems(config)


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


@pytest.fixture
def edition_with(tmp_path, monkeypatch):
    """A function that reads the embedded edition with some keys on top, named ``mine``, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def read(options=None, **keys):
        Path("mine.yaml").write_text(yaml.safe_dump({"edition": "mine", **keys}))
        return Edition(ROOT / "config.yaml", [Path("mine.yaml")], options or {}, ROOT, SourceContents())

    return read


def test_an_edition_is_read_from_its_files_and_the_command_line(edition, edition_with):
    mine = edition_with({"attention": {"shards": "3"}}, seed=7)
    assert mine.name == "mine"
    assert mine.config == edition | {"edition": "mine", "seed": 7, "attention": edition["attention"] | {"shards": 3}}
    assert list(mine.models) == list(mine.encoders) == ["all-MiniLM-L6-v2"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"sed": 7}, "unknown key sed: did you mean seed?"),
        ({"edition": "embedded", "seed": 7}, "edition embedded: is another one with other seed"),
        ({"pattern_annotation": {"labels": ["nowhere.csv"]}}, "pattern_annotation.labels: there is no file "),
    ],
)
def test_an_edition_that_cannot_be_used_is_refused(edition_with, keys, message):
    with pytest.raises(InputError) as caught:
        edition_with(**keys)
    assert message in str(caught.value)


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
        InputError, match=rf"deletes what it makes anew, lies path:{place}\n  Remedy: copy it to another"
    ):
        edition_with(corpora={"wikipedia": {"source": f"path:{place}", "format": "plain"}})


def test_labels_where_a_run_makes_files_are_refused(edition_with):
    labels = Path("results/labels.csv").absolute()
    labels.parent.mkdir()
    labels.touch()
    with pytest.raises(InputError, match=rf"anew, lies {labels}\n"):
        edition_with(pattern_annotation={"labels": [str(labels)]})


def test_sources_elsewhere_are_taken(edition_with):
    Path("resources_of_mine").mkdir()
    edition_with(corpora={"wikipedia": {"source": "path:resources_of_mine", "format": "plain"}})


def test_tasks_are_those_that_are_not_left_out(edition_with):
    mine = edition_with(corpora={"tasks": {"qnli": None}})
    assert mine.tasks == ["mnli", "sst2", "stsb"]
    assert mine.pair_tasks == ["mnli", "stsb"]


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
        ("corpora", "treebank", "dev"): "corpora/miniature/dev.conllu",
        ("corpora", "tasks", "qnli"): "corpora/miniature/tasks/qnli",
        ("corpora", "vectors"): "trained/vectors",
        ("stanza",): "trained/stanza",
    }
    for path, file in made.items():
        assert mine.origin(*path) == {"source": f"path:resources/mine/{file}", "sha256": None}
        assert mine.files(*path) == [f"resources/mine/{file}"]
        assert mine.content(*path) is None
    assert mine.origin("corpora", "token_frequency")["source"] == "counted:wikipedia"
    assert mine.model_corpus("segments.jsonl") == "resources/mine/all-MiniLM-L6-v2/corpora/segments.jsonl"
    assert mine.finetuned_file("x") == "resources/mine/all-MiniLM-L6-v2/tasks/{task}/finetuned/pretrained_1/x"
    assert mine.downloads == {}


def test_what_is_on_this_machine_is_known_by_its_content(edition_with):
    Path("bert").mkdir()
    config = Path("bert/config.json")
    config.write_text(json.dumps({"model_type": "bert", "type_vocab_size": 2}))
    model = {"name": "bert", "source": "path:bert", "mlm_head": "own"}
    mine = edition_with(models=[model], corpora={"frames": {"source": "path:nowhere"}})
    assert mine.files("models", "bert") == mine.files("corpora", "frames") == []
    assert mine.content("corpora", "frames") is None
    before = mine.content("models", "bert")
    assert before.startswith("path:bert ")
    Path("bert/optimizer.pt").write_text("training left it")
    assert mine.content("models", "bert") == before
    config.write_text(json.dumps({"model_type": "bert", "type_vocab_size": 1}))
    assert mine.content("models", "bert") not in (before, None)


def test_members_of_one_archive_are_one_download(edition_with):
    parts = {part: {"source": f"https://host/a.zip!{part}.conllu", "sha256": None} for part in ("train", "dev")}
    parts["train"]["sha256"] = "0" * 64
    mine = edition_with(corpora={"treebank": parts})
    ((name, sources),) = mine.downloads.items()
    assert sources == {"https://host/a.zip!train.conllu": "0" * 64, "https://host/a.zip!dev.conllu": None}
    assert mine.files("corpora", "treebank", "dev") == [f"resources/downloads/{name}/SHA256SUMS"]
    assert mine.content("corpora", "treebank", "dev") is None


def test_a_pipeline_that_is_trained_here_is_trusted_with_the_text_that_it_was_trained_on(edition_with):
    assert edition_with().untagged_tasks == ["sst2"]
    generated = {"tasks": {"sst2": {"source": "miniature:tasks/sst2", "sha256": None}}}
    assert edition_with(corpora=generated).untagged_tasks == []
    assert edition_with(stanza={"source": "stanza:en@1.15.0", "sha256": None}).untagged_tasks == []


def test_a_ready_model_stands_for_those_that_are_fine_tuned_from_its_weights(edition_with):
    mine = edition_with(fine_tuning={"ready": [ready(task="qnli"), ready()], "seeds": {"random": [3, 4]}})
    (model,) = mine.models
    assert mine.origin(*mine.ready_model(model, "sst2")) == {"source": "path:ready", "sha256": None}
    assert mine.ready_model(model, "mnli") is None
    assert mine.fine_tuning_seeds(model, "sst2", "pretrained") == [1]
    assert mine.fine_tuning_seeds(model, "sst2", "random") == [3, 4]
    assert mine.fine_tuning_seeds(model, "mnli", "pretrained") == [1, 2]


def test_models_have_what_their_families_have_and_papers_with_the_same_input_share_a_store(edition_with):
    models = [
        {"name": "a", "source": "hub:me/a@1", "mlm_head": "own"},
        {"name": "b", "source": "hub:me/b@1", "mlm_head": "own", "segment_types": 1, "model_type": "modernbert"},
    ]
    mine = edition_with(models=models)
    assert [mine.segment_ids(paper, "a") for paper in ("clark", "kobayashi", "vig")] == ["zeros", "pair", "pair"]
    assert mine.segment_ids("kobayashi", "b") == "zeros"
    pair, zeros = (mine.made_with(f"segments_{ids}", "a")["arrays"] for ids in ("pair", "zeros"))
    assert {"attention", "summed_norms", "mixing"} <= set(pair)
    assert "summed_norms" not in zeros
    assert set(pair) - set(mine.made_with("segments_zeros", "b")["arrays"]) == {"mixing"}
    assert mine.made_with("segments_pair", "b")["arrays"] == []
    assert mine.finetuned_file("x", "random", 3) == "resources/mine/{model}/tasks/{task}/finetuned/random_3/x"


def test_how_a_store_is_made_follows_from_its_name(edition_with):
    mine = edition_with(attention={"words": "first"}, seed=7)
    (model,) = mine.models
    assert mine.made_with("segments_pair", model) == {
        "segment_ids": "pair",
        "masked_share": 0,
        "seed": None,
        "word_rule": None,
        "arrays": list(WORDPIECE_ARRAYS),
    }
    masked, of_task = mine.made_with("masked_segments", model), mine.made_with("tasks/qnli/finetuned", model)
    assert (masked["masked_share"], masked["seed"], masked["segment_ids"]) == (0.12, 7, "pair")
    assert masked["arrays"] == ["token_ids", "mixing"]
    assert (of_task["masked_share"], of_task["seed"], of_task["word_rule"]) == (0, None, None)
    for store in ("treebank_dev", "random_1/treebank_train", "coreference"):
        made = mine.made_with(store, model)
        assert (made["word_rule"], made["segment_ids"], made["arrays"]) == ("first", "zeros", ["word_ids", "attention"])
    for store in ("segments_pair", "masked_segments", "tasks/qnli/pretrained"):
        assert mine.made_with(f"random_12/{store}", model) == mine.made_with(store, model)


def test_random_encoders_are_numbered_from_1_and_have_seeds_of_their_own(edition_with):
    mine = edition_with(seed=7, control_seeds=2)
    assert mine.control_seeds == {"1": 7, "2": 8}
    stores = [control_store(name, "2") for name in ("treebank_dev", "tasks/qnli/pretrained")]
    assert stores == ["random_2/treebank_dev", "random_2/tasks/qnli/pretrained"]
    assert [control_number(name) for name in (*stores, "treebank_dev")] == ["2", "2", ""]
    # One model is fine-tuned from random weights: it stands beside each random encoder.
    assert {control_store("tasks/qnli/finetuned", number) for number in "12"} == {"random_1/tasks/qnli/finetuned"}


def test_a_source_that_may_not_be_read_has_no_content(edition_with, monkeypatch):
    """It is reported before the first job, with all that is missing."""
    Path("dump").write_text("text")
    mine = edition_with(corpora={"wikipedia": {"source": "path:dump"}})
    assert mine.content("corpora", "wikipedia")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(SourceContents, "digest", refuse)
    assert mine.content("corpora", "wikipedia") is None


def test_an_edition_is_checked_without_a_run(tmp_path, capsys):
    """Snakemake says of such files only that one is no YAML, or shows a traceback."""
    (tmp_path / "mine.yaml").write_text("edition: mine\nseed: 3\n")
    main(str(ROOT / "config.yaml"), str(tmp_path / "mine.yaml"))
    assert "The edition mine can be run" in capsys.readouterr().out
    (tmp_path / "mine.yaml").write_text("edition: mine\nseed: {3\n")
    with pytest.raises(SystemExit, match=r"ERROR .*mine.yaml, line 3: cannot be read as plain YAML"):
        main(str(ROOT / "config.yaml"), str(tmp_path / "mine.yaml"))
