from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from bert_attention.corpora.token_frequency import read_token_counts, token_ranks
from bert_attention.kobayashi import frequency
from bert_attention.kobayashi.frequency import VALUE_BINS, count_tokens, rank_correlations
from bert_attention.statistics.sums import Sums
from tests.kobayashi.sequences import in_bins, made, random_sequence

VOCABULARY = 30


def test_ranks_of_a_small_count():
    """Ties share the best rank; what was never counted comes after the last."""
    assert token_ranks({3: 10, 0: 7, 5: 7, 1: 2}, 7).tolist() == [2, 4, 5, 1, 5, 2, 5]


@given(st.dictionaries(st.integers(0, 40), st.integers(1, 5), min_size=1))
def test_ranks_are_competition_ranks(counts):
    ranks = token_ranks(counts, 41)
    expected = rankdata([-count for count in counts.values()], method="min")
    assert [ranks[token] for token in counts] == expected.tolist()
    assert all(ranks[token] == max(expected) + 1 for token in range(41) if token not in counts)


def test_the_authors_ranks_are_found_again(real_data):
    path = real_data("token_frequency/rank_count_ids.txt")
    ranks = token_ranks(read_token_counts(path), 30522)
    stated = np.loadtxt(path, dtype=int)
    assert (ranks[stated[:, 2]] == stated[:, 0]).all()
    assert ranks[[1996, 1012, 1010, 0, 103]].tolist() == [1, 2, 3, 29087, 29087]


@pytest.mark.parametrize(
    ("counts", "problem"), [({}, "no token"), ({7: 1}, "the vocabulary has 7"), ({-1: 2, 3: 1}, "token ids -1")]
)
def test_counts_that_cannot_be_ranked_are_refused(counts, problem):
    with pytest.raises(ValueError, match=problem):
        token_ranks(counts, 7)


@pytest.fixture(scope="module")
def sequences():
    return [random_sequence(seed, n, VOCABULARY) for seed, n in enumerate((20, 26, 23))]


@pytest.fixture(scope="module")
def ranks():
    """Ten different ones, each in a range of its own."""
    return 2 ** (np.arange(VOCABULARY) * 7 % 10)


def reference(sequences, ranks, measure, layer, with_specials):
    """The released script's points, token by token; values in one range are alike."""
    points = []
    for sequence in sequences:
        layers = range(len(sequence.attention)) if layer == 0 else [layer - 1]
        for j, token in enumerate(sequence.token_ids):
            if not with_specials and (sequence.categories["cls"][j] or sequence.categories["sep"][j]):
                continue
            norms = np.linalg.norm(sequence.transformed[:, :, j].astype(float), axis=-1)
            weights = sequence.attention[:, :, :, j].astype(float).mean(-1)
            by_layer = {"norm": norms, "weight": weights}[measure].mean(1)
            points.append((ranks[token], np.mean([by_layer[place] for place in layers])))
    own_ranks, values = zip(*points, strict=True)
    return spearmanr(own_ranks, in_bins(values, VALUE_BINS[measure].bits)).statistic, len(points)


def check_table(table, sequences, ranks, tolerance):
    rows = table.set_index(["layer", "measure", "tokens"])
    assert len(rows) == (len(sequences[0].attention) + 1) * 2 * 2
    for (layer, measure, tokens), row in rows.iterrows():
        expected, n = reference(sequences, ranks, measure, layer, tokens == "all")
        assert row["spearman"] == pytest.approx(expected, abs=tolerance)
        assert row["n"] == n


def test_equals_the_plain_formula(sequences, ranks):
    check_table(made(frequency, sequences, ranks=ranks)["kobayashi_frequency"], sequences, ranks, tolerance=1e-9)


def test_special_tokens_are_counted_with_their_own_ranks():
    """The most frequent five ranks are not binned: the more frequent a token, the longer its vector."""
    sequence, ranks = random_sequence(0, 40, vocabulary=6), np.array([9, 3, 1, 5, 2, 4])
    transformed = np.zeros_like(sequence.transformed)
    transformed[..., 0] = 1 / ranks[sequence.token_ids]
    found = made(frequency, [replace(sequence, transformed=transformed)], ranks=ranks)["kobayashi_frequency"]
    assert found[found["measure"] == "norm"]["spearman"].to_numpy() == pytest.approx(-1)


def crowded_weights(random, tokens):
    """Attention that is nearly uniform: a tenth of the tokens get 3 % more than 1/128, the others up to 2 % less."""
    return np.where(random.random(tokens) < 0.1, 1.03, random.uniform(0.98, 1, tokens)) / 128


@pytest.mark.parametrize(
    ("measure", "draw"),
    [
        ("weight", crowded_weights),
        ("weight", lambda random, tokens: random.lognormal(-30, 2, tokens)),
        ("norm", lambda random, tokens: random.normal(0.8, 0.016, tokens)),
        ("norm", lambda random, tokens: random.normal(3000, 60, tokens)),
    ],
    ids=["near uniform", "tiny", "alike", "large"],
)
def test_values_that_crowd_have_nearly_their_exact_correlation(measure, draw):
    """Two per cent of spread, or a scale that no bound foresees: both happen in encoders with random weights."""
    random = np.random.default_rng(0)
    values = draw(random, 20_000)
    noisy = np.argsort(np.argsort(values)) + random.normal(0, 10_000, len(values))
    ranks = 2 ** np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, 13)[1:-1]))  # each in a range of its own
    parts = np.split(np.arange(len(values)), 40)
    added = [
        count_tokens({measure: values[None, part]}, VALUE_BINS, ranks[part], np.zeros(len(part), dtype=bool))
        for part in parts
    ]
    found = rank_correlations(Sums.of(added, range(len(parts))), "measure", [measure])
    exact = spearmanr(ranks, values).statistic
    assert exact > 0.4
    assert found["spearman"].to_numpy() == pytest.approx(exact, abs=3e-3)


def test_bins_hold_every_token_but_specials(sequences, ranks):
    bins = made(frequency, sequences, ranks=ranks)["kobayashi_frequency_bins"]
    words = [~(sequence.categories["cls"] | sequence.categories["sep"]) for sequence in sequences]
    values = {
        "norm": [sequence.value_norms.mean((0, 1)) for sequence in sequences],
        "weight": [sequence.attention.mean((0, 1, 2)) for sequence in sequences],
    }
    for measure, of_sequences in values.items():
        rows = bins[bins["measure"] == measure]
        assert rows["n"].sum() == sum(map(sum, words))
        for sequence, mask, of_tokens in zip(sequences, words, of_sequences, strict=True):
            for rank, value in zip(ranks[sequence.token_ids[mask]], of_tokens[mask], strict=True):
                inside = (rows["rank_low"] <= rank) & (rank < rows["rank_high"])
                inside &= (rows["value_low"] <= value * (1 + 1e-6)) & (value * (1 - 1e-6) <= rows["value_high"])
                assert inside.any()
