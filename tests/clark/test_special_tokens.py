"""Special tokens as predictions: a loop over the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.clark import special_tokens
from tests.clark.test_dependency_heads import described_is_right, plain_prediction, random_treebank
from tests.statistics.blocks import table_of


def plain_counts(maps, treebank, direction, special):
    """Return the number of words that get their head. None stands for a special token, which is no word's head."""
    count = 0
    for attention, sentence in zip(maps, treebank, strict=True):
        n = len(sentence.words)
        candidates = range(n + 2) if special else range(1, n + 1)
        found = [plain_prediction(attention, word, direction, candidates) for word in range(1, n + 1)]
        predictions = [position - 1 if 1 <= position <= n else None for position in found]
        count += sum(described_is_right(sentence, word, predictions) for word in range(n))
    return count


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_the_table_equals_the_definition_word_by_word(seed):
    treebank, sequences = random_treebank(seed, 12)
    for sequence in sequences:  # special tokens often win, and tie with words
        sequence.attention[..., [0, -1]] *= np.float32(2)
    found = table_of(special_tokens, sequences, treebank)
    assert len(found) == 2 * 2 * 2
    assert (found["difference"] >= 0).all()
    total = sum(len(sentence.words) for sentence in treebank)
    for row in found.to_dict("records"):
        maps = [item.attention[row["layer"] - 1, row["head"] - 1].tolist() for item in sequences]
        without, with_special = (plain_counts(maps, treebank, row["direction"], special) for special in (False, True))
        assert row["n"] == total
        assert row["accuracy"] == without / total
        assert row["accuracy_with_special"] == with_special / total
        assert row["difference"] == pytest.approx((without - with_special) / total)
