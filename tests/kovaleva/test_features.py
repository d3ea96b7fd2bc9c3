"""Attention to features against plain loops, on tokens found by hand."""

import numpy as np
import pytest

from bert_attention.papers.kovaleva import cls, features
from bert_attention.papers.kovaleva.columns import FEATURES, MODELS, VARIANTS
from bert_attention.papers.kovaleva.feature_positions import feature_positions
from tests.kovaleva.examples import (
    EXAMPLES,
    HAS_NEGATION,
    PARSES,
    TOKENS,
    example,
    parsed,
    sequences_of,
    stored,
    table_of,
)

SEQUENCES = sequences_of(EXAMPLES)


def test_tokens_of_features_equal_those_found_by_hand():
    for index, (sequence, each) in enumerate(zip(SEQUENCES["pretrained"], EXAMPLES, strict=True)):
        found, _ = feature_positions(sequence, each, PARSES)
        for variant, number in np.ndindex(found.shape[:2]):
            expected = TOKENS[VARIANTS[variant]][FEATURES[number]][index]
            assert np.flatnonzero(found[variant, number]).tolist() == expected, (variant, FEATURES[number], index)


@pytest.mark.parametrize("analysis", [features, cls])
def test_each_head_equals_plain_loops(analysis):
    table = table_of(analysis, SEQUENCES, EXAMPLES, parses=PARSES)
    assert len(table) == 2 * 2 * 9 * 3 * (2 if analysis is features else 1)
    for row in table.to_dict("records"):
        scores = []
        for index, sequence in enumerate(SEQUENCES[row["model"]]):
            attention = sequence.attention[row.get("layer", 2) - 1, row["head"] - 1].astype(np.float64)
            queries = range(len(attention)) if analysis is features else [0]
            keys = TOKENS[row["variant"]][row["feature"]][index]
            always = row["variant"] == "released" and (row["feature"] != "negation" or HAS_NEGATION[index])
            if keys or (always and analysis is features):
                scores.append(max((np.mean([attention[query, key] for query in queries]) for key in keys), default=0.0))
        assert row["n"] == len(scores)
        assert row["attention"] == pytest.approx(np.mean(scores), rel=1e-5)


def test_a_feature_that_no_example_has_is_nan_or_zero():
    sequences = {model: [stored(EXAMPLES[1])] for model in MODELS}
    table = table_of(features, sequences, EXAMPLES[1:2], parses=PARSES).set_index(["variant", "feature"])
    assert (table.loc[("described", "noun"), "n"] == 0).all()
    assert table.loc[("described", "noun"), "attention"].isna().all()
    assert (table.loc[("released", "noun"), "attention"] == 0).all()
    assert table.loc[("released", "negation"), "attention"].isna().all()


@pytest.mark.parametrize(
    ("text", "counted", "tokens"),
    [
        ("We don't.", True, ["don", "'", "t"]),
        ("We cannot.", True, []),  # "not" is a part of the word, but not a wordpiece
        ("Not us, nor normal not.", True, ["not", "nor", "not"]),
        ("Nor normal.", True, ["nor"]),
        ("Nor Normal.", False, []),
    ],
)
def test_the_released_negation_matches_substrings(text, counted, tokens):
    task_input = example(1, text)
    sentence = parsed(text, f"{text.split()[0]}/X/_/0/root")
    found, counts = feature_positions(stored(task_input), task_input, {"1 first": [sentence]})
    number = FEATURES.index("negation")
    assert [task_input.first[index - 1] for index in np.flatnonzero(found[1, number])] == tokens
    assert counts[1, number] == counted


def test_a_sequence_of_another_example_is_an_error():
    with pytest.raises(ValueError, match="example 1 has 18 wordpieces, but its attention 6"):
        feature_positions(SEQUENCES["pretrained"][1], EXAMPLES[0], PARSES)
