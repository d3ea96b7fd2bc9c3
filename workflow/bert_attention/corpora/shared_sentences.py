"""Pairs of a task that share a sentence, which are not independent: several pairs ask about one premise or caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from bert_attention.corpora.types import TaskExample


def grouped_by_sentences(examples: Sequence[TaskExample]) -> tuple[TaskExample, ...]:
    """Return examples with groups: pairs that a chain of shared sentences connects are one group, and adjacent.

    A group is at the place of its first pair, and its name is that pair's first sentence. Pairs without a shared
    sentence have no group. Single sentences, and examples that have groups, are returned as they are.
    """
    if any(example.group or example.second is None for example in examples):
        return tuple(examples)
    sentences = {text: node for node, text in enumerate({t: None for e in examples for t in (e.first, e.second)})}
    edges = np.array([(sentences[example.first], sentences[example.second]) for example in examples])
    graph = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(sentences), len(sentences)))
    _, of_sentence = connected_components(graph, directed=False)
    members: dict[int, list[TaskExample]] = {}
    for component, example in zip(of_sentence[edges[:, 0]], examples, strict=True):
        members.setdefault(component, []).append(example)
    return tuple(
        replace(example, group=connected[0].first) if len(connected) > 1 else example
        for connected in members.values()
        for example in connected
    )
