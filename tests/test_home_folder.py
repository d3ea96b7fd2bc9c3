"""Profiles and image name a folder for caches: Snakemake ends at once if the home folder cannot be written."""

import os
import subprocess

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
