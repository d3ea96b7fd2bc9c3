import pytest

from bert_attention.corpora.types import TaskExample
from bert_attention.errors import InputError
from bert_attention.tokenization.task_inputs import task_inputs
from bert_attention.tokenization.wordpieces import encode_segment


def test_spans_are_the_characters_of_wordpieces(bert):
    (found,) = task_inputs([TaskExample("  Unaffable, he said", "OK.", 1.0)], bert, 128, "mrpc")
    assert found.first == ("una", "##ffa", "##ble", ",", "he", "said")
    pieces = ["  Unaffable, he said"[start:end] for start, end in found.first_spans]
    assert pieces == ["Una", "ffa", "ble", ",", "he", "said"]
    assert (found.second, found.second_spans, found.label) == (("ok", "."), ((0, 2), (2, 3)), 1.0)


@pytest.mark.parametrize(
    ("first", "second", "budget", "kept"),
    [("a b c d", "e f g", 7, ("abcd", "efg")), ("a b c d", "e f g", 5, ("abc", "ef")), ("a", "e f g", 3, ("a", "ef"))],
)
def test_the_longer_sentence_is_cut_or_the_second_if_both_are_equally_long(bert, first, second, budget, kept):
    (found,) = task_inputs([TaskExample(first, second, 0.0)], bert, budget + len(bert.layout), "mrpc")
    assert ("".join(found.first), "".join(found.second)) == kept
    assert (len(found.first_spans), len(found.second_spans)) == (len(found.first), len(found.second))


def test_one_sentence_has_two_special_tokens(bert):
    (found,) = task_inputs([TaskExample("good film", None, 1.0)], bert, 3, "sst2")
    sequence = encode_segment(found, bert, "pair")
    assert bert.convert_ids_to_tokens(sequence.token_ids) == ["[CLS]", "good", "[SEP]"]
    assert sequence.segment_ids.tolist() == [0, 0, 0]
    assert sequence.word_ids.tolist() == [-1, 0, -1]


@pytest.mark.parametrize(
    ("groups", "expected"), [(("A", "A", "B", ""), ["0", "0", "2", "3"]), (("", "", "C", "C"), ["0", "1", "2", "2"])]
)
def test_examples_of_one_text_are_of_one_group(bert, groups, expected):
    found = task_inputs([TaskExample("a", "b", 0.0, group) for group in groups], bert, 9, "nsp")
    assert [one.group for one in found] == expected


def test_the_error_names_a_sentence_without_wordpieces(bert):
    examples = [TaskExample("a", "b", 0.0), TaskExample("a", "\u200d", 0.0)]
    with pytest.raises(InputError, match="task rte, example 2: a sentence has no wordpiece"):
        task_inputs(examples, bert, 128, "rte")
