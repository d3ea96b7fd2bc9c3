import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.kobayashi.column_values import MIXING_LABELS
from bert_attention.kobayashi.mixing import mixing
from tests.kobayashi.sequences import LAYERS, masked_sequence, random_sequence

SPECIAL, PUNCTUATION = {1: "cls", 2: "sep"}, 3


@pytest.fixture(scope="module")
def texts():
    """Whole and masked; [MASK] stands for another token once, for a period or comma once, for two tokens once."""
    whole = [random_sequence(seed, n) for seed, n in enumerate((6, 9, 7))]
    places = ([1], [7], [2, 5])
    masked = [masked_sequence(*of_one) for of_one in zip(whole, places, (10, 11, 12), strict=True)]
    return {"whole": whole, "masked": masked}


@pytest.fixture(scope="module")
def ranks():
    return token_ranks({token: (7 * token) % 11 + 1 for token in range(30)}, 30)


@pytest.fixture(scope="module")
def tables(texts, ranks):
    return mixing(iter(texts["whole"]), iter(texts["masked"]), ranks)


def kind(fed_id):
    """The kind of a token by the id that the encoder was fed."""
    return SPECIAL.get(fed_id) or {PUNCTUATION: "punctuation", 0: "mask"}.get(fed_id, "other")


def ratios(sequences, method, layer, category=None):
    """All ratios of a method, token by token; layer 0 is all layers."""
    layers = range(LAYERS) if layer == 0 else [layer - 1]
    return [
        float(sequence.mixing[MIXING_METHODS.index(method), place, j])
        for sequence in sequences
        for place in layers
        for j, token in enumerate(sequence.token_ids)
        if category in (None, kind(token))
    ]


def assert_describes(row, values):
    assert row["n"] == len(values)
    assert row["mixing_ratio"] == pytest.approx(sum(values) / len(values), rel=1e-6)
    assert row["sd"] == pytest.approx(np.std(values), rel=1e-5, abs=1e-9)
    assert (row["min"], row["max"]) == (min(values), max(values))


def test_tokens_count_alike_in_each_layer_and_in_all(tables, texts):
    table = tables["kobayashi_mixing"]
    assert len(table) == 2 * (LAYERS + 1) * len(MIXING_METHODS)
    for (text, layer, method), row in table.set_index(["text", "layer", "method"]).iterrows():
        assert_describes(row, ratios(texts[text], method, layer))


def test_every_kind_of_token_has_its_rows(tables, texts):
    table = tables["kobayashi_mixing_categories"]
    rows = (LAYERS + 1) * len(MIXING_METHODS)
    assert table.groupby(["text", "category"]).size().to_dict() == {
        (text, category): rows
        for text, categories in (("whole", ()), ("masked", ("mask",)))
        for category in ("cls", "sep", "punctuation", "other", *categories)
    }
    for (text, layer, category, method), row in table.set_index(["text", "layer", "category", "method"]).iterrows():
        assert_describes(row, ratios(texts[text], method, layer, category))


def test_kinds_of_tokens_add_up_to_all(tables):
    by_kind = tables["kobayashi_mixing_categories"]
    sums = by_kind.assign(total=by_kind["mixing_ratio"] * by_kind["n"]).groupby(["text", "layer", "method"])
    every = tables["kobayashi_mixing"].set_index(["text", "layer", "method"])
    pd.testing.assert_series_equal(sums["n"].sum(), every["n"].sort_index())
    means = sums["total"].sum() / sums["n"].sum()
    np.testing.assert_allclose(means, every["mixing_ratio"].sort_index(), rtol=1e-9)


def test_a_text_without_periods_and_commas_has_no_such_rows(ranks):
    whole = random_sequence(0, 6, punctuation=False)
    table = mixing([whole], [masked_sequence(whole, [1], 1)], ranks)["kobayashi_mixing_categories"]
    assert set(table["category"]) == {"cls", "sep", "other", "mask"}


def test_methods_keep_their_order(texts, ranks):
    whole = texts["whole"][0]
    values = np.arange(5)[:, None, None] / 10 + 1e-5 * np.random.default_rng(0).random(whole.mixing.shape)
    stepped = type(whole)(**{**vars(whole), "mixing": values})
    table = mixing([stepped], [stepped], ranks)["kobayashi_mixing"]
    by_method = table[(table["layer"] == 1) & (table["text"] == "whole")].set_index("method")["mixing_ratio"]
    assert by_method.to_dict() == pytest.approx(
        {method: place / 10 for place, method in enumerate(MIXING_METHODS)}, abs=2e-5
    )
    assert tuple(MIXING_LABELS) == MIXING_METHODS


def test_correlation_with_frequency_equals_the_plain_formula(tables, texts, ranks):
    """A masked token has the rank of what it stands for."""
    table = tables["kobayashi_mixing_frequency"].set_index(["text", "layer", "method", "tokens"])
    assert len(table) == 2 * (LAYERS + 1) * len(MIXING_METHODS) * 2
    for (text, layer, method, tokens), row in table.iterrows():
        points = []
        for fed, whole in zip(texts[text], texts["whole"], strict=True):
            for j, token in enumerate(whole.token_ids):
                if tokens == "all" or token not in SPECIAL:
                    by_layer = fed.mixing[MIXING_METHODS.index(method), :, j].astype(float)
                    points.append((ranks[token], by_layer.mean() if layer == 0 else by_layer[layer - 1]))
        assert row["n"] == len(points)
        assert row["spearman"] == pytest.approx(spearmanr(*zip(*points, strict=True)).statistic, abs=1e-5)


def test_bins_hold_every_token_but_specials_in_ranges_of_equal_width(tables, texts, ranks):
    table = tables["kobayashi_mixing_frequency_bins"]
    for (text, method), rows in table.groupby(["text", "method"]):
        widths = rows["value_high"] - rows["value_low"]
        np.testing.assert_allclose(widths, widths.iloc[0], rtol=1e-6)
        count = 0
        for fed, whole in zip(texts[text], texts["whole"], strict=True):
            for j, token in enumerate(whole.token_ids):
                if token in SPECIAL:
                    continue
                value = fed.mixing[MIXING_METHODS.index(method), :, j].astype(float).mean()
                inside = (rows["rank_low"] <= ranks[token]) & (ranks[token] < rows["rank_high"])
                inside &= (rows["value_low"] <= value + 1e-6) & (value - 1e-6 <= rows["value_high"])
                assert inside.any()
                count += 1
        assert rows["n"].sum() == count


def test_texts_that_are_not_the_same_are_refused(texts, ranks):
    whole, masked = texts["whole"], texts["masked"]
    with pytest.raises(ValueError, match="zip"):
        mixing(whole, masked[:-1], ranks)
    with pytest.raises(ValueError, match="6 tokens, but 9 after masking"):
        mixing(whole[:1], masked[1:2], ranks)
