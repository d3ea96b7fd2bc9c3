"""What the cluster profiles say of rules, compared with the rules themselves."""

import json
import re

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.workflow

# What a rule that uses a GPU asks for, but for their number.
PROFILES = {
    "slurm": {"slurm_partition": "gpu"},
    "cluster-generic": {"queue": "gpu"},
    "kubernetes": {"gpu_manufacturer": "nvidia"},
}
# A Snakefile that prints, for each rule that makes files, whether it can use a GPU, takes a device, and runs on the
# submit host. A rule that is only the base of others says so.
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
    if each.script and not each.docstring.startswith("(base of")
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
    """A profile's text, and its keys."""
    text = (ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8")
    return text, yaml.safe_load(text)


def test_rules_that_take_a_device_are_those_that_can_use_a_gpu(rules):
    assert {name for name, rule in rules.items() if rule["gpu"]} == {
        name for name, rule in rules.items() if rule["device"]
    }


@pytest.mark.parametrize("name", PROFILES)
def test_just_the_rules_that_can_use_a_gpu_ask_for_one(rules, name):
    listed = profile(name)[1]["set-resources"]
    assert set(listed) == {name for name, rule in rules.items() if rule["gpu"]}
    assert list(listed.values()) == [{**PROFILES[name], "gpu": 1}] * len(listed)


@pytest.mark.parametrize("name", PROFILES)
def test_the_place_of_gpus_is_named_once(name):
    ((key, place),) = PROFILES[name].items()
    assert len(re.findall(rf"^[^#]*{key}: {place}$", profile(name)[0], flags=re.M)) == 1


@pytest.mark.parametrize("name", [*PROFILES, "s3"])
def test_what_the_default_profile_sets_is_repeated(name):
    default = profile("default")[1]
    del default["resources"]  # this machine's GPU
    assert default.items() <= profile(name)[1].items()


def test_figures_and_printed_tables_run_on_the_submit_host_and_nothing_on_a_gpu_does(rules):
    light = {"draw_figure.py", "print_table.py", "join_tables.py"}
    by_place = {
        place: {name for name, rule in rules.items() if rule["local"] is place and not rule["gpu"]}
        for place in (True, False)
    }
    drawn = {name for name, rule in rules.items() if rule["script"].rpartition("/")[2] in light}
    assert {"clark_figure_2", "kobayashi_table_alignment", "kovaleva_change"} <= drawn
    assert drawn | {"clark_positions", "clark_head_map"} <= by_place[True]
    assert {"segments", "sum_up_clark_positions", "sum_up_kovaleva_cls", "explorer"} <= by_place[False]
    assert not any(rule["local"] for rule in rules.values() if rule["gpu"])
