import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.clark.entropy import SMOOTHING, attention_entropy, entropy
from tests.conftest import random_attention


def smoothed_entropy(row):
    """The released formula: a hundredth of a per cent of the uniform distribution is mixed in."""
    mixed = [(1 - 1e-4) * float(p) + 1e-4 / len(row) for p in row]
    return -sum(p * math.log(p) for p in mixed)


def plain_entropy(maps, source):
    """The mean entropy of a row: by map, then over maps."""
    of_maps = []
    for attention in maps:
        rows = attention.tolist() if source == "all" else attention[:1].tolist()
        of_maps.append(sum(map(smoothed_entropy, rows)) / len(rows))
    return sum(of_maps) / len(of_maps)


def test_a_hand_computed_map():
    attention = np.array([[[[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]]])
    found = attention_entropy(attention)[0, 0]
    assert found[0] == pytest.approx(0.0, abs=2e-3)
    assert found[1] == pytest.approx(math.log(2), abs=1e-3)
    assert found[2] == pytest.approx(math.log(3), abs=1e-9)


@given(st.integers(2, 20), st.integers(0, 1000))
def test_equals_the_plain_formula_on_random_maps(n, seed):
    attention = random_attention(np.random.default_rng(seed), 2, 2, n)
    found = attention_entropy(attention)
    for layer, head, query in np.ndindex(2, 2, n):
        assert found[layer, head, query] == pytest.approx(smoothed_entropy(attention[layer, head, query]), abs=1e-5)


@given(st.integers(1, 20), st.integers(0, 1000))
def test_lies_between_zero_and_that_of_the_uniform_distribution(n, seed):
    found = attention_entropy(random_attention(np.random.default_rng(seed), 1, 2, n))
    assert (found >= -1e-6).all()
    assert (found <= math.log(n) + 1e-5).all()


def test_order_of_keys_does_not_matter():
    attention = random_attention(np.random.default_rng(0), 2, 2, 9)
    np.testing.assert_allclose(attention_entropy(attention), attention_entropy(attention[..., ::-1]), rtol=1e-5)


def test_the_table_averages_tokens_then_sequences():
    sequences = []
    for n in (3, 5):
        attention = np.full((1, 2, n, n), 1 / n)
        attention[0, 1] = np.eye(n)
        sequences.append(SimpleNamespace(attention=attention, categories={"cls": np.arange(n) == 0}))
    table = entropy(sequences).set_index(["source", "head"])
    uniform = (math.log(3) + math.log(5)) / 2
    assert table["uniform"].tolist() == pytest.approx([uniform] * 4)
    assert table.loc[("all", 1), "entropy"] == pytest.approx(uniform)
    assert table.loc[("cls", 1), "entropy"] == pytest.approx(uniform)
    assert table.loc[("all", 2), "entropy"] == pytest.approx(0, abs=2e-3)
    assert set(table["n"]) == {2}


@given(st.lists(st.integers(2, 30), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_largest_weights_equal_a_loop_over_rows(lengths, seed):
    random = np.random.default_rng(seed)
    sequences = [
        SimpleNamespace(attention=random_attention(random, 1, 2, n) ** 0.3, categories={"cls": np.arange(n) == 0})
        for n in lengths
    ]
    for sequence in sequences:
        sequence.attention /= sequence.attention.sum(-1, keepdims=True)  # flat rows: some lie below a tenth
    table = entropy(sequences).set_index(["source", "head"])
    for head in range(2):
        for source in ("all", "cls"):
            expected = plain_largest_weights([sequence.attention[0, head] for sequence in sequences], source)
            found = table.loc[(source, head + 1), ["largest_weight", "share_below_tenth"]].tolist()
            assert found == pytest.approx(expected, abs=1e-6)


def plain_largest_weights(maps, source):
    """The mean largest weight of a row and the share of rows in which it is at most 0.1: by map, then over maps."""
    means, shares = [], []
    for attention in maps:
        rows = attention.tolist() if source == "all" else attention[:1].tolist()
        largest = []
        for row in rows:
            weight = 0.0
            for cell in row:
                weight = max(weight, cell)
            largest.append(weight)
        means.append(sum(largest) / len(rows))
        shares.append(sum(weight <= 0.1 for weight in largest) / len(rows))
    return sum(means) / len(maps), sum(shares) / len(maps)


def test_entropy_from_cls_is_that_of_its_row_alone():
    attention = np.stack([np.full(4, 0.25), *np.eye(4)[1:]])[None, None]
    table = entropy([SimpleNamespace(attention=attention, categories={"cls": np.arange(4) == 0})])
    by_source = table.set_index("source")["entropy"]
    assert by_source["cls"] == pytest.approx(math.log(4))
    assert by_source["all"] == pytest.approx(math.log(4) / 4, abs=2e-3)


def test_real_bert_is_broadest_in_layer_one_and_narrowest_in_the_middle(real_data):
    """Section 3.3, figure 4: the first layer is the broadest, some of its heads nearly uniform."""
    for file in sorted(real_data("bert_base_attention").glob("*.npz")):
        by_head = attention_entropy(np.load(file)["attention"]).mean(-1)
        by_layer = by_head.mean(-1)
        assert by_layer.argmax() == 0
        assert by_layer[5:9].mean() < by_layer.mean()
        assert by_head[0].max() > 0.85 * math.log(np.load(file)["attention"].shape[-1])


def test_smoothing_is_the_released_one():
    assert SMOOTHING == 1e-4
