from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from bert_attention.papers.kobayashi import correlation
from bert_attention.papers.kobayashi.columns import CATEGORIES
from tests.kobayashi.sequences import HEADS, LAYERS, make_tables, random_sequence


def declining_sequence(seed, n):
    """A sequence in which the longer a token's vector, the less attention it gets."""
    sequence = random_sequence(seed, n)
    lengths = np.linalg.norm(sequence.transformed, axis=-1)
    attention = sequence.attention.astype(np.float64) / lengths[:, :, None, :] ** 2
    return replace(sequence, attention=attention / attention.sum(-1, keepdims=True))


def as_stored(sequence):
    """The sequence with attention as in the store: rounded to float16, read as float32."""
    return replace(sequence, attention=sequence.attention.astype(np.float16).astype(np.float32))


@pytest.fixture(scope="module")
def sequences():
    """In full precision."""
    return [declining_sequence(seed, 40) for seed in range(8)]


def weights_and_norms(sequences, category):
    """All pairs of a category in two lists, as released: an entry for each layer, head, query and key."""
    weights, norms = [], []
    for sequence in sequences:
        lengths = np.linalg.norm(sequence.transformed, axis=-1)
        for layer, head, j in np.ndindex(LAYERS, HEADS, 40):
            if sequence.categories[category][j]:
                weights.extend(sequence.attention[layer, head, :, j])
                norms.extend([lengths[layer, head, j]] * 40)
    return weights, norms


def test_equals_the_plain_formula_on_full_precision(sequences):
    """The reference has no ties, unlike float16 and bins. [CLS] has only 48 different norms here."""
    assert any((as_stored(sequence).attention == 0).any() for sequence in sequences)
    found = make_tables(correlation, list(map(as_stored, sequences)))["kobayashi_correlation"].set_index("category")
    for category in CATEGORIES:
        weights, norms = weights_and_norms(sequences, category)
        assert min(weights) > 0
        expected = spearmanr(weights, norms).statistic
        assert expected < -0.3
        assert found.loc[category, "n"] == len(weights)
        assert found.loc[category, "spearman"] == pytest.approx(expected, abs=3e-3)


def test_nearly_uniform_attention_has_nearly_its_exact_correlation():
    """Weights differ by 7%, as in an untrained encoder, and norms by a few times as much."""
    random = np.random.default_rng(0)
    lengths = random.lognormal(0, 0.2, 60)
    attention = np.exp(0.07 * random.normal(size=(LAYERS, HEADS, 60, 60)) - 0.2 * np.log(lengths))
    attention /= attention.sum(-1, keepdims=True)
    transformed = np.zeros((LAYERS, HEADS, 60, 1)) + lengths[:, None]
    categories = {name: np.arange(60) < 0 for name in CATEGORIES} | {"other": np.arange(60) >= 0}
    sequence = replace(random_sequence(0, 60), attention=attention, transformed=transformed, categories=categories)
    found = make_tables(correlation, [as_stored(sequence)])["kobayashi_correlation"].set_index("category")
    exact = spearmanr(attention.ravel(), np.broadcast_to(lengths, attention.shape).ravel()).statistic
    assert exact < -0.3
    assert found.loc["other", "spearman"] == pytest.approx(exact, abs=3e-3)
    assert found.loc["punctuation", "n"] == 0 and np.isnan(found.loc["punctuation", "spearman"])


def test_bins_hold_all_pairs_within_their_ranges(sequences):
    sequences = [as_stored(sequence) for sequence in sequences]
    tables = make_tables(correlation, sequences)
    bins, sizes = tables["kobayashi_correlation_bins"], tables["kobayashi_correlation"].set_index("category")["n"]
    assert bins.groupby("category")["n"].sum().to_dict() == sizes.to_dict()
    assert (bins["weight_low"] < bins["weight_high"]).all()
    cell = bins[bins["category"] == "other"].nlargest(1, "n").iloc[0]
    count = 0
    for sequence in sequences:
        weights, norms = sequence.attention, sequence.value_norms[:, :, None, :]
        inside = (cell["weight_low"] <= weights) & (weights < cell["weight_high"]) & sequence.categories["other"]
        count += (inside & (cell["norm_low"] <= norms) & (norms < cell["norm_high"])).sum()
    assert cell["n"] == count > 1
