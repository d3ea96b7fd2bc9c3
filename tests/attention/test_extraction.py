import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.attention.extraction import extract, extract_words
from bert_attention.attention.hooks import run
from bert_attention.attention.store import WORD_ARRAYS, WORDPIECE_ARRAYS, AttentionStore, shard_writer
from bert_attention.attention.words import word_attention
from bert_attention.errors import InputError
from bert_attention.models.batches import batches_of_like_cost, batches_of_like_length
from bert_attention.statistics.sums import blocks_of, units_of_shard
from tests.attention.stores import METADATA, extracted, random_sequences
from tests.models.random_models import CONFIGURATIONS, random_encoder


@given(st.integers(0, 50), st.integers(1, 50))
def test_shards_cover_a_corpus_once_in_order_from_the_first(sequences, shards):
    parts = [units_of_shard(blocks_of(range(sequences)), shard, shards) for shard in range(1, shards + 1)]
    assert [index for part in parts for index in part] == list(range(sequences))
    assert not sequences or set(blocks_of(range(sequences))[0]) <= set(parts[0])


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 8))
def test_batches_hold_every_sequence_once_the_longest_first(lengths, batch_size):
    batches = batches_of_like_length(lengths, batch_size)
    places = [place for batch in batches for place in batch]
    assert sorted(places) == list(range(len(lengths)))
    assert [lengths[place] for place in places] == sorted(lengths, reverse=True)
    assert all(len(batch) <= batch_size for batch in batches)


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 8))
def test_batches_of_shorter_sequences_hold_more_and_cost_no_more(lengths, batch_size):
    batches = batches_of_like_cost(lengths, batch_size)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    longest = max(lengths, default=0)
    for batch in batches:
        assert len(batch) * lengths[batch[0]] ** 2 <= max(batch_size * longest**2, 0)
        assert batch is batches[-1] or len(batch) >= batch_size


def test_a_store_of_words_holds_attention_between_words(tmp_path):
    encoder = random_encoder("bert")
    sequences = random_sequences([7, 12, 3])
    # [CLS], three wordpieces of one word, single ones, [SEP]
    words = [np.array([-1, 0, 0, 0, *range(1, n - 4), -1], dtype=np.int32) if n > 4 else None for n in (7, 12, 3)]
    words[2] = np.array([-1, 0, -1], dtype=np.int32)
    sequences = [dataclasses.replace(s, word_ids=w) for s, w in zip(sequences, words, strict=True)]
    for stored, sequence in zip(
        extracted(tmp_path / "s", encoder, sequences, arrays=WORD_ARRAYS), sequences, strict=True
    ):
        ids = torch.from_numpy(sequence.token_ids).long()[None]
        attention = torch.stack(run(encoder, ids, torch.zeros_like(ids), torch.ones_like(ids)).attention, dim=1)[0]
        np.testing.assert_allclose(stored.attention, word_attention(attention, sequence.word_ids, "mean"), atol=5e-4)
        assert stored.word_ids.tolist() == [-1, *range(stored.attention.shape[-1] - 2), -1]


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_store_holds_the_models_attention(tmp_path, kind):
    encoder = random_encoder(kind)
    sequences = random_sequences([7, 12, 3])
    for stored, sequence in zip(extracted(tmp_path / "s", encoder, sequences), sequences, strict=True):
        ids, segments = (torch.from_numpy(a).long()[None] for a in (sequence.token_ids, sequence.segment_ids))
        maps = run(encoder, ids, segments, torch.ones_like(ids), encoder.norms)
        np.testing.assert_array_equal(stored.token_ids, sequence.token_ids)
        for layer, attention in enumerate(maps.attention):
            np.testing.assert_allclose(stored.attention[layer], attention[0], atol=5e-4)
        for name, values in maps.norms.items():
            tolerance = 1e-3 if name == "summed_norms" else 1e-4
            np.testing.assert_allclose(getattr(stored, name), values[0], rtol=tolerance, atol=1e-6)
        np.testing.assert_allclose(stored.attention.sum(-1), 1, atol=2e-3)


@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_batch_size_changes_nothing_but_rounding(tmp_path, batch_size):
    encoder = random_encoder("bert")
    sequences = random_sequences([5, 9, 9, 2, 30])
    one, other = (extracted(tmp_path / name, encoder, sequences, size) for name, size in (("a", 3), ("b", batch_size)))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.attention, b.attention, atol=1e-3)
        np.testing.assert_allclose(a.value_norms, b.value_norms, rtol=1e-5)


@pytest.mark.parametrize(("extracting", "arrays"), [(extract, WORDPIECE_ARRAYS), (extract_words, WORD_ARRAYS)])
@pytest.mark.parametrize("shards", [3, 20, 25])
def test_shards_of_any_number_hold_the_same(tmp_path, extracting, arrays, shards):
    encoder = random_encoder("bert")
    lengths = [5 + place * 7 % 30 for place in range(50)]
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


def test_an_empty_shard_is_written(tmp_path):
    assert extracted(tmp_path / "s", random_encoder("bert"), []) == []


def test_an_interrupted_extraction_leaves_nothing(tmp_path):
    def interrupted(batches):
        yield from batches[:1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extracted(tmp_path / "s", random_encoder("bert"), random_sequences([5, 9]), 1, progress=interrupted)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arrays", [WORD_ARRAYS, ("attention",)])
def test_an_encoder_that_computes_nan_is_an_error(tmp_path, arrays):
    encoder = random_encoder("bert")
    with torch.no_grad():
        encoder.model.get_input_embeddings().weight[7] = torch.nan
    sequences = random_sequences([5, 9])
    sequences[0].token_ids[:] = 8
    sequences[1].token_ids[3] = 7
    with pytest.raises(InputError, match="attention of sequence 1 has numbers that are not between 0 and 1"):
        extracted(tmp_path / "s", encoder, sequences, arrays=arrays)
    assert not list(tmp_path.iterdir())
