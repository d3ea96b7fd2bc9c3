"""Attention between pairs of words against plain loops, on links found by hand."""

import itertools

import numpy as np
import pytest

from bert_attention.kovaleva import token_pairs
from bert_attention.kovaleva.column_values import MODELS
from bert_attention.kovaleva.token_pairs import ROWS, paired_tokens
from bert_attention.kovaleva.word_positions import placed_sentences
from tests.kovaleva.examples import EXAMPLES, HEADS, LAYERS, PARSES, example, parsed, stored, table_of_pairs

# Links of tokens in each of the examples, by hand, from the first to the second word (see the tokens in examples.py).
LINKS = {
    ("described", "noun_pronoun"): ({(7, 1), (11, 17), (15, 17)}, set(), set(), set()),
    ("described", "verb_subject"): ({(5, 1), (12, 11), (18, 17)}, set(), {(8, 7), (17, 16)}, {(7, 6)}),
    ("described", "verb_object"): ({(5, 7), (12, 15)}, set(), {(17, 19)}, set()),
    # In order: see, sees and says with she, dog and dog. The first dog is an object, but the same wordpiece.
    ("released", "verb_subject"): ({(5, 1), (12, 7), (18, 11)}, set(), {(8, 7)}, {(7, 6)}),
}
REVERSED = {"noun_pronoun": "pronoun_noun", "verb_subject": "subject_verb", "verb_object": "object_verb"}


def test_links_are_those_found_by_hand():
    for place, task_input in enumerate(EXAMPLES):
        sequence = stored(task_input, 0)
        links = paired_tokens(sequence.token_ids, placed_sentences(task_input, sequence.word_ids, PARSES))
        found = dict(zip(ROWS, links, strict=True))
        for (variant, pair), expected in LINKS.items():
            links = set(zip(*np.nonzero(found[variant, pair]), strict=True))
            assert links == expected[place], (variant, pair, place + 1)
            np.testing.assert_array_equal(found[variant, REVERSED[pair]], found[variant, pair].T)


def test_each_head_against_plain_loops():
    sequences = {
        model: [stored(one, 10 * seed + place) for place, one in enumerate(EXAMPLES)]
        for seed, model in enumerate(MODELS)
    }
    table = table_of_pairs(token_pairs, *sequences.values(), EXAMPLES, parses=PARSES)
    rows = table.set_index(["model", "variant", "pair", "layer", "head"])
    assert len(rows) == 2 * 8 * LAYERS * HEADS
    for model, (variant, pair), layer, head in itertools.product(MODELS, LINKS, range(LAYERS), range(HEADS)):
        maps = [sequence.attention[layer, head].astype(float) for sequence in sequences[model]]
        for name, turned in ((pair, False), (REVERSED[pair], True)):
            scores = []
            for attention, links in zip(maps, LINKS[variant, pair], strict=True):
                values = [attention[b, a] if turned else attention[a, b] for a, b in links]
                if values or variant == "released":
                    scores.append(max(values, default=0.0))
            row = rows.loc[(model, variant, name, layer + 1, head + 1)]
            assert row["n"] == len(scores)
            assert row["attention"] == pytest.approx(sum(scores) / len(scores), rel=1e-5)
        before = [np.mean([attention[i, i - 1] for i in range(1, len(attention))]) for attention in maps]
        after = [np.mean([attention[i, i + 1] for i in range(len(attention) - 1)]) for attention in maps]
        assert (row["previous"], row["next"]) == pytest.approx((np.mean(before), np.mean(after)), rel=1e-5)
        assert row["neighbors"] == pytest.approx(np.mean(before) + np.mean(after), rel=1e-5)


def test_a_token_that_is_part_of_both_words_is_not_paired_with_itself():
    sentence = parsed("doesnt", "does VERB VBZ 0 root", "nt PRON PRP 1 nsubj")
    task_input = example(1, "doesnt")  # does|n, ##t
    found = paired_tokens(np.arange(4), placed_sentences(task_input, np.array([-1, 0, 0, -1]), {"1 first": [sentence]}))
    assert np.argwhere(found[ROWS.index(("described", "verb_subject"))]).tolist() == [[1, 2]]
