import dataclasses

import numpy as np
import pytest
import torch

from bert_attention.attention.extraction import extract, extract_words
from bert_attention.attention.hooks import run
from bert_attention.attention.store import WORD_ARRAYS, WORDPIECE_ARRAYS, AttentionStore, shard_writer
from bert_attention.attention.words import word_attention
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import blocks_of, units_of_shard
from tests.attention.stores import METADATA, extracted, random_sequences
from tests.models.random_models import random_encoder


def test_a_store_of_words_holds_attention_between_words(tmp_path):
    encoder = random_encoder("bert")
    # [CLS], three wordpieces of the first word, words of one wordpiece, [SEP]
    words = [-1, 0, 0, 0, 1, 2, -1], [-1, 0, 0, 0, *range(1, 8), -1], [-1, 0, -1]
    sequences = [
        dataclasses.replace(sequence, word_ids=np.array(ids, dtype=np.int32))
        for sequence, ids in zip(random_sequences([7, 12, 3]), words, strict=True)
    ]
    found = extracted(tmp_path / "s", encoder, sequences, arrays=WORD_ARRAYS)
    for stored, sequence in zip(found, sequences, strict=True):
        attention = torch.stack(run(encoder, *padded_batch([sequence], 1)).attention, dim=1)[0]
        np.testing.assert_allclose(stored.attention, word_attention(attention, sequence.word_ids, "mean"), atol=5e-4)
        assert stored.word_ids.tolist() == [-1, *range(stored.attention.shape[-1] - 2), -1]


@pytest.mark.parametrize("kind", ["bert", "albert", "modernbert"])
def test_the_store_holds_the_models_attention(tmp_path, kind):
    encoder = random_encoder(kind)
    sequences = random_sequences([7, 12, 3], pairs=kind == "bert")
    for stored, sequence in zip(extracted(tmp_path / "s", encoder, sequences), sequences, strict=True):
        maps = run(encoder, *padded_batch([sequence], 1), encoder.norms)
        np.testing.assert_array_equal(stored.token_ids, sequence.token_ids)
        for layer, attention in enumerate(maps.attention):
            np.testing.assert_allclose(stored.attention[layer], attention[0], atol=5e-4)
        for name, values in maps.norms.items():
            tolerance = 1e-3 if name == "summed_norms" else 1e-4
            np.testing.assert_allclose(getattr(stored, name), values[0], rtol=tolerance, atol=1e-6)


@pytest.mark.parametrize(("extracting", "arrays"), [(extract, WORDPIECE_ARRAYS), (extract_words, WORD_ARRAYS)])
@pytest.mark.parametrize("shards", [3, 25])
def test_shards_of_any_number_hold_the_same(tmp_path, extracting, arrays, shards):
    encoder = random_encoder("bert")
    lengths = [3 + index * 7 % 10 for index in range(30)]
    sequences = random_sequences(lengths)
    whole = extracted(tmp_path / "whole", encoder, sequences, arrays=arrays)
    paths = []
    for shard in range(1, shards + 1):
        blocks = blocks_of(range(len(sequences)))
        part = units_of_shard(blocks, shard, shards)
        paths.append(tmp_path / f"{shard}")
        described = {"first": part.start, "last": part.stop, "arrays": arrays, "word_rule": "mean"}
        metadata = dataclasses.replace(METADATA, block_sizes=tuple(map(len, blocks)), **described)
        with shard_writer(paths[-1], [lengths[i] for i in part], metadata) as writer:
            extracting(encoder, sequences[part.start : part.stop], writer, 2, pad_id=1)
    for a, b in zip(whole, AttentionStore(paths), strict=True):
        for name in arrays:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
