"""The usage that a job writes into its log, and the reader of the line."""

import json
import subprocess
import sys

import pytest

from bert_attention.running.usage import Usage, read_usage
from tests.conftest import ROOT

# A job that takes memory for a moment, computes for a moment, and waits for a child that does the same.
JOB = """
import subprocess, sys, time
from types import SimpleNamespace
from bert_attention.running.scripts import run_script

def compute(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

def main(job):
    taken = bytearray(b"1") * (job.own << 20)
    compute(0.3)
    del taken
    child = f"taken = bytearray(b'1') * ({job.child} << 20); sum(range(8_000_000))"
    subprocess.run([sys.executable, "-c", child], check=True)

log, own, child = sys.argv[1:]
run_script(main, SimpleNamespace(log=[log], resources={}, rule="extract", own=int(own), child=int(child)))
"""


@pytest.mark.parametrize(("own", "child"), [(150, 0), (0, 250)])
def test_a_job_of_a_second_reports_its_time_and_its_peak_and_those_of_its_children(tmp_path, own, child):
    command = [sys.executable, "-c", JOB, str(tmp_path / "log"), str(own), str(child)]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(ROOT / "workflow")})
    (usage,) = read_usage([tmp_path / "log", tmp_path / "none"])
    assert usage.rule == "extract"
    assert 0.35 < usage.seconds < 10
    assert max(own, child) < usage.memory_mb < max(own, child) + 120


def test_the_memory_of_the_program_that_starts_a_job_does_not_count(tmp_path):
    """On Linux, `ru_maxrss` keeps the memory that the process had before it became the job."""
    large = bytearray(b"1") * (300 << 20)
    measure = "from bert_attention.running.usage import Usage; print(Usage.of_this_process('x'))"
    environment = {"PYTHONPATH": str(ROOT / "workflow")}
    shown = subprocess.run([sys.executable, "-c", measure], capture_output=True, text=True, env=environment, check=True)
    assert len(large) > 10e6 * 30
    assert json.loads(shown.stdout.partition(": ")[2])["memory_mb"] < 100


def test_only_the_last_run_of_a_job_counts(tmp_path):
    log = tmp_path / "log"
    usages = [Usage("extract", 1.0, 0.5, 100.0), Usage("extract", 2.0, 0.25, 90.0)]
    log.write_text("".join(f"2026-11-27 10:00:00,000 INFO {usage}\n" for usage in usages))
    assert list(read_usage([log])) == usages[1:]
    assert usages[1].seconds == 2.25
    log.write_text("no usage\n")
    assert list(read_usage([log])) == []
