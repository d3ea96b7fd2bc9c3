"""Norms against their definitions, on real modules of every supported kind."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from bert_attention.attention.hooks import run
from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.norms import output_products, signed_projections, summed_norms
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, WITH_MIXING, random_encoder

# The layer norm after the attention module's residual connection, by kind; ALBERT's layers share one.
LAYER_NORMS = {
    "distilbert": "sa_layer_norm",
    "albert": "attention.LayerNorm",
    "mpnet": "attention.LayerNorm",
    "nomic_bert": "post_attention_layernorm",
    "gte": "post_attention_layernorm",
    "jina_embeddings_v3": "post_attention_layernorm",
}
IDS, SEGMENTS, MASK = batch([9, 6])


def addends(attention, values, output_weight):
    """``sum_h alpha^h_ij f_h(x_j)`` and its terms, ``[query, key, d]`` and ``[head, query, key, d]``."""
    terms = attention.double()[..., None] * transformed(values, output_weight, len(attention))[:, None]
    return terms.sum(0), terms


def transformed(values, output_weight, heads):
    """``f_h(x_j)``, ``[head, key, d]``."""
    size = values.shape[-1] // heads
    blocks = [slice(head * size, (head + 1) * size) for head in range(heads)]
    return torch.stack([values[:, block].double() @ output_weight[:, block].T.double() for block in blocks])


def run_and_record(kind):
    """The results of a forward pass, and the inputs and outputs of each layer's parts.

    The parts are the value projection (inputs, values), the output projection (module, outputs) and the layer norm that
    follows, if any (module, inputs, outputs).
    """
    encoder = random_encoder(kind)
    name = LAYER_NORMS.get(kind, "attention.output.LayerNorm")
    values, outputs, norms = [], [], []
    for projections in encoder.projections:
        projections.value.on_output(lambda *inputs_and_values: values.append(inputs_and_values))
        projections.output.register_forward_hook(lambda module, _inputs, output: outputs.append((module, output)))
    for path, module in encoder.model.named_modules():
        if path.endswith(name):
            module.register_forward_hook(lambda module, inputs, output: norms.append((module, inputs[0], output)))
    maps = run(encoder, IDS, SEGMENTS, MASK, encoder.norms)
    assert len(values) == len(outputs) == 3
    return maps, list(zip(values, outputs, norms or [None] * 3, strict=True))


def assert_norms_close(found, parts, terms):
    """Compare up to 1e-4 of the sum of the heads' norms, because rounding shows if heads cancel each other."""
    error = (found.double() - parts.norm(dim=-1)).abs()
    assert (error <= 1e-4 * terms.norm(dim=-1).sum(0) + 1e-9).all()


def bias_of(projection):
    if projection.bias is None:
        return torch.zeros(projection.out_features)
    assert projection.bias.abs().max() > 0.01
    return projection.bias.detach()


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_norms_equal_the_definition_on_parts_that_add_up_to_the_modules_output(kind):
    """Kobayashi et al. 2020, equation 3."""
    maps, layers = run_and_record(kind)
    for layer, ((inputs, values), (projection, output), _) in enumerate(layers):
        found = {name: norms[:, layer].double() for name, norms in maps.norms.items() if name != "mixing"}
        weight, bias = projection.weight.detach(), bias_of(projection)
        for row in range(2):
            parts, terms = addends(maps.attention[layer][row], values[row], weight)
            torch.testing.assert_close((parts.sum(1) + bias).float(), output[row], rtol=1e-5, atol=1e-5)
            assert_norms_close(found["summed_norms"][row], parts, terms)
            of_values = transformed(values[row], weight, len(terms)).norm(dim=-1)
            torch.testing.assert_close(found["value_norms"][row], of_values, rtol=1e-5, atol=1e-6)
            directions = torch.nn.functional.normalize((output[row] - bias).double(), dim=-1)
            projected = torch.einsum("hqkd,qd,q->hk", terms, directions, MASK[row].double())
            torch.testing.assert_close(found["projections"][row], projected, rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(found["input_norms"][row], inputs[row].double().norm(dim=-1), rtol=1e-5, atol=0)


@pytest.mark.parametrize("kind", WITH_MIXING)
def test_mixing_ratios_equal_the_definition_on_parts_that_add_up_to_the_layers_output(kind):
    """Kobayashi et al. 2021."""
    maps, layers = run_and_record(kind)
    assert maps.norms["mixing"].shape == (2, len(MIXING_METHODS), 3, 9)
    for layer, ((inputs, values), (projection, _), (norm, normed, result)) in enumerate(layers):
        for row in range(2):
            attention = maps.attention[layer][row]
            parts, _ = addends(attention, values[row], projection.weight.detach())
            with_residual = parts + torch.diag_embed(inputs[row].double().T).permute(1, 2, 0)
            bias = bias_of(projection).double()
            torch.testing.assert_close((with_residual.sum(1) + bias).float(), normed[row], rtol=1e-5, atol=1e-5)
            epsilon = getattr(norm, "eps", None) or norm.variance_epsilon  # the name in DeBERTa
            deviation = normed[row].double().var(-1, correction=0, keepdim=True).add(epsilon).sqrt()

            def linear(vectors, deviation=deviation, norm=norm):
                return (vectors - vectors.mean(-1, keepdim=True)) / deviation * norm.weight.detach().double()

            normalized = linear(with_residual, deviation[:, None])
            whole = normalized.sum(1) + linear(bias.expand(9, -1)) + norm.bias.detach()
            torch.testing.assert_close(whole.float(), result[row], rtol=1e-5, atol=1e-5)

            weights = attention.double().mean(0)
            expected = {
                "attn_w": ratio(weights[..., None]),
                "attn_n": ratio(parts),
                "attn_res_w": ratio((0.5 * weights + 0.5 * torch.eye(9))[..., None]),
                "attn_res_n": ratio(with_residual),
                "attn_res_ln_n": ratio(normalized),
            }
            for method, values_of in zip(MIXING_METHODS, maps.norms["mixing"][row, :, layer], strict=True):
                torch.testing.assert_close(values_of.double(), expected[method], rtol=1e-5, atol=1e-6)


def ratio(parts):
    """``||sum_{j != i}|| / (||sum_{j != i}|| + ||i = j||)`` for addends ``[token, token, d]``."""
    own = parts.diagonal(dim1=0, dim2=1).T
    others = (parts.sum(1) - own).norm(dim=-1)
    return others / (others + own.norm(dim=-1))


def test_heads_that_cancel_leave_almost_nothing():
    """f_1 + f_2 + f_3 = 0 exactly, but rounded inner products can make the square negative."""
    generator = torch.Generator().manual_seed(0)
    one, other = (torch.randn(2, 4000, generator=generator) * 2**20).round() / 2**20
    output = nn.Linear(3, 4000, bias=False)
    output.weight = nn.Parameter(torch.stack([one, other, -(one + other)], dim=1))
    attention, values = torch.rand(100, generator=generator).expand(1, 3, 100)[..., None], torch.ones(1, 1, 3)
    norms = summed_norms(attention, values, output_products(output))
    assert norms.max() < 1e-3 * sum(vector.norm() for vector in output.weight.T)  # and not NaN
    nothing, mask = torch.zeros(1, 1, 4000), torch.ones(1, 1)
    assert signed_projections(attention[:, :, :1], values, output.weight, nothing, mask).abs().max() == 0


@given(st.integers(1, 5), st.integers(1, 80), st.integers(0, 100))
def test_summed_norms_equal_the_definition_for_any_shape(heads, tokens, seed):
    generator = torch.Generator().manual_seed(seed)
    attention = torch.softmax(2 * torch.randn(2, heads, 3, tokens, generator=generator), -1)
    values = torch.randn(2, tokens, 2 * heads, generator=generator)
    output = nn.Linear(2 * heads, 7, bias=False)  # W^O need not be square
    weight = output.weight.detach()
    found = summed_norms(attention, values, output_products(output))
    for row in range(2):
        assert_norms_close(found[row], *addends(attention[row], values[row], weight))
