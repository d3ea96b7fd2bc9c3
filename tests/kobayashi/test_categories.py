import numpy as np
import pytest

from bert_attention.papers.kobayashi import categories
from bert_attention.papers.kobayashi.columns import CATEGORIES
from tests.kobayashi.sequences import length, make_tables, random_sequence

HAVE_SHARES = ("norm", "norm_of_sum", "projection_of_sum")


def received(sequence, layer):
    """By measure, what an average token gets from each token: ``[head, token]``, or ``[token]`` of the heads' sum."""
    parts = sequence.parts[layer]
    heads, n = parts.shape[:2]
    found = {measure: np.zeros((heads, n)) for measure in ("weight", "norm", "projection")}
    found |= {"norm_of_sum": np.zeros(n), "projection_of_sum": np.zeros(n)}
    for i in range(n):
        y = parts[:, i].sum((0, 1))
        for j in range(n):
            together = parts[:, i, j].sum(0)
            found["norm_of_sum"][j] += length(together) / n
            found["projection_of_sum"][j] += together @ y / length(y) / n
            for head in range(heads):
                part = parts[head, i, j]
                found["weight"][head, j] += sequence.attention[layer, head, i, j] / n
                found["norm"][head, j] += length(part) / n
                found["projection"][head, j] += part @ y / length(y) / n
    return found


def reference(sequence, layer):
    """By measure and category, ``[head]``, or a number for the heads' sum."""
    found = {}
    for measure, from_tokens in received(sequence, layer).items():
        for category in CATEGORIES:
            own = from_tokens[..., sequence.categories[category]].sum(-1)
            found[measure, category] = own
            if measure in HAVE_SHARES:
                found[f"share_of_{measure}", category] = own / from_tokens.sum(-1)
    for category, mask in sequence.categories.items():
        if mask.any():  # otherwise, the released average is undefined
            lengths = [[length(vector) for vector in vectors[mask]] for vectors in sequence.transformed[layer]]
            found["transformed", category] = np.mean(lengths, axis=1)
    return found


def check_table(table, sequences, **tolerance):
    """Compare all rows with the definitions. For a measure of heads, a layer's row is the mean over heads."""
    assert not table.duplicated(["layer", "head", "category", "measure"]).any()
    rows = table.fillna({"head": 0}).set_index(["measure", "category", "layer", "head"]).sort_index()
    expected_rows = 0
    for layer in range(len(sequences[0].attention)):
        by_sequence = [reference(sequence, layer) for sequence in sequences]
        for measure, category in set().union(*by_sequence):
            values = [found[measure, category] for found in by_sequence if (measure, category) in found]
            expected, found = np.mean(values, axis=0), rows.loc[measure, category, layer + 1]
            assert found.loc[0, "value"] == pytest.approx(expected.mean(), **tolerance), measure
            if not measure.endswith("_of_sum"):
                assert found["value"].loc[1:].to_numpy() == pytest.approx(expected, **tolerance), measure
            assert (found["n"] == len(values)).all()
            expected_rows += 1 + (0 if measure.endswith("_of_sum") else len(expected))
    assert len(rows) == expected_rows


def test_the_table_equals_the_plain_formula():
    sequences = [random_sequence(seed, n, punctuation=n != 9) for seed, n in enumerate((6, 9, 7))]
    check_table(make_tables(categories, sequences), sequences, rel=1e-5, abs=1e-6)
