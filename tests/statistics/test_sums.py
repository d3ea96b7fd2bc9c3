"""Blocks, shards and sums of units."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.errors import InputError
from bert_attention.statistics.sums import (
    FEWEST_BLOCKS,
    Sums,
    blocks_of,
    blocks_of_shard,
    ratio,
    spread_sample,
    sum_up,
    units_of_sample,
    units_of_shard,
)


@given(st.integers(0, 300), st.integers(1, 30))
def test_blocks_of_independent_units_have_nearly_one_size_and_shards_hold_whole_blocks(units, shards):
    blocks = blocks_of(range(units))
    assert len(blocks) == min(20, units)
    assert [unit for block in blocks for unit in block] == list(range(units))
    assert all(units // 20 <= len(block) <= -(-units // 20) for block in blocks)
    assert [block for shard in range(1, shards + 1) for block in blocks_of_shard(blocks, shard, shards)] == blocks
    parts = [units_of_shard(blocks, shard, shards) for shard in range(1, shards + 1)]
    assert [unit for part in parts for unit in part] == list(range(units))


def clusters_of_sizes(sizes):
    return np.repeat(np.arange(len(sizes)), sizes).tolist()


def effective_number(sizes):
    return sum(sizes) ** 2 / sum(size**2 for size in sizes)


def sum_of_squares(sizes):
    return sum(size**2 for size in sizes)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=60))
def test_blocks_hold_whole_clusters_as_many_as_are_effective(sizes):
    if effective_number(sizes) < 1.6:  # one cluster outweighs all others
        sizes = [*sizes, max(sizes)]
    clusters = clusters_of_sizes(sizes)
    blocks = blocks_of(clusters)
    assert len(blocks) == min(20, round(effective_number(sizes)))
    assert [unit for block in blocks for unit in block] == list(range(len(clusters)))
    of_block = [{clusters[unit] for unit in block} for block in blocks]
    assert sum(map(len, of_block)) == len(sizes)  # no cluster is in two blocks


@given(st.lists(st.integers(1, 30), min_size=2, max_size=9))
def test_blocks_of_whole_clusters_have_sizes_as_similar_as_possible(sizes):
    if effective_number(sizes) < 1.6:
        sizes = [*sizes, max(sizes)]
    found = [len(block) for block in blocks_of(clusters_of_sizes(sizes))]
    cuts = combinations(range(1, len(sizes)), len(found) - 1)
    others = ([sum(sizes[a:b]) for a, b in pairwise([0, *cut, len(sizes)])] for cut in cuts)
    assert sum_of_squares(found) == min(map(sum_of_squares, others))


@pytest.mark.parametrize(
    "sizes",
    [
        [284, 151, 149, 184, 198, 1, 41, 438, 124, 22, 130, 254, 43, 187, 195, 7, 298, 82, 198, 14],
        [1, 2, 4, 8, 16, 32, 64, 128, 256, 100, 100, 100, 100, 100, 100],
        [*[60] * 8, *[1] * 12],
        np.random.default_rng(0).integers(1, 90, 3000).tolist(),  # more clusters than edges that are considered
    ],
    ids=["articles", "growing", "fragments", "many"],
)
def test_blocks_vary_nearly_like_equal_blocks(sizes):
    blocks = blocks_of(clusters_of_sizes(sizes))
    assert len(blocks) >= 8
    assert effective_number([len(block) for block in blocks]) > 0.85 * len(blocks)


@pytest.mark.parametrize(
    ("sizes", "largest"),
    [([40], "40 of 40"), ([1, 239], "239 of 240"), ([3, 1, 90, 2], "90 of 96"), ([2], "2 of 2")],
    ids=["one document", "a title and a document", "one long document", "two sentences"],
)
def test_a_cluster_that_outweighs_all_others_is_split_into_too_few_blocks_for_intervals(sizes, largest):
    with pytest.warns(UserWarning, match=f"{largest} sentences, .* no intervals, .* halve the sentences"):
        blocks = blocks_of(clusters_of_sizes(sizes))
    assert len(blocks) == min(6, sum(sizes)) < FEWEST_BLOCKS
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1


def test_the_units_of_a_cluster_have_to_be_adjacent():
    assert [len(block) for block in blocks_of(["owl"] * 2 + ["fox"] * 2)] == [2, 2]
    with pytest.raises(InputError, match="the parts of the text 'owl' do not follow each other"):
        blocks_of(["owl", "fox", "owl"])


@given(st.integers(1, 300), st.none() | st.integers(1, 400))
def test_a_sample_is_spread_over_every_block(units, size):
    blocks = blocks_of(range(units))
    chosen, of_sample = spread_sample(blocks, size)
    assert [chosen[block.start : block.stop] for block in of_sample] == [
        sorted(set(chosen) & set(block)) for block in blocks
    ]
    assert units_of_sample(blocks, of_sample) == chosen
    if size is None or size >= units:
        assert chosen == list(range(units))
    else:
        assert abs(len(chosen) - max(size, len(blocks))) <= len(blocks)
        gaps = [np.diff(chosen[block.start : block.stop]) for block in of_sample]
        assert all(gap.max() - gap.min() <= 1 for gap in gaps if len(gap))


def added(units, seed=0):
    """Yield contributions: an array, an integer, and a name that some units lack. The last unit adds nothing."""
    random = np.random.default_rng(seed)
    for unit in range(units - 1):
        rare = {f"rare/{unit % 3}": random.random(2)} if unit % 7 == 0 else {}
        yield {"x": random.normal(size=(2, 3)), "n": unit, "twice/n": 2 * unit, "thrice/n": 3 * unit, **rare}
    yield {}


@given(st.integers(2, 90))
def test_sums_are_over_all_units_and_without_each_block(units):
    sums, blocks = Sums.of(added(units), range(units)), blocks_of(range(units))
    every = list(added(units))
    for left_out in (None, 0, len(blocks) - 1):
        gone = () if left_out is None else blocks[left_out]
        kept = [contribution for unit, contribution in enumerate(every) if unit not in gone]
        found = sums if left_out is None else sums.without(left_out)
        for name, shape in (("x", (2, 3)), ("n", ()), ("rare/0", (2,))):
            expected = sum((contribution.get(name, 0) for contribution in kept), np.zeros(shape))
            np.testing.assert_allclose(found[name], expected, atol=1e-12)
        np.testing.assert_allclose(found.of_all["x"], sum(contribution["x"] for contribution in every[:-1]))
        assert list(found.within("rare/")) == [name[5:] for name in sums if name.startswith("rare/")]
        np.testing.assert_array_equal(found.within("rare/")["0"], found["rare/0"])
        for prefix, times in (("", 1), ("twice/", 2), ("thrice/", 3)):
            assert found.within(prefix)["n"] == times * found["n"]
    assert sums["n"].dtype == np.int64


def test_integers_stay_integers_beyond_the_range_of_small_types():
    units = [{"hits": np.full(2, 200, dtype=np.uint8), "right": np.array([True, False])}] * 40
    sums = Sums.of(units, range(40))
    assert (sums["hits"].tolist(), sums["right"].tolist()) == ([8000, 8000], [40, 0])
    first = {"x": np.zeros(2)}
    sum_up([first, {"x": np.ones(2)}], [range(2)])
    assert first["x"].tolist() == [0, 0]  # the caller's array is not changed


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([{"x": 1.0}] * 4, "is shorter"),
        ([{"x": 1.0}] * 6, "is longer"),
        ([{"x": np.zeros(3)}] * 4 + [{"x": np.zeros(2)}], r"x has the shape \(2,\) in one unit and \(3,\) in others"),
    ],
)
def test_units_that_do_not_match_are_an_error(units, message):
    with pytest.raises(ValueError, match=message):
        sum_up(units, [range(5)])


def test_sums_and_ratios_of_no_units_are_defined():
    assert (len(Sums.of([], [])), Sums.of([], []).blocks) == (0, 0)
    np.testing.assert_array_equal(ratio([[1, 0], [3, 2]], [2, 0]), [[0.5, np.nan], [1.5, np.nan]])


@pytest.mark.parametrize("units", [3000, 5000])
def test_halves_are_added_as_doubles(units):
    """A sum of float16 in float16 stops at 2048, where it is too coarse for another 1."""
    sums = Sums.of([{"x": np.ones(2, dtype=np.float16)}] * units, range(units))
    assert (sums["x"].dtype, sums["x"].tolist()) == (np.float64, [units, units])
