import numpy as np
import pytest
from scipy.stats import spearmanr

from bert_attention.papers.kobayashi import frequency
from bert_attention.papers.kobayashi.frequency import VALUE_BINS, count_tokens, rank_correlations
from bert_attention.papers.kobayashi.mixing import RATIO_BINS
from bert_attention.statistics.sums import Sums
from tests.kobayashi.sequences import in_bins, make_tables, random_sequence

VOCABULARY = 30


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


def test_the_table_equals_the_plain_formula(sequences, ranks):
    check_table(make_tables(frequency, sequences, ranks=ranks)["kobayashi_frequency"], sequences, ranks, tolerance=1e-9)


def ratios(random, n, center, spread):
    """Return ratios whose odds are spread around a center."""
    odds = center / (1 - center) * np.exp(spread * random.normal(size=n))
    return odds / (1 + odds)


@pytest.mark.parametrize(
    ("measure", "draw"),
    [
        ("weight", lambda random, n: np.where(random.random(n) < 0.1, 1.03, random.uniform(0.98, 1, n)) / 128),
        ("weight", lambda random, n: random.lognormal(-30, 2, n)),
        ("norm", lambda random, n: random.normal(0.8, 0.016, n)),
        ("norm", lambda random, n: random.normal(3000, 60, n)),
        ("attn_n", lambda random, n: ratios(random, n, 1e-4, 0.07)),
        ("attn_n", lambda random, n: ratios(random, n, 0.55, 0.017)),
        ("attn_n", lambda random, n: ratios(random, n, 0.99999, 0.5)),
        ("attn_res_w", lambda random, n: ratios(random, n, 0.99999, 0.5) / 2),
    ],
    ids=["near uniform", "tiny", "narrow", "large", "near 0", "near a half", "near 1", "near the limit"],
)
def test_binned_values_have_nearly_their_exact_correlation(measure, draw):
    """Encoders with random weights have values within 2% of each other, or of any scale, and ratios near a limit."""
    random = np.random.default_rng(0)
    values = draw(random, 20_000)
    noisy = np.argsort(np.argsort(values)) + random.normal(0, 10_000, len(values))
    ranks = 2 ** np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, 13)[1:-1]))  # each in a range of its own
    added = count_tokens(
        {measure: values[None]}, VALUE_BINS | RATIO_BINS, ranks, special=np.zeros(len(values), dtype=bool)
    )
    found = rank_correlations(Sums.of([added], [0]), "measure", [measure])
    exact = spearmanr(ranks, values).statistic
    assert exact > 0.4
    assert found["spearman"].to_numpy() == pytest.approx(exact, abs=3e-3)
