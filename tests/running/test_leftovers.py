"""What a killed run leaves behind."""

import errno
import fcntl
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bert_attention.errors import InputError
from bert_attention.files import RUN, replacing, replacing_folder, unfinished
from bert_attention.running.at_work import is_held, job_at_work
from bert_attention.running.leftovers import begin_run, clear_leftovers
from tests.conftest import ROOT

SNAKEFILE = """
from bert_attention.running.leftovers import end_on_hangup
end_on_hangup()
rule slow:
    output: "made.txt"
    shell: "touch started; sleep 300; touch {output}"
"""


# A job: it tells a run that it is at work, and writes a file when it is told to.
JOB = """
import sys, time
from pathlib import Path
from bert_attention.files import replacing
from bert_attention.running.at_work import job_at_work
with job_at_work("slow, for results/made.txt"), replacing("results/made.txt") as partial:
    partial.write_text(sys.argv[1])
    Path("started").touch()
    while not Path("go").exists():
        time.sleep(0.01)
"""
# A run, of which one job is at work until it is killed.
OLD_RUN = f"""
import subprocess, sys
from bert_attention.running.leftovers import begin_run
running = begin_run("at_work")
subprocess.run([sys.executable, "-c", {JOB!r}, "old"])
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(RUN, "")  # and what tests set is taken back
    monkeypatch.delenv(RUN)
    return tmp_path


@pytest.fixture
def leftovers(folder):
    """Two files and a folder as a killed job leaves them, and finished ones."""
    with replacing("results/table.csv") as file, replacing_folder("results/model") as model:
        file.touch()
        inner = model / "inner" / ".weights.elsewhere-12.partial"
        inner.parent.mkdir()
        inner.touch()
    others = [Path(f"results/.other.csv{unfinished()}"), Path("results/.other.elsewhere-12.partial")]
    others[0].touch()
    others[1].mkdir()
    (others[1] / "weights").touch()
    Path("results/notes.partial").touch()
    return sorted([*others, Path("results/model/inner", inner.name)])


def python(code, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment)


@pytest.fixture
def orphan():
    """The process of a job whose run was killed."""
    run = python(OLD_RUN)
    wait_for(Path("started").exists)
    run.kill()
    run.wait()
    (file,) = Path("at_work").glob("job.*")
    process = int(file.name.rpartition("-")[2])
    yield process
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def names(folder):
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*")}


def test_what_a_killed_job_was_writing_is_removed(leftovers):
    with begin_run("at_work"):
        assert clear_leftovers(["results", "none"]) == leftovers
    assert names("results") == {"table.csv", "model", "model/inner", "notes.partial"}


def test_nothing_is_removed_that_a_job_beside_this_run_is_writing(leftovers):
    """Of a run with --nolock, while another is at work."""
    other = python(OLD_RUN)
    wait_for(Path("started").exists)
    with begin_run("at_work"):
        removed = clear_leftovers(["results"])
    Path("go").touch()
    other.wait()
    assert removed == []
    assert all(path.exists() for path in leftovers)
    assert Path("results/made.txt").read_text() == "old"


def test_a_run_does_not_begin_while_jobs_of_a_killed_one_are_at_work(orphan):
    found = rf"at work:\n  - process {orphan}: slow, for results/made.txt\n  Remedy: wait for them, or kill {orphan};"
    with pytest.raises(InputError, match=found):
        begin_run("at_work")
    os.kill(orphan, signal.SIGKILL)
    wait_for(lambda: not any(map(is_held, Path("at_work").glob("job.*"))))
    with begin_run("at_work") as own:
        assert names("at_work") == {Path(own.name).name}
        assert len(clear_leftovers(["results"])) == 1
    assert names("results") == set()


def test_what_such_a_job_has_made_does_not_replace_what_a_later_run_made(orphan):
    """Of a job on another machine of a cluster, which the later run cannot see."""
    (file,) = Path("at_work").glob("job.*")
    file.rename(file.with_name(f"job.elsewhere-{orphan}"))
    with begin_run("at_work"), replacing("results/made.txt") as partial:
        partial.write_text("new")
    Path("go").touch()
    wait_for(lambda: not any(Path("results").glob(".*")))
    assert Path("results/made.txt").read_text() == "new"


def test_a_job_that_begins_after_its_run_was_killed_ends_at_once(orphan, monkeypatch):
    os.kill(orphan, signal.SIGKILL)
    (old,) = Path("at_work").glob("run.*")
    wait_for(lambda: not any(map(is_held, Path("at_work").glob("job.*"))))
    with begin_run("at_work"):
        monkeypatch.setenv(RUN, str(old.absolute()))
        with pytest.raises(InputError, match="another has begun since"), job_at_work("clark_entropy"):
            pass


def test_a_job_that_does_not_see_its_run_works_as_ever(monkeypatch):
    monkeypatch.setenv(RUN, "/none/at_work/run.elsewhere-12")
    with job_at_work("clark_entropy"), replacing("made.txt") as partial:
        partial.touch()
    assert Path("made.txt").exists()


def test_a_run_begins_where_files_have_no_locks(monkeypatch):
    def refused(*_arguments):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with begin_run("at_work"), job_at_work("clark_entropy"), replacing("made.txt") as partial:
        partial.touch()
    with begin_run("at_work"):
        assert clear_leftovers(["results"]) == []


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
