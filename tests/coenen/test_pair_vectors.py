"""The vectors that probes see, compared with loops over the definition, and the memory that they take."""

import weakref

import numpy as np
import pytest

from bert_attention.coenen.pair_vectors import FARTHEST, attention_vectors, distance_vectors
from bert_attention.coenen.pairs import binary_pairs, related_pairs
from tests.treebanks import HEADS, LAYERS, random_sequences, random_trees, tree


def plain_vector(attention, query, key):
    """The attention from one word to another in all heads; [CLS] stands before the words."""
    return [attention[layer, head, query + 1, key + 1] for layer in range(LAYERS) for head in range(HEADS)]


def test_vectors_are_the_attention_between_the_two_words_in_all_heads():
    treebank = random_trees(0, 12)
    sequences = random_sequences(treebank, 0)
    sets = [related_pairs(treebank, 30, 0), binary_pairs(treebank, "random", 40, 0)]
    found = attention_vectors(sets, treebank, iter(sequences))
    for pairs, vectors in zip(sets, found, strict=True):
        assert vectors.dtype == np.float32
        assert len(vectors) == len(pairs) > 20
        for place, i, j, both in zip(pairs.sentence, pairs.first, pairs.second, vectors, strict=True):
            attention = sequences[place].attention
            assert both.tolist() == [plain_vector(attention, i, j), plain_vector(attention, j, i)]


def test_distances_are_signed_and_clipped():
    pairs = related_pairs([tree([0, *[1] * 30])], 99, 0)  # all depend on the first word
    vectors = distance_vectors(pairs)
    assert vectors.shape == (30, 2, 2 * FARTHEST + 1)
    expected = [-min(place, FARTHEST) for place in range(1, 31)]
    assert (vectors[:, 0].argmax(-1) - FARTHEST).tolist() == expected
    assert (vectors[:, 1].argmax(-1) - FARTHEST).tolist() == [-distance for distance in expected]
    assert (vectors.sum(-1) == 1).all()


def test_one_sentence_is_in_memory_at_a_time_and_those_without_pairs_are_not_read():
    treebank = random_trees(0, 40)
    pairs = related_pairs(treebank, 10, 0)
    maps, read = [], []

    class Sequence:
        def __init__(self, place):
            self.place = place

        @property
        def attention(self):
            assert not [earlier for earlier in maps if earlier() is not None]
            read.append(self.place)
            (sequence,) = random_sequences([treebank[self.place]], 0)
            maps.append(weakref.ref(sequence.attention))
            return sequence.attention

    attention_vectors([pairs], treebank, (Sequence(place) for place in range(40)))
    assert read == sorted(set(pairs.sentence.tolist()))
    assert len(read) <= 10


def test_there_are_as_many_sequences_as_sentences():
    treebank = random_trees(0, 3)
    pairs = related_pairs(treebank, 9, 0)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        attention_vectors([pairs], treebank, random_sequences(treebank, 0)[:-1])
