"""Rules and cluster profiles agree: GPUs, jobs of the submit host, digests of sources. Labels of the report."""

import json
import re

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.conftest import copy_project

CLUSTERS = ("slurm", "cluster-generic", "kubernetes")
# A Snakefile that prints, for each rule that makes files, its parameters, whether it can use a GPU, and whether it runs
# on the submit host.
OF_EVERY_RULE = """
include: "Snakefile"

import dataclasses
import json


def is_plain(value):
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, [*value, *value.values()]))
    if dataclasses.is_dataclass(value):
        return all(map(is_plain, vars(value).values()))
    return value is None or isinstance(value, (str, int, float))


described = {
    each.name: {
        "gpu": "gpu" in each.resources.keys(),
        "params": list(each.params.keys()),
        "local": each.name in workflow._localrules,
        "submit_host": "submit_host" in each.resources.keys() and bool(each.resources["submit_host"].value),
        "odd_params": [key for key, value in each.params.items() if not callable(value) and not is_plain(value)],
        "numbers": [key for key, value in each.params.items() if type(value) in (int, float)],
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
    return describe(copy_project(tmp_path_factory.mktemp("rules")))


def describe(checkout, edition=None):
    """Return a description of every rule that makes files, by name."""
    (checkout.folder / "described.smk").write_text(OF_EVERY_RULE)
    finished = checkout.snakemake("--list-rules", "--snakefile", "described.smk", edition=edition)
    return json.loads(re.search(r"^RULES (.*)$", finished.text, flags=re.M)[1])


def profile(name):
    """The keys of a profile."""
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


def taking(rules, *params):
    """Return the rules with one of some parameters."""
    return {name for name, rule in rules.items() if set(params) & set(rule["params"])}


def test_rules_that_take_a_device_can_use_a_gpu(rules):
    assert {name for name, rule in rules.items() if rule["gpu"]} == taking(rules, "device", "run")


def test_every_rule_that_reads_a_source_reruns_when_its_content_changes(rules):
    """By a parameter with the content's digest; the embedded edition has no source of token counts."""
    readers = taking(rules, "origin", "origins")
    assert len(readers) > 10
    assert readers - taking(rules, "content", "contents") == {"token_ranks"}


@pytest.mark.parametrize("name", [*CLUSTERS, "s3"])
def test_profiles_name_no_rule_and_repeat_the_default_profile(name):
    default = profile("default")
    del default["resources"]  # this machine's GPU
    assert default.items() <= profile(name).items()
    assert not {"set-resources", "set-threads", "groups"} & profile(name).keys()


def test_only_light_jobs_without_a_gpu_run_on_the_submit_host(rules):
    light = {"draw_figure.py", "print_table.py", "join_tables.py"}
    drawn = {name for name, rule in rules.items() if rule["script"].rpartition("/")[2] in light}
    local = {name for name, rule in rules.items() if rule["local"]}
    assert len(drawn) >= 4
    assert drawn <= local
    assert not {"wikipedia", "segments", "sum_up", "tabulate", "tabulate_coenen_probes", "stanza_pipeline"} & local
    assert not any(rules[name]["gpu"] for name in local)


def test_jobs_of_the_submit_host_are_limited_by_a_resource(rules):
    """Snakemake's ``--local-cores`` does not limit them."""
    assert {name for name, rule in rules.items() if rule["submit_host"]} == {
        name for name, rule in rules.items() if rule["local"]
    }
    for name in CLUSTERS:
        assert profile(name)["resources"]["submit_host"] == 2
        assert "local-cores" not in profile(name)


def test_snakemake_sees_a_change_of_each_parameter(rules):
    """It sees no change of an array or a path, and may see a change of an equal set."""
    assert {name: rule["odd_params"] for name, rule in rules.items() if rule["odd_params"]} == {}


def test_snakemake_sees_that_two_numbers_have_changed_places(rules):
    """It compares the values of params without their names."""
    several = {name for name, rule in rules.items() if len(rule["numbers"]) > 1}
    assert len(several) > 5
    assert several <= taking(rules, "named")


def test_the_report_has_the_figures_of_each_model(tmp_path, edition):
    """Snakemake shows only the last of several figures with the same labels."""
    checkout = copy_project(tmp_path)
    models = [{**edition["models"][0], "name": name} for name in ("one", "another")]
    for model in models:
        figures = tmp_path / "results" / "two" / model["name"] / "figures"
        figures.mkdir(parents=True)
        for form in ("pdf", "png"):
            (figures / f"clark_figure_2_positions.{form}").write_text("drawn")
    overlay = checkout.overlay("two", models=models)
    reported = checkout.snakemake("clark_figure_2", "--report", "report.html", edition=overlay, cores=None)
    assert reported.status == 0, reported.text
    labels = re.findall(r'"labels": ({.*?})', (tmp_path / "report.html").read_text(encoding="utf-8"))
    assert {json.loads(text)["model"] for text in labels} == {"one", "another"}
