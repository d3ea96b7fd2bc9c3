import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from bert_attention.kobayashi import correlation
from bert_attention.kobayashi.column_values import CATEGORIES
from tests.kobayashi.sequences import HEADS, LAYERS, made, random_sequence


def declining_sequence(seed, n):
    """A sequence in which the longer a token's vector, the less attention it gets."""
    sequence = random_sequence(seed, n)
    lengths = np.linalg.norm(sequence.transformed, axis=-1)
    attention = sequence.attention.astype(np.float64) / lengths[:, :, None, :] ** 2
    return replace(sequence, attention=attention / attention.sum(-1, keepdims=True))


def as_stored(sequence):
    """With attention as the store returns it: rounded to float16, read as float32."""
    return replace(sequence, attention=sequence.attention.astype(np.float16).astype(np.float32))


@pytest.fixture(scope="module")
def sequences():
    """In full precision."""
    return [declining_sequence(seed, 40) for seed in range(8)]


@pytest.fixture(scope="module")
def lists(sequences):
    """All pairs of each category in two lists, as released: an entry for each layer, head, query and key."""
    found = {category: ([], []) for category in CATEGORIES}
    for sequence in sequences:
        lengths = np.linalg.norm(sequence.transformed, axis=-1)
        for category, (layer, head, j) in itertools.product(CATEGORIES, np.ndindex(LAYERS, HEADS, 40)):
            if sequence.categories[category][j]:
                weights, norms = found[category]
                weights.extend(sequence.attention[layer, head, :, j])
                norms.extend([lengths[layer, head, j]] * 40)
    return found


def test_equals_the_plain_formula_on_full_precision(sequences, lists):
    """Float16 and bins make ties: the reference has none. [CLS] has but 48 different norms here."""
    assert min(min(weights) for weights, _ in lists.values()) > 0
    assert any((as_stored(sequence).attention == 0).any() for sequence in sequences)
    found = made(correlation, list(map(as_stored, sequences)))["kobayashi_correlation"].set_index("category")
    for category, (weights, norms) in lists.items():
        expected = spearmanr(weights, norms).statistic
        assert expected < -0.3
        assert found.loc[category, "n"] == len(weights)
        assert found.loc[category, "spearman"] == pytest.approx(expected, abs=3e-3)


def test_nearly_uniform_attention_has_nearly_its_exact_correlation():
    """Weights differ by 7 %, as those of an encoder that was never trained, and norms by a few times as much."""
    random = np.random.default_rng(0)
    lengths = random.lognormal(0, 0.2, 60)
    attention = np.exp(0.07 * random.normal(size=(LAYERS, HEADS, 60, 60)) - 0.2 * np.log(lengths))
    attention /= attention.sum(-1, keepdims=True)
    transformed = np.zeros((LAYERS, HEADS, 60, 1)) + lengths[:, None]
    categories = {name: np.arange(60) < 0 for name in CATEGORIES} | {"other": np.arange(60) >= 0}
    sequence = replace(random_sequence(0, 60), attention=attention, transformed=transformed, categories=categories)
    found = made(correlation, [as_stored(sequence)])["kobayashi_correlation"].set_index("category")
    exact = spearmanr(attention.ravel(), np.broadcast_to(lengths, attention.shape).ravel()).statistic
    assert exact < -0.3
    assert found.loc["other", "spearman"] == pytest.approx(exact, abs=3e-3)


def test_a_category_without_tokens_has_no_correlation():
    tables = made(correlation, [random_sequence(0, 8, punctuation=False)])
    found = tables["kobayashi_correlation"].set_index("category")
    assert found.loc["punctuation", "n"] == 0
    assert np.isnan(found.loc["punctuation", "spearman"])


def test_bins_hold_all_pairs_within_their_ranges(sequences):
    sequences = [as_stored(sequence) for sequence in sequences]
    tables = made(correlation, sequences)
    bins, sizes = tables["kobayashi_correlation_bins"], tables["kobayashi_correlation"].set_index("category")["n"]
    assert bins.groupby("category")["n"].sum().to_dict() == sizes.to_dict()
    assert (bins["weight_low"] < bins["weight_high"]).all()
    cell = bins[bins["category"] == "other"].nlargest(1, "n").iloc[0]
    count = 0
    for sequence in sequences:
        norms = np.broadcast_to(sequence.value_norms[:, :, None, :], sequence.attention.shape)
        inside = (sequence.attention >= cell["weight_low"]) & (sequence.attention < cell["weight_high"])
        inside &= (norms >= cell["norm_low"]) & (norms < cell["norm_high"]) & sequence.categories["other"]
        count += inside.sum()
    assert cell["n"] == count > 1
