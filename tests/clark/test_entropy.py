import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.clark import entropy
from bert_attention.papers.clark.entropy import attention_entropy
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention
from tests.statistics.blocks import table_of

MEASURES = ["entropy", "largest_weight", "share_below_tenth"]


def smoothed_entropy(row):
    """The released formula: a hundredth of a percent of the uniform distribution is mixed in."""
    mixed = [(1 - 1e-4) * p + 1e-4 / len(row) for p in row]
    return -sum(p * math.log(p) for p in mixed)


def plain_measures(maps, source):
    """Mean entropy, mean largest weight, and share of largest weights of at most 0.1, over rows, then over maps."""
    by_map = []
    for attention in maps:
        rows = attention.astype(float).tolist() if source == "all" else attention[:1].astype(float).tolist()
        largest = [max(row) for row in rows]
        totals = sum(map(smoothed_entropy, rows)), sum(largest), sum(weight <= 0.1 for weight in largest)
        by_map.append([total / len(rows) for total in totals])
    return [sum(values) / len(maps) for values in zip(*by_map, strict=True)]


@settings(max_examples=20)
@given(st.lists(st.integers(2, 30), min_size=1, max_size=4), st.integers(0, 1000))
def test_all_measures_equal_the_plain_formulas(lengths, seed):
    random = np.random.default_rng(seed)
    maps = [random_attention(random, 2, 2, n) ** 0.3 for n in lengths]
    maps = [attention / attention.sum(-1, keepdims=True) for attention in maps]  # flat rows: some lie below a tenth
    stored = [SimpleNamespace(attention=each, categories={"cls": np.arange(len(each[0, 0])) == 0}) for each in maps]
    found = table_of(entropy, stored).set_index(["source", "layer", "head"])
    for source, (layer, head) in ((source, cell) for source in ("all", "cls") for cell in np.ndindex(2, 2)):
        expected = plain_measures([attention[layer, head] for attention in maps], source)
        assert found.loc[(source, layer + 1, head + 1), MEASURES].tolist() == pytest.approx(expected, abs=1e-5)
    assert found["uniform"].tolist() == pytest.approx([sum(map(math.log, lengths)) / len(lengths)] * 8)
    assert set(found["n"]) == {len(lengths)}


def test_real_bert_is_broadest_in_layer_one_and_narrowest_in_the_middle(real_data):
    """Section 3.3, figure 4: the first layer is the broadest, some of its heads nearly uniform."""
    for sequence in bert_base_sequences(real_data):
        by_head = attention_entropy(sequence.attention).mean(-1)
        by_layer = by_head.mean(-1)
        assert by_layer.argmax() == 0
        assert by_layer[5:9].mean() < by_layer.mean()
        assert by_head[0].max() > 0.85 * math.log(len(sequence.tokens))
