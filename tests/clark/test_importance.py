import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AttentionInterface, AutoModelForMaskedLM
from transformers.models.bert.modeling_bert import eager_attention_forward

from bert_attention.clark.importance import attention_gradients, masked_sequences, sums_of_sequences, table
from bert_attention.models.attention_modules import attention_modules
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD, EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from tests.models.random_models import CONFIGURATIONS, ONE_OF_EACH_FORM, random_model, save_roberta

LAYERS, HEADS = 3, 4
LENGTHS = (9, 14, 12, 7)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return load_tokenizer(save_roberta(tmp_path_factory.mktemp("roberta")))


# Families that compute parts in single precision, whatever their weights have.
SINGLE_PRECISION = ("deberta", "modernbert", "eurobert", "ultrabert")


def masked_language_model(kind):
    """A random model, in double precision if it can, its head on states of an encoder that is random throughout."""
    torch.manual_seed(0)
    encoder = random_model(kind, vocab_size=330)
    model = AutoModelForMaskedLM.from_config(encoder.config, attn_implementation="eager")
    model.base_model.load_state_dict(encoder.state_dict(), strict=False)
    return (model.float() if kind in SINGLE_PRECISION else model.double()).eval()


@pytest.fixture(scope="module")
def bert():
    return masked_language_model("bert")


def sequence(tokenizer, length, seed=0, punctuation=True):
    """[CLS] words and punctuation [SEP] words [SEP]."""
    random = np.random.default_rng([length, seed])
    token_ids = random.integers(200, 330, length)
    if punctuation:
        token_ids[[2, length - 2]] = token_categories(tokenizer).punctuation[0]
    word_ids = np.arange(length)
    for place, special in (
        (0, tokenizer.cls_token_id),
        (length // 2, tokenizer.sep_token_id),
        (-1, tokenizer.sep_token_id),
    ):
        token_ids[place], word_ids[place] = special, NO_WORD
    return EncodedSequence(*(ids.astype(np.int32) for ids in (token_ids, np.zeros(length), word_ids)))


@pytest.fixture(scope="module")
def sequences(tokenizer):
    return [sequence(tokenizer, length, punctuation=length != 12) for length in LENGTHS]


def batch_of(sequences, tokenizer, seed=5):
    """Inputs and labels, as ``attention_gradients`` takes them."""
    masked, labels = masked_sequences(sequences, tokenizer, seed)
    labels = nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=NO_LABEL)
    return *padded_batch(masked, tokenizer.pad_token_id), labels


def loss_after_a_change(model, token_ids, labels, cell, change):
    """Mean cross-entropy of a single sequence after a ``change`` of attention ``cell`` (layer, head, query, key).

    The change is made where it takes effect: ``change`` times the key's value joins the query's mixture of values.
    """
    layer, head, query, key = cell
    calls, values = itertools.count(), []

    def change_mixture(_module, inputs):
        mixture = inputs[0].clone()
        if next(calls) == layer:
            own = slice(head * mixture.shape[-1] // HEADS, (head + 1) * mixture.shape[-1] // HEADS)
            mixture[0, query, own] += change * values[-1][0, key, own]
        return (mixture,)

    hooks = []
    for projections in attention_modules(model):
        hooks.append(projections.value.on_output(lambda _inputs, projected: values.append(projected)))
        hooks.append(projections.output.register_forward_pre_hook(change_mixture))
    with torch.no_grad():
        logits = model(input_ids=token_ids).logits
    for hook in hooks:
        hook.remove()
    assert next(calls) == LAYERS
    return float(nn.functional.cross_entropy(logits[0], labels[0], ignore_index=NO_LABEL))


@pytest.mark.parametrize("kind", ONE_OF_EACH_FORM)
def test_gradients_are_finite_differences(kind, tokenizer):
    step, tolerance = (1e-1, 5e-2) if kind in SINGLE_PRECISION else (1e-5, 1e-5)
    model = masked_language_model(kind)
    inputs = batch_of([sequence(tokenizer, 9)], tokenizer)
    _, gradients = attention_gradients(model, *inputs)
    masked = int((inputs[-1][0] != NO_LABEL).nonzero()[0])
    cells = [(0, 0, 3, 8), (1, 3, 0, 4), (1, 2, 7, 7), (2, 1, masked, 2)]
    for layer, *cell in cells:
        above, below = (
            loss_after_a_change(model, inputs[0], inputs[-1], (layer, *cell), change) for change in (step, -step)
        )
        found = float(gradients[layer][0, *cell])
        assert found == pytest.approx((above - below) / (2 * step), rel=tolerance, abs=1e-9)
        assert found != 0


def importance(model, sequences, tokenizer, *, batch_size, seed):
    added = sums_of_sequences(model, sequences, tokenizer, batch_size=batch_size, seed=seed)
    return table(Sums.of(added, range(len(sequences))))


def plain_reference(model, sequences, tokenizer, seed):
    """For (measure, target, layer, head) the mean over cells in each sequence that has such a target, and over queries.

    From the model's own loss of each sequence, cell by cell.
    """
    found = {}
    for masked, labels in zip(*masked_sequences(sequences, tokenizer, seed), strict=True):
        token_ids = torch.from_numpy(masked.token_ids).long()[None]
        outputs = model(input_ids=token_ids, labels=labels[None], output_attentions=True)
        for attention in outputs.attentions:
            attention.retain_grad()
        outputs.loss.backward()
        types = token_categories(tokenizer).masks(masked.token_ids)
        sums, cells = Counter(), Counter()
        for layer, attention in enumerate(outputs.attentions, start=1):
            weights, gradients = attention[0].detach().numpy(), attention.grad[0].numpy()
            for (head, i, j), target in itertools.product(np.ndindex(weights.shape), types):
                if types[target][j]:
                    place, gradient = (target, layer, head + 1), abs(gradients[head, i, j])
                    sums["gradient", *place] += gradient
                    sums["attention_times_gradient", *place] += weights[head, i, j] * gradient
                    cells[place] += 1
        for (measure, *place), total in sums.items():
            of_sequence = total / cells[tuple(place)], total / len(masked)
            found.setdefault((measure, *place), []).append(of_sequence)
    return found


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_equals_the_plain_reference(kind, tokenizer, sequences):
    model = masked_language_model(kind)
    found = importance(model, sequences, tokenizer, batch_size=3, seed=5)
    expected = plain_reference(model, sequences, tokenizer, 5)
    tolerance = 1e-3 if kind in SINGLE_PRECISION else 1e-9
    assert len(found) == len(expected) == 2 * 4 * LAYERS * HEADS
    for row in found.itertuples():
        means, per_query = zip(*expected[row.measure, row.target, row.layer, row.head], strict=True)
        assert row.n == len(means)
        assert row.value == pytest.approx(np.mean(means), rel=tolerance)
        assert row.per_query == pytest.approx(np.mean(per_query), rel=tolerance)


def test_the_batch_does_not_matter(bert, tokenizer, sequences):
    """Nor does padding, on which gradients do not vanish; blocks of units have three or four sequences."""
    many = [sequence(tokenizer, LENGTHS[seed % 4], seed) for seed in range(70)]
    alone, *together = (importance(bert, many, tokenizer, batch_size=size, seed=5) for size in (1, 2, 4))
    for found in together:
        assert (found["n"] == alone["n"]).all()
        for column in ("value", "per_query"):
            np.testing.assert_allclose(found[column], alone[column], rtol=1e-9)
    _, gradients = attention_gradients(bert, *batch_of(sequences, tokenizer))
    of_shortest = gradients[1][LENGTHS.index(7)]
    assert of_shortest[:, :7, 7:].abs().max() > 0  # from its tokens to padding
    assert (of_shortest[:, 7:] == 0).all()


def test_the_seed_decides_alone(bert, tokenizer, sequences):
    first, again, other = (importance(bert, sequences, tokenizer, batch_size=4, seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert (first["value"] != other["value"]).all()


def test_special_tokens_stay(tokenizer, sequences):
    for seed in range(20):
        for original, masked, labels in zip(sequences, *masked_sequences(sequences, tokenizer, seed), strict=True):
            special = original.word_ids == NO_WORD
            assert (masked.token_ids[special] == original.token_ids[special]).all()
            assert (labels[torch.from_numpy(special)] == NO_LABEL).all()
            assert (labels != NO_LABEL).any()


def test_a_sequence_of_special_tokens_is_refused(bert, tokenizer):
    bare = EncodedSequence(np.array([0, 2]), np.zeros(2), np.full(2, NO_WORD))
    with pytest.raises(ValueError, match="sequence 1 has no word"):
        importance(bert, [sequence(tokenizer, 9), bare], tokenizer, batch_size=2, seed=5)


@pytest.mark.parametrize("frozen", [True, False])
def test_the_model_is_left_as_it_was(frozen, tokenizer, sequences):
    model = masked_language_model("bert").requires_grad_(not frozen)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = importance(model, sequences, tokenizer, batch_size=4, seed=5)
    assert (found["value"] > 0).all()
    assert all(parameter.grad is None and parameter.requires_grad is not frozen for parameter in model.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    outputs = model(input_ids=torch.zeros(2, 5, dtype=torch.long))
    assert outputs.logits.shape == (2, 5, 330)
    assert outputs.logits.requires_grad is not frozen


def test_maps_that_the_model_does_not_use_are_refused(tokenizer, sequences):
    def returning_a_copy(*inputs, **settings):
        mixture, attention = eager_attention_forward(*inputs, **settings)
        return mixture, attention.clone()

    AttentionInterface.register("returning_a_copy", returning_a_copy)
    model = masked_language_model("bert")
    model.set_attn_implementation("returning_a_copy")
    with pytest.raises(RuntimeError, match="not have been used"):
        importance(model, sequences, tokenizer, batch_size=4, seed=5)
