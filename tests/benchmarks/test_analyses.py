"""Each benchmark runs on next to nothing, and its plain reference finds what the library finds."""

import re

import numpy as np
import pytest

from benchmarks import dependency_heads, disabled_heads, extraction, head_distances, importance, norms, probes
from benchmarks.workloads import Workload, random_bert
from bert_attention.models.inputs import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer


@pytest.fixture(scope="module")
def workload(embedded_model):
    """Two random segments, [CLS] ... [SEP] ... [SEP], and a tiny encoder."""
    tokenizer, random = load_tokenizer(embedded_model), np.random.default_rng(0)
    sequences = []
    for length in (14, 11):
        token_ids = random.integers(2000, 9000, length)
        special = np.isin(np.arange(length), [0, 6, length - 1])
        token_ids[special] = tokenizer.sep_token_id
        token_ids[0] = tokenizer.cls_token_id
        word_ids = np.where(special, -1, np.cumsum(~special) - 1)
        sequences.append(EncodedSequence(*(ids.astype(np.int32) for ids in (token_ids, 0 * token_ids, word_ids))))
    return Workload("tiny", random_bert(2, 4, 32, "cpu"), tokenizer, sequences)


def error_of(measurement):
    """The difference between ours and the plain reference, as the table says."""
    return float(re.search(r"to (\d\S*e[-+]\d+)", measurement.agreement)[1])


def test_extraction(workload, tmp_path):
    found = list(extraction.measure(workload, tmp_path, rounds=1))
    assert [one.what for one in found] == list(extraction.ARRAYS_OF)
    assert all(one.seconds > 0 and one.times_bare > 0 for one in found)
    assert [one.plain_times is None for one in found] == [False, True, True]
    assert not list(tmp_path.iterdir())  # what was written is not left


def test_importance(workload):
    (found,) = importance.measure(workload, rounds=1)
    assert error_of(found) < 1e-4


def test_disabled_heads(workload):
    (found,) = disabled_heads.measure(workload, examples=2, tokens=10, rounds=1)
    assert found.amount.startswith("9 systems")
    assert error_of(found) < 1e-5


def test_divergence(workload):
    (found,) = head_distances.measure(workload, rounds=1)
    assert error_of(found) < 1e-5


def test_norms():
    inputs = norms.layer(7, 4, 32, "cpu")
    np.testing.assert_allclose(norms.gram_form(*inputs), norms.direct(*inputs), rtol=1e-4)


def test_dependency_heads_and_probes(workload):
    (heads,) = dependency_heads.measure(workload, sentences=6, rounds=1)
    (trained,) = probes.measure(workload, sentences=3, rounds=1)
    for one in (heads, trained):
        assert min(one.seconds, one.times_bare, one.plain_times) > 0


def test_the_loop_counts_the_words_whose_heads_are_found():
    treebank = dependency_heads.random_treebank(2)
    gold = []
    for sentence in treebank:
        n = len(sentence.words) + 2
        attention = np.zeros((1, 1, n, n), dtype=np.float32)
        for place, word in enumerate(sentence.words, start=1):
            attention[0, 0, place, word.head] = 1
        gold.append(type("Maps", (), {"attention": attention}))
    counts = dependency_heads.plain_counts(gold, treebank)
    assert counts[0, 0, 0, "all"] == sum(len(sentence.words) - 1 for sentence in treebank)  # a root has no head
