import numpy as np
import pytest
from scipy.stats import spearmanr

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.kobayashi.mixing import mixing
from tests.kobayashi.sequences import LAYERS, random_sequence


@pytest.fixture(scope="module")
def sequences():
    return [random_sequence(seed, n) for seed, n in enumerate((6, 9, 7))]


@pytest.fixture(scope="module")
def ranks():
    return token_ranks({token: (7 * token) % 11 + 1 for token in range(30)}, 30)


def test_tokens_count_alike_in_each_layer_and_in_all(sequences, ranks):
    table = mixing(iter(sequences), ranks)["kobayashi_mixing"].set_index(["layer", "method"])
    assert len(table) == (LAYERS + 1) * len(MIXING_METHODS)
    for place, method in enumerate(MIXING_METHODS):
        for layer in range(LAYERS + 1):
            layers = slice(None) if layer == 0 else slice(layer - 1, layer)
            values = [float(ratio) for s in sequences for ratio in s.mixing[place, layers].ravel()]
            row = table.loc[(layer, method)]
            assert row["n"] == len(values)
            assert row["mixing_ratio"] == pytest.approx(np.mean(values), rel=1e-6)
            assert row["sd"] == pytest.approx(np.std(values), rel=1e-6)
            assert (row["min"], row["max"]) == (min(values), max(values))


def test_methods_keep_their_order(sequences, ranks):
    sequence = sequences[0]
    ratios = np.arange(5)[:, None, None] / 10 + 1e-5 * np.random.default_rng(0).random(sequence.mixing.shape)
    table = mixing([type(sequence)(**{**vars(sequence), "mixing": ratios})], ranks)["kobayashi_mixing"]
    by_method = table[table["layer"] == 1].set_index("method")["mixing_ratio"]
    assert by_method.to_dict() == pytest.approx(
        {method: place / 10 for place, method in enumerate(MIXING_METHODS)}, abs=2e-5
    )


def test_correlation_with_frequency_equals_the_plain_formula(sequences, ranks):
    table = mixing(iter(sequences), ranks)["kobayashi_mixing_frequency"].set_index(["layer", "method", "tokens"])
    for (layer, method, tokens), row in table.iterrows():
        points = []
        for sequence in sequences:
            for j, token in enumerate(sequence.token_ids):
                if tokens == "all" or token not in (1, 2):
                    by_layer = sequence.mixing[MIXING_METHODS.index(method), :, j].astype(float)
                    points.append((ranks[token], by_layer.mean() if layer == 0 else by_layer[layer - 1]))
        assert row["n"] == len(points)
        assert row["spearman"] == pytest.approx(spearmanr(*zip(*points, strict=True)).statistic, abs=1e-5)
