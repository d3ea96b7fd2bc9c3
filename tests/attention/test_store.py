"""The attention store: what is written is read back, and nothing damaged or half-written passes for whole."""

import dataclasses
import itertools

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from bert_attention.attention.store import WORDPIECE_ARRAYS, AttentionStore, ShardMetadata, shard_writer, tensor_layout
from bert_attention.errors import InputError
from bert_attention.models.token_categories import TokenCategories
from tests.conftest import random_attention

CATEGORIES = TokenCategories(1, 2, (3, 4))
METADATA = ShardMetadata("m", "w", "c", "zeros", 0.0, WORDPIECE_ARRAYS, 5, 0, 5, 2, 3, CATEGORIES, "2.13.0", "5.23.0")
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


def write(folder, bounds):
    """Write shards of the sequences, cut at the bounds, and return their paths."""
    written = list(sequences())
    paths = []
    for first, last in itertools.pairwise(bounds):
        metadata = dataclasses.replace(METADATA, first=first, last=last)
        paths.append(folder / f"{first}-{last}.safetensors")
        with shard_writer(paths[-1], LENGTHS[first:last], metadata) as writer:
            for index in reversed(range(first, last)):  # any order will do
                for name, array in written[index].items():
                    writer.write(f"{name}/{index}", array)
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
        assert file.get_slice("attention/1").get_shape() == [2, 3, 7, 7]
        assert file.metadata()["model"] == '"m"'
        assert set(file.keys()) == set(tensor_layout(LENGTHS, METADATA))


def test_two_writes_give_the_same_bytes(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (one,), (other,) = write(tmp_path / "a", [0, 5]), write(tmp_path / "b", [0, 5])
    assert one.read_bytes() == other.read_bytes()


def test_an_unfinished_shard_leaves_nothing(tmp_path):
    with (
        pytest.raises(RuntimeError, match="were not written"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        writer.write("token_ids/0", np.zeros(4, dtype=np.int32))
    assert not list(tmp_path.iterdir())


def test_wrong_shapes_types_and_names_are_refused(tmp_path):
    with (
        pytest.raises(KeyError, match="token_ids/9"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        with pytest.raises(ValueError, match=r"token_ids/0: int64 \(4,\) instead of int32 \(4,\)"):
            writer.write("token_ids/0", np.zeros(4, dtype=np.int64))
        with pytest.raises(ValueError, match=r"\(5,\) instead of"):
            writer.write("token_ids/1", np.zeros(5, dtype=np.int32))
        writer.write("token_ids/9", np.zeros(4, dtype=np.int32))


@pytest.mark.parametrize("kept", [0, 5, 1000, -1])
def test_a_truncated_shard_is_named_with_a_remedy(tmp_path, kept):
    (path,) = write(tmp_path, [0, 5])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"0-5.safetensors: is not a whole safetensors file .*\n  Remedy: delete"):
        AttentionStore([path])


def test_a_missing_shard_is_noticed(tmp_path):
    first, middle, last = write(tmp_path, [0, 2, 4, 5])
    for paths, message in (
        ([first, last], "begins with sequence 4, not 2"),
        ([middle, last], "begins with sequence 2, not 0"),
        ([first, middle], "ends at sequence 4 of 5: a shard is missing"),
        ([], "has no shards"),
        ([first, tmp_path / "none.safetensors"], "none.safetensors: is not a whole safetensors file"),
    ):
        with pytest.raises(InputError, match=message):
            AttentionStore(paths)


def test_shards_of_different_models_are_not_mixed(tmp_path):
    (one,) = write(tmp_path, [0, 2])
    other = tmp_path / "other.safetensors"
    with shard_writer(other, [], dataclasses.replace(METADATA, model="n", first=2, last=2)):
        pass
    with pytest.raises(InputError, match="belongs to another model or corpus"):
        AttentionStore([one, other])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("categories", None),
        ("categories", '{"cls": 1}'),
        ("categories", "[" * 100_000),
        ("arrays", "3"),
        ("arrays", '["no such"]'),
        ("layers", '"two"'),
        ("last", "9" * 5000),
        ("first", "-1"),
        ("colour", '"red"'),
        ("model", "{"),
    ],
)
def test_malformed_metadata_are_named_with_the_remedy(tmp_path, key, value):
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() | {key: value}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    save_file(tensors, path, metadata={name: text for name, text in metadata.items() if text is not None})
    with pytest.raises(InputError, match=r"0-5.safetensors: does not say where it comes from.*\n  Remedy: delete"):
        AttentionStore([path])
