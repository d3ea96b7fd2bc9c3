"""Attention between pairs of words against plain loops, on links found by hand."""

import numpy as np
import pytest

from bert_attention.papers.kovaleva import token_pairs
from bert_attention.papers.kovaleva.token_pairs import ROWS, paired_tokens
from bert_attention.papers.kovaleva.word_positions import placed_sentences
from tests.kovaleva.examples import EXAMPLES, PARSES, example, parsed, sequences_of, stored, table_of

# Links of tokens in each of the examples, by hand, from the first to the second word (see the tokens in examples.py).
LINKS = {
    ("described", "noun_pronoun"): ({(7, 1), (11, 17), (15, 17)}, set(), set(), set()),
    ("described", "verb_subject"): ({(5, 1), (12, 11), (18, 17)}, set(), {(8, 7), (17, 16)}, {(7, 6)}),
    ("described", "verb_object"): ({(5, 7), (12, 15)}, set(), {(17, 19)}, set()),
    # In order: see, sees and says with she, dog and dog. The first dog is an object, but the same wordpiece.
    ("released", "verb_subject"): ({(5, 1), (12, 7), (18, 11)}, set(), {(8, 7)}, {(7, 6)}),
}
LINKS |= {
    (variant, "_".join(pair.split("_")[::-1])): [{(b, a) for a, b in links} for links in by_example]
    for (variant, pair), by_example in LINKS.items()
}


def test_links_equal_those_found_by_hand():
    for index, task_input in enumerate(EXAMPLES):
        sequence = stored(task_input)
        links = paired_tokens(sequence.token_ids, placed_sentences(task_input, sequence.word_ids, PARSES))
        for row, linked in zip(ROWS, links, strict=True):
            assert set(zip(*np.nonzero(linked), strict=True)) == LINKS[row][index], (row, index)


def test_each_head_equals_plain_loops():
    sequences = sequences_of(EXAMPLES)
    table = table_of(token_pairs, sequences, EXAMPLES, parses=PARSES)
    rows = table.set_index(["model", "variant", "pair", "layer", "head"])
    assert len(rows) == 2 * 8 * 2 * 3
    for (model, variant, pair, layer, head), row in rows.iterrows():
        maps = [sequence.attention[layer - 1, head - 1].astype(float) for sequence in sequences[model]]
        scores = [
            max((attention[a, b] for a, b in links), default=0.0)
            for attention, links in zip(maps, LINKS[variant, pair], strict=True)
            if links or variant == "released"
        ]
        assert row["n"] == len(scores)
        assert row["attention"] == pytest.approx(np.mean(scores), rel=1e-5)
        previous = np.mean([np.mean([weights[i, i - 1] for i in range(1, len(weights))]) for weights in maps])
        following = np.mean([np.mean([weights[i - 1, i] for i in range(1, len(weights))]) for weights in maps])
        neighbors = row[["previous", "next", "neighbors"]].tolist()
        assert neighbors == pytest.approx([previous, following, previous + following], rel=1e-5)


def test_a_token_that_is_part_of_both_words_is_not_paired_with_itself():
    sentence = parsed("doesnt", "does/VERB/VBZ/0/root nt/PRON/PRP/1/nsubj")
    task_input = example(1, "doesnt")  # does|n, ##t
    found = paired_tokens(np.arange(4), placed_sentences(task_input, np.array([-1, 0, 0, -1]), {"1 first": [sentence]}))
    assert np.argwhere(found[ROWS.index(("described", "verb_subject"))]).tolist() == [[1, 2]]
