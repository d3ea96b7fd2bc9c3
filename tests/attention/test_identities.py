"""Identities that tell models whose numbers would be wrong."""

import pytest
import torch
from torch import nn

from bert_attention.attention.hooks import run
from bert_attention.attention.identities import TOLERANCES, check_identities, identity_errors
from bert_attention.errors import InputError
from bert_attention.models.inputs import padded_batch
from tests.attention.stores import extracted, random_sequences
from tests.models.random_models import CONFIGURATIONS, WITH_MIXING, random_encoder

WIDTH, HEADS = 32, 4
LENGTHS = [(9, 6), (5, 5, 11)]


class Scaled(nn.Linear):
    """A linear map whose outputs are scaled, b^O too, as IA3 does."""

    def forward(self, vectors):
        return super().forward(vectors) * torch.linspace(-1, 2, self.out_features)


class LowRank(nn.Module):
    """A linear map and a product of two small matrices, as in LoRA. It has no ``weight``."""

    def __init__(self, linear):
        super().__init__()
        torch.manual_seed(4)
        self.linear = linear
        self.down, self.up = nn.Linear(WIDTH, 3, bias=False), nn.Linear(3, WIDTH, bias=False)

    def forward(self, vectors):
        return self.linear(vectors) + self.up(self.down(nn.functional.dropout(vectors, 0.5, self.training)))


class Normalized(LowRank):
    """A sum of matrices whose rows are normalized, as in DoRA, and no bias."""

    @property
    def weight(self):
        return self.linear.weight

    def forward(self, vectors):
        return vectors @ nn.functional.normalize(self.linear.weight + self.up.weight @ self.down.weight, dim=1).T


def scaled(linear):
    new = Scaled(WIDTH, WIDTH)
    new.load_state_dict(linear.state_dict())
    return new


def output_projections(encoder, make):
    """Replace the output projections of a BERT."""
    for layer in encoder.model.encoder.layer:
        layer.attention.output.dense = make(layer.attention.output.dense).eval()
    return encoder


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("make", [scaled, LowRank, Normalized])
@torch.no_grad()
def test_f_is_what_the_output_projection_does_to_a_heads_values(make, lengths):
    encoder = output_projections(random_encoder("bert"), make)
    batch = padded_batch(random_sequences(lengths), 1)
    values = []
    for layer in encoder.model.encoder.layer:
        layer.attention.self.value.register_forward_hook(lambda _module, _inputs, output: values.append(output))
    maps = run(encoder, *batch, encoder.norms)
    for index, layer in enumerate(encoder.model.encoder.layer):
        dense, by_head = layer.attention.output.dense, torch.zeros(HEADS, *values[index].shape)
        for head in range(HEADS):
            part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            by_head[head, ..., part] = values[index][..., part]
        transformed = (dense(by_head) - dense(torch.zeros(1, WIDTH))).transpose(0, 1)  # [batch, head, key, d]
        torch.testing.assert_close(maps.norms["value_norms"][:, index], transformed.norm(dim=-1), rtol=1e-4, atol=1e-5)
        sums = torch.einsum("bhqk,bhkd->bqkd", maps.attention[index], transformed).norm(dim=-1)
        torch.testing.assert_close(maps.norms["summed_norms"][:, index], sums, rtol=1e-3, atol=1e-4)
    check_identities(encoder, random_sequences(lengths), 1)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_errors_of_every_family_are_rounding(kind, lengths):
    errors = identity_errors(random_encoder(kind), random_sequences(lengths), 1)
    assert set(errors) == set(TOLERANCES) - (set() if kind in WITH_MIXING else {"layer norm"})
    for identity, of_layers in errors.items():
        assert len(of_layers) == 3
        assert max(of_layers) < TOLERANCES[identity] / 20, identity
    assert "alone" not in identity_errors(random_encoder(kind), random_sequences(lengths[:1]), 1)


class Curved(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, vectors):
        return nn.functional.gelu(self.linear(vectors))


class Rounded(nn.Linear):
    """A linear map of 8-bit inputs, as in quantized models."""

    def forward(self, vectors):
        step = vectors.abs().max().clamp(min=1e-6) / 127
        return super().forward((vectors / step).round() * step)


def rounded(linear):
    new = Rounded(WIDTH, WIDTH)
    new.load_state_dict(linear.state_dict())
    return new


class RootMeanSquare(nn.Module):
    def forward(self, vectors):
        return vectors / (vectors.square().mean(-1, keepdim=True) + 1e-6).sqrt()


class Bottleneck(nn.Sequential):
    """An adapter behind the attention module, as of Houlsby et al. 2019."""

    def __init__(self):
        torch.manual_seed(2)
        super().__init__(nn.Linear(WIDTH, 4), nn.ReLU(), nn.Linear(4, WIDTH))

    def forward(self, vectors):
        return vectors + super().forward(vectors)


def in_layer_2(change):
    """Change the second layer of an encoder."""
    return lambda encoder: change(encoder.model.encoder.layer[1])


def bend_outputs(layer):
    layer.attention.output.dense = Curved(layer.attention.output.dense)


def round_inputs(layer):
    layer.attention.output.dense = rounded(layer.attention.output.dense)


def keep_the_mean(layer):
    layer.attention.output.LayerNorm = RootMeanSquare()


def add_an_adapter(layer):
    layer.attention.output.dropout = Bottleneck()


def gate_attention(layer):
    layer.attention.self.register_forward_hook(lambda _module, _inputs, found: tuple(part * 0.5 for part in found))


def attend_to_padding(layer):
    def unmasked(_module, inputs, kwargs):
        return inputs[:1], {name: None if "mask" in name else value for name, value in kwargs.items()}

    layer.attention.self.register_forward_pre_hook(unmasked, with_kwargs=True)


def mix_texts(encoder):
    """Add the mean over the batch's texts to each text."""
    encoder.model.embeddings.register_forward_hook(lambda _module, _inputs, found: found + found.mean(0, keepdim=True))


BROKEN = [
    (in_layer_2(bend_outputs), "layer 2, the sum over heads and tokens"),
    (in_layer_2(round_inputs), "layer 2, the sum over heads and tokens"),
    (in_layer_2(keep_the_mean), "layer 2, the layer norm after attention"),
    (in_layer_2(add_an_adapter), "layer 2, the layer norm after attention"),
    (in_layer_2(gate_attention), "layer 2, attention to the tokens of a text does not sum to one"),
    (in_layer_2(attend_to_padding), "layer 2, attention to the tokens of a text does not sum to one"),
    (mix_texts, "layer 1, the attention of a text alone differs"),
]


@pytest.mark.parametrize("lengths", [(9, 6), (5, 11, 5)])
@pytest.mark.parametrize(("break_it", "problem"), BROKEN)
def test_a_broken_identity_is_an_error_that_names_layer_and_size(break_it, problem, lengths, tmp_path):
    encoder = random_encoder("bert")
    break_it(encoder)
    with pytest.raises(InputError, match=f"in {problem}.*error is [0-9.]+, and rounding explains"):
        check_identities(encoder, random_sequences(lengths), 1)
    with pytest.raises(InputError, match=problem):
        extracted(tmp_path / "store", encoder, random_sequences(lengths))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("kind", "setting", "problem"),
    [("roformer", "rotary_value", "the sum over heads"), ("deberta", "talking_head", "attention to the tokens")],
)
def test_settings_that_change_what_heads_take_are_errors(kind, setting, problem, lengths):
    with pytest.raises(InputError, match=f"layer 1, {problem}"):
        check_identities(random_encoder(kind, **{setting: True}), random_sequences(lengths), 1)


@pytest.mark.parametrize("name", ["encoder.layer.2.output.dense.bias", "embeddings.position_embeddings.weight"])
def test_the_error_on_a_number_that_is_not_finite_names_the_parameter(name):
    for value in (float("nan"), float("inf")):
        encoder = random_encoder("bert")
        encoder.model.get_parameter(name).data.view(-1)[3] = value
        with pytest.raises(InputError, match=f"parameter {name} holds numbers that are not finite"):
            run(encoder, *padded_batch(random_sequences([7, 4]), 1))
