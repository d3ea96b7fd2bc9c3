import dataclasses
import gc
import weakref

import numpy as np
import pytest
import torch

from bert_attention.attention import extraction
from bert_attention.attention.hooks import run
from bert_attention.attention.store import (
    ATTENTION_ARRAYS,
    WORD_ARRAYS,
    WORDPIECE_ARRAYS,
    AttentionStore,
    stored_bytes,
)
from bert_attention.attention.words import word_attention
from bert_attention.models.inputs import padded_batch
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


@pytest.mark.parametrize("arrays", [WORDPIECE_ARRAYS, WORD_ARRAYS])
@pytest.mark.parametrize("window", [1, 60_000, 1 << 30])
def test_streamed_attention_is_that_of_the_store(tmp_path, monkeypatch, arrays, window):
    """Whatever fits into memory at a time: a sequence, several, or a block."""
    monkeypatch.setattr(extraction, "_WINDOW_BYTES", window)
    encoder, sequences = random_encoder("bert"), random_sequences([7, 12, 3, 20, 9, 9, 4, 30], pairs=True)
    stored = extracted(tmp_path / "s", encoder, sequences, arrays=arrays, block_sizes=(6, 2))
    metadata = AttentionStore([tmp_path / "s"]).metadata
    streamed = extraction.StreamedShard(encoder, sequences, metadata, 2, 1)
    assert len(streamed) == len(stored)
    for found in (streamed, streamed.in_memory()):
        for ours, theirs in zip(found, stored, strict=True):
            assert ours.index == theirs.index
            for name in arrays:
                assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), name


def test_a_stream_checks_the_encoder_once(monkeypatch):
    checked = []
    monkeypatch.setattr(extraction, "check_identities", lambda *arguments: checked.append(arguments))
    monkeypatch.setattr(extraction, "_WINDOW_BYTES", 1)
    encoder, sequences = random_encoder("bert"), random_sequences([10] * 4)
    sizes = {"layers": encoder.layers, "heads": encoder.heads, "block_sizes": (2, 2), "last": 4}
    metadata = dataclasses.replace(METADATA, arrays=ATTENTION_ARRAYS, **sizes)
    assert len(list(extraction.StreamedShard(encoder, sequences, metadata, 2, 1))) == 4
    assert len(checked) == 1


def test_memory_holds_one_window_of_a_stream(monkeypatch):
    encoder, sequences = random_encoder("bert"), random_sequences([10] * 12)
    sizes = {"layers": encoder.layers, "heads": encoder.heads, "block_sizes": (6, 6), "last": 12}
    metadata = dataclasses.replace(METADATA, arrays=ATTENTION_ARRAYS, **sizes)
    size = stored_bytes(10, metadata)
    assert size == 3 * 4 * 10 + 2 * encoder.layers * encoder.heads * 100
    for most, lengths in ((4 * size, [4, 2, 4, 2]), (6 * size, [6, 6]), (size - 1, [1] * 12)):
        monkeypatch.setattr(extraction, "_WINDOW_BYTES", most)
        assert list(map(len, extraction.windows([10] * 12, metadata))) == lengths
    # A shard that begins with the second block has the same windows there.
    monkeypatch.setattr(extraction, "_WINDOW_BYTES", 4 * size)
    second = dataclasses.replace(metadata, first=6)
    assert extraction.windows([10] * 6, second) == [range(6, 10), range(10, 12)]
    held = []
    for sequence in extraction.StreamedShard(encoder, sequences[6:], second, 2, 1):
        assert sequence.attention.shape[-1] == 10
        held.append(weakref.ref(sequence._shard))
    gc.collect()
    assert len({ref() for ref in held} - {None}) <= 1
