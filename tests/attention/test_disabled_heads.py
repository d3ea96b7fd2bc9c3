"""Models without some of their heads, against attention of 1/L, and all together against one by one."""

import math

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification
from transformers.models.auto import CONFIG_MAPPING
from transformers.models.bert import modeling_bert

from bert_attention.attention import disabled_heads
from bert_attention.attention.disabled_heads import heads_disabled, logits_of_ablations, logits_without_heads
from bert_attention.errors import InputError
from bert_attention.models.attention_modules import attention_modules
from bert_attention.models.inputs import model_inputs
from bert_attention.tokenization.sequences import EncodedSequence
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, random_model, randomly_drawn

LAYERS, HEADS = 3, 4


def random_classifier(kind, **changes):
    """A sequence classification model whose parameters are all drawn at random, with fast attention where it has it."""
    config = CONFIG_MAPPING[kind](**CONFIGURATIONS[kind], vocab_size=90, num_labels=3, **changes)
    return randomly_drawn(AutoModelForSequenceClassification.from_config(config)).eval()


def some_ablations(seed=0):
    """Nothing, every head, every layer, and four random sets in a random order: ``[ablation, layer, head]``."""
    heads = torch.eye(LAYERS * HEADS, dtype=torch.bool).view(-1, LAYERS, HEADS)
    layers = torch.eye(LAYERS, dtype=torch.bool)[:, :, None].expand(-1, -1, HEADS)
    generator = torch.Generator().manual_seed(seed)
    random = torch.rand(4, LAYERS, HEADS, generator=generator) < 0.4
    ablations = torch.cat([torch.zeros_like(heads[:1]), heads, layers, random])
    return ablations[torch.randperm(len(ablations), generator=generator)]


def plain(model, inputs, mask, disabled):
    with torch.inference_mode(), heads_disabled(model, mask, disabled):
        return model(**inputs).logits


@pytest.fixture(params=CONFIGURATIONS)
def model(request):
    return random_classifier(request.param)


def test_all_ablations_together_are_each_alone(model, monkeypatch):
    """In one call for each layer, and in calls of two ablations each; of every family, whose layers differ."""
    ids, segments, mask = batch([9, 4, 7])
    inputs = model_inputs(model, ids, segments, mask)
    ablations = some_ablations()
    expected = torch.stack([plain(model, inputs, mask, ablation) for ablation in ablations])
    with torch.inference_mode():
        whole = model(**inputs).logits
    effects = (expected - whole).abs().amax((1, 2))
    assert ((effects > 2e-4) == ablations.any((1, 2))).all()  # larger by far than the tolerance
    for at_once in (1024, 6):
        monkeypatch.setattr(disabled_heads, "_AT_ONCE", at_once)
        together = logits_without_heads(model, ids, segments, mask, ablations)
        torch.testing.assert_close(together, expected, rtol=1e-4, atol=1e-5)


def test_padding_and_company_change_nothing(model):
    ids, segments, mask = batch([11, 6])
    ablations = some_ablations()
    together = logits_without_heads(model, ids, segments, mask, ablations)
    alone = logits_without_heads(model, ids[1:, :6], segments[1:, :6], mask[1:, :6], ablations)
    torch.testing.assert_close(alone[:, 0], together[:, 1], rtol=1e-4, atol=1e-5)


def test_nothing_stays_attached(model):
    ids, segments, mask = batch([5, 4])
    before = model(**model_inputs(model, ids, segments, mask)).logits
    logits_without_heads(model, ids, segments, mask, some_ablations())
    torch.testing.assert_close(model(**model_inputs(model, ids, segments, mask)).logits, before, rtol=0, atol=0)
    assert not any(m._forward_hooks or m._forward_pre_hooks or "forward" in vars(m) for m in model.modules())


def test_a_disabled_head_attends_with_one_by_the_number_of_real_tokens(monkeypatch):
    """Against softmax outputs that are overwritten in the eager model."""
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


@pytest.mark.parametrize("part", ["query", "value"])
def test_disabling_changes_nothing_where_the_head_is_uniform_or_all_its_values_are_alike(part):
    """With queries of zero attention is 1/L already; with values that are all alike it does not matter."""
    model = random_classifier("bert")
    attention = model.bert.encoder.layer[1].attention.self
    with torch.no_grad():
        getattr(attention, part).weight[8:16] = 0.0  # the second head
        attention.query.bias[8:16] = 0.0
    disabled = torch.zeros(3, LAYERS, HEADS, dtype=torch.bool)
    disabled[1, 1, 1] = disabled[2, 1, 2] = True
    whole, without, without_another = logits_without_heads(model, *batch([9, 4]), disabled)
    torch.testing.assert_close(without, whole, rtol=1e-5, atol=1e-5)
    assert (without_another - whole).abs().max() > 1e-2


def test_a_corpus_is_run_in_batches_and_comes_back_in_its_order(monkeypatch):
    model = random_classifier("bert")
    random = np.random.default_rng(3)
    sequences = [
        EncodedSequence(random.integers(5, 90, n), random.integers(2, size=n), np.zeros(n, int)) for n in (5, 9, 7, 9)
    ]
    ablations = some_ablations()
    expected = [
        logits_without_heads(
            model,
            torch.from_numpy(sequence.token_ids)[None],
            torch.from_numpy(sequence.segment_ids)[None],
            torch.ones(1, len(sequence), dtype=torch.long),
            ablations,
        )
        for sequence in sequences
    ]
    monkeypatch.setattr(disabled_heads, "_IN_ALL", 2 * (len(ablations) + 1))
    batches = []

    def watched(places):
        batches.extend(places)
        return batches

    found = logits_of_ablations(model, sequences, ablations.numpy(), pad_id=0, progress=watched)
    assert list(map(len, batches)) == [2, 2]
    torch.testing.assert_close(found, torch.cat(expected, dim=1), rtol=1e-4, atol=1e-5)


def test_values_of_layers_that_share_a_module_are_those_of_the_layer_that_runs():
    """ALBERT: one module, three layers; disabling a head in one of them is not disabling it in another."""
    model = random_classifier("albert")
    assert len(attention_modules(model)) == 1
    disabled = torch.zeros(3, LAYERS, HEADS, dtype=torch.bool)
    disabled[range(3), range(3), 0] = True
    logits = logits_without_heads(model, *batch([6]), disabled)
    assert torch.pdist(logits[:, 0]).min() > 1e-3


def test_an_attention_of_an_unknown_kind_is_refused():
    model = random_model("gpt2", n_layer=1, n_head=2, n_embd=8)
    with pytest.raises(InputError, match="the self-attention of model type gpt2 is not supported"):
        logits_without_heads(model, *batch([3]), torch.ones(1, 1, 2, dtype=torch.bool))
