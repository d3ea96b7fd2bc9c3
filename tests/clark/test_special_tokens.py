"""Special tokens as predictions: a loop over the definition, and known answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark import special_tokens
from bert_attention.clark.column_values import DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import predicted_words
from tests.clark.test_dependency_heads import described_is_right, one_hot, plain_prediction, random_treebank, sequence
from tests.statistics.blocks import table_of
from tests.treebanks import sentence_of


def plain_counts(maps, treebank, direction, special):
    """Return the number of words that get their head. None stands for a special token, which is no word's head."""
    count = 0
    for attention, sentence in zip(maps, treebank, strict=True):
        n = len(sentence.words)
        candidates = range(n + 2) if special else range(1, n + 1)
        found = [plain_prediction(attention, place, direction, candidates) for place in range(1, n + 1)]
        predictions = [position - 1 if 1 <= position <= n else None for position in found]
        count += sum(described_is_right(sentence, place, predictions) for place in range(n))
    return count


def check_table(found, sequences, treebank):
    """All rows against the definition."""
    total = sum(len(sentence.words) for sentence in treebank)
    of_all_heads = [item.attention for item in sequences]
    for row in found.to_dict("records"):
        maps = [attention[row["layer"] - 1, row["head"] - 1].tolist() for attention in of_all_heads]
        without, with_special = (plain_counts(maps, treebank, row["direction"], special) for special in (False, True))
        assert row["n"] == total
        assert row["accuracy"] == without / total
        assert row["accuracy_with_special"] == with_special / total
        assert row["difference"] == pytest.approx((without - with_special) / total)


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_equals_the_definition_word_by_word(seed):
    treebank, sequences = random_treebank(seed, 12)
    found = table_of(special_tokens, sequences, treebank)
    assert len(found) == 2 * 2 * 2
    assert (found["difference"] >= 0).all()
    check_table(found, sequences, treebank)


def test_special_tokens_take_what_they_get():
    attention = one_hot(1, 0, 0)[None, None]  # each word attends to [SEP] most, the next word after that
    attention[..., 3, 0] = 0.9  # and the third to [CLS]
    from_dependents, from_heads = predicted_words(attention, special=True)[:, 0, 0].tolist()
    assert from_dependents == [3, 3, 3]
    assert from_heads == [1, 0, 3]  # nobody attends to the third: [CLS] is first
    sentence = sentence_of(("a", 2, "det"), ("b", 0, "root"), ("c", 1, "obj"))
    rows = table_of(special_tokens, [sequence(attention)] * 2, [sentence] * 2).set_index("direction")
    found = rows.loc[DEPENDENCY_DIRECTIONS[0], ["accuracy", "accuracy_with_special", "difference", "n"]]
    assert found.tolist() == pytest.approx([2 / 3, 0, 2 / 3, 6])


def test_cls_is_not_the_root():
    attention = np.zeros((1, 1, 3, 3), dtype=np.float32)
    attention[..., 0] = 1
    rows = table_of(special_tokens, [sequence(attention)], [sentence_of(("go", 0, "root"))])
    assert (rows[["accuracy", "accuracy_with_special"]] == 0).all(axis=None)
