"""The analyses on real attention, through the store, against the formulas on the modules of the model in float64.

The formulas are those of the analyses' own tests.
"""

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.kobayashi import categories, dispersion, frequency, mixing
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from tests.attention.stores import extracted
from tests.kobayashi import test_categories as of_categories
from tests.kobayashi import test_dispersion as of_dispersion
from tests.kobayashi import test_frequency as of_frequency
from tests.kobayashi import test_mixing as of_mixing
from tests.kobayashi.sequences import Sequence, length, made

# Lincoln, Gettysburg, 1863.
TEXT = (
    ("Four score and seven years ago our fathers brought forth a new nation.", "It was conceived in liberty."),
    ("Now we are engaged in a great civil war, testing whether that nation can long endure.", "We are met."),
    ("The world will little note, nor long remember what we say here,", "but it can never forget what they did."),
)
MASKED = 5  # this place of every sequence


@pytest.fixture(scope="module")
def tokenizer(embedded_model):
    return load_tokenizer(embedded_model)


@pytest.fixture(scope="module")
def inputs(tokenizer):
    """Token ids of each sequence, by text."""
    whole = [np.array(tokenizer.backend.encode(first, second).ids, dtype=np.int32) for first, second in TEXT]
    masked = [np.where(np.arange(len(ids)) == MASKED, tokenizer.mask_token_id, ids).astype(np.int32) for ids in whole]
    return {"whole": whole, "masked": masked}


@pytest.fixture(scope="module")
def stores(embedded_model, tokenizer, inputs, tmp_path_factory):
    """Extract attention as the workflow does."""
    encoder, folder = HookedEncoder.of(load_encoder(embedded_model, "cpu")), tmp_path_factory.mktemp("stores")
    of_model = {"pad_id": tokenizer.pad_token_id, "categories": token_categories(tokenizer)}
    return {
        text: extracted(folder / text, encoder, [EncodedSequence(ids, 0 * ids, 0 * ids) for ids in of_text], **of_model)
        for text, of_text in inputs.items()
    }


def run_in_float64(model, token_ids, kinds):
    """One forward pass over one sequence; the parts must add up to what the attention modules gave.

    The mixing ratios are built pair by pair, others against itself.
    """
    seen = {"value": [], "dense": []}
    modules = [layer.attention for layer in model.encoder.layer]
    hooks = [
        part.register_forward_hook(lambda _, taken, given, kind=kind: seen[kind].append((taken[0][0], given[0])))
        for module in modules
        for kind, part in (("value", module.self.value), ("dense", module.output.dense))
    ]
    with torch.inference_mode():
        maps = model(torch.tensor(token_ids)[None].long(), output_attentions=True).attentions
    for hook in hooks:
        hook.remove()
    attention = torch.cat(maps).numpy()
    vectors = []
    for module, (_, values), (_, output), weights in zip(modules, *seen.values(), attention, strict=True):
        heads = len(weights)
        of_heads = torch.chunk(values, heads, dim=1), torch.chunk(module.output.dense.weight, heads, dim=1)
        vectors.append(np.stack([(value @ w_o.T).numpy() for value, w_o in zip(*of_heads, strict=True)]))
        whole = np.einsum("hij,hjd->id", weights, vectors[-1]) + module.output.dense.bias.numpy()
        np.testing.assert_allclose(whole, output.numpy(), atol=1e-12)
    named = {"cls": [kinds.cls], "sep": [kinds.sep], "punctuation": kinds.punctuation}
    masks = {name: np.isin(token_ids, ids) for name, ids in named.items()}
    inputs = np.stack([x.numpy() for x, _ in seen["value"]])
    sequence = Sequence(
        attention=attention,
        transformed=np.stack(vectors),
        input_norms=np.linalg.norm(inputs, axis=-1),
        mixing=np.zeros((len(MIXING_METHODS), len(modules), len(token_ids))),
        token_ids=token_ids,
        categories=masks | {"other": ~np.any(list(masks.values()), axis=0)},
    )
    for (layer, i), _ in np.ndenumerate(sequence.input_norms):
        scale = modules[layer].output.LayerNorm.weight.numpy()
        sequence.mixing[:, layer, i] = mixing_ratios(sequence, layer, i, inputs[layer, i], scale)
    return sequence


def mixing_ratios(sequence, layer, i, x, scale):
    """Return the mixing ratios of one token, in the order of the methods."""
    own_weight = np.mean(sequence.attention[layer, :, i, i])
    own = sequence.part_of_all(layer, i, i)
    others = sum(sequence.part_of_all(layer, i, j) for j in range(len(sequence.token_ids)) if j != i)
    with_input = own + x
    deviation = np.std(others + with_input)  # shared: it cancels
    normed = [scale * (vector - vector.mean()) / deviation for vector in (others, with_input)]
    found = {"attn_w": 1 - own_weight, "attn_res_w": (1 - own_weight) / 2}
    for method, pair in {
        "attn_n": (others, own),
        "attn_res_n": (others, with_input),
        "attn_res_ln_n": normed,
    }.items():
        found[method] = length(pair[0]) / (length(pair[0]) + length(pair[1]))
    return [found[method] for method in MIXING_METHODS]


@pytest.fixture(scope="module")
def expected(embedded_model, tokenizer, inputs):
    """By text, the sequences of a forward pass that is the stores' in all but precision."""
    model, kinds = load_encoder(embedded_model, "cpu").model.double().requires_grad_(False), token_categories(tokenizer)
    return {text: [run_in_float64(model, ids, kinds) for ids in of_text] for text, of_text in inputs.items()}


@pytest.fixture(scope="module")
def ranks(tokenizer):
    """Fourteen different ones, each in a range of its own."""
    return 2 ** (np.arange(len(tokenizer)) % 14)


def test_categories(stores, expected):
    of_categories.check_table(made(categories, stores["whole"]), expected["whole"], rel=1e-3, abs=1e-6)


def test_dispersion(stores, expected):
    of_dispersion.check_table(made(dispersion, stores["whole"]), expected["whole"], rtol=1e-3, atol=1e-6)


def test_mixing(stores, expected, ranks):
    tables = made(mixing, stores["whole"], stores["masked"], ranks=ranks)
    of_mixing.check_tables(tables, expected, ranks, correlation_tolerance=5e-3, rel=1e-3, abs=1e-6)


def test_frequency(stores, expected, ranks):
    tables = made(frequency, stores["whole"], ranks=ranks)
    of_frequency.check_table(tables["kobayashi_frequency"], expected["whole"], ranks, tolerance=5e-3)
