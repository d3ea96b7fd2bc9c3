"""A user's own models and corpora: a changed source is read again, and an edition needs a name of its own."""

import json
import os
import shutil

import pytest
import yaml

from tests.models.random_models import wordpiece_tokenizer
from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.workflow


def own(path):
    return {"source": f"path:my/{path}"}


KEYS = {
    "models": [{"name": "bert", "mlm_head": "fit", **own("bert")}],
    "fine_tuning": {"checkpoints": [{"model": "bert", "task": "qnli", **own("ready")}]},
    "corpora": {
        "wikipedia": own("wiki"),
        "treebank": {"trees": "gold", "train": own("train.conllu"), "dev": own("dev.conllu")},
        "coreference": own("coreference"),
        "tasks": {"qnli": own("qnli"), "sst2": None, "tweets": None, "nsp": None},
        "vectors": own("vectors.txt"),
        "alignment": {"source_text": own("de"), "target_text": own("en"), "links": own("links")},
    },
    "stanza": own("stanza"),
    "translation_models": [{"name": "mt", "languages": None, **own("mt")}],
}
SETTINGS = {"model_type": "bert", "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 8, "vocab_size": 400}
# A file of each source, and the rule that reads it. Rules of the second group also read outputs of the first group.
READ_BY = [
    {
        "bert/model.safetensors": "model",
        "wiki/a.txt": "wikipedia",
        "train.conllu": "treebank",
        "coreference/a.conllu": "coreference",
        "qnli/train-00000-of-00001.parquet": "task",
        "vectors.txt": "vectors",
        "links": "alignment",
    },
    {
        "ready/model.safetensors": "fine_tuned_models",
        "stanza/en/depparse/a.pt": "parse_tasks",
        "mt/config.json": "translation_accuracy",
    },
]
MADE = [
    "resources/models/bert/config.json",
    "resources/mine/bert/tasks/qnli/finetuned/pretrained_1/config.json",
    "resources/mine/corpora/wikipedia.jsonl",
    "resources/mine/corpora/treebank/train.conllu",
    "resources/mine/corpora/coreference/documents.conllu",
    "resources/mine/corpora/tasks/qnli",
    "resources/mine/corpora/vectors.txt",
    "resources/mine/corpora/alignment/links.txt",
    "resources/mine/corpora/parsed/qnli.conllu",
    "results/mine/tables/translation_accuracy.csv",
]
OTHERS_MADE = [
    *(f"resources/models/bert/{name}" for name in ("model.safetensors", "tokenizer.json", "tokenizer_config.json")),
    "resources/mine/bert/tasks/qnli/finetuned/pretrained_1/model.safetensors",
    *(f"resources/mine/corpora/alignment/{name}.txt" for name in ("source", "target")),
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A project that pretends to have read all sources of a user's edition. Tests must not change it."""
    checkout = copy_project(tmp_path_factory.mktemp("own"))
    for path in [*(f"my/{name}" for name in (*READ_BY[0], *READ_BY[1], "dev.conllu", "de", "en")), *MADE, *OTHERS_MADE]:
        file = checkout.folder / path
        if path.endswith("/qnli"):
            file.mkdir(parents=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("the old content")
    for encoder in ("bert", "ready"):  # a run is planned by what the settings of encoders say, and looks at tokenizers
        wordpiece_tokenizer(["a text"]).save_pretrained(checkout.folder / "my" / encoder)
        (checkout.folder / "my" / encoder / "config.json").write_text(json.dumps(SETTINGS))
    checkout.overlay(**KEYS)
    touched = checkout.snakemake(*MADE, "--touch", "--forceall", edition="mine.yaml")
    assert touched.status == 0, touched.text
    return checkout


@pytest.fixture
def mine(finished, tmp_path):
    """A copy of that project, which a test may change."""
    shutil.copytree(finished.folder, tmp_path / "copy", symlinks=True)
    return Checkout(tmp_path / "copy")


@pytest.mark.parametrize("sources", READ_BY)
def test_a_source_that_is_changed_in_place_is_read_again(mine, sources):
    """Size and time of the changed file may be the old ones."""
    for file in sources:
        (mine.folder / "my" / file).write_text("the new content")
        os.utime(mine.folder / "my" / file, (1_000_000_000, 1_000_000_000))
    dry_run = mine.snakemake(*MADE, "-n", edition="mine.yaml")
    assert set(dry_run.jobs) - set(READ_BY[1].values()) == set(sources.values()) - set(READ_BY[1].values())
    assert set(sources.values()) <= set(dry_run.jobs)
    assert "before: 'path:my/" in dry_run.text  # the reason names the source


def test_sources_that_are_touched_or_get_company_are_not_read_again(mine):
    for file in (mine.folder / "my").rglob("*.*"):
        os.utime(file)
    (mine.folder / "my" / "bert" / "checkpoint-10").mkdir()
    (mine.folder / "my" / "bert" / "checkpoint-10" / "model.safetensors").write_text("x")
    assert "Nothing to be done" in mine.snakemake(*MADE, "-n", edition="mine.yaml").text


def test_an_overlay_without_a_name_is_refused_before_anything_runs(checkout):
    (checkout.folder / "mine.yaml").write_text(yaml.safe_dump(KEYS))
    refused = checkout.snakemake(edition="mine.yaml")
    assert refused.status != 0
    assert "edition embedded: is that of config.yaml, but has other models, " in refused.text
    assert "Remedy: give your edition a name of its own" in refused.text
    assert "Traceback" not in refused.text
    assert not (checkout.folder / "results").exists()
    named = checkout.snakemake("-n", "wikipedia", "--config", "edition=named", edition="mine.yaml")
    assert "resources/named/corpora/wikipedia.jsonl" in named.text
