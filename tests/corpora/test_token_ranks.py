"""Ranks of tokens from counts of the model's own vocabulary, or of another vocabulary."""

import importlib.util
import json
from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer, vocabulary_sha256
from tests.conftest import ROOT
from tests.models.random_models import save_roberta


@pytest.fixture(scope="module")
def main():
    """Function of the script."""
    spec = importlib.util.spec_from_file_location("token_ranks", ROOT / "workflow/scripts/corpora/token_ranks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


@pytest.fixture
def job(tmp_path, embedded_model):
    """Function that makes the job for a model folder; the counts are of the embedded model's vocabulary."""
    (tmp_path / "counts.txt").write_text("1 30 1996\n2 20 1012\n")
    article = {"title": "Cats", "paragraphs": [["The cat sat on the mat, and the dog lay by the door."]]}
    (tmp_path / "articles.jsonl").write_text(json.dumps(article) + "\n")
    vocabulary = vocabulary_sha256(load_tokenizer(embedded_model))

    def of_model(folder):
        return SimpleNamespace(
            input=SimpleNamespace(tokenizer=[folder / "tokenizer.json"], articles=tmp_path / "articles.jsonl"),
            output=SimpleNamespace(ranks=tmp_path / "ranks.npy", counts=tmp_path / "kobayashi_token_counts.csv"),
            params=SimpleNamespace(
                origin={"source": f"path:{tmp_path}/counts.txt", "sha256": None}, vocabulary=vocabulary
            ),
        )

    return of_model


def test_counts_of_the_models_vocabulary_are_used(main, job, embedded_model):
    running = job(embedded_model)
    main(running)
    ranks = np.load(running.output.ranks)
    assert (ranks[1996], ranks[1012], ranks[2000]) == (1, 2, 3)
    assert read_table(running.output.counts)["source"].item() == running.params.origin["source"]


def test_with_another_vocabulary_the_text_is_counted_and_the_run_says_so(main, job, tmp_path, caplog):
    running = job(save_roberta(tmp_path / "roberta"))
    main(running)
    row = read_table(running.output.counts).iloc[0]
    assert row["source"] == "counted:wikipedia"
    assert row["tokens"] > row["different_tokens"] > 2
    assert "counts tokens of another vocabulary" in caplog.text
