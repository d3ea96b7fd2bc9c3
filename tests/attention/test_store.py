import itertools
import json
import os
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from bert_attention.attention import store
from bert_attention.attention.store import ARRAYS, FORMAT, ID_ARRAYS, AttentionStore, _widened, shard_writer
from bert_attention.errors import InputError
from bert_attention.statistics.sums import units_of_shard
from bert_attention.tokenization.token_categories import TokenCategories
from tests.attention import stores

METADATA = replace(
    stores.METADATA, block_sizes=(1,) * 5, last=5, layers=2, heads=3, categories=TokenCategories(1, 2, (3, 4))
)
LENGTHS = [4, 7, 1, 5, 6]


def sequences():
    """The arrays of each sequence: ids below 9 and other numbers below 1, of which some are minus zero."""
    random = np.random.default_rng(0)
    for n in LENGTHS:
        sizes = {"m": 5, "l": 2, "h": 3, "n": n}
        drawn = {name: random.random([sizes[axis] for axis in axes]) for name, (_, axes) in ARRAYS.items()}
        for name in ("attention", "summed_norms"):
            drawn[name].reshape(-1)[0] = -0.0
        yield {name: (array * (9 if name in ID_ARRAYS else 1)).astype(ARRAYS[name][0]) for name, array in drawn.items()}


def write(folder, bounds, described=METADATA):
    """Write shards of the sequences, cut at the bounds, and return their paths."""
    written = list(sequences())
    paths = []
    for first, last in itertools.pairwise(bounds):
        metadata = replace(described, first=first, last=last)
        paths.append(folder / f"{first}-{last}.safetensors")
        with shard_writer(paths[-1], LENGTHS[first:last], metadata) as writer:
            for index in reversed(range(first, last)):  # arrays can be written in any order
                for name, array in written[index].items():
                    writer.write(name, index, array)
    return paths


@pytest.mark.parametrize("bounds", [[0, 5], [0, 0, 4, 5]])
def test_arrays_are_read_back_in_order(tmp_path, bounds):
    store = AttentionStore(reversed(write(tmp_path, bounds)))
    assert len(store) == 5
    for index, (read, written) in enumerate(zip(store, sequences(), strict=True)):
        assert read.index == index
        for name, array in written.items():
            np.testing.assert_array_equal(getattr(read, name), array)
        assert read.attention.dtype == np.float32
        assert not (np.signbit(read.attention).any() or np.signbit(read.summed_norms).any())
        np.testing.assert_array_equal(read.categories["sep"], written["token_ids"] == 2)


def test_shards_are_reproducible_plain_safetensors_with_provenance(tmp_path):
    """Few tensors hold all sequences, because the header of a file has a maximum length."""
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        assert file.get_slice("attention").get_shape() == [sum(2 * 3 * n * n for n in LENGTHS)]
        assert json.loads(file.metadata()["shard"])["model"] == "m"
        assert set(file.keys()) == {"lengths", *ARRAYS}
    before = path.read_bytes()
    write(tmp_path, [0, 5])
    assert path.read_bytes() == before


def test_every_finite_half_is_widened_exactly():
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16)  # from 0 to the largest, with subnormal numbers
    np.testing.assert_array_equal(_widened(halves), halves.astype(np.float32), strict=True)


def test_invalid_or_duplicate_arrays_are_errors_and_an_unfinished_shard_is_removed(tmp_path):
    ids = np.zeros(4, dtype=np.int32)
    with (
        pytest.raises(RuntimeError, match="token_ids of sequence 1 was not written"),
        shard_writer(tmp_path / "s.safetensors", LENGTHS, METADATA) as writer,
    ):
        with pytest.raises(ValueError, match=r"token_ids of sequence 0: int64 \(4,\) instead of int32 \(4,\)"):
            writer.write("token_ids", 0, np.zeros(4, dtype=np.int64))
        writer.write("token_ids", 0, ids)
        for name, index in (("token_ids", 0), ("token_ids", 9), ("token_ids", -1), ("colors", 0)):
            with pytest.raises(KeyError, match=f"{name} of sequence {index}"):
                writer.write(name, index, ids)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kept", [0, 1000, -1])
def test_the_error_on_a_truncated_shard_has_a_command_that_removes_only_this_shard(tmp_path, kept):
    folder = tmp_path / "a folder's name"
    folder.mkdir()
    whole, path = write(folder, [0, 2, 5])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"2-5.safetensors: is not a complete safetensors file") as raised:
        AttentionStore([whole, path])
    command, _, _ = raised.value.remedy.partition(" and run again")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert list(folder.iterdir()) == [whole]
    with pytest.raises(InputError, match="is not a complete safetensors file"):
        AttentionStore([whole, path])


def test_the_error_on_an_unreadable_shard_does_not_call_it_damaged(tmp_path, monkeypatch):
    """Safetensors calls such a file missing. Root can read all files."""
    (path,) = write(tmp_path, [0, 5])
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(store, "safe_open", lambda *_, **__: (tmp_path / "no such file").read_bytes())
    with pytest.raises(InputError, match=r"0-5.safetensors: is not readable\n  Remedy: change its permissions"):
        AttentionStore([path])


@pytest.mark.parametrize(
    ("read", "shard", "message"),
    [
        ([0, 2], (1, 1), "begins with sequence 4, not 2"),
        ([0, 1], (1, 1), "ends before sequence 4, not 5"),
        ([], (1, 1), "has no shards"),
        ([1], (2, 2), "begins with sequence 2, not "),
    ],
)
def test_the_error_names_a_missing_or_wrong_shard(tmp_path, read, shard, message):
    paths = write(tmp_path, [0, 2, 4, 5])
    with pytest.raises(InputError, match=message):
        AttentionStore([paths[index] for index in read], shard)
    part = units_of_shard(METADATA.blocks, 2, 3)
    _, path, _ = write(tmp_path, [0, part.start, part.stop, 5])
    assert [sequence.index for sequence in AttentionStore([path], (2, 3))] == list(part)


def test_shards_of_different_models_are_not_mixed(tmp_path):
    (one,), (other,) = write(tmp_path, [0, 2]), write(tmp_path, [2, 5], replace(METADATA, model="n"))
    with pytest.raises(InputError, match=r"belongs to another store than .*: they differ in model"):
        AttentionStore([one, other])


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("attention", np.nan, "not between 0 and 1"),
        ("attention", -0.5, "not between 0 and 1"),
        ("summed_norms", np.inf, "not finite"),
        ("value_norms", np.nan, "not finite"),
    ],
)
def test_numbers_outside_their_range_are_not_written(tmp_path, name, value, problem):
    array = list(sequences())[1][name]
    array.reshape(-1)[-1] = value
    message = rf"s: {name} of sequence 1 has numbers that are {problem}\n  Remedy: check the weights of .* m "
    with pytest.raises(InputError, match=message), shard_writer(tmp_path / "s", LENGTHS, METADATA) as writer:
        writer.write(name, 1, array)
    assert not list(tmp_path.iterdir())


def test_the_error_on_a_missing_array_lists_the_arrays_of_the_store(tmp_path):
    metadata = replace(METADATA, arrays=("word_ids", "attention"), last=1, block_sizes=(1,))
    written = next(sequences())
    with shard_writer(tmp_path / "s", LENGTHS[:1], metadata) as writer:
        for name in metadata.arrays:
            writer.write(name, 0, written[name])
    (sequence,) = AttentionStore([tmp_path / "s"])
    with pytest.raises(InputError, match=r"has no token_ids; it holds attention, word_ids\n.*segments_pair, or segm"):
        _ = sequence.token_ids


@pytest.mark.parametrize(
    "changed",
    [
        lambda fields: "{",
        lambda fields: "[" * 100_000,
        lambda fields: json.dumps(fields | {"categories": {"cls": 1}}),
        lambda fields: json.dumps(fields | {"arrays": ["no such"]}),
        lambda fields: json.dumps(fields | {"color": "red"}),
    ],
)
def test_malformed_metadata_are_an_error_with_a_remedy(tmp_path, changed):
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    metadata["shard"] = changed(json.loads(metadata["shard"]))
    save_file(tensors, path, metadata=metadata)
    with pytest.raises(InputError, match=r"0-5.safetensors: its metadata are damaged.*\n  Remedy: rm"):
        AttentionStore([path])


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux lists mapped files")
def test_no_file_stays_mapped_into_memory(tmp_path):
    """The pages of a mapped file count as memory of the job."""
    paths = write(tmp_path, [0, 2, 5])
    store = AttentionStore(paths)
    assert [sequence.attention.shape[-1] for sequence in store] == LENGTHS
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert not [path for path in paths if str(path) in mapped]


def test_a_shard_that_is_cut_while_it_is_read_is_an_error(tmp_path):
    (path,) = write(tmp_path, [0, 5])
    *_, last = AttentionStore([path])
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(InputError, match=r"0-5.safetensors: ends before attention of sequence 4\n  Remedy: rm"):
        _ = last.attention


def test_a_shard_that_is_replaced_while_it_is_read_is_read_as_it_was(tmp_path):
    (path,) = write(tmp_path, [0, 5])
    *_, last = AttentionStore([path])
    (tmp_path / "other").write_bytes(bytes(path.stat().st_size))
    (tmp_path / "other").replace(path)
    *_, written = sequences()
    np.testing.assert_array_equal(last.attention, written["attention"])


@pytest.mark.parametrize("changed", [lambda array: array.astype(np.float32), lambda array: array[1:]])
def test_a_tensor_of_another_type_or_size_is_an_error(tmp_path, changed):
    (path,) = write(tmp_path, [0, 5])
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    size = len(tensors["attention"])
    save_file(tensors | {"attention": changed(tensors["attention"])}, path, metadata=metadata)
    with pytest.raises(InputError, match=f"no tensor attention has {size} numbers of type F16"):
        AttentionStore([path])


@pytest.mark.parametrize("bits", [0x7E00, 0xB800])  # NaN, and -0.5
def test_damaged_numbers_are_not_read(tmp_path, bits):
    metadata = replace(METADATA, arrays=("token_ids", "attention"), block_sizes=(1,), last=1, layers=1, heads=1)
    path = tmp_path / "shard.safetensors"
    with shard_writer(path, [2], metadata) as writer:
        writer.write("token_ids", 0, np.zeros(2, np.int32))
        writer.write("attention", 0, np.full((1, 1, 2, 2), 0.5, np.float16))
    half = np.float16(0.5).tobytes()
    content = path.read_bytes()
    start = content.rindex(half * 4)
    path.write_bytes(content[:start] + bits.to_bytes(2, "little") + content[start + 2 :])
    (sequence,) = AttentionStore([path])
    with pytest.raises(InputError, match="attention of sequence 0 has numbers that are negative or not finite"):
        _ = sequence.attention


@pytest.mark.parametrize("shard", ["5", '{"block_sizes": [1, null]}', '{"layers": 1e400}', "[]"])
def test_damaged_metadata_are_an_input_error(tmp_path, shard):
    values = {**json.loads(json.dumps(asdict(METADATA))), **(json.loads(shard) if shard[0] == "{" else {})}
    described = json.dumps(values) if shard[0] == "{" else shard
    save_file({"lengths": np.array([2])}, tmp_path / "s", {"format": FORMAT, "shard": described})
    with pytest.raises(InputError, match="its metadata are damaged"):
        AttentionStore([tmp_path / "s"])


@pytest.mark.parametrize("axes", [(1, 0, 3, 2), (0, 1, 3, 2)])
def test_transposed_arrays_keep_their_values(tmp_path, axes):
    """The library safetensors 0.8.0 itself stores the values of a transposed NumPy array in the wrong places."""
    n, path = 4, tmp_path / "1.safetensors"
    random = np.random.default_rng(0)
    shape = [METADATA.layers, METADATA.heads, n, n]
    attention = random.random([shape[axis] for axis in axes]).astype(np.float16).transpose(np.argsort(axes))
    assert not attention.flags.c_contiguous
    metadata = replace(METADATA, first=0, last=1, block_sizes=(1,))
    with shard_writer(path, [n], metadata) as writer:
        for name, array in next(iter(sequences())).items():
            writer.write(name, 0, attention if name == "attention" else array)
    np.testing.assert_array_equal(next(iter(AttentionStore([path]))).attention, attention)
