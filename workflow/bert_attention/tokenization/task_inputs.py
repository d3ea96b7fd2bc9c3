"""Examples of a task as model input: wordpieces, truncated as in BERT's own code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from bert_attention.corpora.types import TaskExample, TaskInput, clusters_of_examples
from bert_attention.errors import InputError
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import TokenizedText, tokenize_as_written


def task_inputs(
    examples: Sequence[TaskExample], tokenizer: Tokenizer, max_wordpieces: int, task: str
) -> list[TaskInput]:
    """Return the wordpieces of each example's one or two sentences.

    While a pair has more than ``max_wordpieces`` with special tokens, its longer sentence loses its last wordpiece. If
    both are equally long, the second sentence loses it (as in the released code of Kovaleva et al. 2019). Raise
    InputError, which names the task and the example's number from 1, if a sentence has no wordpieces.
    """
    layout = tokenizer.layout
    firsts = tokenize_as_written(tokenizer, [example.first for example in examples])
    seconds = tokenize_as_written(tokenizer, [example.second or "" for example in examples])
    inputs = []
    rows = zip(examples, firsts, seconds, clusters_of_examples(examples), strict=True)
    for number, (example, first, other, cluster) in enumerate(rows, start=1):
        second = TokenizedText() if example.second is None else other
        if not first.wordpieces or (example.second is not None and not second.wordpieces):
            raise InputError(
                f"task {task}, example {number}",
                "a sentence has no wordpiece in the model's vocabulary",
                "correct or remove the example",
            )
        middle = len(layout.middle) if second.wordpieces else 0
        budget = max_wordpieces - len(layout.opening) - middle - len(layout.closing)
        kept = _truncated_lengths(len(first.wordpieces), len(second.wordpieces), budget)
        parts = list(zip((first, second), kept, strict=True))
        columns = ([getattr(text, name)[:n] for text, n in parts] for name in ("wordpieces", "begins", "spans"))
        inputs.append(TaskInput(str(number), *chain.from_iterable(columns), example.label, str(cluster)))
    return inputs


def _truncated_lengths(first: int, second: int, budget: int) -> tuple[int, int]:
    """Return the number of wordpieces to keep of each sentence."""
    while first + second > budget:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second
