"""Sums over units by block, from which every analysis makes its tables.

A unit is a segment, a sentence, a document, an example or an aligned pair. An analysis consists of two functions.
``sums(unit)`` returns the contribution of one unit, by name. ``table(sums)`` makes a table from the sums of any units.

A cluster is a run of related units: the segments of an article, or the sentences of a document. An unrelated unit is a
cluster of its own. Clusters vary independently, but units do not. So the units of a corpus, in order, form up to 20
blocks of whole clusters. Intervals leave out a block, held-out choices split the blocks, and a shard of a corpus holds
whole blocks. The number of shards or cores therefore changes no digit.

Blocks have similar sizes, because a few large blocks among many small ones vary like a few blocks. Units with weights
have the effective number (sum of weights)^2 / (sum of squared weights) (Kish 1965, Survey Sampling). A corpus has
as many blocks as its effective number of clusters, at most 20. A test simulates the coverage of such intervals.

Names that end in ``/min`` or ``/max`` hold the lowest or highest value of all units instead of a sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, groupby, pairwise, repeat
from warnings import warn

import numpy as np

from bert_attention.errors import InputError

BLOCKS = 20
# With fewer blocks, an interval would be as uncertain as the number itself.
FEWEST_BLOCKS = 8
# Number of blocks that split a cluster. They can be halved in 20 ways, but are too few for an interval.
_SPLIT_BLOCKS = 6
# If there are more edges between clusters, consider only equally spaced edges: a multiple of the number of blocks,
# and the end.
_MOST_EDGES = 25 * BLOCKS + 1
# The contribution of one unit, by name: numbers, or arrays of the same shape in every unit. A unit can lack names.
Added = Mapping[str, np.ndarray | float]
# Reductions by the ending of a name, each with its value for no units.
_EXTREMES: dict[str, np.ufunc] = {"min": np.minimum, "max": np.maximum}
_IDENTITIES: dict[np.ufunc, float] = {np.add: 0, np.minimum: np.inf, np.maximum: -np.inf}


def blocks_of(clusters: Sequence[Hashable]) -> list[range]:
    """Return the units of each block: runs of whole clusters that have similar sizes.

    There are as many blocks as the effective number of clusters, at most 20. Of all blocks of whole clusters, these
    have the smallest sum of squared sizes.

    A single cluster, or a cluster that outweighs all others, leaves one block, which no held-out choice can halve. Then
    6 blocks of single units split the cluster, with a warning. Fewer than :data:`FEWEST_BLOCKS` give no interval.
    ``clusters``, ``[unit]``, has the cluster of each unit; pass ``range(n)`` for ``n`` independent units. Raise
    InputError if the units of a cluster are not consecutive, because blocks would split the cluster.
    """
    runs = [(cluster, len(list(run))) for cluster, run in groupby(clusters)]
    sizes = [size for _, size in runs]
    if len(sizes) > len(set(clusters)):
        cluster, _ = Counter(cluster for cluster, _ in runs).most_common(1)[0]
        problem = f"the parts of the text {cluster!r} do not follow each other"
        raise InputError("the corpus", problem, "put them one after the other, or give different texts different ids")
    blocks = min(BLOCKS, round(_effective_number(sizes)))
    if blocks < 2 <= len(clusters):
        _warn_split(sizes)
        sizes = [1] * len(clusters)
        blocks = min(_SPLIT_BLOCKS, len(clusters))
    return [range(first, last) for first, last in pairwise(_balanced_edges(sizes, blocks))]


def _balanced_edges(sizes: Sequence[int], blocks: int) -> list[int]:
    """Return the edges of blocks of whole clusters with the smallest sum of squared sizes, by dynamic programming."""
    edges = np.array([0, *accumulate(sizes)])
    if len(edges) > _MOST_EDGES:
        shares = np.arange(_MOST_EDGES) * edges[-1] // (_MOST_EDGES - 1)
        edges = np.unique(edges[np.searchsorted(edges, shares)])
    differences = (edges - edges[:, None]).astype(float)  # [first, last]
    squares = np.where(differences > 0, differences**2, np.inf)
    smallest, firsts = squares[0], []  # the smallest sum up to each edge, and the first edge of each last block
    for _ in range(blocks - 1):
        sums = smallest[:, None] + squares
        firsts.append(sums.argmin(0))
        smallest = sums.min(0)
    indices = [len(edges) - 1]
    for first in reversed(firsts):
        indices.append(first[indices[-1]])
    return [0, *edges[indices[::-1]].tolist()] if blocks else [0]


def _effective_number(sizes: Sequence[int]) -> float:
    """Return the number of equal clusters that vary like clusters of these sizes."""
    return sum(sizes) ** 2 / sum(size**2 for size in sizes) if sizes else 0.0


def _warn_split(sizes: Sequence[int]) -> None:
    found = f"{max(sizes)} of {sum(sizes)} sentences, segments or passages belong to one text"
    effect = "there are no intervals, and held-out choices halve the sentences, segments or passages instead of texts"
    remedy = "Give more texts, or mark where each text begins (# newdoc in CoNLL-U)"
    warn(f"{found}, so {effect}. {remedy}.", stacklevel=3)


def blocks_of_sizes(sizes: Sequence[int]) -> list[range]:
    """Return the units of each block, from the blocks' numbers of units."""
    return [range(first, last) for first, last in pairwise(accumulate(sizes, initial=0))]


def spread_sample(blocks: Sequence[range], size: int | None) -> tuple[list[int], list[range]]:
    """Return a sample of about ``size`` units, spread evenly over each block, and the sample's own blocks.

    Each block of the sample comes from one block of all units, so that sums of the sample and of all units can be
    compared block by block. A block keeps at least one unit. With ``size`` None or too large, the sample has all units.
    """
    total = sum(map(len, blocks))
    share = 1.0 if size is None else min(1.0, size / max(total, 1))
    sampled = blocks_of_sizes([max(1, round(share * len(block))) for block in blocks])
    return units_of_sample(blocks, sampled), sampled


def units_of_sample(blocks: Sequence[range], sampled: Sequence[range]) -> list[int]:
    """Return the units of a sample (:func:`spread_sample`), in order, from all blocks and the sample's own blocks."""
    return [
        block[len(block) * index // len(part)]
        for block, part in zip(blocks, sampled, strict=True)
        for index in range(len(part))
    ]


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

    Raise ValueError if the blocks have more or fewer units, or if arrays of two units have different shapes.
    """
    totals: list[dict[str, np.ndarray]] = [{} for _ in blocks]
    total_of_unit = chain.from_iterable(repeat(total, len(block)) for total, block in zip(totals, blocks, strict=True))
    for total, contribution in zip(total_of_unit, added, strict=True):
        for name, value in contribution.items():
            _add(total, name, value)
    return stack_blocks(totals)


def _add(total: dict[str, np.ndarray], name: str, value: np.ndarray | float) -> None:
    array = np.asarray(value)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=name not in total)
    before = total.setdefault(name, array)
    if before is array:
        return
    if before.shape != array.shape:
        raise ValueError(f"{name} has the shape {array.shape} in one unit and {before.shape} in others")
    total[name] = reduction(name)(before, array, out=before if before.dtype == array.dtype else None)


def stack_blocks(totals: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Stack the totals of blocks to ``[block, ...]`` by name. A block that lacks a name gets the value for no units.

    The totals are emptied, so that memory holds every array once.
    """
    stacked = {}
    for name in sorted({name for total in totals for name in total}):
        arrays = [total.pop(name, None) for total in totals]
        example = next(array for array in arrays if array is not None)
        of_no_units = np.full_like(example, _IDENTITIES[reduction(name)])
        stacked[name] = np.stack([of_no_units if array is None else array for array in arrays])
    return stacked


@dataclass(frozen=True)
class Sums(Mapping[str, np.ndarray]):
    """The sums of an analysis over blocks. ``sums[name]`` is the sum over all blocks that are not left out.

    With weights of the blocks, ``[split, block]``, sums are ``[split, ...]``. None gives each block the weight 1.
    """

    arrays: Mapping[str, np.ndarray]  # the sums of each block, ``[block, ...]`` by name
    left_out: int | None = None  # index of the block that is left out
    weights: np.ndarray | None = None
    _totals: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)  # of all blocks

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
        return Sums(self.arrays, _totals=self._totals)

    def without(self, block: int) -> Sums:
        """Return the sums with one block left out."""
        return Sums(self.arrays, block, _totals=self._totals)

    def within(self, prefix: str) -> Sums:
        """Return the sums whose names begin with a prefix. The prefix is removed from their names."""
        arrays = {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}
        return replace(self, arrays=arrays, _totals={})

    def together(self, **names: Sequence[str]) -> Sums:
        """Return sums whose arrays, ``[name, ...]``, stack arrays of the same shape: the old names by each new name."""
        arrays = {new: np.stack([self.arrays[name] for name in old], axis=1) for new, old in names.items()}
        return replace(self, arrays=arrays, _totals={})

    def weighted(self, weights: np.ndarray) -> Sums:
        """Return the sums with weights ``[split, block]``: ``[split, ...]`` by name, without the left-out block."""
        return replace(self, weights=(weights * self.kept).astype(np.float64))

    def __getitem__(self, name: str) -> np.ndarray:
        array = self.arrays[name]
        if self.weights is not None:
            return np.tensordot(self.weights, array, 1)
        if array.dtype.kind == "i" and reduction(name) is np.add:  # exact, so all blocks are read only once
            if name not in self._totals:
                self._totals[name] = array.sum(0)
            return self._totals[name] - (0 if self.left_out is None else array[self.left_out])
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
