"""The conda environments pin what pyproject.toml pins, and each holds what its rules' scripts import."""

import ast
import re
import tomllib

import pytest
import yaml

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


@pytest.mark.parametrize(("script", "environment"), list(scripts_by_environment()))
def test_environment_holds_what_the_script_imports(script, environment):
    waiting = [ROOT / "workflow" / script]
    if script.endswith("tabulate.py"):
        waiting += (ROOT / "workflow" / "bert_attention" / "clark").glob("*.py")
    if script.endswith("draw_figure.py"):
        waiting += (ROOT / "workflow" / "bert_attention" / "figures").glob("*.py")
    available = pins(ROOT / "envs" / environment)
    seen = set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                package = name.split(".")[0]
                inside = ROOT / "workflow" / (name.replace(".", "/") + ".py")
                if package == "bert_attention":
                    waiting += [inside] if inside.is_file() else []
                elif DISTRIBUTION_OF.get(package, package) in PINS:
                    assert DISTRIBUTION_OF.get(package, package) in available, f"{file} imports {package}"
