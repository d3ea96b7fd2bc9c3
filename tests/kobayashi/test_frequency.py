import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from bert_attention.corpora.token_frequency import read_token_counts, token_ranks
from bert_attention.kobayashi import frequency
from bert_attention.kobayashi.frequency import VALUE_BINS, count_tokens, rank_correlations
from bert_attention.statistics.sums import Sums
from tests.kobayashi.sequences import assert_in_ranges, in_bins, make_tables, random_sequence

VOCABULARY = 30


@given(st.dictionaries(st.integers(0, 40), st.integers(1, 5), min_size=1))
def test_ranks_are_competition_ranks(counts):
    """Tokens with equal counts share the best rank, and tokens without a count share the last rank."""
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
    """Ten different ranks, each in a range of its own."""
    return 2 ** (np.arange(VOCABULARY) * 7 % 10)


def reference(sequences, ranks, measure, layer, with_specials):
    """Correlation and number of the released script's points, token by token. Values in one bin are ties."""
    points = []
    for sequence in sequences:
        layers = range(len(sequence.attention)) if layer == 0 else [layer - 1]
        for j, token in enumerate(sequence.token_ids):
            if not with_specials and (sequence.categories["cls"][j] or sequence.categories["sep"][j]):
                continue
            norms = np.linalg.norm(sequence.transformed[:, :, j].astype(float), axis=-1)
            weights = sequence.attention[:, :, :, j].astype(float).mean(-1)
            by_layer = {"norm": norms, "weight": weights}[measure].mean(1)
            points.append((ranks[token], np.mean([by_layer[index] for index in layers])))
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
    check_table(make_tables(frequency, sequences, ranks=ranks)["kobayashi_frequency"], sequences, ranks, tolerance=1e-9)


@pytest.mark.parametrize(
    ("measure", "draw"),
    [
        ("weight", lambda random, n: np.where(random.random(n) < 0.1, 1.03, random.uniform(0.98, 1, n)) / 128),
        ("weight", lambda random, n: random.lognormal(-30, 2, n)),
        ("norm", lambda random, n: random.normal(0.8, 0.016, n)),
        ("norm", lambda random, n: random.normal(3000, 60, n)),
    ],
    ids=["near uniform", "tiny", "narrow", "large"],
)
def test_binned_values_have_nearly_their_exact_correlation(measure, draw):
    """Encoders with random weights have values within 2% of each other, or of any scale."""
    random = np.random.default_rng(0)
    values = draw(random, 20_000)
    noisy = np.argsort(np.argsort(values)) + random.normal(0, 10_000, len(values))
    ranks = 2 ** np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, 13)[1:-1]))  # each in a range of its own
    added = count_tokens({measure: values[None]}, VALUE_BINS, ranks, special=np.zeros(len(values), dtype=bool))
    found = rank_correlations(Sums.of([added], [0]), "measure", [measure])
    exact = spearmanr(ranks, values).statistic
    assert exact > 0.4
    assert found["spearman"].to_numpy() == pytest.approx(exact, abs=3e-3)


def test_bins_hold_every_token_but_specials(sequences, ranks):
    bins = make_tables(frequency, sequences, ranks=ranks)["kobayashi_frequency_bins"]
    points = {"norm": [], "weight": []}
    for sequence in sequences:
        words = ~(sequence.categories["cls"] | sequence.categories["sep"])
        values = {"norm": sequence.value_norms.mean((0, 1)), "weight": sequence.attention.mean((0, 1, 2))}
        for measure, by_token in values.items():
            points[measure] += zip(ranks[sequence.token_ids[words]], by_token[words], strict=True)
    for measure, own in points.items():
        assert_in_ranges(bins[bins["measure"] == measure], own)
