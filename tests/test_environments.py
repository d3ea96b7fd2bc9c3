"""Nothing is unpinned: the conda environments pin what pyproject.toml pins, and the constraints all that comes along.

Each environment holds what its rules' scripts import.
"""

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
CONSTRAINTS = [
    Requirement(line)
    for line in (ROOT / "envs" / "constraints.txt").read_text().splitlines()
    if not line.startswith("#")
]
DISTRIBUTION_OF = {"yaml": "pyyaml", "thot": "sil-thot"}
PLAN = Plan(results())
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))


def pins(environment):
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    return dict(requirement.split("==", 1) for requirement in dependencies[-1]["pip"])


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_pins_equal_those_of_the_project(environment):
    assert pins(environment).items() <= PINS.items()


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_every_entry_of_an_environment_has_a_version(environment):
    *conda, pip = yaml.safe_load(environment.read_text())["dependencies"]
    assert [entry for entry in conda if not re.search(r"[<>=] ?\d", entry)] == []
    assert [entry for entry in pip["pip"] if "==" not in entry] == []


def test_every_requirement_of_the_project_is_one_version():
    optional = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    for text in [*PYPROJECT["build-system"]["requires"], *PROJECT["dependencies"], *optional]:
        assert re.fullmatch(r"==[\d.]+", str(Requirement(text).specifier)), text
    assert re.search(r"<", PROJECT["requires-python"])


def allowed_here():
    """Return the versions that the constraints allow on this platform and Python, by name."""
    here = [one for one in CONSTRAINTS if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): one.specifier for one in here}


def test_constraints_are_versions_and_agree_with_the_project():
    assert [str(one) for one in CONSTRAINTS if not re.fullmatch(r"==[\w.]+", str(one.specifier))] == []
    allowed = allowed_here()
    for requirement in LICENSES["requirements"](PROJECT):
        assert allowed[canonicalize_name(requirement.name)] == requirement.specifier


def test_everything_that_comes_along_is_in_the_constraints():
    installed = LICENSES["installed_with"](LICENSES["requirements"](PROJECT))
    assert len(installed) > 100
    assert sorted(installed.keys() - allowed_here()) == []


def test_every_license_is_listed():
    rows = (ROOT / "docs" / "licenses.md").read_text(encoding="utf-8").splitlines()
    listed = {tuple(cell.strip(" *") for cell in row.split("|")[1:3]) for row in rows if row.startswith("| ")}
    for requirement in LICENSES["requirements"](PROJECT):
        assert (canonicalize_name(requirement.name), str(requirement.specifier).lstrip("=")) in listed
    assert [row for row in rows if re.search(r"\| *\|", row)] == []


def scripts_by_environment():
    """Each script with the environment that its rule names; rules that inherit both name neither."""
    for rules in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        for text in re.split(r"^(?:use )?rule ", rules.read_text(), flags=re.M)[1:]:
            script, environment = re.search(r'"\.\./(scripts/.*?)"', text), re.search(r"envs/(\w+\.yaml)", text)
            if script:
                yield script[1], environment[1]


# The modules that scripts of many results call, by name of the script.
ANALYSES = sorted(
    {PLAN.function(name).rpartition(".")[0] for name, entry in PLAN.results.tables.items() if entry.analysis}
)
SHOWING = sorted({PLAN.showing_function(name).rpartition(".")[0] for name in PLAN.results.shown})
CALLED = {
    **dict.fromkeys(["sum_up.py", "tabulate.py", "analyze.py"], ANALYSES),
    **dict.fromkeys(["draw_figure.py", "print_table.py"], SHOWING),
}


@pytest.mark.parametrize(("script", "environment"), list(scripts_by_environment()))
def test_environment_holds_what_the_script_imports(script, environment):
    file = ROOT / "workflow" / script
    available = pins(ROOT / "envs" / environment)
    for path in [
        file,
        *(module for module in modules_reached(file, *CALLED.get(file.name, ())) if module.suffix == ".py"),
    ]:
        for name in {imported_name.split(".")[0] for imported_name in imported(path)}:
            distribution = DISTRIBUTION_OF.get(name, name)
            assert distribution not in PINS or distribution in available, f"{path} imports {name}"
