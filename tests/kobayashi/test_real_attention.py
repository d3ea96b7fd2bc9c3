"""The analyses on real attention, through the store, against their plain formulas on the model in float64."""

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.models.encoders import load_encoder
from bert_attention.papers.kobayashi import categories, dispersion, frequency
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from tests.attention.stores import extracted
from tests.kobayashi.sequences import Sequence, make_tables
from tests.kobayashi.test_categories import check_table as check_categories
from tests.kobayashi.test_dispersion import check_table as check_dispersion
from tests.kobayashi.test_frequency import check_table as check_frequency

# Lincoln, Gettysburg, 1863.
TEXT = (
    ("Four score and seven years ago our fathers brought forth a new nation.", "It was conceived in liberty."),
    ("The world will little note, nor long remember what we say here,", "but it can never forget what they did."),
)


@pytest.fixture(scope="module")
def tokenizer(embedded_model):
    return load_tokenizer(embedded_model)


@pytest.fixture(scope="module")
def inputs(tokenizer):
    """Token ids of each sequence."""
    return [np.array(tokenizer.backend.encode(first, second).ids, dtype=np.int32) for first, second in TEXT]


@pytest.fixture(scope="module")
def store(embedded_model, tokenizer, inputs, tmp_path_factory):
    """Extract attention as the workflow does."""
    encoder, path = HookedEncoder.of(load_encoder(embedded_model, "cpu")), tmp_path_factory.mktemp("store") / "shard"
    options = {"pad_id": tokenizer.pad_token_id, "categories": token_categories(tokenizer)}
    return extracted(path, encoder, [EncodedSequence(ids, 0 * ids, 0 * ids) for ids in inputs], **options)


def run_in_float64(model, token_ids, kinds):
    """The sequence of one forward pass. Checks that the vectors add up to the outputs of the attention modules."""
    calls = {"value": [], "dense": []}
    modules = [layer.attention for layer in model.encoder.layer]
    hooks = [
        part.register_forward_hook(lambda _, inputs, output, kind=kind: calls[kind].append((inputs[0][0], output[0])))
        for module in modules
        for kind, part in (("value", module.self.value), ("dense", module.output.dense))
    ]
    with torch.inference_mode():
        maps = model(torch.tensor(token_ids)[None].long(), output_attentions=True).attentions
    for hook in hooks:
        hook.remove()
    attention = torch.cat(maps).numpy()
    vectors = []
    for module, (_, values), (_, output), weights in zip(modules, *calls.values(), attention, strict=True):
        heads = len(weights)
        by_head = torch.chunk(values, heads, dim=1), torch.chunk(module.output.dense.weight, heads, dim=1)
        vectors.append(np.stack([(value @ w_o.T).numpy() for value, w_o in zip(*by_head, strict=True)]))
        whole = np.einsum("hij,hjd->id", weights, vectors[-1]) + module.output.dense.bias.numpy()
        np.testing.assert_allclose(whole, output.numpy(), atol=1e-12)
    named = {"cls": [kinds.cls], "sep": [kinds.sep], "punctuation": kinds.punctuation}
    masks = {name: np.isin(token_ids, ids) for name, ids in named.items()}
    return Sequence(
        attention=attention,
        transformed=np.stack(vectors),
        input_norms=np.stack([np.linalg.norm(x.numpy(), axis=-1) for x, _ in calls["value"]]),
        mixing=np.zeros((len(MIXING_METHODS), len(modules), len(token_ids))),
        token_ids=token_ids,
        categories=masks | {"other": ~np.any(list(masks.values()), axis=0)},
    )


@pytest.fixture(scope="module")
def expected(embedded_model, tokenizer, inputs):
    """Sequences of a forward pass in double precision."""
    model, kinds = load_encoder(embedded_model, "cpu").model.double().requires_grad_(False), token_categories(tokenizer)
    return [run_in_float64(model, ids, kinds) for ids in inputs]


RANKS = 2 ** (np.arange(30522) % 14)  # fourteen different ranks, each in a range of its own


def test_categories_on_real_attention_are_as_published(store, expected):
    check_categories(make_tables(categories, store), expected, rel=1e-3, abs=1e-6)


def test_dispersion_on_real_attention_is_as_published(store, expected):
    check_dispersion(make_tables(dispersion, store), expected, rtol=1e-3, atol=1e-6)


def test_frequency_on_real_attention_is_as_published(store, expected):
    tables = make_tables(frequency, store, ranks=RANKS)
    check_frequency(tables["kobayashi_frequency"], expected, RANKS, tolerance=5e-3)
