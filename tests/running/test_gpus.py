"""GPUs of a simulated machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bert_attention.running import gpus
from bert_attention.running.gpus import has_gpu, own_gpu, visible_gpus
from tests.conftest import ROOT

# What the driver's tool says of two GPUs, one of them divided.
LISTED = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)
  MIG 1g.10gb     Device  0: (UUID: MIG-cccc)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A function that makes the driver's tool say something, and PyTorch be of some build."""
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
    [
        (LISTED, "2.13.0", True),
        (LISTED, "2.13.0+cu130", True),
        (LISTED, "2.13.0+cpu", False),
        ("No devices were found\n", "2.13.0", False),
    ],
)
def test_a_gpu_counts_where_pytorch_can_use_it(machine, listed, version, expected):
    machine(listed, version)
    assert has_gpu() is expected


@pytest.mark.parametrize(("allotted", "expected"), [("", []), ("-1", []), ("3,4", ["3", "4"]), ("GPU-x", ["GPU-x"])])
def test_what_a_cluster_allots_counts_alone(machine, monkeypatch, allotted, expected):
    machine()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", allotted)
    assert visible_gpus() == expected
    assert has_gpu() is bool(expected)


def test_each_job_has_a_gpu_of_its_own(machine, tmp_path):
    machine()
    code = "import os, sys; from pathlib import Path; from bert_attention.running.gpus import own_gpu\n"
    code += "with own_gpu(Path(sys.argv[1])): print(os.environ.get('CUDA_VISIBLE_DEVICES'), flush=True); input()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    told = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}

    def job():
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **told)
        return process, process.stdout.readline().strip()

    def end(process):
        process.communicate("\n")

    jobs = [job() for _ in range(3)]
    assert [gpu for _, gpu in jobs] == ["GPU-aaaa", "GPU-bbbb", "None"]  # of more jobs than GPUs, the rest share
    end(jobs[0][0])
    later = job()
    assert later[1] == "GPU-aaaa"
    for process, _ in (*jobs[1:], later):
        end(process)


def test_with_a_single_gpu_there_is_nothing_to_choose(machine, tmp_path):
    machine(LISTED.splitlines(keepends=True)[0])
    with own_gpu(tmp_path):
        assert "CUDA_VISIBLE_DEVICES" not in os.environ
    assert [file.name for file in Path(tmp_path).iterdir()] == ["nvidia-smi"]
