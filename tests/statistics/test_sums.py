import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.statistics.sums import Sums, blocks_of, blocks_of_shard, ratio, sum_up, units_of_shard


@given(st.integers(0, 300), st.integers(1, 30))
def test_blocks_of_independent_units_have_nearly_one_size_and_shards_hold_whole_blocks(units, shards):
    blocks = blocks_of(range(units))
    assert len(blocks) == min(20, units)
    assert [unit for block in blocks for unit in block] == list(range(units))
    assert all(units // 20 <= len(block) <= -(-units // 20) for block in blocks)
    assert [block for shard in range(1, shards + 1) for block in blocks_of_shard(blocks, shard, shards)] == blocks
    parts = [units_of_shard(blocks, shard, shards) for shard in range(1, shards + 1)]
    assert [unit for part in parts for unit in part] == list(range(units))


@given(st.lists(st.integers(1, 40), max_size=60))
def test_blocks_hold_whole_clusters_and_are_balanced(sizes):
    clusters = [cluster for cluster, size in enumerate(sizes) for _ in range(size)]
    blocks = blocks_of(clusters)
    assert len(blocks) == min(20, len(sizes))
    assert [unit for block in blocks for unit in block] == list(range(len(clusters)))
    of_block = [{clusters[unit] for unit in block} for block in blocks]
    assert sum(map(len, of_block)) == len(sizes)  # no cluster is in two blocks
    if len(sizes) >= 40:
        assert max(map(len, blocks)) <= len(clusters) / 20 + 2 * max(sizes)


def test_a_cluster_that_blocks_would_split_is_refused():
    with pytest.raises(ValueError, match="the units of a cluster do not follow each other"):
        blocks_of(["owl", "fox", "owl"])


def test_a_cluster_that_is_larger_than_a_block_leaves_one_cluster_to_each_other_block():
    clusters = [*[0] * 1000, *range(1, 20)]
    assert [len(block) for block in blocks_of(clusters)] == [1000, *[1] * 19]


def added(units, seed=0):
    """Return sums of units: an array, a whole number, at times a name that others lack. The last unit adds none."""
    random = np.random.default_rng(seed)
    for unit in range(units - 1):
        rare = {f"rare/{unit % 3}": random.random(2)} if unit % 7 == 0 else {}
        yield {"x": random.normal(size=(2, 3)), "n": unit, **rare}
    yield {}


@given(st.integers(2, 90))
def test_sums_are_those_of_all_units_and_of_all_but_one_block(units):
    sums, blocks = Sums.of(added(units), range(units)), blocks_of(range(units))
    every = list(added(units))
    for left_out in (None, 0, len(blocks) - 1):
        gone = () if left_out is None else blocks[left_out]
        kept = [of_unit for unit, of_unit in enumerate(every) if unit not in gone]
        found = sums if left_out is None else sums.without(left_out)
        for name, shape in (("x", (2, 3)), ("n", ()), ("rare/0", (2,))):
            expected = sum((of_unit[name] for of_unit in kept if name in of_unit), np.zeros(shape))
            np.testing.assert_allclose(found[name], expected, atol=1e-12)
        np.testing.assert_allclose(found.of_all["x"], sum(of_unit["x"] for of_unit in every[:-1]))
        assert list(found.within("rare/")) == [name[5:] for name in sums if name.startswith("rare/")]
        np.testing.assert_array_equal(found.within("rare/")["0"], found["rare/0"])
    assert sums["n"].dtype == np.int64


def test_weights_choose_blocks_and_never_the_one_that_is_left_out():
    sums = Sums.of(added(60), range(60))
    weights = np.random.default_rng(0).integers(0, 2, (4, 20)).astype(bool)
    found = sums.without(3).weighted(weights)
    assert set(found) == set(sums)
    for name in sums:
        for split, chosen in enumerate(weights):
            expected = sum(sums.arrays[name][block] for block in range(20) if chosen[block] and block != 3)
            np.testing.assert_allclose(found[name][split], expected, atol=1e-12)


def test_whole_numbers_stay_whole_beyond_what_small_types_hold():
    sums = Sums.of(
        ({"hits": np.full(2, 200, dtype=np.uint8), "right": np.array([True, False])} for _ in range(40)), range(40)
    )
    assert sums["hits"].tolist() == [8000, 8000]
    assert sums["right"].tolist() == [40, 0]


def test_a_unit_is_not_changed_by_what_is_added_to_it():
    first = {"x": np.zeros(2)}
    sum_up([first, {"x": np.ones(2)}], [range(2)])
    assert first["x"].tolist() == [0, 0]


@pytest.mark.parametrize(("number", "message"), [(4, "is shorter"), (6, "is longer")])
def test_a_wrong_number_of_units_is_refused(number, message):
    with pytest.raises(ValueError, match=message):
        Sums.of(({"x": 1.0} for _ in range(number)), range(5))


def test_units_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match=r"x has the shape \(3,\) in one unit and \(2,\) in others"):
        sum_up([{"x": np.zeros(2)}, {"x": np.zeros(3)}], [range(2)])


def test_no_units_have_no_sums():
    sums = Sums.of([], [])
    assert (len(sums), sums.blocks) == (0, 0)


def test_a_ratio_of_nothing_is_nan_and_no_warning():
    np.testing.assert_array_equal(ratio([[1, 0], [3, 2]], [2, 0]), [[0.5, np.nan], [1.5, np.nan]])
    assert np.isnan(ratio(0, 0))
