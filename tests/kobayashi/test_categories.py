import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.kobayashi.categories import attention_to_categories, categories
from bert_attention.kobayashi.column_values import CATEGORIES
from tests.kobayashi.sequences import HEADS, LAYERS, random_sequence


def reference(sequence, category, layer, head=None):
    """The definitions pair by pair, for one head, or for the sum of all heads' vectors if none is given."""
    n = len(sequence.token_ids)
    parts, outputs = sequence.parts[layer], sequence.parts[layer].sum((0, 2))
    totals = dict.fromkeys(("weight", "norm", "projection", "all_norms", "all_projections"), 0.0)
    for i, j in itertools.product(range(n), range(n)):
        if head is None:
            weight, part = 0.0, parts[:, i, j].sum(0)
        else:
            weight, part = float(sequence.attention[layer, head, i, j]), parts[head, i, j]
        norm, projection = (part @ part) ** 0.5, part @ outputs[i] / (outputs[i] @ outputs[i]) ** 0.5
        totals["all_norms"] += norm / n
        totals["all_projections"] += projection / n
        if sequence.categories[category][j]:
            totals["weight"] += weight / n
            totals["norm"] += norm / n
            totals["projection"] += projection / n
    share_of_norm = totals["norm"] / totals["all_norms"]
    if head is None:
        return {
            "norm_of_sum": totals["norm"],
            "share_of_norm_of_sum": share_of_norm,
            "projection_of_sum": totals["projection"],
            "share_of_projection_of_sum": totals["projection"] / totals["all_projections"],
        }
    return {name: totals[name] for name in ("weight", "norm", "projection")} | {"share_of_norm": share_of_norm}


@pytest.fixture(scope="module")
def sequences():
    return [random_sequence(seed, n) for seed, n in enumerate((6, 9, 7))]


@pytest.fixture(scope="module")
def table(sequences):
    return categories(iter(sequences))


def test_heads_equal_the_plain_formula(table, sequences):
    rows = table[table["head"].notna()].set_index(["measure", "category", "layer", "head"])
    for category, layer, head in itertools.product(CATEGORIES, range(LAYERS), range(HEADS)):
        by_sequence = [reference(sequence, category, layer, head) for sequence in sequences]
        for measure in ("weight", "norm", "share_of_norm", "projection"):
            expected = np.mean([values[measure] for values in by_sequence])
            found = rows.loc[(measure, category, layer + 1, head + 1)]
            assert found["value"] == pytest.approx(expected, rel=1e-5, abs=1e-6), measure
            assert found["n"] == 3


def test_a_layers_row_of_a_measure_of_heads_is_the_heads_mean(table, sequences):
    of_layers = table[table["head"].isna()].set_index(["measure", "category", "layer"])
    for category, layer in itertools.product(CATEGORIES, range(LAYERS)):
        by_head = [[reference(sequence, category, layer, head) for head in range(HEADS)] for sequence in sequences]
        for measure in ("weight", "norm", "share_of_norm", "projection"):
            expected = np.mean([[values[measure] for values in of_sequence] for of_sequence in by_head])
            found = of_layers.loc[(measure, category, layer + 1)]
            assert found["value"] == pytest.approx(expected, rel=1e-5, abs=1e-6), measure
            assert found["n"] == 3


def test_the_heads_sum_equals_the_plain_formula(table, sequences):
    rows = table.set_index(["measure", "category", "layer"])
    for category, layer in itertools.product(CATEGORIES, range(LAYERS)):
        by_sequence = [reference(sequence, category, layer) for sequence in sequences]
        for measure in by_sequence[0]:
            expected = np.mean([values[measure] for values in by_sequence])
            found = rows.loc[(measure, category, layer + 1)]
            assert found["value"] == pytest.approx(expected, rel=1e-5, abs=1e-6), measure
            assert pd.isna(found["head"])


def test_measures_of_the_heads_sum_have_names_of_their_own(table):
    """So that nobody takes the norm of the sum for the mean of the norms."""
    of_heads, of_layers = (set(table[table["head"].isna() == is_layer]["measure"]) for is_layer in (False, True))
    assert of_heads == {"weight", "norm", "share_of_norm", "projection", "transformed"}
    of_sum = {"norm_of_sum", "share_of_norm_of_sum", "projection_of_sum", "share_of_projection_of_sum"}
    assert of_layers == of_heads | of_sum
    assert not table.duplicated(["layer", "head", "category", "measure"]).any()


def test_the_norm_of_the_sum_is_neither_sum_nor_mean_of_the_heads(table):
    values = table[table["head"].isna()].set_index(["layer", "category"])
    mean, of_sum = (values[values["measure"] == measure]["value"] for measure in ("norm", "norm_of_sum"))
    assert (of_sum < HEADS * mean - 1e-3).all()  # some of what the heads give cancels
    assert (of_sum - mean).abs().min() > 1e-4


def test_weights_and_shares_add_up_to_one(table):
    for measure in ("weight", "share_of_norm", "share_of_norm_of_sum", "share_of_projection_of_sum"):
        rows = table[table["measure"] == measure].fillna({"head": 0})
        np.testing.assert_allclose(rows.groupby(["layer", "head"])["value"].sum(), 1, rtol=1e-6)


def test_projections_add_up_to_the_outputs_length():
    sequence = random_sequence(0, 8)
    masks = np.stack([sequence.categories[category] for category in CATEGORIES])
    _, of_sum = attention_to_categories(
        sequence.attention, sequence.value_norms, sequence.summed_norms, sequence.projections, masks
    )
    lengths = np.linalg.norm(sequence.parts.sum((1, 3)), axis=-1).mean(-1)
    np.testing.assert_allclose(of_sum["projection_of_sum"].sum(-1), lengths, rtol=1e-5)


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
