"""A run whose files are in object storage, by the profile for it, against a server of S3 on this machine."""

from __future__ import annotations

import pytest

from tests.workflow.conftest import ENCODER, copy_project

boto3 = pytest.importorskip("boto3", reason="the plugin for object storage is not installed")
moto_server = pytest.importorskip("moto.server", reason="moto is not installed")
pytest.importorskip("snakemake_storage_plugin_s3", reason="the plugin for object storage is not installed")


# These need a model with other files beside it, a store of attention, and a folder that is made and read.
TARGETS = ("clark_figure_2", f"resources/reduced/{ENCODER}/corpora/tasks/nsp.jsonl")
BUCKET, FOLDER = "attention", "a/run"


@pytest.fixture
def address():
    """The address of a server of S3, which forgets everything when it ends."""
    server = moto_server.ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    yield f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    server.stop()


def test_a_run_in_object_storage_equals_a_local_run_and_a_second_run_does_nothing(
    address, first_run, tmp_path, monkeypatch
):
    monkeypatch.setenv("SNAKEMAKE_STORAGE_S3_ACCESS_KEY", "x")
    monkeypatch.setenv("SNAKEMAKE_STORAGE_S3_SECRET_KEY", "y")
    checkout, local = copy_project(tmp_path / "project"), first_run[0].folder
    storage = ("--default-storage-prefix", f"s3://{BUCKET}/{FOLDER}", "--storage-s3-endpoint-url", address)
    arguments = (*TARGETS, "--workflow-profile", "profiles/s3", *storage)
    finished = checkout.snakemake(*arguments)
    assert finished.status == 0, finished.text

    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "y", "region_name": "us-east-1"}
    objects = boto3.resource("s3", endpoint_url=address, **keys).Bucket(BUCKET).objects.filter(Prefix=f"{FOLDER}/re")
    stored = {found.key.removeprefix(f"{FOLDER}/"): found.get()["Body"].read() for found in objects}
    assert [name for name, content in stored.items() if content != (local / name).read_bytes()] == []
    assert {f"results/reduced/{ENCODER}/figures/clark_figure_2_positions.pdf", TARGETS[1]} <= stored.keys()
    assert any(name.startswith("resources/reduced/corpora/tasks/nsp/") for name in stored)
    assert not [*(checkout.folder / "resources").rglob("*"), *(checkout.folder / "results").rglob("*")]

    assert "Nothing to be done" in checkout.snakemake(*arguments).text
