import numpy as np
import pytest
import torch

from bert_attention.models.attention_modules import attention_modules
from bert_attention.models.families import FAMILIES
from bert_attention.models.random_weights import randomise
from tests.models.random_models import CONFIGURATIONS, random_model


def numbers_of(model):
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def drawn(kind, seed, **changes):
    """The parameters of a model by name, and those of the model with random weights."""
    model = random_model(kind, **changes)
    before = numbers_of(model)
    randomise(model, seed)
    return before, numbers_of(model)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_control_shares_the_scale_of_every_matrix_and_the_embeddings(kind):
    before, after = drawn(kind, 3)
    embeddings = tuple(f"{part}." for part in FAMILIES[kind].embeddings)
    assert any(name.startswith(embeddings) for name in before)
    for name, value in after.items():
        trained = before[name]
        if name.startswith(embeddings):
            assert torch.equal(value, trained), name
        elif value.ndim == 1:
            assert torch.equal(value, torch.full_like(value, float(name.endswith("weight")))), name
        else:
            size = value.numel()
            assert value.mean().item() == pytest.approx(trained.mean().item(), abs=5 * trained.std().item() / size**0.5)
            assert value.std().item() == pytest.approx(trained.std().item(), rel=5 / (2 * size) ** 0.5), name


@pytest.mark.parametrize("kind", ["bert", "deberta", "modernbert"])
def test_queries_keys_and_values_have_scales_of_their_own_even_in_one_matrix(kind):
    model = random_model(kind)
    scales = 0.02, 0.1, 0.5
    for module in attention_modules(model):
        for scale, projection in zip(scales, (module.query, module.key, module.value), strict=True):
            rows = projection.part(torch.arange(projection.module.out_features))
            with torch.no_grad():
                projection.module.weight[rows] *= scale / projection.weight.std()
    randomise(model, 1)
    for module in attention_modules(model):
        found = [projection.weight.std().item() for projection in (module.query, module.key, module.value)]
        np.testing.assert_allclose(found, scales, rtol=0.15)


def test_the_numbers_are_independent_of_the_trained_ones():
    before, after = drawn("bert", 1, hidden_size=64)
    name = "encoder.layer.1.attention.self.query.weight"
    assert abs(np.corrcoef(before[name].ravel(), after[name].ravel())[0, 1]) < 0.08


def test_the_seed_decides_alone():
    (_, first), (_, again), (_, other) = (drawn("bert", seed) for seed in (1, 1, 2))
    name = "encoder.layer.0.attention.self.query.weight"
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first[name], other[name])
