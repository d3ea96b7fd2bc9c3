"""GPUs of a simulated machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bert_attention.running import gpus
from bert_attention.running.gpus import has_gpu, own_gpu, visible_gpus
from tests.conftest import ROOT

# Output of nvidia-smi for two GPUs, one of them divided.
LISTED = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)
  MIG 1g.10gb     Device  0: (UUID: MIG-cccc)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A function that sets the output of nvidia-smi and the build of PyTorch."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def make(listed=LISTED, version="2.13.0"):
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\ncat <<'END'\n{listed}END\n")
        tool.chmod(0o755)
        monkeypatch.setattr(gpus.metadata, "version", lambda name: version)

    return make


@pytest.mark.parametrize(
    ("listed", "version", "expected"),
    [(LISTED, "2.13.0+cu130", True), (LISTED, "2.13.0+cpu", False), ("No devices were found\n", "2.13.0", False)],
)
def test_a_gpu_needs_a_driver_and_a_build_of_pytorch_for_it(machine, listed, version, expected):
    machine(listed, version)
    assert has_gpu() is expected


@pytest.mark.parametrize(("allotted", "expected"), [("", []), ("-1", []), ("3,4", ["3", "4"])])
def test_only_gpus_that_a_cluster_allots_are_visible(machine, monkeypatch, allotted, expected):
    machine()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", allotted)
    assert visible_gpus() == expected
    assert has_gpu() is bool(expected)


def test_each_job_has_its_own_gpu(machine, tmp_path):
    machine()
    code = "import os, sys; from pathlib import Path; from bert_attention.running.gpus import own_gpu\n"
    code += "with own_gpu(Path(sys.argv[1])): print(os.environ.get('CUDA_VISIBLE_DEVICES'), flush=True); input()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}

    def job():
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **options)
        return process, process.stdout.readline().strip()

    jobs = [job() for _ in range(3)]
    assert [gpu for _, gpu in jobs] == ["GPU-aaaa", "GPU-bbbb", "None"]  # a third job shares the two GPUs
    jobs[0][0].communicate("\n")  # ends the job
    jobs.append(job())
    assert jobs[-1][1] == "GPU-aaaa"
    for process, _ in jobs[1:]:
        process.communicate("\n")


def test_a_single_gpu_is_not_locked(machine, tmp_path):
    machine(LISTED.splitlines(keepends=True)[0])
    with own_gpu(tmp_path):
        assert "CUDA_VISIBLE_DEVICES" not in os.environ
    assert [file.name for file in Path(tmp_path).iterdir()] == ["nvidia-smi"]
