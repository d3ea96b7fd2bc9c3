"""Attention to words that both sentences have."""

import itertools

import numpy as np
import pytest

from bert_attention.corpora.types import LAYOUTS, TaskInput
from bert_attention.kovaleva import repeated_words
from bert_attention.kovaleva.column_values import MODELS, SINGLE_SENTENCES, TASK_LABELS
from bert_attention.kovaleva.repeated_words import attention_to_repeated, repeated_tokens
from tests.bert_base_attention import bert_base_sequences
from tests.kovaleva.examples import EXAMPLES, HEADS, LAYERS, example, stored, table_of_pairs, tokens_of

PAIRS = [
    example(1, "The cat, the dog.", "The dog and a cat."),
    example(2, "One dog.", "Two cats."),  # only the full stop is repeated
    EXAMPLES[0],
    example(4, "Dogs", "Dogs"),  # nothing to compare with
]


def by_loops(attention, task_input):
    """Means over the repeated words of attention to the same ones and to as many others, for one head; None without."""
    tokens, middle = tokens_of(task_input), 1 + len(task_input.first)
    words = [place for place, token in enumerate(tokens) if token.strip("#").isalnum()]
    found = []
    for i in words:
        others = [j for j in words if (i < middle) != (j < middle)]
        same = [attention[i, j] for j in others if tokens[j] == tokens[i]]
        different = [attention[i, j] for j in others if tokens[j] != tokens[i]]
        if same and different:
            found.append((sum(same), len(same) * sum(different) / len(different)))
    return np.mean(found, axis=0) if found else None


def test_each_head_against_plain_loops():
    sequences = {
        model: [stored(one, 10 * seed + place) for place, one in enumerate(PAIRS)] for seed, model in enumerate(MODELS)
    }
    table = table_of_pairs(repeated_words, *sequences.values(), PAIRS)
    assert (table["n"] == 2).all()
    rows = table.set_index(["model", "layer", "head"])
    for model, layer, head in itertools.product(MODELS, range(LAYERS), range(HEADS)):
        found = [
            by_loops(sequence.attention[layer, head].astype(float), one)
            for sequence, one in zip(sequences[model], PAIRS, strict=True)
        ]
        assert found[1] is found[3] is None
        same, as_many = np.mean([found[0], found[2]], axis=0)
        row = rows.loc[(model, layer + 1, head + 1)]
        assert row[["attention", "baseline", "difference"]].tolist() == pytest.approx(
            [same, as_many, same - as_many], rel=1e-5, abs=1e-7
        )


def test_unknown_words_are_not_the_same():
    unknown = TaskInput(
        "1", ("[UNK]", "a"), ("[UNK]", "b"), (True,) * 2, (True,) * 2, ((0, 1), (2, 3)), ((0, 1), (2, 3)), 0.0
    )
    assert not repeated_tokens(stored(unknown, 0), unknown)[0].any()


def test_a_task_without_repeated_words_has_empty_cells():
    table = table_of_pairs(repeated_words, [stored(PAIRS[1], 0)], [stored(PAIRS[1], 1)], PAIRS[1:2])
    assert (table["n"] == 0).all()
    assert table[["attention", "baseline", "difference"]].isna().all(axis=None)


def test_tasks_of_single_sentences_are_those_of_glue():
    assert {task for task, layout in LAYOUTS.items() if len(layout.sentences) == 1} == set(SINGLE_SENTENCES)
    assert set(TASK_LABELS) == set(LAYOUTS)


def test_real_bert_has_the_papers_heads_before_fine_tuning(real_data):
    """Section 5 has heads 4-1 and 2-12 that attend to repeated words: in bert-base, two of the four that do so most."""
    gains = []
    for sequence in bert_base_sequences(real_data):
        texts = " ".join(sequence.tokens[1:-1]).split(" [SEP] ")
        if len(texts) < 2:
            continue
        first, second = (tuple(text.split()) for text in texts)
        begins = [(True,) * len(part) for part in (first, second)]
        spans = [((0, 0),) * len(part) for part in (first, second)]
        repeated = repeated_tokens(sequence, TaskInput("1", first, second, *begins, *spans, 0.0))
        same, as_many = attention_to_repeated(sequence.attention, *repeated)
        gains.append(same - as_many)
    assert len(gains) == 3
    best = np.argsort(np.mean(gains, axis=0), axis=None)[::-1][:4]
    assert {(int(layer) + 1, int(head) + 1) for layer, head in zip(*np.unravel_index(best, (12, 12)), strict=True)} == {
        (5, 4),
        (4, 1),
        (3, 7),
        (2, 12),
    }
