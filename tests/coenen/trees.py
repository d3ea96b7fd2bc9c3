"""Trees and maps that tests of the attention probes share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from bert_attention.corpora.types import Sentence, Word
from tests.conftest import random_attention

LAYERS, HEADS = 2, 2


def tree(heads, relations=None):
    """A sentence of words with these heads, from 1; 0 is the root."""
    relations = relations or ["root" if head == 0 else "dep" for head in heads]
    words = zip(heads, relations, strict=True)
    return Sentence(tuple(Word("a", "_", "_", "_", "_", head, relation) for head, relation in words))


def random_tree(random, words, relations=("det", "obj", "punct")):
    """Words are attached in random order, each to one that is attached already."""
    order = random.permutation(words)
    heads = [0] * words
    for place, word in enumerate(order[1:], start=1):
        heads[word] = int(order[random.integers(place)]) + 1
    names = ["root" if head == 0 else str(random.choice(relations)) for head in heads]
    return tree(heads, names)


def random_trees(seed, sentences, longest=12):
    random = np.random.default_rng(seed)
    return [random_tree(random, int(random.integers(1, longest + 1))) for _ in range(sentences)]


def random_sequences(treebank, seed):
    """Maps that know nothing of the trees."""
    random = np.random.default_rng(seed)
    return [
        SimpleNamespace(attention=random_attention(random, LAYERS, HEADS, len(sentence.words) + 2))
        for sentence in treebank
    ]


def with_syntactic_head(treebank, sequences, weight=1.0):
    """The maps, but for the last head, which gives ``weight`` to each word's syntactic head and the rest to [SEP]."""
    for sentence, sequence in zip(treebank, sequences, strict=True):
        last = sequence.attention[-1, -1]
        last[:] = 0
        last[:, -1] = 1
        for place, word in enumerate(sentence.words, start=1):
            if word.head:
                last[place, word.head], last[place, -1] = weight, 1 - weight
    return sequences


def distance(pairs):
    """How far the second word is after the first, ``[pair]``."""
    return pairs.second - pairs.first
