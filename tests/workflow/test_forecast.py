"""The forecast of whole editions, in dry runs, beside the measured time and disk space."""

import csv
import re

import pytest

from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

with open(ROOT / "docs" / "measured_runs.csv", encoding="utf-8", newline="") as file:
    MEASURED = list(csv.DictReader(file))
TIME = r"(?:about (\d+) (minute|hour)s?|less than a minute) on (\d+) cores?"
FORECAST = re.compile(rf"^(\d+) jobs, {TIME}, ([\d.]+) GB \([\d.]+ GB free\)", flags=re.M)
SUMMARY = re.compile(
    rf"""
Jobs:    (\d+) \(((?:\w+ \d+(?:, )?)+)\)
Time:    {TIME}.*
Disk:    ([\d.]+) GB \([\d.]+ GB free\)
Memory:  [\d.]+ GB for the largest job \([\d.]+ GB available\)
Missing: (.*)
"""
)
FACTOR = 1.5


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A fresh copy of the project, in which tests make dry runs only."""
    return copy_project(tmp_path_factory.mktemp("forecast"))


def check_forecast(project, run, *arguments):
    finished = project.snakemake("-n", *arguments, cores=int(run["cores"]), edition=tuple(run["configfiles"].split()))
    (summary,) = SUMMARY.findall(finished.text)
    jobs, _, number, unit, cores, disk, _ = summary
    assert cores == run["cores"]
    assert int(jobs) == pytest.approx(int(run["jobs"]), rel=0.15)  # the recorded run can have other jobs
    measured = float(run["minutes"])
    minutes, rounding = (60 * float(number), 30) if unit == "hour" else (float(number or 0.5), 0.5)
    assert measured / FACTOR - rounding <= minutes <= measured * FACTOR + rounding, run
    if run["gigabytes"]:  # else it was not measured since stores have become smaller
        assert float(run["gigabytes"]) / FACTOR <= float(disk) <= float(run["gigabytes"]) * FACTOR, run


@pytest.mark.parametrize("run", MEASURED, ids=[f"{run['edition']}-{run['jobs']}" for run in MEASURED])
def test_forecasts_are_close_to_measured_runs(project, run):
    check_forecast(project, run, "-q", "rules")


def test_a_dry_run_ends_with_a_summary_in_place_of_lists_of_rules(project):
    listed = project.snakemake("clark_figure_4", "-n", cores=2)
    short = project.snakemake("clark_figure_4", "-n", "-q", "rules", cores=2)
    for finished in (listed, short):
        ((jobs, stages, *_, missing),) = SUMMARY.findall(finished.text)
        counts = dict(stage.split(" ") for stage in stages.split(", "))
        assert list(counts) == ["corpora", "models", "attention", "results"]
        assert sum(map(int, counts.values())) == int(jobs)
        assert missing == "nothing"
        assert "Job stats:" not in finished.text
        assert "Reasons:" not in finished.text
    assert len(listed.jobs) > 5
    assert not short.jobs
    assert len(short.text.splitlines()) < 12


def test_a_verbose_dry_run_keeps_the_lists_of_rules(project):
    finished = project.snakemake("vig_figure_neurons", "-n", "--verbose", cores=2)
    assert len(SUMMARY.findall(finished.text)) == 1
    assert "Job stats:" in finished.text
    assert "Reasons:" in finished.text


def test_a_run_begins_with_its_forecast_if_it_has_something_to_do(first_run):
    checkout, finished = first_run
    assert len(FORECAST.findall(finished.text)) == 1
    assert finished.text.index(" GB free)") < finished.text.index("jobid: ")
    again = checkout.snakemake("-n")
    assert "Nothing to be done" in again.text
    assert not SUMMARY.findall(again.text)
