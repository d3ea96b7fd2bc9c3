import numpy as np
import pytest

from bert_attention.papers.kobayashi.expansion import expansion, expansion_rates

WIDTH = 5


def random_weights(seed, scale=1.0):
    random = np.random.default_rng(seed)
    shapes = ((WIDTH, WIDTH), (WIDTH,)) * 2
    return tuple(scale * random.normal(size=shape).astype(np.float32) for shape in shapes)


def homogeneous(weight, bias, bias_in_last_column):
    """The map ``x W^T + b`` in row vectors with a last coordinate of 1; the released script puts one bias elsewhere."""
    outputs, inputs = weight.shape
    matrix = np.zeros((inputs + 1, outputs + 1))
    matrix[:-1, :-1] = weight.T
    for k in range(len(bias)):
        matrix[(k, -1) if bias_in_last_column else (-1, k)] = bias[k]
    matrix[-1, -1] = 1
    return matrix


def reference(weights, variant):
    """As expansion_rate_attn_f.py: singular values of the explicit matrix, their squares summed one by one."""
    value = homogeneous(*weights[:2], bias_in_last_column=False)
    output = homogeneous(*weights[2:], bias_in_last_column=variant == "released")
    return (sum(np.linalg.svd(value @ output, compute_uv=False) ** 2) / (WIDTH + 1)) ** 0.5


@pytest.mark.parametrize("variant", ["released", "described"])
def test_equals_the_singular_values_of_the_explicit_matrix(variant):
    for weights in map(random_weights, range(5)):
        assert expansion_rates(weights)[variant] == pytest.approx(reference(weights, variant), rel=1e-12)


def test_layer_0_is_the_mean_over_layers():
    modules = [random_weights(seed, scale) for seed, scale in enumerate((0.5, 1, 2))]
    table = expansion(modules).set_index(["variant", "layer"])["expansion_rate"]
    for variant in ("released", "described"):
        by_layer = [expansion_rates(module)[variant] for module in modules]
        assert table[variant].to_dict() == pytest.approx(dict(enumerate([np.mean(by_layer), *by_layer])))
