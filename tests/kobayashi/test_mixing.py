import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.papers.kobayashi import mixing
from bert_attention.papers.kobayashi.columns import MIXING_LABELS
from bert_attention.papers.kobayashi.mixing import RATIO_BINS
from tests.kobayashi.sequences import assert_in_ranges, in_bins, make_tables, masked_sequence, random_sequence


@pytest.fixture(scope="module")
def texts():
    """Whole and masked texts: [MASK] replaces another token, a period or comma, and two tokens."""
    whole = [random_sequence(seed, n) for seed, n in enumerate((6, 9, 7))]
    masked = [masked_sequence(*args) for args in zip(whole, ([1], [7], [2, 5]), (10, 11, 12), strict=True)]
    return {"whole": whole, "masked": masked}


@pytest.fixture(scope="module")
def ranks():
    """Five different ranks, far apart."""
    return token_ranks({token: token % 5 + 1 for token in range(30)}, 30)


@pytest.fixture(scope="module")
def tables(texts, ranks):
    return make_tables(mixing, texts["whole"], texts["masked"], ranks=ranks)


def plain_points(inputs, whole, method):
    """The original id of each token, the kind of the token in the encoder's input, and the ratio in each layer."""
    for sequence, original in zip(inputs, whole, strict=True):
        for j, token in enumerate(original.token_ids):
            kinds = [name for name, mask in sequence.categories.items() if mask[j]]
            kind = "mask" if sequence.token_ids[j] != token else kinds[0]
            yield token, kind, sequence.mixing[MIXING_METHODS.index(method), :, j].astype(float)


def odds(ratios, method):
    """Mixing ratio, divided by its distance from the largest possible ratio."""
    return np.array(ratios) / ((0.5 if method == "attn_res_w" else 1) - np.array(ratios))


def check_tables(tables, texts, ranks, correlation_tolerance, **tolerance):
    """Compare all tables with sums token by token. Layer 0 is all layers, and ratios in one bin are ties."""
    layers = len(texts["whole"][0].attention)
    tables = {
        "all": tables["kobayashi_mixing"].set_index(["text", "layer", "method"]),
        "kinds": tables["kobayashi_mixing_categories"].set_index(["text", "layer", "method", "category"]),
        "frequency": tables["kobayashi_mixing_frequency"].set_index(["text", "layer", "method", "tokens"]),
    }
    kinds_of = {}
    for text, layer, method in itertools.product(texts, range(layers + 1), MIXING_METHODS):
        points = list(plain_points(texts[text], texts["whole"], method))
        kinds_of[text] = {kind for _, kind, _ in points}
        some = slice(None) if layer == 0 else slice(layer - 1, layer)
        check_row(tables["all"].loc[text, layer, method], [ratios[some] for *_, ratios in points], **tolerance)
        for kind in kinds_of[text]:
            own = [ratios[some] for _, name, ratios in points if name == kind]
            check_row(tables["kinds"].loc[text, layer, method, kind], own, **tolerance)
        for tokens in ("all", "without_specials"):
            own = [
                (ranks[token], ratios[some].mean())
                for token, kind, ratios in points
                if tokens == "all" or kind not in ("cls", "sep")
            ]
            row = tables["frequency"].loc[text, layer, method, tokens]
            assert row["n"] == len(own)
            own_ranks, values = zip(*own, strict=True)
            expected = spearmanr(own_ranks, in_bins(odds(values, method), RATIO_BINS[method].bits)).statistic
            assert row["spearman"] == pytest.approx(expected, abs=correlation_tolerance)
    groups = (layers + 1) * len(MIXING_METHODS)
    expected = (2 * groups, sum(map(len, kinds_of.values())) * groups, 2 * 2 * groups)
    assert tuple(map(len, tables.values())) == expected


def check_row(row, ratios, **tolerance):
    values = np.concatenate(ratios)
    expected = [sum(values) / len(values), np.std(values), min(values), max(values), len(values)]
    assert row[["mixing_ratio", "sd", "min", "max", "n"]].tolist() == pytest.approx(expected, **tolerance)


def test_all_tables_equal_the_plain_formulas(tables, texts, ranks):
    """Masked tokens are a kind of their own, and have the rank of the replaced token."""
    check_tables(tables, texts, ranks, correlation_tolerance=1e-9, rel=1e-5, abs=1e-9)


def test_a_text_without_periods_and_commas_has_no_such_rows(ranks):
    whole = random_sequence(0, 6, punctuation=False)
    tables = make_tables(mixing, [whole], [masked_sequence(whole, [1], 1)], ranks=ranks)
    assert set(tables["kobayashi_mixing_categories"]["category"]) == {"cls", "sep", "other", "mask"}
    assert tuple(MIXING_LABELS) == MIXING_METHODS


def test_bins_hold_every_token_but_specials(tables, texts, ranks):
    for (text, method), rows in tables["kobayashi_mixing_frequency_bins"].groupby(["text", "method"]):
        points = plain_points(texts[text], texts["whole"], method)
        values = [(ranks[token], ratios.mean()) for token, kind, ratios in points if kind not in ("cls", "sep")]
        assert_in_ranges(rows, values)


def test_texts_that_differ_are_an_error(texts, ranks):
    with pytest.raises(ValueError, match="tokens, but 9 after masking"):
        mixing.sums(texts["whole"][0], masked_sequence(random_sequence(0, 9), [1], 1), ranks)
