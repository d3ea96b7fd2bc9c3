import importlib.util
import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.corpora.token_frequency import count_tokens, load_ranks, read_token_counts, save_ranks, token_ranks
from bert_attention.errors import InputError
from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer, vocabulary_sha256
from tests.conftest import ROOT
from tests.models.random_models import save_roberta


def test_counts_are_read_and_ties_share_a_rank(tmp_path):
    (tmp_path / "counts.txt").write_text("1 9 1996\n2 4 7\n2 4 3\n4 1 0\n")
    assert read_token_counts(tmp_path / "counts.txt") == {1996: 9, 7: 4, 3: 4, 0: 1}


def test_the_authors_file(real_data):
    path = real_data("token_frequency/rank_count_ids.txt")
    counts = read_token_counts(path)
    assert (len(counts), sum(counts.values())) == (29_109, 3_427_214_194)
    assert max(counts, key=counts.get) == 1996  # the
    assert {100, 101, 102} <= set(counts)
    assert not {0, 103} & set(counts)
    stated = np.loadtxt(path, dtype=int)
    ranks = token_ranks(counts, 30522)
    assert (ranks[stated[:, 2]] == stated[:, 0]).all()
    assert ranks[[1996, 1012, 1010, 0, 103]].tolist() == [1, 2, 3, 29087, 29087]


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        ([], None, "the file is empty"),
        (["1 9 the"], 1, "not three whole numbers"),
        (["1 9 5", "2 8 5"], 2, "token id 5 is in an earlier line"),
        (["1 9 -5"], 1, "token id -5 is below zero"),
        (["1 9 5", "2 10 6"], 2, "count 10 is above 9, the count of the previous line"),
        (["1 9 5", "2 0 6"], 2, "count 0 is not positive"),
        (["1 9 5", "1 8 6"], 2, "rank 1 should be 2"),
        (["1 9 5", "1 9 6", "2 8 7"], 3, "rank 2 should be 3"),
    ],
)
def test_a_bad_line_is_named(tmp_path, lines, line, problem):
    (tmp_path / "counts.txt").write_text("".join(f"{each}\n" for each in lines))
    with pytest.raises(InputError, match=rf"counts.txt{f', line {line}' if line else ''}: .*{problem}"):
        read_token_counts(tmp_path / "counts.txt")


def test_tokens_of_all_batches_of_texts_are_counted():
    found = count_tokens(["aba"] * 1500, lambda texts: [[0, *map(ord, text), 1] for text in texts])
    assert found == Counter({0: 1500, 1: 1500, ord("a"): 3000, ord("b"): 1500})


def test_ranks_are_read_back_or_the_damage_is_named(tmp_path):
    path = tmp_path / "ranks.npy"
    ranks = token_ranks({3: 9, 1: 4, 2: 4}, 6)
    assert ranks.tolist() == [3, 2, 2, 1, 3, 3]
    save_ranks(ranks, path)
    assert load_ranks(path).tolist() == ranks.tolist()
    whole = path.read_bytes()
    huge, other_type = whole.replace(b"(6,)", b"(6000000000000,)"), whole.replace(b"<i8", b"<f8")
    for content in (huge, other_type, b"PK" + whole, whole[:20], whole[:-1], b""):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"ranks.npy: .*\n  Remedy: delete it and run again"):
            load_ranks(path)


def test_the_text_is_counted_for_another_vocabulary_and_the_run_says_so(tmp_path, embedded_model):
    spec = importlib.util.spec_from_file_location("token_ranks", ROOT / "workflow/scripts/kobayashi/token_ranks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    article = {"title": "Cats", "paragraphs": [["The cat sat on the mat, and the dog lay by the door."]]}
    (tmp_path / "articles.jsonl").write_text(json.dumps(article) + "\n")
    origin = {"source": f"path:{tmp_path}/counts.txt", "sha256": None}
    tokenizer, articles = [save_roberta(tmp_path / "roberta") / "tokenizer.json"], tmp_path / "articles.jsonl"
    job = SimpleNamespace(
        input=SimpleNamespace(tokenizer=tokenizer, articles=articles),
        output=SimpleNamespace(ranks=tmp_path / "ranks.npy", counts=tmp_path / "kobayashi_token_counts.csv"),
        params=SimpleNamespace(origin=origin, vocabulary=vocabulary_sha256(load_tokenizer(embedded_model))),
    )
    with pytest.warns(UserWarning, match="counts tokens of another vocabulary"):
        module.main(job)
    row = read_table(job.output.counts).iloc[0]
    assert row["source"] == "counted:wikipedia"
    assert row["tokens"] > row["different_tokens"] > 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("1 5 50\n", "token id 50 is outside the vocabulary, which has the ids 0 to 9"),
        ("1 5 10\n", "token id 10 is outside the vocabulary"),
        ("1 99999999999999999999 5\n", "is not three whole numbers"),
        ("1 1_000 5\n", "is not three whole numbers"),
        ("1 ٥ 5\n", "is not three whole numbers"),
    ],
)
def test_counts_are_of_the_vocabulary(tmp_path, content, problem):
    (tmp_path / "counts.txt").write_text(content)
    with pytest.raises(InputError, match=rf"counts.txt, line 1: .*{problem}"):
        read_token_counts(tmp_path / "counts.txt", 10)
