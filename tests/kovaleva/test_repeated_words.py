"""Attention to words that both sentences have."""

import numpy as np
import pytest

from bert_attention.corpora.task_names import SINGLE_SENTENCES, TASK_LABELS
from bert_attention.corpora.types import LAYOUTS, TaskInput
from bert_attention.papers.kovaleva import repeated_words
from bert_attention.papers.kovaleva.columns import MODELS
from bert_attention.papers.kovaleva.repeated_words import attention_to_repeated, repeated_tokens
from tests.bert_base_attention import bert_base_sequences
from tests.kovaleva.examples import EXAMPLES, example, sequences_of, stored, table_of, tokens_of

PAIRS = [
    example(1, "The cat, the dog.", "The dog and a cat."),
    example(2, "One dog.", "Two cats."),  # only the full stop is repeated
    EXAMPLES[0],
    example(4, "Dogs", "Dogs"),  # the sentences have no other words
]


def by_loops(attention, task_input):
    """Return one head's attention to the same words and to as many others, averaged over words, or None."""
    tokens, middle = tokens_of(task_input), 1 + len(task_input.first)
    words = [index for index, token in enumerate(tokens) if token.strip("#").isalnum()]
    found = []
    for i in words:
        others = [j for j in words if (i < middle) != (j < middle)]
        same = [attention[i, j] for j in others if tokens[j] == tokens[i]]
        different = [attention[i, j] for j in others if tokens[j] != tokens[i]]
        if same and different:
            found.append((sum(same), len(same) * sum(different) / len(different)))
    return np.mean(found, axis=0) if found else None


def test_each_head_equals_plain_loops():
    sequences = sequences_of(PAIRS)
    table = table_of(repeated_words, sequences, PAIRS)
    assert (len(table), set(table["n"])) == (2 * 2 * 3, {2})
    for (model, layer, head), row in table.set_index(["model", "layer", "head"]).iterrows():
        maps = [sequence.attention[layer - 1, head - 1].astype(float) for sequence in sequences[model]]
        first, second, third, fourth = map(by_loops, maps, PAIRS)
        assert second is fourth is None
        same, as_many = (first + third) / 2
        measured = row[["attention", "baseline", "difference"]].tolist()
        assert measured == pytest.approx([same, as_many, same - as_many], rel=1e-5, abs=1e-7)


def test_unknown_words_are_not_the_same():
    spans = ((0, 1), (2, 3))
    unknown = TaskInput("1", ("[UNK]", "a"), ("[UNK]", "b"), (True,) * 2, (True,) * 2, spans, spans, 0.0, "0")
    assert not repeated_tokens(stored(unknown), unknown)[0].any()


def test_a_task_without_repeated_words_has_empty_cells():
    table = table_of(repeated_words, {model: [stored(PAIRS[1])] for model in MODELS}, PAIRS[1:2])
    assert (table["n"] == 0).all()
    assert table[["attention", "baseline", "difference"]].isna().all(axis=None)


def test_tasks_of_single_sentences_agree_with_the_layouts():
    assert {task for task, layout in LAYOUTS.items() if len(layout.sentences) == 1} == set(SINGLE_SENTENCES)
    assert set(TASK_LABELS) == set(LAYOUTS)


def test_real_bert_has_the_papers_heads_before_fine_tuning(real_data):
    """Section 5: heads 4-1 and 2-12 attend to repeated words. In bert-base, they are among the four best."""
    gains = []
    for sequence in bert_base_sequences(real_data):
        first, *second = (tuple(text.split()) for text in " ".join(sequence.tokens[1:-1]).split(" [SEP] "))
        if not second:
            continue
        parts = (first, *second)
        begins, spans = ([(value,) * len(part) for part in parts] for value in (True, (0, 0)))
        repeated = repeated_tokens(sequence, TaskInput("1", *parts, *begins, *spans, 0.0, "0"))
        same, as_many = attention_to_repeated(sequence.attention, *repeated)
        gains.append(same - as_many)
    assert len(gains) == 3
    best = np.argsort(np.mean(gains, axis=0), axis=None)[::-1][:4]
    assert {(head // 12 + 1, head % 12 + 1) for head in best.tolist()} == {(5, 4), (4, 1), (3, 7), (2, 12)}
