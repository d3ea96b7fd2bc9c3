"""A copy of the project in which the workflow is run as a user runs it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from bert_attention.files import sha256
from bert_attention.plan import Plan, target
from bert_attention.results import results
from tests.conftest import ROOT

PARTS = ("Snakefile", "config.yaml", "workflow", "envs", "profiles", "editions", "tests/editions")
ENCODER = "all-MiniLM-L6-v2"  # the encoder of the embedded and the reduced edition


def table_in(results: Path, name: str) -> Path:
    """The file of a table, in the results of an edition of one model."""
    (file,) = results.rglob(f"tables/{name}.csv")
    return file


RESULTS = {target(name) for name in (*results().shown, *Plan(results()).tables_of_models)}


@dataclass(frozen=True)
class Finished:
    """The output and the exit status of a command of Snakemake."""

    status: int
    text: str

    @property
    def jobs(self) -> dict[str, int]:
        """Number of jobs by target for jobs that make a result, by sum_up_<table> for sums, and else by rule."""
        printed = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", self.text, flags=re.M)
        jobs = {re.search(r"jobid: (\d+)", lines)[1]: (rule, lines) for rule, lines in printed}  # retries count once
        # A rule named like a result, without an output, makes nothing itself.
        made = [job for job in jobs.values() if job[0] not in RESULTS or "    output: " in job[1]]
        return dict(Counter(_made_by(*job) for job in made))


def _made_by(rule: str, lines: str) -> str:
    """Return the target of a job's result, or the name of its rule."""
    wildcards = dict(re.findall(r"(\w+)=([^,\s]*)", (re.search(r"    wildcards: (.*)", lines) or ["", ""])[1]))
    shown = {wildcards[kind] for kind in ("table", "figure", "printed") if kind in wildcards}
    if rule == "join_disabled_heads":
        return "kovaleva_disabled_heads"
    if shown:
        return ("sum_up_" if rule == "sum_up" else "") + target(*shown)
    table = rule.removeprefix("tabulate_")
    return rule if table == rule else target(wildcards.get("control", "") + table)


@dataclass(frozen=True)
class Checkout:
    """A folder with the project's files."""

    folder: Path

    def snakemake(self, *arguments: str, **options: object) -> Finished:
        """Run Snakemake in the folder; for arguments see :meth:`command`."""
        run = subprocess.run(
            self.command(*arguments, **options),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
            stdin=subprocess.DEVNULL,
        )
        return Finished(run.returncode, run.stdout + run.stderr)

    @staticmethod
    def command(
        *arguments: str, edition: str | tuple[str, ...] | None = "tests/editions/reduced.yaml", cores: int | None = 2
    ) -> list[str]:
        """A command of Snakemake; targets come first, because several options are greedy.

        Each of several editions overrides the editions before it. On a cluster, cores are None.
        """
        editions = (edition,) if isinstance(edition, str) else edition
        of_editions = ["--configfile", *editions] if editions else []
        of_cores = ["--cores", str(cores)] if cores else []
        return [sys.executable, "-m", "snakemake", *arguments, *of_cores, *of_editions]

    def overlay(self, edition: str = "mine", **keys: object) -> str:
        """Write an overlay that names an edition, and return its file."""
        (self.folder / f"{edition}.yaml").write_text(yaml.safe_dump({"edition": edition, **keys}))
        return f"{edition}.yaml"

    def digests(self, *folders: str) -> dict[str, str]:
        """The digest of every file in some folders."""
        files = [file for folder in folders for file in sorted((self.folder / folder).rglob("*")) if file.is_file()]
        return {file.relative_to(self.folder).as_posix(): sha256(file) for file in files}


def copy_project(folder: Path) -> Checkout:
    """Copy the files that a run needs, without the results of earlier runs."""
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copyfile(ROOT / part, target)
    return Checkout(folder)


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    """The project, as cloned."""
    return copy_project(tmp_path)


@pytest.fixture(scope="session")
def first_run(tmp_path_factory, worker_id) -> Iterator[tuple[Checkout, Finished]]:
    """The project after a whole run of the reduced edition, and its output. Tests must not change it.

    This run takes minutes, and all test processes share it. Tests of later runs start from links to its files.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "replicated"
    output = folder.with_suffix(".json")
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one of several test processes runs the workflow, and the others wait
        if not output.exists():
            finished = copy_project(folder).snakemake()
            output.write_text(json.dumps([finished.status, finished.text]))
    checkout, finished = Checkout(folder), Finished(*json.loads(output.read_text()))
    made = checkout.digests("resources")
    yield checkout, finished
    assert checkout.digests("resources") == made, "a test changed a file of the first run"


def linked(first_run: tuple[Checkout, Finished], folder: Path) -> Checkout:
    """Copy the project after the first run. Its resources are links: a test that changes one removes it first."""
    original, finished = first_run
    assert finished.status == 0, finished.text
    shutil.copytree(original.folder, folder, ignore=shutil.ignore_patterns("resources"))
    shutil.copytree(original.folder / "resources", folder / "resources", copy_function=os.link)
    return Checkout(folder)


@pytest.fixture
def replicated(first_run, tmp_path) -> Checkout:
    """A copy of the project after the first run, which a test may change; see :func:`linked`."""
    return linked(first_run, tmp_path / "moved")
