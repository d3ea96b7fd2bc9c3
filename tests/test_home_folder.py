"""A home folder that cannot be written: Snakemake needs another place for its cache, which profiles and image name."""

import os
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

CLUSTERS = ("slurm", "cluster-generic", "kubernetes")


@pytest.mark.parametrize("profile", CLUSTERS)
def test_jobs_of_clusters_have_a_folder_for_caches(profile):
    settings = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
    assert settings["precommand"].startswith("export XDG_CACHE_HOME=/tmp/")
    command = f'{settings["precommand"].partition("&&")[0]}; printf %s "$XDG_CACHE_HOME"'
    environment = {"USER": "me", "PATH": os.environ["PATH"]}
    run = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout in ("/tmp/snakemake-cache-me", "/tmp/snakemake-cache")


def test_the_image_has_a_folder_for_caches():
    assert "XDG_CACHE_HOME=/tmp/cache" in (ROOT / "Dockerfile").read_text()


def test_the_folder_that_the_docs_name_is_enough(tmp_path):
    """The reason for all this: without it, Snakemake ends before it reads the project."""
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'true'\n")
    (tmp_path / "home").touch()  # no folder can be made below a file
    environment = os.environ | {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    environment.pop("XDG_CACHE_HOME", None)
    for more, fails in (({}, True), ({"XDG_CACHE_HOME": str(tmp_path / "cache")}, False)):
        command = [sys.executable, "-m", "snakemake", "-n"]
        run = subprocess.run(command, cwd=tmp_path, env=environment | more, capture_output=True, check=False)
        assert bool(run.returncode) is fails
