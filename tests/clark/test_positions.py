import collections
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.clark import positions
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention
from tests.statistics.blocks import table_of

CATEGORIES = ("cls", "punctuation", "sep")


def reference(attention, categories):
    """The released notebook's formula, cell by cell."""
    n, attention = len(attention), attention.tolist()
    categories = {name: mask.tolist() for name, mask in categories.items()}
    is_sep = categories["sep"]
    totals = collections.Counter()
    for i, j in itertools.product(range(n), range(n)):
        weight = attention[i][j]
        totals["self"] += weight * (i == j)
        totals["previous"] += weight * (j == i - 1)
        totals["next"] += weight * (j == i + 1)
        for name in ("cls", "sep", "punctuation"):
            totals[name] += weight * categories[name][j]
        totals["sep_from_sep"] += weight * (is_sep[i] and is_sep[j])
        totals["sep_from_other"] += weight * (not is_sep[i] and is_sep[j])
    sizes = {"sep_from_sep": sum(is_sep), "sep_from_other": n - sum(is_sep)}
    return {name: total / sizes.get(name, n) for name, total in totals.items() if sizes.get(name, n)}


def plain_resting_token(sequences):
    """The target that gets most attention, in the mean over sequences and heads of the notebook's formula."""
    totals = collections.Counter()
    for item in sequences:
        for layer, head in np.ndindex(item.attention.shape[:2]):
            found = reference(item.attention[layer, head].astype(float), item.categories)
            totals.update({target: found[target] for target in ("cls", "sep", "punctuation")})
    return max(totals, key=totals.get)


@pytest.mark.parametrize("target", ["cls", "sep", "punctuation"])
def test_the_resting_token_gets_most_attention_in_every_table_without_a_block(target):
    """Other tokens together get more, and one sequence, which attends to [SEP] alone, does not decide."""
    n, column = 8, {"cls": 0, "sep": 7, "punctuation": 4}
    categories = {name: np.arange(n) == column[name] for name in CATEGORIES}

    def item(key, weight):
        attention = np.full((2, 3, n, n), (1 - weight) / (n - 1))
        attention[..., column[key]] = weight
        return SimpleNamespace(attention=attention, categories=categories)

    sequences = [item(target, 0.4) for _ in range(9)] + [item("sep", 1.0)]
    found = tabulated(positions.table, Sums.of(map(positions.sums, sequences), range(10)))
    for table in (found.whole, *found.left_out):
        assert set(table.loc[table["rests"], "target"]) == {target}


@settings(max_examples=15)
@given(st.integers(0, 1000))
def test_the_table_equals_the_plain_means_over_the_sequences_that_have_the_target(seed):
    random = np.random.default_rng(seed)
    sequences = []
    for n in (4, 5, 6, 7, 12):
        kinds = random.integers(0, 4, n)
        kinds[:3] = random.permutation(3)  # each category occurs
        categories = {name: (kinds == kind) & (name != "sep" or n % 2 == 1) for kind, name in enumerate(CATEGORIES)}
        sequences.append(SimpleNamespace(attention=random_attention(random, 2, 3, n), categories=categories))
    found = table_of(positions, sequences)
    assert len(found) == 8 * 2 * 3
    for row in found.itertuples():
        values = [
            reference(of.attention[row.layer - 1, row.head - 1].astype(float), of.categories)[row.target]
            for of in sequences
            if of.categories["sep"].any() or row.target != "sep_from_sep"
        ]
        assert row.rests == (row.target == plain_resting_token(sequences))
        assert row.n == len(values) == (2 if row.target == "sep_from_sep" else 5)
        assert row.attention == pytest.approx(np.mean(values), abs=1e-6)


def test_real_bert_has_the_papers_heads(real_data):
    """Sections 3.1 and 3.2: heads for the next and the previous token, and attention to [SEP] and [CLS] by layer."""
    table = table_of(positions, bert_base_sequences(real_data))
    by_head = table.set_index(["target", "layer", "head"])["attention"]
    above = by_head["next"][by_head["next"] > 0.4]
    assert set(above.index) == {(1, 11), (2, 2), (3, 1), (3, 10), (6, 10)}
    assert set(above.nlargest(2).index.get_level_values("layer")) == {3}
    assert {2, 4, 7, 8} <= set(by_head["previous"].nlargest(7).index.get_level_values("layer"))
    by_layer = table.pivot_table(index="layer", columns="target", values="attention")
    assert by_layer["sep"].loc[6:10].min() > 0.5
    assert by_layer["sep"].loc[1:3].max() < 0.25
    assert by_layer["sep_from_sep"].loc[5:9].min() > 0.9
    assert set(by_layer["cls"].nlargest(2).index) == {2, 3}
