"""Models without some of their heads: a disabled head attends to each token with a weight of 1/L."""

import math

import pytest
import torch
from transformers.models.bert import modeling_bert

from bert_attention.attention import disabled_heads
from bert_attention.attention.disabled_heads import heads_disabled, logits_of_ablations, logits_without_heads
from bert_attention.models.inputs import model_inputs, padded_batch
from tests.attention.stores import random_sequences
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, random_classifier

LAYERS, HEADS = 3, 4


def some_ablations(seed=0):
    """No head, every head, every layer and four random sets in random order, ``[ablation, layer, head]``."""
    heads = torch.eye(LAYERS * HEADS, dtype=torch.bool).view(-1, LAYERS, HEADS)
    layers = torch.eye(LAYERS, dtype=torch.bool)[:, :, None].expand(-1, -1, HEADS)
    generator = torch.Generator().manual_seed(seed)
    random = torch.rand(4, LAYERS, HEADS, generator=generator) < 0.4
    ablations = torch.cat([torch.zeros_like(heads[:1]), heads, layers, random])
    return ablations[torch.randperm(len(ablations), generator=generator)]


def plain(model, inputs, mask, disabled):
    with torch.inference_mode(), heads_disabled(model, mask, disabled):
        return model(**inputs).logits


@pytest.mark.parametrize(
    ("kind", "changes"),
    [*((kind, {}) for kind in CONFIGURATIONS), ("albert", {"num_hidden_layers": 1, "inner_group_num": LAYERS})],
)
def test_ablations_of_a_padded_batch_equal_each_ablation_of_each_sequence_alone(kind, changes, monkeypatch):
    model = random_classifier(kind, **changes)
    ids, segments, mask = batch([9, 4, 7])
    ablations = some_ablations()
    whole = plain(model, model_inputs(model, ids, segments, mask), mask, torch.zeros_like(ablations[0]))
    expected = torch.empty(len(ablations), 3, 3)
    for row, n in enumerate((9, 4, 7)):
        alone = ids[[row], :n], segments[[row], :n], mask[[row], :n]
        inputs = model_inputs(model, *alone)
        expected[:, row] = torch.cat([plain(model, inputs, alone[-1], ablation) for ablation in ablations])
    effects = (expected - whole).abs().amax((1, 2))
    assert ((effects > 2e-4) == ablations.any((1, 2))).all()  # far larger than the tolerance
    for at_once in (1024, 6):  # one call for each layer, and calls of two ablations each
        monkeypatch.setattr(disabled_heads, "_MAX_ROWS_PER_CALL", at_once)
        together = logits_without_heads(model, ids, segments, mask, ablations)
        torch.testing.assert_close(together, expected, rtol=1e-4, atol=1e-5)
    assert not any(m._forward_hooks or m._forward_pre_hooks or "forward" in vars(m) for m in model.modules())


def test_a_disabled_head_attends_with_one_by_the_number_of_real_tokens(monkeypatch):
    model = random_classifier("bert")
    ids, segments, mask = batch([9, 4])
    inputs = model_inputs(model, ids, segments, mask)
    disabled = some_ablations()[-1]

    def overwritten(module, query, key, value, attention_mask, scaling, **_):
        weights = (query @ key.mT * scaling + torch.where(mask[:, None, None] == 1, 0.0, -math.inf)).softmax(-1)
        uniform = (mask / mask.sum(-1, keepdim=True))[:, None, None].expand_as(weights)
        weights = torch.where(disabled[module.layer_idx][None, :, None, None], uniform, weights)
        return (weights @ value).transpose(1, 2), weights

    found = plain(model, inputs, mask, disabled)
    monkeypatch.setattr(modeling_bert, "eager_attention_forward", overwritten)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        torch.testing.assert_close(found, model(**inputs).logits, rtol=1e-4, atol=1e-5)


def test_a_corpus_is_run_in_batches_and_keeps_its_order(monkeypatch):
    model, ablations = random_classifier("bert"), some_ablations()
    sequences = random_sequences((5, 9, 7, 9), pairs=True)
    expected = [logits_without_heads(model, *padded_batch([sequence], 0), ablations) for sequence in sequences]
    monkeypatch.setattr(disabled_heads, "_MAX_ROWS", 2 * (len(ablations) + 1))
    batches = []

    def watched(some):
        batches.extend(some)
        return batches

    found = logits_of_ablations(model, sequences, ablations.numpy(), pad_id=0, progress=watched)
    assert list(map(len, batches)) == [2, 2]
    torch.testing.assert_close(found, torch.cat(expected, dim=1), rtol=1e-4, atol=1e-5)
