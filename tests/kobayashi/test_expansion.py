"""Expansion rates of value and output projection, against singular values and as a mean length."""

import numpy as np
import pytest

from bert_attention.kobayashi.expansion import expansion, expansion_rates

WIDTH = 5


def random_weights(seed, scale=1.0):
    random = np.random.default_rng(seed)
    shapes = ((WIDTH, WIDTH), (WIDTH,)) * 2
    return tuple(scale * random.normal(size=shape).astype(np.float32) for shape in shapes)


def homogeneous(weight, bias, bias_in_last_column):
    """The map ``x W^T + b`` in row vectors with a last coordinate of 1; the released script puts one bias elsewhere."""
    outputs, inputs = weight.shape
    matrix = np.zeros((inputs + 1, outputs + 1))
    for i in range(inputs):
        for j in range(outputs):
            matrix[i, j] = weight[j, i]
    for k in range(len(bias)):
        matrix[(k, -1) if bias_in_last_column else (-1, k)] = bias[k]
    matrix[-1, -1] = 1
    return matrix


def reference(weights, variant):
    """As expansion_rate_attn_f.py: singular values of the explicit matrix, their squares summed one by one."""
    value = homogeneous(*weights[:2], bias_in_last_column=False)
    output = homogeneous(*weights[2:], bias_in_last_column=variant == "released")
    rate = 0.0
    for singular_value in np.linalg.svd(value @ output, compute_uv=False):
        rate += singular_value**2
    return rate**0.5 / (WIDTH + 1) ** 0.5


@pytest.mark.parametrize("variant", ["released", "described"])
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_singular_values_of_the_explicit_matrix(seed, variant):
    weights = random_weights(seed)
    assert expansion_rates(weights)[variant] == pytest.approx(reference(weights, variant), rel=1e-12)


def test_it_is_the_mean_growth_of_vectors_in_all_directions():
    """Return the expansion of the described map from vectors of all directions, whose last coordinate counts, too."""
    value, value_bias, output, output_bias = weights = random_weights(0)
    vectors = np.random.default_rng(1).normal(size=(200_000, WIDTH + 1))
    values = vectors[:, :-1] @ value.T + vectors[:, -1:] * value_bias
    mapped = values @ output.T + vectors[:, -1:] * output_bias
    growth = (np.sum(mapped**2) + np.sum(vectors[:, -1] ** 2)) / np.sum(vectors**2)
    assert expansion_rates(weights)["described"] == pytest.approx(growth**0.5, rel=1e-2)


def test_layer_0_is_the_mean_over_layers():
    modules = [random_weights(seed, scale) for seed, scale in enumerate((0.5, 1, 2))]
    table = expansion(modules, 3).set_index(["variant", "layer"])["expansion_rate"]
    assert len(table) == 8
    for variant in ("released", "described"):
        by_layer = [expansion_rates(module)[variant] for module in modules]
        assert table[variant].to_dict() == pytest.approx(dict(enumerate([np.mean(by_layer), *by_layer])))


def test_layers_that_share_a_module_have_its_rate():
    """ALBERT's layers share one module, or some of them do, in groups of neighbors."""
    one, other = random_weights(0), random_weights(1)
    of = {name: expansion_rates(module)["released"] for name, module in (("one", one), ("other", other))}
    table = expansion([one], 3).set_index(["variant", "layer"])["expansion_rate"]
    assert table["released"].tolist() == pytest.approx([of["one"]] * 4)
    table = expansion([one, other], 4).set_index(["variant", "layer"])["expansion_rate"]
    assert table["released"].tolist()[1:] == pytest.approx([of["one"], of["one"], of["other"], of["other"]])
