import itertools
from collections import defaultdict

import numpy as np
import pytest
import torch
from transformers import AttentionInterface, AutoModelForMaskedLM
from transformers.models.bert.modeling_bert import eager_attention_forward

from bert_attention.models.attention_modules import attention_modules
from bert_attention.papers.clark.importance import masked_sequences, sums_of_sequences, table
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from tests.models.random_models import CONFIGURATIONS, random_model, save_roberta

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
    special = [0, length // 2, -1]
    token_ids[special] = tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.sep_token_id
    word_ids[special] = NO_WORD
    return EncodedSequence(*(ids.astype(np.int32) for ids in (token_ids, np.zeros(length), word_ids)))


@pytest.fixture(scope="module")
def sequences(tokenizer):
    return [sequence(tokenizer, length, punctuation=length != 12) for length in LENGTHS]


def importance(model, sequences, tokenizer, *, batch_size, seed):
    added = sums_of_sequences(model, sequences, tokenizer, batch_size=batch_size, seed=seed)
    return table(Sums.of(added, range(len(sequences))))["clark_importance"]


def plain_gradients(model, token_ids, labels):
    """Attention and gradients of the model's own loss, ``[head, query, key]`` by layer.

    A query's mixture adds up the values of all keys, each times its attention. So the gradient of the attention is the
    product of the key's value and the gradient of the query's mixture.
    """
    values, mixtures, hooks = [], [], []
    for module in attention_modules(model):
        hooks.append(module.value.on_output(lambda _inputs, projected: values.append(projected[0])))
        hooks.append(module.output.register_forward_pre_hook(lambda _module, inputs: mixtures.append(inputs[0])))
    outputs = model(input_ids=token_ids, labels=labels, output_attentions=True)
    for hook in hooks:
        hook.remove()
    by_head = [
        [vectors.detach().unflatten(-1, (HEADS, -1)) for vectors in (mixture[0], value)]
        for mixture, value in zip(torch.autograd.grad(outputs.loss, mixtures), values, strict=True)
    ]
    return [attention[0].detach() for attention in outputs.attentions], [
        torch.einsum("qhd,khd->hqk", mixture, value) for mixture, value in by_head
    ]


def plain_reference(model, sequences, tokenizer, seed):
    """For each (measure, target, layer, head), means in each sequence with the target.

    The means are over cells, over queries, and over queries of the attention alone.
    """
    found = defaultdict(list)
    for masked, labels in zip(*masked_sequences(sequences, tokenizer, seed), strict=True):
        types = token_categories(tokenizer).masks(masked.token_ids)
        by_layer = plain_gradients(model, torch.from_numpy(masked.token_ids).long()[None], labels[None])
        for layer, (weights, gradients) in enumerate(zip(*by_layer, strict=True), start=1):
            for head, (target, mask) in itertools.product(range(HEADS), types.items()):
                magnitude = gradients[head].abs()
                cells = {"gradient": magnitude, "attention_times_gradient": weights[head] * magnitude}
                for measure in cells if mask.any() else ():
                    to_target = cells[measure][:, torch.from_numpy(mask)].numpy()
                    attention = weights[head][:, torch.from_numpy(mask)].sum(1).mean().item()
                    of_sequence = to_target.mean(), to_target.sum(1).mean(), attention
                    found[measure, target, layer, head + 1].append(of_sequence)
    return found


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_equals_the_plain_reference(kind, tokenizer, sequences):
    model = masked_language_model(kind)
    found = importance(model, sequences, tokenizer, batch_size=3, seed=5)
    expected = plain_reference(model, sequences, tokenizer, 5)
    tolerance = 1e-3 if kind in SINGLE_PRECISION else 1e-9
    assert len(found) == len(expected) == 2 * 4 * LAYERS * HEADS
    for row in found.itertuples():
        means, per_query, attention = zip(*expected[row.measure, row.target, row.layer, row.head], strict=True)
        assert row.n == len(means)
        assert row.value == pytest.approx(np.mean(means), rel=tolerance)
        assert row.per_query == pytest.approx(np.mean(per_query), rel=tolerance)
        assert row.attention == pytest.approx(np.mean(attention), rel=tolerance)


def test_gradients_are_ranked_with_attention_over_all_heads(bert, tokenizer, sequences):
    added = sums_of_sequences(bert, sequences, tokenizer, batch_size=2, seed=5)
    tables = table(Sums.of(added, range(len(sequences))))
    of_heads = tables["clark_importance"].set_index(["measure", "target"])
    for row in tables["clark_importance_by_attention"].itertuples():
        values, attention = (of_heads.loc[(row.measure, row.target), name].tolist() for name in ("value", "attention"))
        ranks = [[sorted(numbers).index(number) for number in numbers] for numbers in (values, attention)]
        assert row.spearman == pytest.approx(np.corrcoef(*ranks)[0, 1])
        assert row.n == LAYERS * HEADS


def test_batches_do_not_matter_and_the_seed_does(bert, tokenizer):
    many = [sequence(tokenizer, LENGTHS[seed % 4], seed) for seed in range(45)]  # blocks of two or three sequences
    alone, *together = (importance(bert, many, tokenizer, batch_size=size, seed=5) for size in (1, 2, 3))
    for found in together:
        assert (found["n"] == alone["n"]).all()
        columns = ["value", "per_query", "attention"]
        np.testing.assert_allclose(found[columns], alone[columns], rtol=1e-9)
    assert (importance(bert, many, tokenizer, batch_size=3, seed=6)["value"] != alone["value"]).all()


def test_a_sequence_of_special_tokens_is_an_error(bert, tokenizer):
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


def test_maps_that_the_model_does_not_use_are_an_error(tokenizer, sequences):
    def returning_a_copy(*inputs, **settings):
        mixture, attention = eager_attention_forward(*inputs, **settings)
        return mixture, attention.clone()

    AttentionInterface.register("returning_a_copy", returning_a_copy)
    model = masked_language_model("bert")
    model.set_attn_implementation("returning_a_copy")
    with pytest.raises(RuntimeError, match="not have been used"):
        importance(model, sequences, tokenizer, batch_size=4, seed=5)
