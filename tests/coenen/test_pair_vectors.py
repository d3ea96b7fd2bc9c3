"""The probes' vectors, compared with loops over the definition."""

from types import SimpleNamespace

import numpy as np

from bert_attention.papers.coenen.pair_vectors import FARTHEST, attention_vectors, distance_vectors
from bert_attention.papers.coenen.pairs import binary_pairs, related_pairs
from tests.treebanks import HEADS, LAYERS, random_sequences, random_trees, tree


def plain_vector(attention, query, key):
    """The attention from one word to another in all heads; [CLS] stands before the words."""
    return [attention[layer, head, query + 1, key + 1] for layer in range(LAYERS) for head in range(HEADS)]


def test_vectors_are_the_attention_between_the_two_words_in_all_heads():
    treebank = random_trees(0, 12)
    sequences = random_sequences(treebank, 0)
    sets = [related_pairs(treebank, 30, 0), binary_pairs(treebank, "random", 40, 0)]
    found = attention_vectors(sets, range(len(treebank)), iter(sequences))
    for pairs, vectors in zip(sets, found, strict=True):
        assert vectors.dtype == np.float32
        assert len(vectors) == len(pairs) > 20
        for index, i, j, both in zip(pairs.sentence, pairs.first, pairs.second, vectors, strict=True):
            attention = sequences[index].attention
            assert both.tolist() == [plain_vector(attention, i, j), plain_vector(attention, j, i)]


def test_distances_are_signed_and_clipped():
    vectors = distance_vectors(related_pairs([tree([0, *[1] * 30])], 99, 0))  # all depend on the first word
    distances = [min(word, FARTHEST) for word in range(1, 31)]
    expected = [[[d == sign * distance for d in range(-20, 21)] for sign in (-1, 1)] for distance in distances]
    assert vectors.tolist() == expected


def test_sentences_without_pairs_are_not_read():
    treebank = random_trees(0, 40)
    pairs = related_pairs(treebank, 10, 0)
    sequences = random_sequences(treebank, 0)
    without = [sequence if i in pairs.sentence else SimpleNamespace() for i, sequence in enumerate(sequences)]
    (found,), (expected,) = (
        attention_vectors([pairs], range(len(treebank)), iter(maps)) for maps in (without, sequences)
    )
    assert (found == expected).all()
