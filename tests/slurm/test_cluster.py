"""The program that runs a Slurm of this one machine leaves nothing behind, and leaves alone what is not its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.slurm import cluster
from tests.slurm.cluster import MARK, SETTINGS, why_unavailable

pytestmark = pytest.mark.long
needs_slurm = pytest.mark.skipif(why_unavailable() is not None, reason=f"{why_unavailable()}")


@contextlib.contextmanager
def running_cluster(folder: Path):
    """The program that runs a cluster, from the moment that it takes jobs; whatever happens, it ends."""
    program = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "slurm" / "cluster.py"), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        said = program.stdout.readline().strip()
        if said.startswith("unavailable"):
            pytest.skip(said)
        assert said == "ready"
        yield program
    finally:
        program.stdin.close()
        program.wait(timeout=120)
        program.stdout.close()


def processes_of(folder: Path) -> list[int]:
    """Processes whose command names a folder, or that run in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes().decode(errors="replace")
            if str(folder) in command or str(folder) in str((process / "cwd").readlink()):
                found.append(int(process.name))
    return found


def daemons() -> list[str]:
    """The commands of all running daemons of Slurm, and of their jobs."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            commands += [command] if command.startswith(("slurmctld", "slurmd", "slurmstepd")) else []
    return commands


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.workflow
@needs_slurm
def test_a_second_one_is_refused_and_when_the_first_ends_so_do_jobs_and_daemons(tmp_path):
    with running_cluster(tmp_path / "cluster"):
        settings = (SETTINGS / "slurm.conf").read_text()
        command = [sys.executable, cluster.__file__, str(tmp_path / "second")]
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert "is in use by another run" in second.stdout
        assert (SETTINGS / "slurm.conf").read_text() == settings
        job = ["sbatch", f"--chdir={tmp_path}", "--output=job.log", "--wrap=echo begun; exec sleep 1000"]
        subprocess.run(job, check=True, capture_output=True)
        wait_until(lambda: (tmp_path / "job.log").is_file() and "begun" in (tmp_path / "job.log").read_text())
        assert len(processes_of(tmp_path)) > 1
        assert {"slurmctld", "slurmd", "slurmstepd:"} <= {command.split()[0] for command in daemons()}
    assert processes_of(tmp_path) == []
    assert daemons() == []
    assert not (SETTINGS / "slurm.conf").exists()
    assert not (SETTINGS / "gres.conf").exists()


@pytest.mark.workflow
@needs_slurm
def test_when_it_is_killed_the_daemons_end_and_another_one_can_start(tmp_path):
    with running_cluster(tmp_path / "first") as program:
        program.kill()
        wait_until(lambda: not daemons() and not processes_of(tmp_path))
    with running_cluster(tmp_path / "second"):
        assert (SETTINGS / "slurm.conf").read_text().startswith(MARK)
    assert not (SETTINGS / "slurm.conf").exists()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has everything, by files that stand in for it."""
    (tmp_path / "bin").mkdir()
    for name in cluster.PROGRAMS:
        (tmp_path / "bin" / name).touch(mode=0o755)
    monkeypatch.setattr(cluster, "SETTINGS", tmp_path / "etc")
    monkeypatch.setattr(cluster, "_search_path", lambda: str(tmp_path / "bin"))
    monkeypatch.setattr(cluster.os, "geteuid", lambda: 0)
    monkeypatch.setattr(cluster.sys, "platform", "linux")
    return tmp_path


def test_somebody_elses_settings_are_not_touched(machine):
    (machine / "etc").mkdir()
    settings = machine / "etc" / "slurm.conf"
    settings.write_text(f"{MARK}ClusterName=test\n")
    assert why_unavailable() is None
    settings.write_text("ClusterName=real\n")
    assert why_unavailable() == f"{settings} belongs to a cluster of this machine"
    with pytest.raises(cluster.UnavailableError), cluster.cluster(machine / "folder", print):
        pass
    assert settings.read_text() == "ClusterName=real\n"


def test_what_is_missing_is_named_with_the_command_that_installs_it(machine, monkeypatch):
    (machine / "bin" / "slurmd").unlink()
    assert why_unavailable() == f"slurmd not found; {cluster.INSTALLED_BY} installs a Slurm"
    (machine / "bin" / "slurmd").touch(mode=0o755)
    monkeypatch.setattr(cluster.os, "geteuid", lambda: 1000)
    assert "root" in why_unavailable()
