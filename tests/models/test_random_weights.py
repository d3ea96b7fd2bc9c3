import numpy as np
import pytest
import torch

from bert_attention.models.attention_modules import attention_modules, linear_map
from bert_attention.models.families import FAMILIES
from bert_attention.models.random_weights import randomize
from tests.models.random_models import CONFIGURATIONS, random_model


def drawn(kind, seed):
    """The parameters of a model by name, before and after they are drawn at random.

    Vectors of the model, such as those of its layer norms, have different numbers.
    """
    model = random_model(kind)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.copy_(torch.linspace(0.5, 2, len(parameter)))
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    randomize(model, seed)
    return before, {name: value.detach() for name, value in model.named_parameters()}


def is_of_norm(name, parameters):
    """Return True if a vector belongs to a layer norm, whose weight is a vector, too."""
    weight = parameters.get(name.rpartition(".")[0] + ".weight")
    return weight is not None and weight.ndim == 1


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_layer_norms_keep_their_trained_sizes_in_another_order(kind):
    (trained, one), (_, again), (_, other) = (drawn(kind, seed) for seed in (1, 1, 2))
    names = [name for name in trained if "embeddings" not in name and is_of_norm(name, trained)]
    assert len(names) >= 4
    for name in names:
        assert torch.equal(one[name], again[name])
        assert not torch.equal(one[name], other[name])
        assert one[name].sum() == pytest.approx(trained[name].sum().item())


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_control_shares_the_scale_of_every_matrix_and_the_embeddings(kind):
    before, after = drawn(kind, 3)
    embeddings = tuple(f"{part}." for part in FAMILIES[kind].embeddings)
    assert any(name.startswith(embeddings) for name in before)
    for name, value in after.items():
        trained = before[name]
        if name.startswith(embeddings):
            assert torch.equal(value, trained), name
        elif value.ndim == 1 and is_of_norm(name, before):
            assert torch.equal(value.sort().values, trained.sort().values), name
            assert not torch.equal(value, trained), name
            partner = name.removesuffix("weight") + "bias"
            if name.endswith("weight") and partner in after:  # both were equal, and have one order
                assert torch.equal(after[partner], value), name
        elif value.ndim == 1:
            assert not value.any(), name
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
            rows = projection.select(torch.arange(projection.module.out_features))
            with torch.no_grad():
                projection.module.weight[rows] *= scale / projection.module.weight[rows].std()
    randomize(model, 1)
    for module in attention_modules(model):
        projections = module.query, module.key, module.value
        found = [linear_map(projection, 32)[0].std().item() for projection in projections]
        np.testing.assert_allclose(found, scales, rtol=0.15)


def test_the_weights_depend_on_the_seed_but_not_on_the_trained_weights():
    (trained, first), (_, again), (_, other) = (drawn("bert", seed) for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    name = "encoder.layer.1.intermediate.dense.weight"
    correlations = np.corrcoef([weights[name].ravel() for weights in (first, trained, other)])
    assert np.abs(correlations[0, 1:]).max() < 0.08
