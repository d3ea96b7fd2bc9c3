"""Examples of a task as inputs of a model: wordpieces, cut to fit as BERT's own code cuts them."""

from __future__ import annotations

from collections.abc import Sequence

from bert_attention.corpora.types import TaskExample, TaskInput
from bert_attention.errors import InputError
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import tokenize_with_spans


def task_inputs(
    examples: Sequence[TaskExample], tokenizer: Tokenizer, max_wordpieces: int, task: str
) -> list[TaskInput]:
    """The wordpieces of each example's one or two sentences.

    While a pair is too long for ``max_wordpieces``, special tokens included, its longer sentence loses its last
    wordpiece; of two that are equally long, the second (as in the released code of Kovaleva et al. 2019).

    Raises
    ------
    InputError
        If the tokenizer leaves nothing of a sentence; the message names the task and the example's number from 1.
    """
    layout = tokenizer.layout
    firsts = tokenize_with_spans(tokenizer, [example.first for example in examples])
    seconds = tokenize_with_spans(tokenizer, [example.second or "" for example in examples])
    inputs = []
    for number, (example, first, other) in enumerate(zip(examples, firsts, seconds, strict=True), start=1):
        second = ((), ()) if example.second is None else other  # of nothing, a tokenizer of bytes makes a space
        if not first[0] or (example.second is not None and not second[0]):
            raise InputError(
                f"task {task}, example {number}",
                "a sentence has no wordpiece in the model's vocabulary",
                "correct or leave out the example",
            )
        middle = len(layout.middle) if second[0] else 0
        room = max_wordpieces - len(layout.opening) - middle - len(layout.closing)
        kept = _kept(len(first[0]), len(second[0]), room)
        first_pieces, first_spans = (values[: kept[0]] for values in first)
        second_pieces, second_spans = (values[: kept[1]] for values in second)
        inputs.append(TaskInput(str(number), first_pieces, second_pieces, first_spans, second_spans, example.label))
    return inputs


def _kept(first: int, second: int, room: int) -> tuple[int, int]:
    """How many wordpieces of each sentence stay."""
    while first + second > room:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second
