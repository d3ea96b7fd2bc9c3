"""Each benchmark runs on a tiny workload, and its plain reference agrees with the library."""

import re

import numpy as np
import pytest
import torch

from benchmarks import (
    dependency_heads,
    disabled_heads,
    extraction,
    gpu,
    head_distances,
    identities,
    importance,
    norms,
    probes,
)
from benchmarks.workloads import Workload, random_bert
from bert_attention import AttentionModel
from bert_attention.attention.identities import TOLERANCES
from bert_attention.models.inputs import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer


@pytest.fixture(scope="module")
def workload(embedded_model):
    """A tiny encoder and two random segments, [CLS] ... [SEP] ... [SEP]."""
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


def test_extraction_costs(workload, tmp_path):
    found = list(extraction.measure(workload, tmp_path, rounds=1))
    assert [measurement.what for measurement in found] == list(extraction.ARRAYS_OF)
    assert all(measurement.seconds > 0 and measurement.times_bare > 0 for measurement in found)
    assert [measurement.plain_times is None for measurement in found] == [False, True, True]
    assert not list(tmp_path.iterdir())  # temporary files are removed


@pytest.mark.parametrize(
    ("analysis", "sizes", "tolerance"),
    [
        (importance, {}, 1e-4),
        (disabled_heads, {"examples": 2, "tokens": 10}, 1e-5),
        (head_distances, {}, 1e-5),
        (dependency_heads, {"sentences": 6}, None),
        (probes, {"sentences": 3}, None),
    ],
)
def test_analysis_costs(workload, analysis, sizes, tolerance):
    (found,) = analysis.measure(workload, **sizes, rounds=1)
    assert min(found.seconds, found.times_bare, found.plain_times) > 0
    if tolerance:
        assert float(re.search(r"to (\d\S*e[-+]\d+)", found.agreement)[1]) < tolerance


def test_identities_cost_a_share_of_extraction(workload, tmp_path):
    stores = [identities.Store("texts", [14, 11], 2), identities.Store("words", [9, 9, 7], 1, of_words=True)]
    found = dict(identities.shares(workload, stores, tmp_path, rounds=1))
    assert list(found) == ["texts", "words", "all stores"]
    assert all(0 < share < 2 for share in found.values())


def test_errors_of_the_identities_are_a_table(embedded_model):
    table = identities.error_table({"MiniLM": AttentionModel.from_pretrained(embedded_model, "cpu")})
    errors = re.findall(r"\| (\S+e-\d+) \| (\S+e[-+]\d+) \|", table)
    assert len(errors) == len(TOLERANCES)
    assert all(float(error) < float(allowed) / 20 for allowed, error in errors)


def test_norms_cost():
    inputs = norms.layer(7, 4, 32, "cpu")
    np.testing.assert_allclose(norms.gram_form(*inputs), norms.direct(*inputs), rtol=1e-4)


def test_devices_are_compared(tmp_path):
    cpu, other = (gpu.works(gpu.QUICK, torch.device("cpu"), tmp_path) for _ in range(2))
    names = [gpu.compared(*pair, rounds=1) for pair in zip(cpu, other, strict=True)]
    assert [name for name, *_ in names] == [work.what for work in cpu]
    assert not any("beyond" in row[-1] for row in names)  # the same device twice


def test_a_difference_of_devices_beyond_what_is_allowed_is_reported():
    def work(logit):
        return gpu.Work("fine-tuning", "one example", lambda: lambda: {"logits": np.array([logit])}, lambda: None)

    assert gpu.compared(work(0.5), work(0.5), rounds=1)[-1] == "logits 0e+00 (1e-03)"
    assert "**beyond what is allowed: logits**" in gpu.compared(work(0.5), work(0.51), rounds=1)[-1]
