"""The interpreter that make takes, and the message where there is none."""

import os
import shutil
import subprocess

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture(autouse=True)
def its_own_make(monkeypatch):
    """Remove the settings of the make that runs these tests (``make test PYTHON=...``)."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "PYTHON"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_environment(tmp_path):
    """Make the virtual environment with these interpreters on the path, each with its version; gives what ran."""

    def make(**versions):
        (tmp_path / "bin").mkdir()
        for name, version in versions.items():
            program = tmp_path / "bin" / name.replace("_", ".")
            # Stands in for Python: answers whether its version is suitable, and notes that it makes an environment.
            suitable = 0 if version in ("3.11", "3.12", "3.13") else 1
            program.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit {suitable}\necho "$0 $@" > {tmp_path}/ran\n')
            program.chmod(0o755)
        target = f"{tmp_path}/venv/bin/python"
        run = subprocess.run(
            [shutil.which("make"), "-C", str(ROOT), f"VENV={tmp_path}/venv", target],
            env={**os.environ, "PATH": str(tmp_path / "bin")},
            capture_output=True,
            text=True,
            check=False,
        )
        ran = tmp_path / "ran"
        return run, ran.read_text().split() if ran.exists() else []

    return make


@pytest.mark.parametrize(
    ("versions", "taken"),
    [
        ({"python3": "3.12", "python3_13": "3.13"}, "python3"),
        ({"python3": "3.10", "python3_12": "3.12"}, "python3.12"),
        ({"python3": "3.14", "python3_11": "3.11", "python3_13": "3.13"}, "python3.13"),
        ({"python3": "3.9", "uv": "none"}, "uv"),
    ],
)
def test_a_suitable_interpreter_is_taken(make_environment, versions, taken):
    _, ran = make_environment(**versions)
    assert ran[0].endswith(f"/bin/{taken}")
    assert "venv" in ran


def test_without_one_a_sentence_says_what_to_install(make_environment):
    run, ran = make_environment(python3="3.10")
    assert run.returncode != 0
    assert not ran
    assert "needs Python 3.11, 3.12 or 3.13" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(("target", "left"), [("clean", {"resources/downloads/a.zip"}), ("clean-all", set())])
def test_clean_keeps_downloads_and_clean_all_does_not(tmp_path, target, left):
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    made = ("resources/downloads/a.zip", "resources/embedded/b.csv", "results/embedded/c.csv", "logs/d.log")
    for file in (*made, "results/README.md", ".venv/e"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for _ in range(2):  # also where there is nothing to remove
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
def test_what_is_typed_arrives_as_it_is_and_nothing_of_it_runs(tmp_path, target, variables, options, by):
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    for file in ("pyproject.toml", "envs/constraints.txt", ".venv/bin/python", ".venv/.installed"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    python = tmp_path / ".venv/bin/python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    (tmp_path / ".venv/.installed").touch()
    typed = {name: f"{name} {TYPED}" for name in variables}
    given = [f"{name}={text}" for name, text in typed.items()] if by == "command line" else []
    run = subprocess.run(
        [shutil.which("make"), "--silent", target, *given],
        cwd=tmp_path,
        env=os.environ | (typed if by == "environment" else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not (tmp_path / "ran").exists()
    for (_, text), option in zip(typed.items(), options, strict=True):
        assert option + text in run.stdout.splitlines(), run.stderr
    assert {"bert_attention.explorer", "tests.real_data"} & set(run.stdout.splitlines())
