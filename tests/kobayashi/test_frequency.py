import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from bert_attention.corpora.token_frequency import read_token_counts, token_ranks
from bert_attention.kobayashi.frequency import MEASURES, frequency, token_points
from tests.kobayashi.sequences import random_sequence

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
    return [random_sequence(seed, n, VOCABULARY) for seed, n in enumerate((9, 12, 10))]


@pytest.fixture(scope="module")
def ranks():
    counts = {token: int(count) for token, count in enumerate(np.random.default_rng(1).integers(1, 20, 25))}
    return token_ranks(counts, VOCABULARY)


def reference(sequences, ranks, measure, layer, with_specials):
    """The released script's points, token by token."""
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
    return spearmanr(*zip(*points, strict=True)).statistic, len(points)


def check_table(table, sequences, ranks, tolerance):
    rows = table.set_index(["layer", "measure", "tokens"])
    assert len(rows) == (len(sequences[0].attention) + 1) * 2 * 2
    for (layer, measure, tokens), row in rows.iterrows():
        expected, n = reference(sequences, ranks, measure, layer, tokens == "all")
        assert row["spearman"] == pytest.approx(expected, abs=tolerance)
        assert row["n"] == n


def test_equals_the_plain_formula(sequences, ranks):
    check_table(frequency(iter(sequences), ranks)["kobayashi_frequency"], sequences, ranks, tolerance=1e-5)


def test_bins_hold_every_token_but_specials(sequences, ranks):
    table = frequency(iter(sequences), ranks)["kobayashi_frequency_bins"]
    points = token_points(iter(sequences), ranks)
    for measure, values in zip(MEASURES, points.values.mean(1), strict=True):
        rows = table[table["measure"] == measure]
        widths = rows["value_high"] / rows["value_low"]
        np.testing.assert_allclose(widths, widths.iloc[0], rtol=1e-5)
        assert rows["n"].sum() == (~points.special).sum() == 31 - 3 * 3
        for rank, value in zip(points.ranks[~points.special], values[~points.special], strict=True):
            inside = (rows["rank_low"] <= rank) & (rank < rows["rank_high"])
            inside &= (rows["value_low"] <= value * (1 + 1e-6)) & (value * (1 - 1e-6) <= rows["value_high"])
            assert inside.any()
