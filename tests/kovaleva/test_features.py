"""Attention to features against plain loops, on tokens found by hand."""

import itertools

import numpy as np
import pytest

from bert_attention.kovaleva import cls, features
from bert_attention.kovaleva.column_values import FEATURES, MODELS, VARIANTS
from bert_attention.kovaleva.feature_positions import feature_positions
from tests.kovaleva.examples import (
    DESCRIBED,
    EXAMPLES,
    HAS_NEGATION,
    HEADS,
    LAYERS,
    PARSES,
    RELEASED,
    example,
    parsed,
    stored,
    table_of_pairs,
)

SEQUENCES = {
    model: [stored(one, 10 * seed + place) for place, one in enumerate(EXAMPLES)] for seed, model in enumerate(MODELS)
}


def column_mean(attention, layer, head, key):
    queries = attention.shape[2]
    return sum(float(attention[layer, head, query, key]) for query in range(queries)) / queries


def table_of(analysis):
    return table_of_pairs(analysis, SEQUENCES["pretrained"], SEQUENCES["finetuned"], EXAMPLES, parses=PARSES)


def test_tokens_of_features_are_those_found_by_hand():
    for place, (sequence, one) in enumerate(zip(SEQUENCES["pretrained"], EXAMPLES, strict=True)):
        found, _ = feature_positions(sequence, one, PARSES)
        for variant, expected in enumerate((DESCRIBED, RELEASED)):
            for number, feature in enumerate(FEATURES):
                tokens = np.flatnonzero(found[variant, number]).tolist()
                assert tokens == expected[feature][place], (VARIANTS[variant], feature, place + 1)


def test_each_head_against_plain_loops():
    table = table_of(features).set_index(["model", "variant", "feature", "layer", "head"])
    for model, feature, layer, head in itertools.product(MODELS, FEATURES, range(LAYERS), range(HEADS)):
        described, released = [], []
        for place, sequence in enumerate(SEQUENCES[model]):
            for tokens, scores in ((DESCRIBED, described), (RELEASED, released)):
                received = [column_mean(sequence.attention, layer, head, key) for key in tokens[feature][place]]
                if received:
                    scores.append(max(received))
                elif scores is released and (feature != "negation" or HAS_NEGATION[place]):
                    scores.append(0.0)
        for variant, scores in (("described", described), ("released", released)):
            row = table.loc[(model, variant, feature, layer + 1, head + 1)]
            assert row["n"] == len(scores)
            assert row["attention"] == pytest.approx(sum(scores) / len(scores), rel=1e-5)


def test_attention_from_cls_against_plain_loops():
    table = table_of(cls).set_index(["model", "variant", "feature", "head"])
    assert len(table) == len(MODELS) * len(VARIANTS) * len(FEATURES) * HEADS
    for model, (variant, tokens), feature, head in itertools.product(
        MODELS, zip(VARIANTS, (DESCRIBED, RELEASED), strict=True), FEATURES, range(HEADS)
    ):
        scores = [
            max(float(sequence.attention[LAYERS - 1, head, 0, key]) for key in tokens[feature][place])
            for place, sequence in enumerate(SEQUENCES[model])
            if tokens[feature][place]
        ]
        row = table.loc[(model, variant, feature, head + 1)]
        assert row["n"] == len(scores)
        assert row["attention"] == pytest.approx(sum(scores) / len(scores), rel=1e-5)


def test_a_feature_that_no_example_has_is_left_empty_or_zero():
    alone = ([stored(EXAMPLES[1], 0)], [stored(EXAMPLES[1], 1)], EXAMPLES[1:2])
    table = table_of_pairs(features, *alone, parses=PARSES).set_index(["variant", "feature"])
    assert (table.loc[("described", "noun"), "n"] == 0).all()
    assert table.loc[("described", "noun"), "attention"].isna().all()
    assert (table.loc[("released", "noun"), "attention"] == 0).all()
    assert table.loc[("released", "negation"), "attention"].isna().all()


@pytest.mark.parametrize(
    ("text", "counted", "tokens"),
    [
        ("We don't.", True, ["don", "'", "t"]),
        ("We cannot.", True, []),  # "not" is a part of it, and no wordpiece
        ("Not us, nor normal not.", True, ["not", "nor", "not"]),
        ("Nor normal.", True, ["nor"]),
        ("Nor Normal.", False, []),
        ("We do.", False, []),
    ],
)
def test_negation_as_released_goes_by_substrings(text, counted, tokens):
    task_input = example(1, text)
    sentence = parsed(text, f"{text.split()[0]} X _ 0 root")
    of_features, counts = feature_positions(stored(task_input, 0), task_input, {"1 first": [sentence]})
    number = FEATURES.index("negation")
    assert [task_input.first[place - 1] for place in np.flatnonzero(of_features[1, number])] == tokens
    assert counts[1, number] == counted


def test_the_sequence_of_another_example_is_refused():
    with pytest.raises(ValueError, match="has 18 wordpieces, its attention 6"):
        features.sums(SEQUENCES["pretrained"][1], SEQUENCES["finetuned"][1], EXAMPLES[0], PARSES)
