import numpy as np
import pandas as pd

from bert_attention.papers.kobayashi import dispersion
from tests.kobayashi.sequences import length, random_sequence, sums_of


def reference(sequences):
    """The lists of the released script, value by value, their statistics, and the averages over lists as layer 0."""
    lists = {}
    for sequence in sequences:
        for (layer, _), norm in np.ndenumerate(sequence.input_norms):
            lists.setdefault(("input", layer + 1, 0), []).append(norm)
        for layer, head, j in np.ndindex(sequence.transformed.shape[:3]):
            norm = length(sequence.transformed[layer, head, j])
            lists.setdefault(("transformed", layer + 1, head + 1), []).append(norm)
            for weight in sequence.attention[layer, head, :, j].astype(float):
                lists.setdefault(("weight", layer + 1, head + 1), []).append(weight)
                lists.setdefault(("weighted", layer + 1, head + 1), []).append(weight * norm)
    rows = []
    for name, values in lists.items():
        mean = sum(values) / len(values)
        sd = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        rows.append((*name, mean, sd, sd / mean, min(values), max(values), len(values)))
    for vector in ("input", "transformed", "weight", "weighted"):
        own = [statistics for name, _, _, *statistics, _ in rows if name == vector]
        rows.append((vector, 0, 0, *np.mean(own, axis=0), len(own)))
    return pd.DataFrame(rows, columns=["vector", "layer", "head", "mean", "sd", "cv", "min", "max", "n"])


def check_table(table, sequences, **tolerance):
    names = ["vector", "layer", "head"]
    found, expected = (
        rows.fillna({"head": 0}).sort_values(names, ignore_index=True) for rows in (table, reference(sequences))
    )
    pd.testing.assert_frame_equal(found[expected.columns], expected, check_dtype=False, **tolerance)


def test_equals_the_plain_formula_with_and_without_a_block():
    sequences = [random_sequence(seed, n) for seed, n in enumerate((5, 8, 6))]
    sums = sums_of(dispersion, sequences)
    check_table(dispersion.table(sums), sequences, rtol=1e-5)
    check_table(dispersion.table(sums.without(2)), sequences[:2], rtol=1e-5)
