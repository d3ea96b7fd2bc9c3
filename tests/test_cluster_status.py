"""The generic cluster profile's script that says how a job stands, fed with what schedulers print."""

import shutil
import subprocess

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "profiles" / "cluster-generic" / "status.sh"
MISSING = {name for name in ("bash", "grep") if shutil.which(name) is None}
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")

ENDED_IN_PBS = "Job Id: 7\n    job_state = F\n    Exit_status = {status}\n"


@pytest.fixture
def scheduler(tmp_path):
    """A function that sets up commands, each by what it prints and the status with which it ends, and asks of job 7."""

    def asked(**commands):
        for name in ("bash", "grep", "env", "cat"):
            (tmp_path / name).symlink_to(shutil.which(name))
        for name, (status, said) in commands.items():
            (tmp_path / f"{name}.txt").write_text(said)
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\ncat {tmp_path}/{name}.txt\nexit {status}\n")
            program.chmod(0o755)
        run = subprocess.run(
            [SCRIPT, "7"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True, timeout=60
        )
        return run.stdout

    return asked


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((0, "COMPLETED\n"), "success"),
        ((0, "PENDING\n"), "running"),
        ((0, "COMPLETING\n"), "running"),
        ((0, "CANCELLED\n"), "failed"),
        ((0, "OUT_OF_MEMORY\n"), "failed"),
        ((1, "slurm_load_jobs error: Invalid job id specified\n"), "failed"),
        ((1, "slurm_load_jobs error: Unable to contact slurm controller\n"), "running"),
    ],
)
def test_slurm(scheduler, answer, expected):
    assert scheduler(squeue=answer) == f"{expected}\n"


@pytest.mark.parametrize(
    ("listed", "counted", "expected"),
    [
        ((0, "job_number: 7\n"), (1, ""), "running"),
        ((1, "error: commlib error: can't find connection\n"), (1, ""), "running"),
        ((1, "Following jobs do not exist:\n7\n"), (0, "failed       0\nexit_status  0\n"), "success"),
        ((1, "Following jobs do not exist:\n7\n"), (0, "failed       0\nexit_status  137\n"), "failed"),
        ((1, "Following jobs do not exist:\n7\n"), (1, "error: job id 7 not found\n"), "failed"),
    ],
)
def test_grid_engine(scheduler, listed, counted, expected):
    assert scheduler(qstat=listed, qacct=counted) == f"{expected}\n"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((0, "Job Id: 7\n    job_state = R\n"), "running"),
        ((0, "Job Id: 7\n    job_state = Q\n"), "running"),
        ((0, ENDED_IN_PBS.format(status=0)), "success"),
        ((0, ENDED_IN_PBS.format(status=10)), "failed"),
        ((153, "qstat: Unknown Job Id 7\n"), "failed"),
        ((255, "Connection refused\n"), "running"),
    ],
)
def test_pbs(scheduler, answer, expected):
    assert scheduler(qstat=answer) == f"{expected}\n"
