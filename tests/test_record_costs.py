"""The program that records the costs of a run reads Snakemake's log and the sizes of outputs."""

import runpy
import types

import pytest

from bert_attention.running.forecast import START_SECONDS, RuleCost
from bert_attention.running.usage import Usage
from tests.conftest import ROOT

RECORDER = types.SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "record_costs.py")))
STORE = "resources/mine/bert/attention/segments_zeros/1-of-1.safetensors"
SECOND_STORE = "resources/mine/bert/attention/segments_pair/1-of-1.safetensors"


def begun(clock, rule, job, **lines):
    listed = "".join(f"    {key}: {value}\n" for key, value in lines.items())
    return f"[Thu Nov 26 {clock} 2026]\n{rule}:\n{listed}    jobid: {job}\n"


def ended(clock, job):
    return f"[Thu Nov 26 {clock} 2026]\nFinished jobid: {job} (Rule: x)\n"


LOG = "".join(
    [
        "Provided cores: 2\nJob stats:\njob      count\nall          1\ntotal        4\n\n",
        begun("19:14:37", "localrule wikipedia", 2, output="resources/mine/corpora/wikipedia.jsonl"),
        begun("19:14:37", "rule extract", 3, output=STORE, log="logs/extract.log"),
        ended("19:14:40", 2),
        begun("19:14:40", "rule extract", 4, output=SECOND_STORE),
        ended("19:14:57", 3),
        ended("19:15:40", 4),
        begun("19:15:40", "localrule all", 1, input=f"{STORE}, {SECOND_STORE}", output="results/mine/index.html"),
        ended("19:15:41", 1),
    ]
)


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """The jobs of a run in the working directory. It has removed its second store."""
    monkeypatch.chdir(tmp_path)
    for path, content in {
        STORE: b"0" * 6_000_000,
        "resources/mine/corpora/wikipedia.jsonl": b"0" * 500_000,
        "logs/extract.log": f"INFO batches: 9 done\nINFO {Usage('extract', 12.5, 1.5, 812.5)}\n".encode(),
        ".snakemake/log/1.snakemake.log": LOG.encode(),
        ".snakemake/log/2.snakemake.log": LOG.replace(ended("19:15:41", 1), "").encode(),  # stopped
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert RECORDER.newest_complete_run("another") is None
    jobs, cores = RECORDER.newest_complete_run("mine")
    assert cores == 2
    return jobs


def test_costs_come_from_the_logs_and_the_files(jobs):
    before = {"extract": RuleCost(5.0, grows_with=("segments",), store_mb=4.0, output_grows_with=("segments",))}
    costs = RECORDER.costs_of(jobs, before | {"download": RuleCost(7.0)}, {"segments": 2.0})
    assert (costs["wikipedia"].seconds, costs["wikipedia"].kept_mb) == (3.0, 0.5)
    extract = costs["extract"]
    assert (extract.seconds, extract.memory_mb) == ((14 + 60) / 2, 812.5)  # the second job has no log
    assert extract.grows_with == ("segments",)
    assert extract.store_mb == 8.0  # a store is gone: twice as much as before, like the segments
    assert costs["download"] == RuleCost(7.0)  # it did not run


def test_a_recorded_cost_is_that_of_average_sizes():
    """One job runs an encoder over 500 segments, another 10 encoders over 60.

    The average of the products is 550, and the product of the averages 280 * 5.5.
    """
    recorded = RECORDER.at_average_sizes(RuleCost(START_SECONDS + 11.0), 550 / (280 * 5.5))
    assert recorded.seconds == pytest.approx(START_SECONDS + 30.8)
    assert RECORDER.at_average_sizes(RuleCost(1.0), 0.5).seconds == 1.0


def test_stores_count_until_their_last_reader_has_ended(jobs):
    costs = {"extract": RuleCost(40.0, store_mb=6.0)}
    assert RECORDER.stores_at_once(jobs, costs) == 1.0
    for job in jobs:
        job.inputs = [path for path in job.inputs if path != STORE]
    jobs[2].start = jobs[1].end  # the second store is written after the first has gone
    assert RECORDER.stores_at_once(jobs, costs) == 0.5


def test_temporary_stores_and_outputs_that_came_before_they_went(jobs):
    random, passed = STORE.replace("segments_zeros", "random_2/treebank_dev"), "resources/m/bert/sums/passes/a/b.npz"
    kinds = [RECORDER.kind_of_output(path) for path in (STORE, random, passed, "results/mine/index.html")]
    assert kinds == ["store", "temporary", "temporary", "kept"]
    costs = {
        "wikipedia": RuleCost(1.0, kept_mb=3.0),
        "extract": RuleCost(1.0, store_mb=4.0),
        "all": RuleCost(1.0, kept_mb=5.0),
    }
    assert RECORDER.beside_temporary(jobs, costs) == 0  # there is no temporary store
    jobs[1].outputs.append(random)
    assert RECORDER.beside_temporary(jobs, costs) == 7 / 16  # one of two stores was there, and the text
    jobs[3].inputs.append(random)
    assert RECORDER.beside_temporary(jobs, costs) == 1


def test_cores_are_in_use_while_they_run_jobs(jobs):
    assert RECORDER.wall_seconds(jobs) == 64
    assert RECORDER.cores_in_use(jobs, 2) == (3 + 14 + 60 + 1) / 128


def test_a_rule_waits_for_the_rules_whose_outputs_it_reads(jobs):
    assert set(RECORDER.edges_of(jobs)) == {("extract", "all")}
