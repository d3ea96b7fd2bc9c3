"""Average factor by which value and output projection lengthen a vector (Kobayashi et al. 2021, section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

# One attention module, in nn.Linear's layout: W^V [d, d] and b^V [d] of all heads, W^O [d, d] and b^O [d].
ProjectionWeights: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def expansion(modules: Sequence[ProjectionWeights]) -> pd.DataFrame:
    """Return table ``kobayashi_expansion``: the expansion rate of every layer; ``layer`` 0 is the mean over layers.

    See :func:`expansion_rates`.
    """
    by_layer = pd.DataFrame([expansion_rates(module) for module in modules])
    rates = pd.concat([by_layer.mean().to_frame().T, by_layer], ignore_index=True)
    return rates.rename_axis("layer").reset_index().melt("layer", var_name="variant", value_name="expansion_rate")


def expansion_rates(weights: ProjectionWeights) -> dict[str, float]:
    """Return a module's expansion rates, by variant: the Frobenius norm of its map divided by ``sqrt(d + 1)``.

    The rate is the root mean square of the map's singular values. The map is the value projection followed by the
    output projection, in homogeneous coordinates: matrices with one more row and column, which hold the biases. In row
    vectors, with ``A`` and ``B`` the weights of the two projections, ``a`` and ``b`` their biases::

        described    [A 0] [B 0]   [  A B      0]
                     [a 1] [b 1] = [A B + b    1]

        released     [A 0] [B b]   [A B      A b  ]
                     [a 1] [0 1] = [a B    a b + 1]

    The released ``expansion_rate_attn_f.py`` puts b into the last column, so b is not added to any vector. The
    published numbers come from this script.
    """
    weight_a, bias_a, weight_b, bias_b = (array.astype(np.float64).T for array in weights)
    weights_square = _square(weight_a @ weight_b)
    mapped_bias = bias_a @ weight_b
    squares = {
        "released": weights_square + _square(weight_a @ bias_b) + _square(mapped_bias) + (bias_a @ bias_b + 1) ** 2,
        "described": weights_square + _square(mapped_bias + bias_b) + 1,
    }
    return {variant: float(np.sqrt(square / (len(bias_b) + 1))) for variant, square in squares.items()}


def _square(array: np.ndarray) -> float:
    """Return the sum of squares."""
    return np.vdot(array, array)
