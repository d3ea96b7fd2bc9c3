"""Sums over units by block, from which every analysis makes its tables.

A unit is a segment, a sentence, a document, an example or an aligned pair. An analysis consists of two functions.
``sums(unit)`` returns the contribution of one unit, by name. ``table(sums)`` makes a table from the sums of any units.

A cluster is a run of related units: the segments of an article, or the sentences of a document. An unrelated unit is a
cluster of its own. Clusters vary independently, but units do not. So the units of a corpus, in order, form 20 blocks of
whole clusters. Intervals leave out a block, held-out choices split the blocks, and a shard of a corpus holds whole
blocks. The number of shards or cores therefore changes no digit.

Names that end in ``/min`` or ``/max`` hold the lowest or highest value of all units instead of a sum.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby, pairwise, repeat

import numpy as np

BLOCKS = 20
# The contribution of one unit, by name: numbers, or arrays of the same shape in every unit. A unit can lack names.
Added = Mapping[str, np.ndarray | float]
# The reductions of names that end so, and the value that each reduction has for no units.
_EXTREMES: dict[str, np.ufunc] = {"min": np.minimum, "max": np.maximum}
_IDENTITIES: dict[np.ufunc, float] = {np.add: 0, np.minimum: np.inf, np.maximum: -np.inf}


def blocks_of(clusters: Sequence[Hashable]) -> list[range]:
    """Return the units of each block: 20 runs of whole clusters, or one run per cluster if there are fewer.

    Each edge of a block is the edge of a cluster that is nearest to the edge of a block of equal size.

    Parameters
    ----------
    clusters
        The cluster of each unit, ``[unit]``. The units of a cluster are consecutive. Pass ``range(n)`` for ``n``
        independent units.

    Raises
    ------
    ValueError
        If the units of a cluster are not consecutive, because blocks would split the cluster.
    """
    sizes = [len(list(run)) for _, run in groupby(clusters)]
    if len(sizes) > len(set(clusters)):
        raise ValueError("the units of a cluster do not follow each other")
    edges = [0, *accumulate(sizes)]  # the clusters' edges among the units
    blocks = min(BLOCKS, len(edges) - 1)
    indices = [0]  # the blocks' edges among the clusters' edges
    for block in range(1, blocks + 1):
        wanted = block * len(clusters) // blocks
        above = bisect_left(edges, wanted)
        nearest = above if edges[above] - wanted < wanted - edges[above - 1] else above - 1
        # Leave at least one cluster for this block and for each block after it.
        indices.append(min(max(nearest, indices[-1] + 1), len(edges) - 1 - blocks + block))
    return blocks_of_sizes([edges[last] - edges[first] for first, last in pairwise(indices)])


def blocks_of_sizes(sizes: Sequence[int]) -> list[range]:
    """Return the units of each block, from the blocks' numbers of units."""
    return [range(first, last) for first, last in pairwise(accumulate(sizes, initial=0))]


def blocks_of_shard(blocks: Sequence[range], shard: int, shards: int) -> list[range]:
    """Return the blocks of shard number ``shard`` (from 1), in order.

    With more shards than blocks, some shards have no block.
    """
    return list(blocks[-(-len(blocks) * (shard - 1) // shards) : -(-len(blocks) * shard // shards)])


def units_of_shard(blocks: Sequence[range], shard: int, shards: int) -> range:
    """Return the units of a shard."""
    inside = blocks_of_shard(blocks, shard, shards)
    return range(inside[0].start, inside[-1].stop) if inside else range(0)


def sum_up(added: Iterable[Added], blocks: Sequence[range]) -> dict[str, np.ndarray]:
    """Add up the contributions of units, in order, to ``[block, ...]`` by name: int64 for integers, else float64.

    Raises
    ------
    ValueError
        If there are more or fewer units than in the blocks, or if arrays of two units have different shapes.
    """
    totals: list[dict[str, np.ndarray]] = [{} for _ in blocks]
    total_of_unit = chain.from_iterable(repeat(total, len(block)) for total, block in zip(totals, blocks, strict=True))
    for total, contribution in zip(total_of_unit, added, strict=True):
        for name, value in contribution.items():
            _add(total, name, value)
    return stack_blocks(totals)


def sum_units(
    function: Callable[..., Added],
    units: Mapping[str, Iterable],
    whole: Mapping[str, object],
    blocks: Sequence[range],
    show: Callable[[Iterable], Iterable],
) -> dict[str, np.ndarray]:
    """Apply the function ``sums`` of an analysis to units, and add up the contributions by :func:`sum_up`.

    Parameters
    ----------
    units
        Units by argument of the function. Each argument gets the units of one corpus, all in the same order.
    whole
        The function's arguments that are the same for every unit.
    show
        Function that wraps the iterable of units, for a progress bar.
    """
    rows = show(zip(*units.values(), strict=True))
    return sum_up((function(**dict(zip(units, row, strict=True)), **whole) for row in rows), blocks)


def _add(total: dict[str, np.ndarray], name: str, value: np.ndarray | float) -> None:
    array = np.asarray(value)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=name not in total)
    before = total.setdefault(name, array)
    if before is array:
        return
    if before.shape != array.shape:
        raise ValueError(f"{name} has the shape {array.shape} in one unit and {before.shape} in others")
    total[name] = reduction(name)(before, array, out=before if before.dtype == array.dtype else None)


def stack_blocks(totals: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Stack the totals of blocks to ``[block, ...]`` by name. A block that lacks a name gets the value for no units."""
    examples = {name: array for total in totals for name, array in total.items()}
    return {
        name: np.stack([total.get(name, np.full_like(example, _IDENTITIES[reduction(name)])) for total in totals])
        for name, example in sorted(examples.items())
    }


@dataclass(frozen=True)
class Sums(Mapping[str, np.ndarray]):
    """The sums of an analysis over blocks. ``sums[name]`` is the sum over all blocks that are not left out.

    Attributes
    ----------
    arrays
        The sums of each block, ``[block, ...]`` by name.
    left_out
        Index of the block that is left out, or None.
    weights
        Weights of the blocks, ``[split, block]``; sums are then ``[split, ...]``. None gives each block the weight 1.
    """

    arrays: Mapping[str, np.ndarray]
    left_out: int | None = None
    weights: np.ndarray | None = None

    @classmethod
    def of(cls, added: Iterable[Added], clusters: Sequence[Hashable]) -> Sums:
        """Add up the contributions of the units of a corpus; clusters as in :func:`blocks_of`."""
        return cls(sum_up(added, blocks_of(clusters)))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], clusters: Sequence[Hashable]) -> Sums:
        """Add up the contributions of units, ``[unit, ...]`` by name; clusters as in :func:`blocks_of`."""
        units = range(len(clusters))
        return cls.of(({name: array[unit] for name, array in arrays.items()} for unit in units), clusters)

    @property
    def blocks(self) -> int:
        """Number of blocks, including a block that is left out."""
        return len(next(iter(self.arrays.values()), ()))

    @property
    def kept(self) -> np.ndarray:
        """Mask of the blocks that are not left out, ``[block]``."""
        return np.arange(self.blocks) != (-1 if self.left_out is None else self.left_out)

    @property
    def of_all(self) -> Sums:
        """The sums with no block left out. Analyses choose a table's rows by them, so that its replicates agree."""
        return Sums(self.arrays)

    def without(self, block: int) -> Sums:
        """Return the sums with one block left out."""
        return Sums(self.arrays, block)

    def within(self, prefix: str) -> Sums:
        """Return the sums whose names begin with a prefix. The prefix is removed from their names."""
        arrays = {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}
        return replace(self, arrays=arrays)

    def weighted(self, weights: np.ndarray) -> Sums:
        """Return the sums with weights ``[split, block]``: ``[split, ...]`` by name, without the left-out block."""
        return replace(self, weights=(weights * self.kept).astype(np.float64))

    def __getitem__(self, name: str) -> np.ndarray:
        array = self.arrays[name]
        if self.weights is not None:
            return np.tensordot(self.weights, array, 1)
        return reduction(name).reduce(array if self.left_out is None else array[self.kept], 0)

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


def reduction(name: str) -> np.ufunc:
    """Return the reduction for arrays of a name: minimum or maximum if the name ends so, else addition."""
    return _EXTREMES.get(name.rpartition("/")[2], np.add)


def ratio(numerator: np.ndarray | float, denominator: np.ndarray | float) -> np.ndarray:
    """Return the quotient of two sums. It is NaN, without a warning, if the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)
