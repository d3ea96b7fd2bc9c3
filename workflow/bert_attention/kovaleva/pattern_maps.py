"""Drawing attention maps to be labelled with a pattern (Kovaleva et al. 2019, section 4.1).

The paper took about 400 maps of fine-tuned models on random examples of some of its tasks. Here every head gives
equally many, so that no layer's habits are over-represented, from all tasks and from both pre-trained and fine-tuned
weights: what the classifier is applied to is what it has seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import PatternMap

# Model, task and weights of a store.
Source = tuple[str, str, str]


def draw_maps(stores: Mapping[Source, Collection[StoredSequence]], per_head: int, seed: int) -> list[PatternMap]:
    """Draw maps at random, ``per_head`` of every layer and head of every model.

    A head's maps go round the tasks, and in turn to pre-trained and fine-tuned weights; over all heads, tasks and
    weights are alike but for rounding. No example of a store serves twice before all of them have served. The maps are
    numbered in random order, so that a number tells nothing of the head.

    Parameters
    ----------
    stores
        The sequences of a model (all of one size) on a task, by ``(model, task, weights)``.
    per_head
        Maps of each head.
    seed
        Seed of everything random.
    """
    random = np.random.default_rng(seed)
    maps = []
    for model in dict.fromkeys(model for model, _, _ in stores):
        own = {(task, weights): store for (of, task, weights), store in stores.items() if of == model}
        heads = next(iter(next(iter(own.values())))).attention.shape[:2]
        for (task, weights), places in _places(heads, list(own), per_head, random).items():
            maps.extend(_cut(own[task, weights], places, (model, task, weights), random))
    return [replace(maps[place], id=number) for number, place in enumerate(random.permutation(len(maps)), start=1)]


def _places(
    heads: tuple[int, int], conditions: list[tuple[str, str]], per_head: int, random: np.random.Generator
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The layer and head (from 0) of every map that is to be drawn from each task and weights."""
    tasks = list(dict.fromkeys(task for task, _ in conditions))
    weights = list(dict.fromkeys(weights for _, weights in conditions))
    found = defaultdict(list)
    for place, flat in enumerate(random.permutation(heads[0] * heads[1])):
        for turn in range(per_head):
            task = tasks[(place + turn) % len(tasks)]
            kind = weights[(place // len(tasks) + turn) % len(weights)]
            found[task, kind].append((int(flat) // heads[1], int(flat) % heads[1]))
    return found


def _cut(
    store: Collection[StoredSequence], places: list[tuple[int, int]], source: Source, random: np.random.Generator
) -> Iterator[PatternMap]:
    """One map of a random example for each place, the store being read once."""
    model, task, weights = source
    order = np.concatenate([random.permutation(len(store)) for _ in range(-(-len(places) // len(store)))])
    wanted = defaultdict(list)
    for example, place in zip(order, places, strict=False):
        wanted[int(example)].append(place)
    for example, sequence in enumerate(store):
        for layer, head in wanted.get(example, ()):
            separator = int(np.flatnonzero(sequence.categories["sep"])[0])
            attention = sequence.attention[layer, head]
            yield PatternMap(0, model, weights, task, example + 1, layer + 1, head + 1, separator, attention)
