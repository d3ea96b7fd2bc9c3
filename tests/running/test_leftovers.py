"""What a killed run leaves behind."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from bert_attention.files import replacing, replacing_folder
from bert_attention.running.leftovers import clear_leftovers
from tests.conftest import ROOT

SNAKEFILE = """
from bert_attention.running.leftovers import end_on_hangup
end_on_hangup()
rule slow:
    output: "made.txt"
    shell: "touch started; sleep 300; touch {output}"
"""


@pytest.fixture
def leftovers(tmp_path):
    """Two files and a folder as a killed job leaves them, and finished ones."""
    with (
        replacing(tmp_path / "results" / "table.csv") as file,
        replacing_folder(tmp_path / "results" / "model") as folder,
    ):
        file.touch()
        (folder / "inner").mkdir()
        (folder / "inner" / ".weights.partial").touch()
        unfinished = [file.with_name(".other.csv.partial"), folder.with_name(".other.partial")]
        unfinished[0].touch()
        unfinished[1].mkdir()
        (unfinished[1] / "weights").touch()
    (tmp_path / "results" / "notes.partial").touch()
    return [*unfinished, tmp_path / "results" / "model" / "inner" / ".weights.partial"]


def locked(folder, runs):
    (folder / "locks").mkdir()
    for number in range(runs):
        (folder / "locks" / f"{number}.input.lock").touch()
        (folder / "locks" / f"{number}.output.lock").touch()
    return folder / "locks"


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_what_a_killed_job_was_writing_is_removed(tmp_path, leftovers):
    assert clear_leftovers([tmp_path / "results", tmp_path / "none"], locked(tmp_path, 1)) == sorted(leftovers)
    assert names(tmp_path / "results") == {"table.csv", "model", "model/inner", "notes.partial"}


@pytest.mark.parametrize("runs", [0, 2])
def test_nothing_is_removed_that_another_run_may_be_writing(tmp_path, leftovers, runs):
    assert clear_leftovers([tmp_path / "results"], locked(tmp_path, runs)) == []
    assert all(path.exists() for path in leftovers)


def run_on_a_terminal(folder, when_hung_up=signal.SIG_DFL):
    """Start a slow run of Snakemake on a terminal; its process, and the terminal's other end."""
    (folder / "Snakefile").write_text(SNAKEFILE)
    ours, its = pty.openpty()
    inherited = signal.signal(signal.SIGHUP, when_hung_up)  # these tests may run under nohup
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "1"],
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "workflow")},
    )
    signal.signal(signal.SIGHUP, inherited)
    os.close(its)
    wait_for((folder / "started").exists)
    return process, ours


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def locks(folder):
    return list((folder / ".snakemake").glob("locks/*"))


def test_a_closed_terminal_leaves_no_lock(tmp_path):
    process, terminal = run_on_a_terminal(tmp_path)
    assert locks(tmp_path)
    os.close(terminal)
    os.killpg(process.pid, signal.SIGHUP)  # as a shell does with what it started
    process.wait(timeout=60)
    assert not locks(tmp_path)


def test_under_nohup_a_run_goes_on(tmp_path):
    process, terminal = run_on_a_terminal(tmp_path, signal.SIG_IGN)  # all that nohup does
    process.send_signal(signal.SIGHUP)
    time.sleep(1)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(terminal)
