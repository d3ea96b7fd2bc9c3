"""The forecast of whole editions, in dry runs, beside the measured time."""

import csv
import re

import pytest

from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

with open(ROOT / "docs" / "measured_runs.csv", encoding="utf-8", newline="") as file:
    MEASURED = list(csv.DictReader(file))
FORECAST = re.compile(
    r"^(\d+) jobs, (?:about (\d+) (minute|hour)s?|less than a minute) on (\d+) cores?, ([\d.]+) GB \([\d.]+ GB free\)",
    re.M,
)
FACTOR = 1.5


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A fresh copy of the project, in which tests make dry runs only."""
    return copy_project(tmp_path_factory.mktemp("forecast"))


def check_forecast(project, run, *arguments):
    finished = project.snakemake("-n", *arguments, cores=int(run["cores"]), edition=tuple(run["configfiles"].split()))
    (forecast,) = FORECAST.findall(finished.text)
    jobs, number, unit, cores, _ = forecast
    assert cores == run["cores"]
    assert int(jobs) == pytest.approx(int(run["jobs"]), rel=0.15)  # the recorded run can have other jobs
    measured = float(run["minutes"])
    minutes, rounding = (60 * float(number), 30) if unit == "hour" else (float(number or 0.5), 0.5)
    assert measured / FACTOR - rounding <= minutes <= measured * FACTOR + rounding, run


@pytest.mark.parametrize("run", MEASURED, ids=[f"{run['edition']}-{run['jobs']}" for run in MEASURED])
def test_forecasts_are_close_to_measured_runs(project, run):
    check_forecast(project, run, "-q", "rules")


def test_a_dry_run_that_lists_its_jobs_has_the_forecast_once(project):
    finished = project.snakemake("clark_figure_4", "-n", cores=2)
    assert len(re.findall(r"^\d+ jobs, .* on 2 cores, ", finished.text, flags=re.M)) == 1


def test_a_run_begins_with_its_forecast_if_it_has_something_to_do(first_run):
    checkout, finished = first_run
    assert len(FORECAST.findall(finished.text)) == 1
    assert finished.text.index(" GB free)") < finished.text.index("jobid: ")
    again = checkout.snakemake("-n")
    assert "Nothing to be done" in again.text
    assert not FORECAST.findall(again.text)
