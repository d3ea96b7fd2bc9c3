"""The forecast of a run: how costs grow with an edition, what it says, and which rules it knows."""

import copy
import json
import re

import pytest

from bert_attention.results import CONTROL
from bert_attention.running import forecast as module
from bert_attention.running.edition import Edition
from bert_attention.running.forecast import (
    BESIDE_TEMPORARY,
    CORES_IN_USE,
    COSTS,
    START_SECONDS,
    STORES_AT_ONCE,
    EditionSizes,
    Forecast,
    RuleCost,
    RunForecast,
    duration,
    forecast_of_this_run,
    gigabytes,
    prepare_forecast,
    read_costs,
    read_sizes,
)
from bert_attention.running.stages import stages_of_rules
from tests.conftest import ROOT

REMOTE = "hub:google-bert/bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594"
WORK = 100.0  # seconds and megabytes of the rules below, beside the start of a job


@pytest.fixture
def config(edition):
    config = copy.deepcopy(edition)
    config |= {"edition": "mine", "device": "cpu"}
    return config


def sizes_of(config):
    return EditionSizes(Edition(config, ROOT), read_sizes())


def forecast_of(config, names=(), *, before=None, **cost):
    """Return a forecast of one rule, which was recorded with the edition ``before``."""
    sizes = sizes_of(before or config)
    every = sizes.of(next(iter(sizes.shapes)), next(iter(sizes.edition.tasks)), False)
    recorded = {name: sizes.average([name]) for name in every} | {
        STORES_AT_ONCE: 0.5,
        BESIDE_TEMPORARY: 0.75,
        CORES_IN_USE: 0.8,
    }
    known = RuleCost(START_SECONDS + WORK, grows_with=tuple(names), **cost)
    return Forecast(sizes_of(config), {"rule": known}, recorded)


def value_at(config, path):
    for key in path:
        config = config.get(key) if isinstance(config, dict) else config[key]
    return config


def changed(config, path, value):
    after = copy.deepcopy(config)
    value_at(after, path[:-1])[path[-1]] = value
    return after


TWICE = [
    ("segments", ("corpora", "wikipedia", "segments"), lambda old: 2 * old),
    ("wordpieces", ("corpora", "wikipedia", "max_wordpieces"), lambda old: 2 * old),
    ("train_sentences", ("corpora", "treebank", "sentences", "train"), lambda old: 2 * old),
    ("dev_sentences", ("corpora", "treebank", "sentences", "dev"), lambda old: 2 * old),
    ("head_segments", ("mlm_head", "epochs"), lambda old: 2 * old),
    ("analyzed", ("corpora", "task_examples", "analyzed"), lambda old: 2 * old),
    ("disabled", ("corpora", "task_examples", "disabled"), lambda old: 2 * old),
    ("padded", ("corpora", "task_examples", "padded"), lambda old: 2 * old),
    ("training_pairs", ("corpora", "stand_ins", "translations", "train"), lambda old: 2 * old),
    ("training_effort", ("training_effort",), lambda old: 2 * old),
    ("translation_models", ("translation_models", 0, "seeds"), lambda _: [1, 2]),
]


@pytest.mark.parametrize(("name", "path", "change"), TWICE, ids=[name for name, *_ in TWICE])
def test_costs_grow_with_the_sizes_of_the_edition_but_the_start_of_a_job_does_not(config, name, path, change):
    after = changed(config, path, change(value_at(config, path)))
    assert forecast_of(config, [name]).seconds("rule") == pytest.approx(START_SECONDS + WORK)
    assert forecast_of(after, [name], before=config).seconds("rule") == pytest.approx(START_SECONDS + 2 * WORK)
    assert forecast_of(after, before=config).seconds("rule") == START_SECONDS + WORK


def test_a_size_that_stands_twice_counts_squared(config):
    after = changed(config, ("corpora", "wikipedia", "max_wordpieces"), 256)
    doubled = forecast_of(after, ["wordpieces", "wordpieces", "maps"], before=config)
    assert doubled.seconds("rule") == pytest.approx(START_SECONDS + 4 * WORK)


def test_fine_tuning_grows_with_the_examples_seen_in_all_epochs(config):
    config["fine_tuning"] |= {"epochs": 3, "examples_seen": None, "of_task": {}}
    config["corpora"]["task_examples"] |= {"train": 1000, "dev": 100}
    assert sizes_of(config).average(["trained_examples"], {"task": "sst2"}) == 3000
    config["fine_tuning"]["examples_seen"] = 3500  # the next whole number of passes is 4
    assert sizes_of(config).average(["trained_examples"], {"task": "sst2"}) == 4000
    config["fine_tuning"]["of_task"] = {"nsp": {"examples": 10, "epochs": 1}}
    assert sizes_of(config).average(["trained_examples"], {"task": "nsp"}) == 3500
    config["corpora"]["task_examples"] |= {"train": None, "dev": None}  # all, as published
    assert sizes_of(config).average(["examples"], {"task": "sst2"}) == 872


def test_a_job_of_the_control_costs_as_much_as_its_random_encoders(config):
    config["control"]["seeds"] = 7
    ours = forecast_of(config, ["encoders"])
    for wildcards, encoders in (({"control": ""}, 1), ({"control": CONTROL}, 7), ({"table": CONTROL}, 7)):
        of_average = 2 * encoders / (1 + 7)
        assert ours.seconds("rule", wildcards) == pytest.approx(START_SECONDS + WORK * of_average)
    assert ours.seconds("rule") == pytest.approx(START_SECONDS + WORK)


def test_random_encoders_read_a_sample_of_each_corpus(config):
    config["control"] |= {"segments": 20, "sentences": None, "examples": 48}
    sizes = sizes_of(config)
    trained, control = (sizes.of("all-MiniLM-L6-v2", "sst2", is_control) for is_control in (False, True))
    assert control == trained | {"segments": 20, "analyzed": 48, "encoders": config["control"]["seeds"]}
    config["control"]["segments"] = 10_000
    assert sizes_of(config).of("all-MiniLM-L6-v2", None, True)["segments"] == trained["segments"]


def test_costs_grow_with_the_shape_of_a_local_encoder(config, tmp_path):
    shape = {"hidden_size": 96, "num_hidden_layers": 6, "num_attention_heads": 12}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", **shape}))
    config["models"] = [{"name": "small", "source": f"path:{tmp_path}", "mlm_head": "fit"}]
    sizes = sizes_of(config)
    assert sizes.average(["compute"]) == 6 * 96**2
    assert sizes.average(["maps"]) == 72
    config["models"].append({"name": "large", "source": REMOTE, "mlm_head": "own"})
    sizes = sizes_of(config)
    assert sizes.average(["maps"], {"model": "large"}) == 144
    assert sizes.average(["maps"]) == (72 + 144) / 2
    line = Forecast(sizes).line({"segments": 1}, "about 5 hours", None)
    assert line.endswith("; counts large as an encoder of bert-base's size until it is downloaded")


def test_a_rule_without_a_recorded_cost_takes_the_start_of_a_job(config):
    ours = forecast_of(config)
    assert ours.seconds("another_rule", {"model": "x"}) == START_SECONDS
    assert ours.total_seconds({"another_rule": 2, "rule": 1}) == 3 * START_SECONDS + WORK


def test_the_time_of_a_run_is_that_of_its_longest_chain_on_many_cores(config):
    ours = Forecast(sizes_of(config), {name: RuleCost(100) for name in "abc"}, read_sizes() | {CORES_IN_USE: 0.75})
    jobs = {"a": 4, "b": 1, "c": 1}
    assert ours.wall_seconds(jobs, 1) == 600
    assert ours.wall_seconds(jobs, 2) == 400
    assert ours.wall_seconds(jobs, 10) == 100
    edges = [("a", "b"), ("b", "c"), ("c", "b"), ("b", "b"), ("x", "a")]  # a circle, and a rule without jobs
    assert ours.wall_seconds(jobs, 10, edges) == 300


def test_fine_tuning_an_encoder_of_twelve_layers_takes_hours(config):
    config["models"] = [
        {"name": "large", "source": "hub:a/b@86b5e0934494bd15c9632b12f734a8a67f723594", "mlm_head": "own"}
    ]
    config["corpora"]["task_examples"]["train"] = 10_000
    config["fine_tuning"]["of_task"] = {}
    (line, *_) = RunForecast(Forecast(sizes_of(config))).lines({"fine_tuned_model": 12, "all": 1}, 2)
    assert re.match(r"13 jobs, about \d+ hours on 2 cores, ", line)


@pytest.mark.parametrize(
    ("keeps", "temporary", "needed"),
    [("own", 0, 300), ("own", 20, 300), ("own", 100, 425), ("none", 0, 175), ("none", 20, 195)],
)
def test_stores_that_do_not_stay_go_before_the_last_outputs_come(config, keeps, temporary, needed):
    config["keep_attention"] = keeps
    ours = forecast_of(config, kept_mb=50.0, store_mb=100.0, temporary_mb=float(temporary))
    assert ours.disk_mb({"rule": 2, "another_rule": 3}) == needed


def test_warnings_name_what_will_not_suffice(config):
    ours = forecast_of(config, memory_mb=3000.0, kept_mb=5000.0)
    jobs = {"another_rule": 1, "rule": 2}
    assert list(ours.warnings(jobs, 4000, 20_000)) == list(ours.warnings(jobs, None, None)) == []
    config["keep_attention"] = "own"
    memory, disk = ours.warnings(jobs, 2000, 9000)
    assert memory.startswith("memory: rule rule needs about 3 GB, but 2 GB are available; ")
    assert disk.startswith("disk: the run needs about 10 GB, but 9 GB are free; ")
    assert [text for text in RunForecast(ours).lines({"rule": 10**9}, 1) if text.startswith("WARNING disk: ")]


def test_memory_grows_with_the_encoder_and_not_with_the_corpus(config):
    after = changed(config, ("corpora", "wikipedia", "segments"), 10**6)
    assert forecast_of(after, ["segments", "compute"], before=config, memory_mb=3000.0).memory_mb(["rule"]) == 3000
    ours = forecast_of(config, ["maps"], memory_mb=1500.0)
    half = Forecast(ours.sizes, ours.costs, {**ours.recorded, "maps": ours.recorded["maps"] / 2})
    assert half.memory_mb(["rule"]) == 2500
    wider = forecast_of(config, ["maps", "compute"], memory_mb=1500.0)
    quarter = Forecast(wider.sizes, wider.costs, {**wider.recorded, "compute": wider.recorded["compute"] / 4})
    assert quarter.memory_mb(["rule"]) == 2500


def test_numbers_are_written_as_people_say_them():
    times = (10, 50, 95, 1140, 5399, 5400, 18_000, 129_599, 129_600, 2e6)
    assert [duration(seconds) for seconds in times] == [
        *("less than a minute", "about 1 minute", "about 2 minutes", "about 19 minutes", "about 90 minutes"),
        *("about 2 hours", "about 5 hours", "about 36 hours", "about 2 days", "about 23 days"),
    ]
    assert [gigabytes(size) for size in (1, 420, 6000, 6180, 9960, 57_300)] == [
        *("0.1 GB", "0.4 GB", "6 GB", "6.2 GB", "10 GB", "57 GB")
    ]


def test_the_line_names_cores_disk_and_where_the_time_is_not_known(config, monkeypatch):
    monkeypatch.setattr(module, "free_disk_mb", lambda: 57_000)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 4)
    run, jobs = RunForecast(forecast_of(config, kept_mb=600.0)), {"rule": 10}
    assert run.lines(jobs, 2) == ["10 jobs, about 11 minutes on 2 cores, 6 GB (57 GB free)"]
    assert run.lines(jobs, 1) == ["10 jobs, about 17 minutes on 1 core, 6 GB (57 GB free)"]
    assert run.lines(jobs, None) == ["10 jobs, about 17 minutes of one core, 6 GB (57 GB free)"]
    run.has_shared_disk = False
    assert run.lines(jobs, 2) == ["10 jobs, about 11 minutes on 2 cores, 6 GB"]


def test_five_lines_sum_up_a_dry_run(config, monkeypatch):
    monkeypatch.setattr(module, "free_disk_mb", lambda: 57_000)
    monkeypatch.setattr(module, "available_memory_mb", lambda: 12_000)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 4)
    run = RunForecast(forecast_of(config, kept_mb=600.0, memory_mb=2800.0), {"rule": "models", "wikipedia": "corpora"})
    assert run.summary_of_dry_run(2, "") == []  # nothing to do
    run.of_dry_run = {"rule": 10, "wikipedia": 1, "draw_figure": 2}, ()
    assert run.summary_of_dry_run(2, "") == [
        "Jobs:    13 (corpora 1, models 10, results 2)",
        "Time:    about 11 minutes on 2 cores",
        "Disk:    6 GB (57 GB free)",
        "Memory:  2.8 GB for the largest job (12 GB available)",
        "Missing: nothing",
    ]
    run.of_dry_run = {"rule": 100}, ()
    _, time, _, _, missing, warning = run.summary_of_dry_run(1, "two files")
    assert time == "Time:    about 3 hours of one core, or about 54 minutes on 4 cores"
    assert missing == "Missing: two files"
    assert warning.startswith("WARNING disk: the run needs about 60 GB, but 57 GB are free")


def test_the_stage_of_a_rule_is_its_file():
    stages = stages_of_rules(ROOT / "workflow" / "rules")
    assert stages["wikipedia"] == "corpora"
    assert stages["parse_wikipedia_with_spacy"] == "parsing"  # indented
    assert stages["extract_masked_attention"] == "attention"  # written as a change of another rule
    assert {"tabulate", "scoreboard", "all"}.isdisjoint(stages)


def test_a_gpu_is_faster_than_the_forecast(config, monkeypatch):
    config["device"] = "auto"
    monkeypatch.setattr(module, "has_gpu", lambda: True)
    assert (
        forecast_of(config).line({"rule": 1}, "", None).endswith("; without the GPU, with which the encoder is faster")
    )


def test_the_workflow_and_the_logger_plugin_share_the_forecast(config, monkeypatch):
    monkeypatch.setattr(module, "_OF_THIS_RUN", [])
    assert forecast_of_this_run() is None
    assert prepare_forecast(Edition(config, ROOT), {}) is forecast_of_this_run()


def test_every_rule_with_a_script_has_a_recorded_cost():
    rules = {}
    for file in (ROOT / "workflow" / "rules").glob("*.smk"):
        parts = re.split(r"^ *(?:use rule \w+ as (\w+) with|rule (\w+)):$", file.read_text(), flags=re.M)
        for used, own, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            rules[used or own] = bool(used) or re.search(r"^ *script:$", text, flags=re.M) is not None
    scripted = {rule for rule, has_script in rules.items() if has_script}
    assert len(scripted) > 60
    missing = sorted(scripted - read_costs().keys())
    assert not missing, f"{COSTS.name} has no row for {', '.join(missing)}: run docs/record_costs.py"


def test_recorded_costs_grow_with_known_sizes():
    sizes = read_sizes()
    for rule, cost in read_costs().items():
        assert {*cost.grows_with, *cost.output_grows_with} <= sizes.keys(), rule
        assert cost.seconds >= 0, rule
    assert all(0 < sizes[share] <= 1 for share in (STORES_AT_ONCE, BESIDE_TEMPORARY, CORES_IN_USE))
