"""The attention store: what is written is read back, and nothing half-written passes for whole."""

import dataclasses
import itertools
import json
import os
import subprocess

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from bert_attention.attention import store
from bert_attention.attention.store import (
    WORDPIECE_ARRAYS,
    AttentionStore,
    _widened,
    shard_writer,
)
from bert_attention.errors import InputError
from bert_attention.statistics.sums import units_of_shard
from bert_attention.tokenization.token_categories import TokenCategories
from tests.attention import stores
from tests.conftest import random_attention

CATEGORIES = TokenCategories(1, 2, (3, 4))
METADATA = dataclasses.replace(
    stores.METADATA,
    block_sizes=(1, 1, 1, 1, 1),
    last=5,
    layers=2,
    heads=3,
    categories=CATEGORIES,
    transformers="5.23.0",
)
LENGTHS = [4, 7, 1, 5, 6]


def sequences():
    random = np.random.default_rng(0)
    for n in LENGTHS:
        yield {
            "token_ids": random.integers(0, 9, n, dtype=np.int32),
            "segment_ids": random.integers(0, 2, n, dtype=np.int32),
            "word_ids": np.arange(n, dtype=np.int32),
            "value_norms": random.random((2, 3, n), dtype=np.float32),
            "input_norms": random.random((2, n), dtype=np.float32),
            "mixing": random.random((5, 2, n), dtype=np.float32),
            "projections": random.random((2, 3, n), dtype=np.float32),
            "summed_norms": random.random((2, n, n), dtype=np.float32).astype(np.float16),
            "attention": random_attention(random, 2, 3, n).astype(np.float16),
        }


def write(folder, bounds, described=METADATA):
    """Write shards of the sequences, cut at the bounds, and return their paths."""
    written = list(sequences())
    paths = []
    for first, last in itertools.pairwise(bounds):
        metadata = dataclasses.replace(described, first=first, last=last)
        paths.append(folder / f"{first}-{last}.safetensors")
        with shard_writer(paths[-1], LENGTHS[first:last], metadata) as writer:
            for index in reversed(range(first, last)):  # any order will do
                for name, array in written[index].items():
                    writer.write(name, index, array)
    return paths


@pytest.mark.parametrize("bounds", [[0, 5], [0, 2, 5], [0, 0, 4, 5]])
def test_what_is_written_is_read_back_in_order(tmp_path, bounds):
    store = AttentionStore(reversed(write(tmp_path, bounds)))
    assert len(store) == 5
    for index, (read, written) in enumerate(zip(store, sequences(), strict=True)):
        assert read.index == index
        for name, array in written.items():
            np.testing.assert_array_equal(getattr(read, name), array)
        assert read.attention.dtype == np.float32
        np.testing.assert_array_equal(read.categories["sep"], written["token_ids"] == 2)


def test_shards_are_plain_safetensors_with_provenance(tmp_path):
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        assert file.get_slice("attention").get_shape() == [sum(2 * 3 * n * n for n in LENGTHS)]
        assert json.loads(file.metadata()["shard"])["model"] == "m"
        assert set(file.keys()) == {"lengths", *WORDPIECE_ARRAYS}


def test_a_shard_of_more_sequences_than_a_header_could_list_opens(tmp_path):
    count = 140_000
    metadata = dataclasses.replace(METADATA, arrays=("token_ids",), block_sizes=(count,), last=count)
    with shard_writer(tmp_path / "s.safetensors", [1] * count, metadata) as writer:
        for index in range(count):
            writer.write("token_ids", index, np.array([index], dtype=np.int32))
    *_, last = AttentionStore([tmp_path / "s.safetensors"])
    assert last.token_ids.tolist() == [count - 1]


def test_every_number_that_is_written_is_widened_exactly():
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16)  # from 0, subnormal ones too, to the largest
    np.testing.assert_array_equal(_widened(halves), halves.astype(np.float32), strict=True)


def test_two_writes_give_the_same_bytes(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (one,), (other,) = write(tmp_path / "a", [0, 5]), write(tmp_path / "b", [0, 5])
    assert one.read_bytes() == other.read_bytes()


def test_an_unfinished_shard_leaves_nothing(tmp_path):
    with (
        pytest.raises(RuntimeError, match="token_ids of sequence 1 was not written"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        writer.write("token_ids", 0, np.zeros(4, dtype=np.int32))
    assert not list(tmp_path.iterdir())


def test_wrong_shapes_types_names_and_second_arrays_are_refused(tmp_path):
    ids = np.zeros(4, dtype=np.int32)
    with pytest.raises(RuntimeError), shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer:
        with pytest.raises(ValueError, match=r"token_ids of sequence 0: int64 \(4,\) instead of int32 \(4,\)"):
            writer.write("token_ids", 0, np.zeros(4, dtype=np.int64))
        with pytest.raises(ValueError, match=r"\(5,\) instead of"):
            writer.write("token_ids", 1, np.zeros(5, dtype=np.int32))
        writer.write("token_ids", 0, ids)
        for name, index in (("token_ids", 0), ("token_ids", 9), ("token_ids", -1), ("colours", 0)):
            with pytest.raises(KeyError, match=f"{name} of sequence {index}"):
                writer.write(name, index, ids)


@pytest.mark.parametrize("kept", [0, 5, 1000, -1])
def test_a_truncated_shard_is_named_with_a_remedy(tmp_path, kept):
    (path,) = write(tmp_path, [0, 5])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(
        InputError, match=r"0-5.safetensors: is not a complete safetensors file .*\n  Remedy: rm .*0-5.safe"
    ):
        AttentionStore([path])


def test_a_shard_that_may_not_be_read_is_not_to_be_removed(tmp_path, monkeypatch):
    (path,) = write(tmp_path, [0, 5])
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read all

    def refuse(*_, **__):  # as safetensors does
        raise FileNotFoundError("No such file or directory")

    monkeypatch.setattr(store, "safe_open", refuse)
    with pytest.raises(InputError, match=r"0-5.safetensors: is not readable\n  Remedy: change its permissions"):
        AttentionStore([path])


def test_a_missing_shard_is_noticed(tmp_path):
    first, middle, last = write(tmp_path, [0, 2, 4, 5])
    for paths, message in (
        ([first, last], "begins with sequence 4, not 2"),
        ([middle, last], "begins with sequence 2, not 0"),
        ([first, middle], "ends before sequence 4, not 5"),
        ([], "has no shards"),
        ([first, tmp_path / "none.safetensors"], "none.safetensors: is not a complete safetensors file"),
    ):
        with pytest.raises(InputError, match=message):
            AttentionStore(paths)


def test_a_shard_alone_is_read_as_the_one_that_it_is(tmp_path):
    part = units_of_shard(METADATA.blocks, 2, 3)
    paths = write(tmp_path, [0, part.start, part.stop, 5])
    assert [sequence.index for sequence in AttentionStore([paths[1]], (2, 3))] == list(part)
    for path, shard, message in (
        (paths[0], (2, 3), f"begins with sequence 0, not {part.start}"),
        (paths[1], (2, 2), "begins with"),
        (paths[0], (1, 2), "ends before sequence"),
        (paths[1], (1, 1), f"begins with sequence {part.start}, not 0"),
    ):
        with pytest.raises(InputError, match=message):
            AttentionStore([path], shard)


def test_shards_of_different_models_are_not_mixed(tmp_path):
    (one,) = write(tmp_path, [0, 2])
    other = tmp_path / "other.safetensors"
    with shard_writer(other, [], dataclasses.replace(METADATA, model="n", first=2, last=2)):
        pass
    with pytest.raises(InputError, match=r"belongs to another store than .*: they differ in model"):
        AttentionStore([one, other])


def cut(path):
    """Leave the first half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_the_remedy_is_a_command_that_removes_just_the_cut_shard(tmp_path):
    folder = tmp_path / "a folder's name"
    folder.mkdir()
    whole, path = write(folder, [0, 2, 5])
    cut(path)
    with pytest.raises(InputError) as raised:
        AttentionStore([whole, path])
    command, _, _ = raised.value.remedy.partition(" and run again")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert list(folder.iterdir()) == [whole]


def test_a_store_of_one_shard_covers_its_part_of_the_corpus(tmp_path):
    paths = write(tmp_path, [0, 2, 5])
    assert len(AttentionStore(paths)) == 5
    part = units_of_shard(METADATA.blocks, 1, 5)
    assert len(part) == 1
    with pytest.raises(InputError, match="ends before sequence 2, not 1"):
        AttentionStore(paths[:1], (1, 5))


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("attention", np.nan, "attention of sequence 1 has numbers that are not between 0 and 1"),
        ("attention", 1.5, "attention of sequence 1 has numbers that are not between 0 and 1"),
        ("attention", -0.5, "attention of sequence 1 has numbers that are not between 0 and 1"),
        ("summed_norms", np.inf, "summed_norms of sequence 1 has numbers that are not finite"),
        ("value_norms", np.nan, "value_norms of sequence 1 has numbers that are not finite"),
    ],
)
def test_what_no_encoder_can_mean_is_not_written(tmp_path, name, value, problem):
    array = list(sequences())[1][name]
    array.reshape(-1)[-1] = value
    with (
        pytest.raises(InputError, match=rf"s.safetensors: {problem}\n  Remedy: check the weights of the encoder m"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        writer.write(name, 1, array)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["attention", "summed_norms"])
def test_minus_nothing_is_written_as_nothing(tmp_path, name):
    metadata = dataclasses.replace(METADATA, arrays=(name,), block_sizes=(1,), last=1)
    array = next(sequences())[name]
    array.reshape(-1)[:3] = -0.0
    with shard_writer(tmp_path / "s", [4], metadata) as writer:
        writer.write(name, 0, array)
    (sequence,) = AttentionStore([tmp_path / "s"])
    np.testing.assert_array_equal(getattr(sequence, name), np.abs(array))
    assert not np.signbit(getattr(sequence, name)).any()


def test_an_array_that_a_store_does_not_hold_is_named_with_those_that_it_does(tmp_path):
    metadata = dataclasses.replace(METADATA, arrays=("word_ids", "attention"), last=1, block_sizes=(1,))
    written = next(sequences())
    with shard_writer(tmp_path / "0.safetensors", LENGTHS[:1], metadata) as writer:
        for name in metadata.arrays:
            writer.write(name, 0, written[name])
    (sequence,) = AttentionStore([tmp_path / "0.safetensors"])
    with pytest.raises(InputError, match=r"has no token_ids; it holds attention, word_ids"):
        _ = sequence.token_ids
    with pytest.raises(InputError, match=r"has no value_norms(.|\n)*segments_pair, or segments_zeros for a model"):
        _ = sequence.value_norms


@pytest.mark.parametrize(
    "changed",
    [
        lambda fields: "{",
        lambda fields: "[" * 100_000,
        lambda fields: json.dumps(fields | {"categories": {"cls": 1}}),
        lambda fields: json.dumps(fields | {"arrays": 3}),
        lambda fields: json.dumps(fields | {"arrays": ["no such"]}),
        lambda fields: json.dumps(fields | {"colour": "red"}),
        lambda fields: json.dumps({name: value for name, value in fields.items() if name != "seed"}),
    ],
)
def test_malformed_metadata_are_named_with_the_remedy(tmp_path, changed):
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    metadata["shard"] = changed(json.loads(metadata["shard"]))
    save_file(tensors, path, metadata=metadata)
    with pytest.raises(InputError, match=r"0-5.safetensors: its metadata are damaged.*\n  Remedy: rm"):
        AttentionStore([path])
