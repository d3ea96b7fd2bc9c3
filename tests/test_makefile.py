"""The Makefile: choice of an interpreter, cleaning, and arguments."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture(autouse=True)
def without_outer_make(monkeypatch):
    """Remove the settings of the make that runs these tests (``make test PYTHON=...``)."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "PYTHON"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        ({"python3": "3.12", "python3.13": "3.13"}, "python3"),
        ({"python3": "3.14", "python3.11": "3.11", "python3.13": "3.13"}, "python3.13"),
        ({"python3": "3.9", "uv": "none"}, "uv"),
        ({"python3": "3.10"}, None),
    ],
)
def test_a_suitable_interpreter_makes_the_environment(tmp_path, versions, chosen):
    """Stand-ins for Python say if their version is suitable, and record their call."""
    (tmp_path / "bin").mkdir()
    for name, version in versions.items():
        suitable = 0 if version in ("3.11", "3.12", "3.13") else 1
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit {suitable}\necho "$0 $@" > {tmp_path}/call\n')
        program.chmod(0o755)
    command = [shutil.which("make"), "-C", str(ROOT), f"VENV={tmp_path}/venv", f"{tmp_path}/venv/bin/python"]
    environment = {**os.environ, "PATH": str(tmp_path / "bin")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if chosen:
        program, *arguments = (tmp_path / "call").read_text().split()
        assert program.endswith(f"/bin/{chosen}")
        assert "venv" in arguments
    else:
        assert run.returncode != 0
        assert not (tmp_path / "call").exists()
        assert "needs Python 3.11, 3.12 or 3.13" in run.stderr
        assert "Traceback" not in run.stderr


@pytest.mark.parametrize(("target", "left"), [("clean", {"resources/downloads/a.zip"}), ("clean-all", set())])
def test_only_clean_all_removes_downloads(tmp_path, target, left):
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    made = ("resources/downloads/a.zip", "resources/embedded/b.csv", "results/embedded/c.csv", "logs/d.log")
    for file in (*made, "results/README.md", ".venv/e"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for _ in range(2):  # the second time, there is nothing to remove
        subprocess.run([shutil.which("make"), target], cwd=tmp_path, check=True, capture_output=True)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"Makefile", "results/README.md", ".venv/e"} | left


TYPED = '$5 or $x^2$ in $(shell touch ran), it\'s "so" \\ `touch ran`'


@pytest.mark.parametrize(
    ("target", "variables", "options"),
    [
        ("explore", ("TEXT", "PAIR", "MODEL", "BESIDE"), ("--text=", "--text-pair=", "--model=", "--beside=")),
        ("real-data", ("REAL_DATA",), ("",)),
    ],
)
@pytest.mark.parametrize("by", ["command line", "environment"])
def test_arguments_arrive_unchanged_and_are_not_executed(tmp_path, target, variables, options, by):
    programs = [tmp_path / ".venv/bin" / name for name in ("python", "bert-attention")]
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    for file in ("pyproject.toml", "envs/constraints.txt", *programs, ".venv/.installed"):  # the last is the newest
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    for program in programs:
        program.chmod(0o755)
    typed = {name: f"{name} {TYPED}" for name in variables}
    arguments = [f"{name}={text}" for name, text in typed.items()] if by == "command line" else []
    environment = os.environ | (typed if by == "environment" else {})
    command = [shutil.which("make"), "--silent", target, *arguments]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert not (tmp_path / "ran").exists()
    for (_, text), option in zip(typed.items(), options, strict=True):
        assert option + text in run.stdout.splitlines(), run.stderr
    assert {"explore", "tests.real_data"} & set(run.stdout.splitlines())


@pytest.fixture
def replicate(tmp_path):
    """A function that runs ``make replicate`` with some arguments, and returns the run and the call of Snakemake.

    The folder has the project's Makefile, its library, and a stand-in for Snakemake that prints its arguments.
    """
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    programs = {"snakemake": 'printf "%s\\n" "$@"', "python": f'exec {shlex.quote(sys.executable)} "$@"'}
    for name in (
        "pyproject.toml",
        "envs/constraints.txt",
        *(f".venv/bin/{name}" for name in programs),
        ".venv/.installed",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{programs.get(name.rpartition('/')[2], '')}\n")
        (tmp_path / name).chmod(0o755)

    def run(*arguments, target="replicate", **environment):
        command = [shutil.which("make"), "--silent", target, "CORES=3", *arguments]
        made = subprocess.run(
            command, cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True, check=False
        )
        return made, made.stdout.splitlines()

    return run


@pytest.mark.parametrize(("target", "options"), [("replicate", []), ("plan", ["-n", "-q", "rules"])])
def test_another_encoder_gets_an_edition_of_its_own(replicate, tmp_path, target, options):
    folder = tmp_path / TYPED
    folder.mkdir()
    made, printed = replicate(f"MODEL={TYPED}", "TARGETS=clark_figure_2 $x *", target=target)
    file = "editions/5-or-x-2-in-shell-touch-ran-it-s-so-touch-ran.yaml"
    wanted = ["--cores", "3", "clark_figure_2", "$x", "*", "--configfile", file, *options]
    assert printed == wanted, made.stderr
    assert not (tmp_path / "ran").exists()
    (model,) = yaml.safe_load((tmp_path / file).read_text(encoding="utf-8"))["models"]
    assert model["source"] == f"path:{TYPED}"
    assert f"Wrote {file}" in made.stderr


def test_a_missing_encoder_ends_with_an_error_before_snakemake_runs(replicate):
    made, printed = replicate("MODEL=nowhere/bert", HF_ENDPOINT="http://127.0.0.1:9")
    assert made.returncode != 0
    assert printed == []
    assert "ERROR model nowhere/bert: is no folder, and the hub does not find it" in made.stderr
    assert "Traceback" not in made.stderr


@pytest.mark.parametrize(
    ("target", "arguments", "environment"),
    [("replicate", [], {}), ("replicate", [], {"MODEL": "x"}), ("report", ["MODEL=x"], {})],
)
def test_the_default_edition_is_replicated_without_a_model_on_the_command_line(
    replicate, target, arguments, environment
):
    _, printed = replicate(*arguments, target=target, **environment)
    assert printed[:2] == ["--cores", "3"]
    assert "--configfile" not in printed
