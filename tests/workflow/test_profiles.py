"""Cluster profiles agree with the rules: GPUs, partitions, and jobs of the submit host."""

import json
import logging
import re
from types import SimpleNamespace

import pytest
import yaml
from snakemake_executor_plugin_slurm.partitions import get_best_partition, read_partition_file

from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.workflow

CLUSTERS = ("slurm", "cluster-generic", "kubernetes")
# A Snakefile that prints, for each rule that makes files, whether it can use a GPU, takes a device, and runs on the
# submit host.
OF_EVERY_RULE = """
include: "Snakefile"

import json

described = {
    each.name: {
        "gpu": "gpu" in each.resources.keys(),
        "device": "device" in each.params.keys(),
        "local": each.name in workflow._localrules,
        "script": each.script,
    }
    for each in workflow.rules
    if each.script
}
print("RULES " + json.dumps(described))
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """Every rule that makes files, by name."""
    checkout = copy_project(tmp_path_factory.mktemp("rules"))
    (checkout.folder / "described.smk").write_text(OF_EVERY_RULE)
    finished = checkout.snakemake("--list-rules", "--snakefile", "described.smk", edition=None)
    return json.loads(re.search(r"^RULES (.*)$", finished.text, flags=re.M)[1])


def profile(name):
    """The keys of a profile."""
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


def test_rules_that_take_a_device_are_those_that_can_use_a_gpu(rules):
    assert {name for name, rule in rules.items() if rule["gpu"]} == {
        name for name, rule in rules.items() if rule["device"]
    }


@pytest.mark.parametrize("name", CLUSTERS)
def test_no_profile_names_a_rule(name):
    assert not {"set-resources", "set-threads", "groups"} & profile(name).keys()


@pytest.mark.parametrize(("gpu", "expected"), [({"gpu": 1}, "gpu"), ({}, "main")])
def test_jobs_with_a_gpu_go_to_the_partition_that_has_some(gpu, expected):
    keys = profile("slurm")
    partitions = read_partition_file(ROOT / "profiles" / "slurm" / keys["slurm-partition-config"])
    resources = {"mem_mb": 3000, "runtime": 60, **gpu}
    job = SimpleNamespace(name="a", threads=1, resources=resources)
    assert get_best_partition(partitions, job, logging.getLogger()) == expected


@pytest.mark.parametrize("name", [*CLUSTERS, "s3"])
def test_what_the_default_profile_sets_is_repeated(name):
    default = profile("default")
    del default["resources"]  # this machine's GPU
    assert default.items() <= profile(name).items()


def test_figures_and_printed_tables_run_on_the_submit_host_and_nothing_on_a_gpu_does(rules):
    light = {"draw_figure.py", "print_table.py", "join_tables.py"}
    by_place = {
        place: {name for name, rule in rules.items() if rule["local"] is place and not rule["gpu"]}
        for place in (True, False)
    }
    drawn = {name for name, rule in rules.items() if rule["script"].rpartition("/")[2] in light}
    assert {
        "draw_figure",
        "draw_figure_of_edition",
        "print_table_of_edition",
        "join_tasks",
        "join_disabled_heads",
    } <= drawn
    assert drawn | {"tabulate", "tabulate_kobayashi_mixing"} <= by_place[True]
    assert {"segments", "sum_up", "analyze", "make_explorer"} <= by_place[False]
    assert not any(rule["local"] for rule in rules.values() if rule["gpu"])
