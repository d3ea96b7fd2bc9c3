"""All versions are pinned, those of all dependencies in the constraints. Environments have their scripts' imports."""

import re
import runpy
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.codebase import modules_reached
from tests.conftest import ROOT
from tests.test_layers import imported

LICENSES = runpy.run_path(str(ROOT / "docs" / "licenses.py"))

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PINS = dict(requirement.split("==", 1) for requirement in PROJECT["dependencies"])
LINES = (ROOT / "envs" / "constraints.txt").read_text().splitlines()
CONSTRAINTS = [Requirement(line) for line in LINES if not line.startswith("#")]
DISTRIBUTION_OF = {"yaml": "pyyaml", "thot": "sil-thot"}
PLAN = Plan(results())


def pins(environment):
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    return dict(requirement.split("==", 1) for requirement in dependencies[-1]["pip"])


def test_every_requirement_of_the_project_is_one_version():
    optional = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    for text in [*PYPROJECT["build-system"]["requires"], *PROJECT["dependencies"], *optional]:
        assert re.fullmatch(r"==[\d.]+", str(Requirement(text).specifier)), text
    assert re.search(r"<", PROJECT["requires-python"])


def test_constraints_agree_with_the_project_and_include_all_dependencies():
    assert [str(line) for line in CONSTRAINTS if not re.fullmatch(r"==[\w.]+", str(line.specifier))] == []
    here = [line for line in CONSTRAINTS if line.marker is None or line.marker.evaluate()]
    allowed = {canonicalize_name(line.name): line.specifier for line in here}
    required = LICENSES["requirements"](PROJECT)
    for requirement in required:
        assert allowed[canonicalize_name(requirement.name)] == requirement.specifier
    installed = LICENSES["installed_with"](required)
    assert len(installed) > 100
    assert sorted(installed.keys() - allowed.keys()) == []


def test_every_license_is_listed():
    rows = (ROOT / "docs" / "licenses.md").read_text(encoding="utf-8").splitlines()
    listed = {tuple(cell.strip(" *") for cell in row.split("|")[1:3]) for row in rows if row.startswith("| ")}
    for requirement in LICENSES["requirements"](PROJECT):
        assert (canonicalize_name(requirement.name), str(requirement.specifier).lstrip("=")) in listed
    assert [row for row in rows if re.search(r"\| *\|", row)] == []


def scripts_by_environment():
    """Yield each script with the environment of its rule. Rules that inherit both name neither."""
    for rules in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        for text in re.split(r"^(?:use )?rule ", rules.read_text(), flags=re.M)[1:]:
            script, environment = re.search(r'"\.\./(scripts/.*?)"', text), re.search(r"envs/(\w+\.yaml)", text)
            if script:
                yield script[1], environment[1]


# Scripts that make many results, each with the modules that it calls.
ANALYSES = {PLAN.function(name).rpartition(".")[0] for name, entry in PLAN.results.tables.items() if entry.analysis}
SHOWING = {PLAN.showing_function(name).rpartition(".")[0] for name in PLAN.results.shown}
CALLED = dict.fromkeys(["sum_up.py", "tabulate.py"], sorted(ANALYSES))
CALLED |= dict.fromkeys(["draw_figure.py", "print_table.py"], sorted(SHOWING))


@pytest.mark.parametrize(("script", "environment"), list(scripts_by_environment()))
def test_an_environment_has_the_imports_of_its_scripts(script, environment):
    file = ROOT / "workflow" / script
    available = pins(ROOT / "envs" / environment)
    reached = modules_reached(file, *CALLED.get(file.name, ()))
    for path in [file, *(module for module in reached if module.suffix == ".py")]:
        for name in {imported_name.split(".")[0] for imported_name in imported(path)}:
            distribution = DISTRIBUTION_OF.get(name, name)
            assert distribution not in PINS or distribution in available, f"{path} imports {name}"


def test_a_job_has_one_thread():
    """The results depend on the number of threads, and Snakemake gives a rule fewer threads on fewer cores."""
    several = {
        re.match(r"\w+", text)[0]: threads[1].strip()
        for file in sorted((ROOT / "workflow" / "rules").glob("*.smk"))
        for text in re.split(r"^(?:use )?rule (?:\w+ as )?", file.read_text(), flags=re.M)[1:]
        if (threads := re.search(r"^    threads:(.*?)(?:#.*)?$", text, flags=re.M)) and threads[1].strip() != "1"
    }
    assert several == {}
