"""The attention store: what is written is read back, and nothing damaged or half-written passes for whole."""

import dataclasses
import hashlib
import itertools
import json
import subprocess

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from bert_attention.attention.store import (
    WORDPIECE_ARRAYS,
    AttentionStore,
    ShardMetadata,
    _checksum_of_metadata,
    shard_writer,
    tensor_layout,
)
from bert_attention.errors import InputError
from bert_attention.tokenization.token_categories import TokenCategories
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
    with pytest.raises(
        InputError, match=r"0-5.safetensors: is not a whole safetensors file .*\n  Remedy: rm .*0-5.safe"
    ):
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


def place(path, name):
    """Where the bytes of a tensor are in a file."""
    header = int.from_bytes(path.read_bytes()[:8], "little")
    with open(path, "rb") as file:
        described = json.loads(file.read(8 + header)[8:])
    start, end = described[name]["data_offsets"]
    return slice(8 + header + start, 8 + header + end)


def change(path, where, changed):
    """Replace some bytes of a file by what a function makes of them."""
    content = bytearray(path.read_bytes())
    content[where] = changed(bytes(content[where]))
    path.write_bytes(content)


def flipped(count):
    return lambda content: bytes(byte ^ 0xFF for byte in content[:count]) + content[count:]


def with_one(value):
    def changed(content):
        array = np.frombuffer(content, dtype=np.float16).copy()
        array[len(array) // 2] = value
        return array.tobytes()

    return changed


@pytest.mark.parametrize(
    "damaged",
    [lambda content: bytes(len(content)), flipped(64), flipped(1), with_one(np.nan), with_one(0.5)],
    ids=["zeroed", "64 bytes flipped", "a byte flipped", "a NaN", "a plausible number"],
)
def test_a_damaged_array_is_named_with_shard_and_sequence(tmp_path, damaged):
    _, path = write(tmp_path, [0, 2, 5])
    change(path, place(path, "attention/3"), damaged)
    store = AttentionStore(tmp_path.iterdir())
    found = []
    with pytest.raises(InputError, match=r"2-5.safetensors: attention of sequence 3 is damaged"):
        found.extend(sequence.attention for sequence in store)
    assert len(found) == 3


@pytest.mark.parametrize("name", [name for name in WORDPIECE_ARRAYS if name != "attention"])
def test_every_kind_of_array_is_checked(tmp_path, name):
    (path,) = write(tmp_path, [0, 5])
    change(path, place(path, f"{name}/4"), flipped(1))
    with pytest.raises(InputError, match=f"{name} of sequence 4 is damaged"):
        [getattr(sequence, name) for sequence in AttentionStore([path])]


def test_arrays_that_changed_places_are_found(tmp_path):
    (path,) = write(tmp_path, [0, 5])
    content = path.read_bytes()
    one, other = b'"value_norms/0"', b'"projections/0"'  # of one type and shape
    exchanged = content.replace(one, b"<one>").replace(other, one).replace(b"<one>", other)
    path.write_bytes(exchanged)
    with pytest.raises(InputError, match="value_norms of sequence 0 is damaged"):
        [sequence.value_norms for sequence in AttentionStore([path])]


def test_damaged_metadata_are_named(tmp_path):
    (path,) = write(tmp_path, [0, 5])
    content = path.read_bytes()
    for written, damaged in ((b"zeros", b"zerot"), (b"5.23.0", b"5.23.1"), (b"[3, 4]", b"[3, 5]")):
        assert written in content
        path.write_bytes(content.replace(written, damaged))
        with pytest.raises(InputError, match=r"0-5.safetensors: its metadata are damaged"):
            AttentionStore([path])


def test_the_remedy_is_a_command_that_removes_just_the_damaged_shard(tmp_path):
    folder = tmp_path / "a folder's name"
    folder.mkdir()
    whole, path = write(folder, [0, 2, 5])
    change(path, place(path, "attention/3"), flipped(1))
    with pytest.raises(InputError) as raised:
        [sequence.attention for sequence in AttentionStore([whole, path])]
    command, _, _ = raised.value.remedy.partition(" and run again")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert list(folder.iterdir()) == [whole]


@pytest.fixture
def sources(tmp_path):
    """Files of weights and of a corpus, and a folder with a store that is made of them."""
    weights, corpus = tmp_path / "model.safetensors", tmp_path / "treebank.conllu"
    weights.write_bytes(b"trained")
    corpus.write_text("1\tit\n\n1\the\n\n")
    digests = (hashlib.sha256(file.read_bytes()).hexdigest() for file in (weights, corpus))
    names = ("weights_sha256", "corpus_sha256")
    (tmp_path / "store").mkdir()
    write(tmp_path / "store", [0, 2, 5], dataclasses.replace(METADATA, **dict(zip(names, digests, strict=True))))
    return weights, corpus, tmp_path / "store"


def test_a_store_of_the_given_weights_and_corpus_is_read(sources):
    weights, corpus, folder = sources
    assert len(AttentionStore.of(weights, corpus, *folder.iterdir())) == 5


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("model.safetensors", "another", r"0-2.safetensors: was made of other weights than .*model.safetensors holds"),
        ("treebank.conllu", "1\the\n\n1\tit\n\n", r"was made of another corpus than .*treebank.conllu holds"),
    ],
)
def test_attention_of_other_weights_or_swapped_sentences_does_not_pass(sources, file, content, problem):
    weights, corpus, folder = sources
    (folder.parent / file).write_text(content)
    with pytest.raises(InputError, match=problem) as raised:
        AttentionStore.of(weights, corpus, *folder.iterdir())
    command, _, _ = raised.value.remedy.partition(" and run again")
    subprocess.run(command, shell=True, check=True)
    assert not list(folder.iterdir())


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
        pytest.raises(InputError, match=rf"s.safetensors: {problem}\n  Remedy: the encoder .*m.* check its weights"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        writer.write(f"{name}/1", array)
    assert not list(tmp_path.iterdir())


def test_attention_of_minus_nothing_is_written(tmp_path):
    with pytest.raises(RuntimeError), shard_writer(tmp_path / "s", LENGTHS, METADATA) as writer:
        writer.write("attention/2", np.full((2, 3, 1, 1), -0.0, dtype=np.float16))


def test_an_array_that_a_store_does_not_hold_is_named_with_those_that_it_does(tmp_path):
    metadata = dataclasses.replace(METADATA, arrays=("word_ids", "attention"), last=1, sequences=1)
    written = next(sequences())
    with shard_writer(tmp_path / "0.safetensors", LENGTHS[:1], metadata) as writer:
        for name in metadata.arrays:
            writer.write(f"{name}/0", written[name])
    (sequence,) = AttentionStore([tmp_path / "0.safetensors"])
    with pytest.raises(InputError, match=r"has no token_ids; it holds attention, word_ids"):
        _ = sequence.token_ids
    with pytest.raises(InputError, match="has no value_norms"):
        _ = sequence.value_norms


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
        metadata = {name: text for name, text in (file.metadata() | {key: value}).items() if text is not None}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    metadata["checksum"] = _checksum_of_metadata(metadata)  # they are as someone wrote them, and wrong
    save_file(tensors, path, metadata=metadata)
    with pytest.raises(InputError, match=r"0-5.safetensors: does not say where it comes from.*\n  Remedy: rm"):
        AttentionStore([path])
