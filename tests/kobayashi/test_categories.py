import numpy as np
import pytest

from bert_attention.kobayashi.categories import categories
from bert_attention.kobayashi.column_values import CATEGORIES
from tests.kobayashi.sequences import length, random_sequence

HAVE_SHARES = ("norm", "norm_of_sum", "projection_of_sum")


def received(sequence, layer):
    """What an average token takes from each token: by head, [head, token], and through all heads together, [token]."""
    _, heads, n, _ = sequence.attention.shape
    found = {measure: np.zeros((heads, n)) for measure in ("weight", "norm", "projection")}
    found |= {"norm_of_sum": np.zeros(n), "projection_of_sum": np.zeros(n)}
    for i in range(n):
        y = sum(sequence.part_of_all(layer, i, j) for j in range(n))
        for j in range(n):
            together = sequence.part_of_all(layer, i, j)
            found["norm_of_sum"][j] += length(together) / n
            found["projection_of_sum"][j] += together @ y / length(y) / n
            for head in range(heads):
                part = sequence.part(layer, head, i, j)
                found["weight"][head, j] += sequence.attention[layer, head, i, j] / n
                found["norm"][head, j] += length(part) / n
                found["projection"][head, j] += part @ y / length(y) / n
    return found


def reference(sequence, layer):
    """By measure and category, ``[head]``, or a number of all heads together."""
    found = {}
    for measure, from_tokens in received(sequence, layer).items():
        for category in CATEGORIES:
            own = from_tokens[..., sequence.categories[category]].sum(-1)
            found[measure, category] = own
            if measure in HAVE_SHARES:
                found[f"share_of_{measure}", category] = own / from_tokens.sum(-1)
    return found


def check_table(table, sequences, **tolerance):
    """All rows against the definitions, but those of ``transformed``; a layer's row of heads is their mean."""
    assert not table.duplicated(["layer", "head", "category", "measure"]).any()
    rows = table.fillna({"head": 0}).set_index(["measure", "category", "layer", "head"]).sort_index()
    for layer in range(len(sequences[0].attention)):
        by_sequence = [reference(sequence, layer) for sequence in sequences]
        assert {measure for measure, _ in by_sequence[0]} | {"transformed"} == set(table["measure"])
        for measure, category in by_sequence[0]:
            expected = np.mean([values[measure, category] for values in by_sequence], axis=0)
            found = rows.loc[measure, category, layer + 1]
            assert found.loc[0, "value"] == pytest.approx(expected.mean(), **tolerance), measure
            if not measure.endswith("_of_sum"):  # heads do not have what is computed from their sum
                assert found["value"].loc[1:].to_numpy() == pytest.approx(expected, **tolerance), measure
            assert len(found) == 1 + (0 if measure.endswith("_of_sum") else len(expected))
            assert (found["n"] == len(sequences)).all()


def test_equals_the_plain_formula():
    sequences = [random_sequence(seed, n) for seed, n in enumerate((6, 9, 7))]
    check_table(categories(iter(sequences)), sequences, rel=1e-5, abs=1e-6)


def test_transformed_is_averaged_over_sequences_that_have_the_category():
    """The released average would be undefined: the second sequence has no period and no comma."""
    sequences = [random_sequence(0, 6), random_sequence(1, 8, punctuation=False)]
    table = categories(sequences)
    of_layer_2 = table[(table["measure"] == "transformed") & (table["layer"] == 2)]
    rows = of_layer_2[of_layer_2["head"] == 3].set_index("category")
    means = of_layer_2[of_layer_2["head"].isna()].set_index("category")["value"]
    assert means.to_dict() == pytest.approx(
        of_layer_2[of_layer_2["head"].notna()].groupby("category")["value"].mean().to_dict()
    )
    expected = {
        category: [
            np.linalg.norm(s.transformed[1, 2, s.categories[category]], axis=-1).mean()
            for s in sequences
            if s.categories[category].any()
        ]
        for category in CATEGORIES
    }
    assert rows["n"].to_dict() == {"cls": 2, "sep": 2, "punctuation": 1, "other": 2}
    for category, values in expected.items():
        assert rows.loc[category, "value"] == pytest.approx(np.mean(values), rel=1e-6)
    weights = table[(table["measure"] == "weight") & (table["category"] == "punctuation")]
    assert set(weights["n"]) == {2}
