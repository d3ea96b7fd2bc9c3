"""One forward pass of encoders of every kind, and its norms against their definitions."""

import pytest
import torch
from torch import nn

from bert_attention.attention.hooks import NORMS, HookedEncoder, run
from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.neurons import run_with_neurons
from bert_attention.attention.norms import output_products, signed_projections, summed_norms
from bert_attention.errors import InputError
from bert_attention.models.encoders import Encoder
from tests.models.random_models import (
    CONFIGURATIONS,
    INNER_LAYERS,
    WITH_MIXING,
    WITH_NEURONS,
    random_encoder,
    random_model,
)


def batch(lengths, seed=0, pad_id=1):
    """Random token ids, zero segment ids and the mask of a padded batch."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, 90, (len(lengths), max(lengths)), generator=generator)
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    return torch.where(mask.bool(), ids, pad_id), torch.zeros_like(ids), mask


@pytest.mark.parametrize("kind", [kind for kind in CONFIGURATIONS if kind not in WITH_MIXING])
def test_mixing_is_an_error_if_no_layer_norm_follows_attention(kind):
    encoder = random_encoder(kind)
    assert "mixing" not in encoder.norms
    assert not any(module.layer_norm for module in encoder.projections)
    with pytest.raises(InputError, match="has no mixing: its layer norm comes before attention"):
        run(encoder, *batch([7]), ["mixing"])


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_maps_do_not_depend_on_padding_and_other_sequences(kind):
    encoder = random_encoder(kind)
    ids, segments, mask = batch([11, 6])
    together = run(encoder, ids, segments, mask, encoder.norms)
    alone = run(encoder, ids[1:, :6], segments[1:, :6], mask[1:, :6], encoder.norms)
    for one, other in zip(alone.attention, together.attention, strict=True):
        torch.testing.assert_close(one[0], other[1, :, :6, :6], rtol=1e-5, atol=1e-6)
    for name, values in together.norms.items():
        cropped = values[1, :, :6, :6] if name == "summed_norms" else values[1, ..., :6]
        torch.testing.assert_close(alone.norms[name][0], cropped, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_maps_and_neurons_do_not_depend_on_how_a_model_returns_outputs(kind):
    encoder, plain = random_encoder(kind), random_encoder(kind, return_dict=False)
    for one, other in zip(*(run(each, *batch([9])).attention for each in (encoder, plain)), strict=True):
        assert torch.equal(one, other)
    if kind in WITH_NEURONS:
        assert len(run_with_neurons(plain, *batch([9]))) == encoder.layers


def test_segment_ids_reach_the_model_and_hooks_are_removed():
    encoder = random_encoder("bert")
    ids, segments, mask = batch([8])
    zeros, ones = (run(encoder, ids, segments + fill, mask, NORMS).attention[0] for fill in (0, 1))
    assert (zeros - ones).abs().max() > 1e-3
    assert not any(projections.value.module._forward_hooks for projections in encoder.projections)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_run_leaves_the_version_of_an_encoder(kind):
    encoder = random_encoder(kind)
    before = encoder.version
    for length in (5, 30):
        run(encoder, *batch([length]), encoder.norms)
    assert encoder.version == before


def test_an_unsupported_kind_of_attention_is_an_error():
    model = random_model("gpt2", n_layer=1, n_head=2, n_embd=8)
    with pytest.raises(InputError, match="the self-attention of model type gpt2 is not supported"):
        HookedEncoder.of(Encoder(model, torch.device("cpu")))


# The layer norm after the attention module's residual connection, by kind; ALBERT's layers share one.
LAYER_NORMS = {
    "distilbert": "sa_layer_norm",
    "albert": "attention.LayerNorm",
    "mpnet": "attention.LayerNorm",
    **dict.fromkeys(("nomic_bert", "gte", "jina_embeddings_v3"), "post_attention_layernorm"),
}
IDS, SEGMENTS, MASK = batch([9, 6])


def transformed(values, output_weight, heads):
    """``f_h(x_j)``, ``[head, key, d]``."""
    blocks = zip(values.double().chunk(heads, dim=-1), output_weight.double().chunk(heads, dim=-1), strict=True)
    return torch.stack([value @ weight.T for value, weight in blocks])


def addends(attention, values, output_weight):
    """``sum_h alpha^h_ij f_h(x_j)`` and its terms, ``[query, key, d]`` and ``[head, query, key, d]``."""
    terms = attention.double()[..., None] * transformed(values, output_weight, len(attention))[:, None]
    return terms.sum(0), terms


def run_and_record(kind, **changes):
    """The results of a forward pass, and the inputs and outputs of each layer's parts.

    The parts are the value projection (inputs, values), the output projection (module, outputs) and the layer norm that
    follows (module, inputs, outputs) or None.
    """
    encoder = random_encoder(kind, **changes)
    name = LAYER_NORMS.get(kind, "attention.output.LayerNorm")
    values, outputs, norms = [], [], []
    for projections in encoder.projections:
        projections.value.on_output(lambda *inputs_and_values: values.append(inputs_and_values))
        projections.output.register_forward_hook(lambda module, _inputs, output: outputs.append((module, output)))
    for path, module in encoder.model.named_modules():
        if path.endswith(name):
            module.register_forward_hook(lambda module, inputs, output: norms.append((module, inputs[0], output)))
    maps = run(encoder, IDS, SEGMENTS, MASK, encoder.norms)
    return maps, list(zip(values, outputs, norms or [None] * 3, strict=True))


def assert_norms_close(found, parts, terms):
    """Compare up to 1e-4 of the sum of the heads' norms, because rounding shows if heads cancel each other."""
    error = (found.double() - parts.norm(dim=-1)).abs()
    assert (error <= 1e-4 * terms.norm(dim=-1).sum(0) + 1e-9).all()


@pytest.mark.parametrize("changes", INNER_LAYERS)
def test_nested_layers_are_counted(changes):
    encoder = random_encoder("albert", **changes)
    ran = []
    for projections in encoder.projections:
        projections.output.register_forward_hook(lambda module, *_: ran.append(module))
    maps = run(encoder, IDS, SEGMENTS, MASK, encoder.norms)
    assert [projections.output for projections in encoder.projections_by_layer] == ran
    assert encoder.layers == len(ran) == len(maps.attention) == 2 * changes["num_hidden_layers"]


@pytest.mark.parametrize(
    ("kind", "changes"), [*((kind, {}) for kind in CONFIGURATIONS), *(("albert", inner) for inner in INNER_LAYERS)]
)
def test_norms_equal_the_definition_on_parts_that_add_up_to_the_modules_output(kind, changes):
    """Kobayashi et al. 2020, equation 3, and Kobayashi et al. 2021."""
    maps, layers = run_and_record(kind, **changes)
    assert len(layers) == (2 * changes["num_hidden_layers"] if changes else 3)
    for layer, ((inputs, values), (projection, output), layer_norm) in enumerate(layers):
        found = {name: norms[:, layer].double() for name, norms in maps.norms.items() if name != "mixing"}
        weight = projection.weight.detach()
        bias = torch.zeros(len(weight)) if projection.bias is None else projection.bias.detach()
        assert projection.bias is None or bias.abs().max() > 0.01
        for row in range(2):
            attention, x = maps.attention[layer][row], inputs[row].double()
            parts, terms = addends(attention, values[row], weight)
            torch.testing.assert_close((parts.sum(1) + bias).float(), output[row], rtol=1e-5, atol=1e-5)
            assert_norms_close(found["summed_norms"][row], parts, terms)
            value_norms = transformed(values[row], weight, len(terms)).norm(dim=-1)
            torch.testing.assert_close(found["value_norms"][row], value_norms, rtol=1e-5, atol=1e-6)
            directions = nn.functional.normalize((output[row] - bias).double(), dim=-1)
            projected = torch.einsum("hqkd,qd,q->hk", terms, directions, MASK[row].double())
            torch.testing.assert_close(found["projections"][row], projected, rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(found["input_norms"][row], x.norm(dim=-1), rtol=1e-5, atol=0)
            if kind in WITH_MIXING:
                norm, normed, result = layer_norm[0], layer_norm[1][row], layer_norm[2][row]
                expected = mixing(attention.double().mean(0), parts, x, bias.double(), norm, normed, result)
                for method, ratios in zip(MIXING_METHODS, maps.norms["mixing"][row, :, layer], strict=True):
                    torch.testing.assert_close(ratios.double(), expected[method], rtol=1e-5, atol=1e-6)


def mixing(weights, parts, inputs, bias, norm, normed, result):
    """Mixing ratios by method, from parts that add up to the input and the output of the layer norm."""
    with_residual = parts + torch.diag_embed(inputs.T).permute(1, 2, 0)
    torch.testing.assert_close((with_residual.sum(1) + bias).float(), normed, rtol=1e-5, atol=1e-5)
    epsilon = getattr(norm, "eps", None) or norm.variance_epsilon  # the name in DeBERTa
    deviation = normed.double().var(-1, correction=0, keepdim=True).add(epsilon).sqrt()

    def linear(vectors, deviation):
        return (vectors - vectors.mean(-1, keepdim=True)) / deviation * norm.weight.detach().double()

    normalized = linear(with_residual, deviation[:, None])
    whole = normalized.sum(1) + linear(bias.expand(9, -1), deviation) + norm.bias.detach()
    torch.testing.assert_close(whole.float(), result, rtol=1e-5, atol=1e-5)
    return {
        "attn_w": ratio(weights[..., None]),
        "attn_n": ratio(parts),
        "attn_res_w": ratio((0.5 * weights + 0.5 * torch.eye(9))[..., None]),
        "attn_res_n": ratio(with_residual),
        "attn_res_ln_n": ratio(normalized),
    }


def ratio(parts):
    """``||sum_{j != i}|| / (||sum_{j != i}|| + ||i = j||)`` for addends ``[token, token, d]``."""
    own = parts.diagonal(dim1=0, dim2=1).T
    others = (parts.sum(1) - own).norm(dim=-1)
    return others / (others + own.norm(dim=-1))


def test_the_summed_norm_of_heads_that_cancel_is_nearly_zero():
    """f_1 + f_2 + f_3 = 0 exactly, but rounded inner products can make the square negative."""
    generator = torch.Generator().manual_seed(0)
    one, other = (torch.randn(2, 4000, generator=generator) * 2**20).round() / 2**20
    output = nn.Linear(3, 4000, bias=False)
    output.weight = nn.Parameter(torch.stack([one, other, -(one + other)], dim=1), requires_grad=False)
    attention, values = torch.rand(100, generator=generator).expand(1, 3, 100)[..., None], torch.ones(1, 1, 3)
    norms = summed_norms(attention, values, output_products(output.weight))
    assert norms.max() < 1e-3 * sum(vector.norm() for vector in output.weight.T)  # a sum of nearly zero is not NaN
    nothing, mask = torch.zeros(1, 1, 4000), torch.ones(1, 1)
    assert signed_projections(attention[:, :, :1], values, output.weight, nothing, mask).abs().max() == 0
