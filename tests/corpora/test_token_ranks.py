"""Ranks of tokens, from counts of the model's own vocabulary or of another vocabulary."""

import importlib.util
import json
from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer, vocabulary_sha256
from tests.conftest import ROOT
from tests.models.random_models import save_roberta


@pytest.fixture
def ranks(tmp_path, embedded_model):
    """Function that runs the script for a model; the counts are of the embedded model's vocabulary."""
    spec = importlib.util.spec_from_file_location("token_ranks", ROOT / "workflow/scripts/corpora/token_ranks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "counts.txt").write_text("1 30 1996\n2 20 1012\n")
    article = {"title": "Cats", "paragraphs": [["The cat sat on the mat, and the dog lay by the door."]]}
    (tmp_path / "articles.jsonl").write_text(json.dumps(article) + "\n")
    origin = {"source": f"path:{tmp_path}/counts.txt", "sha256": None}
    vocabulary = vocabulary_sha256(load_tokenizer(embedded_model))

    def run(model):
        job = SimpleNamespace(
            input=SimpleNamespace(tokenizer=[model / "tokenizer.json"], articles=tmp_path / "articles.jsonl"),
            output=SimpleNamespace(ranks=tmp_path / "ranks.npy", counts=tmp_path / "kobayashi_token_counts.csv"),
            params=SimpleNamespace(origin=origin, vocabulary=vocabulary),
        )
        module.main(job)
        return np.load(job.output.ranks), read_table(job.output.counts).iloc[0]

    return run


def test_counts_of_the_models_vocabulary_are_used(ranks, embedded_model):
    found, row = ranks(embedded_model)
    assert (found[1996], found[1012], found[2000]) == (1, 2, 3)
    assert row["source"].startswith("path:")


def test_the_text_is_counted_for_another_vocabulary_and_the_run_says_so(ranks, tmp_path, caplog):
    _, row = ranks(save_roberta(tmp_path / "roberta"))
    assert row["source"] == "counted:wikipedia"
    assert row["tokens"] > row["different_tokens"] > 2
    assert "counts tokens of another vocabulary" in caplog.text
