"""Files of sums, one for each shard."""

from zipfile import ZipFile

import numpy as np
import pytest

from bert_attention.errors import InputError
from bert_attention.statistics.sum_files import read_sums, write_sums
from bert_attention.statistics.sums import Sums, blocks_of, blocks_of_shard, sum_up, units_of_shard
from tests.statistics.test_sums import added

UNITS = 47


def named(sums, table="table"):
    return {f"{table}:{name}": array for name, array in sums.items()}


def written(folder, shards, units=UNITS, tasks=("",)):
    """Write the sums of all shards, each made from its own units alone, and return the files."""
    paths, blocks = [], blocks_of(range(units))
    for shard in range(1, shards + 1):
        part = units_of_shard(blocks, shard, shards)
        of_shard = list(added(units))[part.start : part.stop]
        paths.append(folder / f"{shard}-of-{shards}.npz")
        sums = named(sum_up(of_shard, blocks_of_shard(blocks, shard, shards)))
        write_sums([(task, (dict(sums), part, [*map(len, blocks)])) for task in tasks], paths[-1])
    return paths


def read(paths, table="table", groups=("",)):
    return dict(read_sums(paths, table, groups))


@pytest.mark.parametrize(("shards", "units"), [(1, UNITS), (5, UNITS), (20, UNITS), (2, 20), (10, 7)])
def test_the_order_of_shards_changes_no_bit(tmp_path, shards, units):
    found = read(written(tmp_path, shards, units)[::-1])[""]
    whole = Sums.of(added(units), range(units))
    assert list(found) == list(whole)
    for name, array in whole.arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].tobytes() == array.tobytes()


def test_tasks_are_read_separately(tmp_path):
    found = read(written(tmp_path, 2, tasks=("rte", "qqp")), groups=("rte", "qqp"))
    assert found["rte"]["n"] == found["qqp"]["n"] == sum(range(UNITS - 1))


def test_a_file_holds_several_tables_and_a_table_lies_in_several_files(tmp_path):
    sizes = [*map(len, blocks_of(range(UNITS)))]
    whole, counts = Sums.of(added(UNITS), range(UNITS)).arrays, {"n": np.arange(len(sizes))}
    both = named(whole, "a") | named(counts, "a_b")
    write_sums([(group, (dict(both), range(UNITS), sizes)) for group in ("1/rte", "2/rte")], tmp_path / "rte")
    write_sums([("1/qqp", (named(counts, "a"), range(UNITS), sizes))], tmp_path / "qqp")
    found = read([tmp_path / "rte", tmp_path / "qqp"], "a", ["1/rte", "2/rte", "1/qqp"])
    assert {group: sums["n"] for group, sums in found.items()} == {
        **dict.fromkeys(("1/rte", "2/rte"), whole["n"].sum()),
        "1/qqp": counts["n"].sum(),
    }
    assert read([tmp_path / "rte"], "a_b", ["2/rte"])["2/rte"]["n"] == counts["n"].sum()


def test_a_group_that_no_file_has_is_an_error(tmp_path):
    with pytest.raises(InputError, match="has no sums of 3/rte"):
        read(written(tmp_path, 2, tasks=("1/rte", "2/rte")), groups=["1/rte", "3/rte"])


def test_a_missing_shard_is_an_error(tmp_path):
    paths = written(tmp_path, 4)
    for left in (paths[1:], [paths[0], *paths[2:]]):
        with pytest.raises(InputError, match=r"has the sums of units from \d+, not from \d+"):
            read(left)
    with pytest.raises(InputError, match="ends at unit 32 of 47: a shard is missing"):
        read(paths[:3])


def test_a_file_with_another_number_of_blocks_is_an_error(tmp_path):
    path = tmp_path / "1.npz"
    sums = sum_up(added(UNITS), [range(20), range(20, UNITS)])
    write_sums([("", (named(sums), range(UNITS), [*map(len, blocks_of(range(UNITS)))]))], path)
    with pytest.raises(InputError, match=r"1\.npz: does not have the sums of 20 blocks"):
        read([path])


def test_a_damaged_file_is_an_error_with_a_remedy(tmp_path):
    (path,) = written(tmp_path, 1)
    content = path.read_bytes()
    place = content.index(b".npy") + 60  # in the first array
    flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    for damaged in (content[: len(content) // 2], b"", b"{}", flipped):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"(?s)1-of-1.npz: is not a complete file of sums .*delete it"):
            read([path])
    np.savez(path, **Sums.of(added(5), range(5)).arrays)
    with pytest.raises(InputError, match="is not a file of sums"):
        read([path])


def test_the_same_sums_are_the_same_bytes(tmp_path):
    contents = {written(tmp_path, 1)[0].read_bytes() for _ in range(2)}
    assert len(contents) == 1
    with ZipFile(tmp_path / "1-of-1.npz") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}  # not of now


@pytest.mark.parametrize(
    "units", ["5", '{"": null}', '{"": [0, "1", [1]]}', '{"": [0, 1, [null]]}', '{"": [0, -1, []]}']
)
def test_damaged_units_are_an_input_error(tmp_path, units):
    with ZipFile(tmp_path / "s", "w") as archive:
        archive.writestr("units.json", units)
    with pytest.raises(InputError, match="is not a complete file of sums"):
        read([tmp_path / "s"])
