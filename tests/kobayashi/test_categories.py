import itertools

import numpy as np
import pytest

from bert_attention.kobayashi.categories import CATEGORIES, attention_to_categories, categories
from tests.kobayashi.sequences import HEADS, LAYERS, random_sequence


def reference(sequence, category, layer, head=None):
    """The definitions pair by pair, for one head, or for all heads together if none is given."""
    n = len(sequence.token_ids)
    parts, outputs = sequence.parts[layer], sequence.parts[layer].sum((0, 2))
    totals = dict.fromkeys(("weight", "norm", "projection", "all_norms", "all_projections"), 0.0)
    for i, j in itertools.product(range(n), range(n)):
        if head is None:
            weight, part = sequence.attention[layer, :, i, j].astype(float).mean(), parts[:, i, j].sum(0)
        else:
            weight, part = float(sequence.attention[layer, head, i, j]), parts[head, i, j]
        norm, projection = (part @ part) ** 0.5, part @ outputs[i] / (outputs[i] @ outputs[i]) ** 0.5
        totals["all_norms"] += norm / n
        totals["all_projections"] += projection / n
        if sequence.categories[category][j]:
            totals["weight"] += weight / n
            totals["norm"] += norm / n
            totals["projection"] += projection / n
    shares = {"share_of_norm": totals["norm"] / totals.pop("all_norms")}
    of_projections = totals.pop("all_projections")
    if head is None:
        shares["share_of_projection"] = totals["projection"] / of_projections
    return totals | shares


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


def test_layers_equal_the_plain_formula(table, sequences):
    rows = table[table["head"].isna()].set_index(["measure", "category", "layer"])
    for category, layer in itertools.product(CATEGORIES, range(LAYERS)):
        by_sequence = [reference(sequence, category, layer) for sequence in sequences]
        for measure in by_sequence[0]:
            expected = np.mean([values[measure] for values in by_sequence])
            found = rows.loc[(measure, category, layer + 1), "value"]
            assert found == pytest.approx(expected, rel=1e-5, abs=1e-6), measure


def test_a_layers_norm_is_neither_sum_nor_mean_of_its_heads(table):
    of_heads = table[table["head"].notna() & (table["measure"] == "norm")]
    together = table[table["head"].isna() & (table["measure"] == "norm")].groupby(["layer", "category"])["value"].sum()
    sums = of_heads.groupby(["layer", "category"])["value"].sum()
    assert (together < sums - 1e-3).all()  # some of what the heads give cancels
    assert (together - sums / HEADS).abs().min() > 1e-4


def test_weights_and_shares_add_up_to_one(table):
    for measure, is_head in itertools.product(("weight", "share_of_norm"), (True, False)):
        rows = table[(table["measure"] == measure) & (table["head"].notna() == is_head)].fillna({"head": 0})
        np.testing.assert_allclose(rows.groupby(["layer", "head"])["value"].sum(), 1, rtol=1e-6)


def test_projections_add_up_to_the_outputs_length():
    sequence = random_sequence(0, 8)
    masks = np.stack([sequence.categories[category] for category in CATEGORIES])
    _, together = attention_to_categories(
        sequence.attention, sequence.value_norms, sequence.summed_norms, sequence.projections, masks
    )
    lengths = np.linalg.norm(sequence.parts.sum((1, 3)), axis=-1).mean(-1)
    np.testing.assert_allclose(together["projection"].sum(-1), lengths, rtol=1e-5)


def test_transformed_is_averaged_over_sequences_that_have_the_category():
    """The released average would be undefined: the second sequence has no period and no comma."""
    sequences = [random_sequence(0, 6), random_sequence(1, 8, punctuation=False)]
    table = categories(sequences)
    rows = table[(table["measure"] == "transformed") & (table["layer"] == 2) & (table["head"] == 3)]
    rows = rows.set_index("category")
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
