"""Dependency trees, given or random, and random attention between the words of texts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from bert_attention.corpora.types import Sentence, Word
from bert_attention.statistics.sums import blocks_of
from tests.conftest import random_attention

LAYERS, HEADS = 2, 2


def sentence_of(*words):
    """Return a sentence of words (form, head, relation). Heads count from 1, and 0 is the root."""
    return Sentence(tuple(Word(form, "_", "_", "_", "_", head, relation) for form, head, relation in words))


def tree(heads, relations=None, forms=None):
    """Return a sentence from heads. By default, all words have the same form and relation."""
    relations = relations or ["root" if head == 0 else "dep" for head in heads]
    return sentence_of(*zip(forms or ["a"] * len(heads), heads, relations, strict=True))


def random_tree(random, words, relations=("det", "obj", "punct"), forms=("a",)):
    """Return a random tree: words are attached in random order, each to an attached word."""
    order = random.permutation(words)
    heads = [0] * words
    for attached, word in enumerate(order[1:], start=1):
        heads[word] = int(order[random.integers(attached)]) + 1
    names = ["root" if head == 0 else str(random.choice(relations)) for head in heads]
    return tree(heads, names, [str(form) for form in random.choice(forms, words)])


def random_trees(seed, sentences, longest=12, **choices):
    random = np.random.default_rng(seed)
    return [random_tree(random, int(random.integers(1, longest + 1)), **choices) for _ in range(sentences)]


class InStore(list):
    """Sequences with the blocks of the corpus, or of a sample of it, as in an attention store."""

    def __init__(self, sequences, blocks=None):
        super().__init__(sequences)
        self.blocks = blocks_of(range(len(self))) if blocks is None else blocks


def random_sequences(texts, seed=0, layers=LAYERS, heads=HEADS):
    """Return random attention between the words of each sentence or document, as an attention store would."""
    random = np.random.default_rng(seed)
    sizes = [sum(len(sentence.words) for sentence in getattr(text, "sentences", (text,))) for text in texts]
    return InStore(SimpleNamespace(attention=random_attention(random, layers, heads, n + 2)) for n in sizes)


def with_syntactic_head(treebank, sequences, weight=1.0):
    """Return the maps. Their last head gives ``weight`` to each word's syntactic head and the rest to [SEP]."""
    for sentence, sequence in zip(treebank, sequences, strict=True):
        last = sequence.attention[-1, -1]
        last[:] = 0
        last[:, -1] = 1
        for index, word in enumerate(sentence.words, start=1):
            if word.head:
                last[index, word.head], last[index, -1] = weight, 1 - weight
    return sequences
