import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.kobayashi.dispersion import dispersion
from tests.kobayashi.sequences import HEADS, LAYERS, random_sequence


def reference(sequences):
    """The lists of the released script, value by value, and their statistics."""
    lists = {}
    for sequence in sequences:
        n = len(sequence.token_ids)
        for layer, j in itertools.product(range(LAYERS), range(n)):
            lists.setdefault(("input", layer + 1, 0), []).append(float(sequence.input_norms[layer, j]))
        for layer, head, j in itertools.product(range(LAYERS), range(HEADS), range(n)):
            length = float(np.sqrt(sum(float(x) ** 2 for x in sequence.transformed[layer, head, j])))
            lists.setdefault(("transformed", layer + 1, head + 1), []).append(length)
            for i in range(n):
                weight = float(sequence.attention[layer, head, i, j])
                lists.setdefault(("weight", layer + 1, head + 1), []).append(weight)
                lists.setdefault(("weighted", layer + 1, head + 1), []).append(weight * length)
    rows = []
    for (vector, layer, head), values in lists.items():
        mean = sum(values) / len(values)
        sd = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        rows.append((vector, layer, head, mean, sd, sd / mean, min(values), max(values), len(values)))
    columns = ["vector", "layer", "head", "mean", "sd", "cv", "min", "max", "n"]
    return pd.DataFrame(rows, columns=columns).sort_values(columns[:3], ignore_index=True)


def test_equals_the_plain_formula():
    sequences = [random_sequence(seed, n) for seed, n in enumerate((5, 8, 6))]
    table = dispersion(iter(sequences)).fillna({"head": 0})
    found = table[table["layer"] > 0].sort_values(["vector", "layer", "head"], ignore_index=True)
    expected = reference(sequences)
    pd.testing.assert_frame_equal(found[expected.columns], expected, check_dtype=False, rtol=1e-5)


def test_averages_are_over_the_lists_of_a_vector():
    table = dispersion([random_sequence(seed, 7) for seed in range(3)])
    for vector, lists in (("input", LAYERS), ("transformed", LAYERS * HEADS), ("weighted", LAYERS * HEADS)):
        rows = table[table["vector"] == vector]
        average, rest = rows[rows["layer"] == 0].iloc[0], rows[rows["layer"] > 0]
        assert average["n"] == len(rest) == lists
        assert average["cv"] == pytest.approx(rest["cv"].mean())  # the mean of the ratios, not their ratio of means
        assert average["max"] == pytest.approx(rest["max"].mean())
        assert pd.isna(average["head"])


def test_vectors_of_one_length_do_not_vary():
    sequence = random_sequence(0, 6)
    lengths = np.linalg.norm(sequence.transformed, axis=-1, keepdims=True)
    alike = type(sequence)(**{**vars(sequence), "transformed": 5 * sequence.transformed / lengths})
    table = dispersion([alike])
    rows = table[table["vector"] == "transformed"]
    assert rows["mean"].to_numpy() == pytest.approx(5)
    assert rows["cv"].to_numpy() == pytest.approx(0, abs=1e-6)
    weights = table[(table["vector"] == "weight") & (table["layer"] > 0)].set_index(["layer", "head"])
    weighted = table[(table["vector"] == "weighted") & (table["layer"] > 0)].set_index(["layer", "head"])
    np.testing.assert_allclose(weighted["cv"], weights["cv"], rtol=1e-5)
    np.testing.assert_allclose(weights["mean"], 1 / 6, rtol=1e-6)
