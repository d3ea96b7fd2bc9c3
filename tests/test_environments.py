"""The conda environments pin what pyproject.toml pins, and each holds what its rules' scripts import."""

import ast
import re
import tomllib

import pytest
import yaml

from bert_attention.running.codebase import SOURCES, code_digests
from tests.conftest import ROOT

PINS = dict(
    requirement.split("==")
    for requirement in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
)
DISTRIBUTION_OF = {"yaml": "pyyaml"}
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))


def pins(environment):
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    return dict(requirement.split("==") for requirement in dependencies[-1]["pip"])


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_pins_equal_those_of_the_project(environment):
    assert pins(environment).items() <= PINS.items()


def scripts_by_environment():
    """Each script with the environment that its rule names; rules that inherit both name neither."""
    for rules in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        for text in re.split(r"^(?:use )?rule ", rules.read_text(), flags=re.M)[1:]:
            script, environment = re.search(r'"\.\./(scripts/.*?)"', text), re.search(r"envs/(\w+\.yaml)", text)
            if script:
                yield script[1], environment[1]


# What scripts that serve many rules call, by name of the script: every function that a rule can name.
CALLED = {
    "tabulate.py": ("clark", "kovaleva", "kobayashi", "coenen", "vig"),
    "draw_figure.py": ("figures",),
    "print_table.py": ("paper",),
}


@pytest.mark.parametrize(("script", "environment"), list(scripts_by_environment()))
def test_environment_holds_what_the_script_imports(script, environment):
    file = ROOT / "workflow" / script
    called = [
        path for package in CALLED.get(file.name, ()) for path in (SOURCES / "bert_attention" / package).rglob("*.py")
    ]
    modules = code_digests(file, *(".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in called))
    available = pins(ROOT / "envs" / environment)
    for path in [file, *(SOURCES / entry.split()[0] for entry in modules)]:
        for name in imported_packages(path):
            distribution = DISTRIBUTION_OF.get(name, name)
            assert distribution not in PINS or distribution in available, f"{path} imports {name}"


def imported_packages(path):
    """Top-level packages that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        yield from (name.split(".")[0] for name in names)
