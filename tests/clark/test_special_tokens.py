"""Special tokens as predictions: a loop over the definition, and known answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark.column_values import DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import dependency_heads
from bert_attention.clark.special_tokens import predicted_positions, special_tokens
from bert_attention.statistics.intervals import bootstrap_interval
from tests.clark.test_dependency_heads import described_is_right, one_hot, plain_prediction, random_treebank, sequence
from tests.treebanks import sentence_of


def plain_counts(maps, treebank, direction, special):
    """For each sentence, how many words get their head; a special token, as no word's head, is None."""
    counts = []
    for attention, sentence in zip(maps, treebank, strict=True):
        n = len(sentence.words)
        candidates = range(n + 2) if special else range(1, n + 1)
        found = [plain_prediction(attention, place, direction, candidates) for place in range(1, n + 1)]
        predictions = [position - 1 if 1 <= position <= n else None for position in found]
        counts.append(sum(described_is_right(sentence, place, predictions) for place in range(n)))
    return np.array(counts)


def check_table(table, sequences, treebank, seed):
    """All rows against the definition."""
    total = np.array([len(sentence.words) for sentence in treebank])
    of_all_heads = [item.attention for item in sequences]
    for row in table.to_dict("records"):
        maps = [attention[row["layer"] - 1, row["head"] - 1].tolist() for attention in of_all_heads]
        without, with_special = (plain_counts(maps, treebank, row["direction"], special) for special in (False, True))
        assert row["n"] == total.sum()
        columns = (("accuracy", ""), ("accuracy_with_special", "with_special_"), ("difference", "difference_"))
        for (name, prefix), counts in zip(columns, (without, with_special, without - with_special), strict=True):
            low, high = bootstrap_interval(counts[:, None], total[:, None], seed)
            assert row[name] == counts.sum() / total.sum()
            assert (row[f"{prefix}low"], row[f"{prefix}high"]) == pytest.approx((low[0], high[0]))


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_equals_the_definition_word_by_word(seed):
    treebank, sequences = random_treebank(seed, 12)
    table = special_tokens(iter(sequences), treebank, seed=3)
    assert len(table) == 2 * 2 * 2
    assert (table["difference"] >= 0).all()
    check_table(table, sequences, treebank, 3)


def test_without_special_tokens_the_best_is_that_of_table_1():
    treebank, sequences = random_treebank(0, 30)
    accuracy = special_tokens(sequences, treebank, seed=0)["accuracy"]
    heads = dependency_heads(sequences, treebank, seed=0).set_index(["relation", "variant", "selection"])
    assert accuracy.max() == pytest.approx(heads.loc[("all", "described", "same_data"), "accuracy"])


def test_special_tokens_take_what_they_get():
    attention = one_hot(1, 0, 0)[None, None]  # each word attends to [SEP] most, the next word after that
    attention[..., 3, 0] = 0.9  # and the third to [CLS]
    assert predicted_positions(attention)[0, 0, 0].tolist() == [3, 3, 3]
    assert predicted_positions(attention)[1, 0, 0].tolist() == [1, 0, 3]  # nobody attends to the third: [CLS] is first
    sentence = sentence_of(("a", 2, "det"), ("b", 0, "root"), ("c", 1, "obj"))
    rows = special_tokens([sequence(attention)] * 2, [sentence] * 2, seed=0).set_index("direction")
    found = rows.loc[DEPENDENCY_DIRECTIONS[0], ["accuracy", "accuracy_with_special", "difference", "n"]]
    assert found.tolist() == pytest.approx([2 / 3, 0, 2 / 3, 6])


def test_cls_is_not_the_root():
    attention = np.zeros((1, 1, 3, 3), dtype=np.float32)
    attention[..., 0] = 1
    rows = special_tokens([sequence(attention)], [sentence_of(("go", 0, "root"))], seed=0)
    assert (rows[["accuracy", "accuracy_with_special"]] == 0).all(axis=None)
