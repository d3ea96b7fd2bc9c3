import warnings

import pytest

from bert_attention.corpora.held_out import check_examples_held_out, check_trees_held_out
from bert_attention.corpora.types import TaskExample
from bert_attention.errors import InputError
from tests.written import written_trees


def trees(seed):
    """Trees of at least five words."""
    return [tree for tree in written_trees(90, seed) if len(tree.words) >= 5]


def pairs(first, last):
    return [TaskExample(f"It rained on day {day}.", "We stayed at home.", day % 2) for day in range(first, last)]


@pytest.mark.parametrize(
    ("check", "train", "dev"),
    [
        (check_trees_held_out, trees(1), trees(1)[:40]),
        (check_examples_held_out, pairs(0, 60), pairs(20, 90)[:60]),
    ],
)
def test_what_was_learned_is_refused(check, train, dev):
    with pytest.raises(
        InputError, match=r"mine: .* of dev are in train, too, such as '\w+ .*\n  Remedy: give two files"
    ):
        check(train, dev, "mine")


@pytest.mark.parametrize("shared", [3, 20])
def test_some_shared_examples_are_a_warning(shared):
    with pytest.warns(UserWarning, match=f"{shared} of 60 examples of dev are in train"):
        check_examples_held_out(pairs(0, 100), pairs(100 - shared, 160 - shared), "mine")


def test_short_and_few_shared_sentences_are_no_mistake():
    short = [TaskExample("It rained.", None, label) for label in (0, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_examples_held_out(short, short, "mine")
        check_examples_held_out(pairs(0, 100), pairs(99, 150), "mine")
