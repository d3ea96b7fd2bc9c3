"""Profiles: the status script of the generic cluster profile, and folders for caches."""

import os
import shutil
import subprocess

import pytest
import yaml

from tests.conftest import ROOT

SCRIPT = ROOT / "profiles" / "cluster-generic" / "status.sh"
pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("bash", "grep"))), reason="needs bash and grep")

UNKNOWN_TO_QSTAT = (1, "Following jobs do not exist:\n7\n")


def pbs(state):
    return 0, f"Job Id: 7\n    job_state = {state}\n"


@pytest.mark.parametrize(
    ("expected", "commands"),
    [
        ("success", {"squeue": (0, "COMPLETED\n")}),
        ("running", {"squeue": (0, "COMPLETING\n")}),
        ("failed", {"squeue": (0, "OUT_OF_MEMORY\n")}),
        ("failed", {"squeue": (1, "slurm_load_jobs error: Invalid job id specified\n")}),
        ("running", {"squeue": (1, "slurm_load_jobs error: Unable to contact slurm controller\n")}),
        ("running", {"qstat": (0, "job_number: 7\n"), "qacct": (1, "")}),
        ("running", {"qstat": (1, "error: commlib error: can't find connection\n"), "qacct": (1, "")}),
        ("success", {"qstat": UNKNOWN_TO_QSTAT, "qacct": (0, "failed       0\nexit_status  0\n")}),
        ("failed", {"qstat": UNKNOWN_TO_QSTAT, "qacct": (0, "failed       0\nexit_status  137\n")}),
        ("failed", {"qstat": UNKNOWN_TO_QSTAT, "qacct": (1, "error: job id 7 not found\n")}),
        ("running", {"qstat": pbs("Q")}),
        ("success", {"qstat": pbs("F\n    Exit_status = 0")}),
        ("failed", {"qstat": pbs("F\n    Exit_status = 10")}),
        ("failed", {"qstat": (153, "qstat: Unknown Job Id 7\n")}),
        ("running", {"qstat": (255, "Connection refused\n")}),
    ],
)
def test_status_of_a_job(tmp_path, expected, commands):
    """Each command of a scheduler has an exit status and an output."""
    for name in ("bash", "grep", "env", "cat"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, (status, output) in commands.items():
        (tmp_path / f"{name}.txt").write_text(output)
        (tmp_path / name).write_text(f"#!/bin/sh\ncat {tmp_path}/{name}.txt\nexit {status}\n")
        (tmp_path / name).chmod(0o755)
    run = subprocess.run([SCRIPT, "7"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert run.stdout == f"{expected}\n"


@pytest.mark.parametrize("profile", ["slurm", "cluster-generic", "kubernetes"])
def test_profiles_and_image_name_a_folder_for_caches(profile):
    """Snakemake fails if the home folder is not writable."""
    settings = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    command = f'{settings["precommand"].partition("&&")[0]}; printf %s "$XDG_CACHE_HOME"'
    environment = {"USER": "me", "PATH": os.environ["PATH"]}
    run = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout in ("/tmp/snakemake-cache-me", "/tmp/snakemake-cache")
    assert "XDG_CACHE_HOME=/tmp/cache" in (ROOT / "Dockerfile").read_text()
