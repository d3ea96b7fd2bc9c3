"""Sums over units by block: what every analysis is made of.

A unit is what varies independently: a segment, a sentence, a document, an example, an aligned pair. An analysis is two
functions: ``sums(unit)`` says what one unit adds, by name; ``table(sums)`` makes a table from the sums over any units.
The units of a corpus, in order, form 20 blocks of consecutive units. Intervals leave out a block, held-out choices
split the blocks, and a shard of a corpus holds whole blocks: so neither shards nor cores change a digit.

Extremes come along: of what units give by names that end in ``/min`` or ``/max``, the lowest or highest is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, repeat

import numpy as np

BLOCKS = 20
# What one unit adds, by name: numbers, or arrays of the same shape in every unit. Names may be missing.
Added = Mapping[str, np.ndarray | float]
# How what several units give is joined, by how its name ends, and what no unit at all comes to.
_EXTREMES: dict[str, np.ufunc] = {"min": np.minimum, "max": np.maximum}
_OF_NONE: dict[np.ufunc, float] = {np.add: 0, np.minimum: np.inf, np.maximum: -np.inf}


def blocks_of(units: int) -> list[range]:
    """The units of each block: 20 blocks of nearly equal size, or one for each unit where there are fewer."""
    blocks = min(BLOCKS, units)
    edges = [block * units // blocks for block in range(blocks + 1)] if units else [0]
    return [range(first, last) for first, last in pairwise(edges)]


def blocks_of_shard(units: int, shard: int, shards: int) -> list[range]:
    """The units of each block of shard number ``shard`` (from 1); one of more shards than blocks may have none.

    The first has the first block.
    """
    blocks = blocks_of(units)
    return blocks[-(-len(blocks) * (shard - 1) // shards) : -(-len(blocks) * shard // shards)]


def units_of_shard(units: int, shard: int, shards: int) -> range:
    """All units of a shard."""
    blocks = blocks_of_shard(units, shard, shards)
    return range(blocks[0].start, blocks[-1].stop) if blocks else range(0)


def sum_up(added: Iterable[Added], blocks: Sequence[range]) -> dict[str, np.ndarray]:
    """Add up what units add, in order: ``[block, ...]`` by name, int64 for whole numbers and float64 for others.

    Raises
    ------
    ValueError
        If there are not as many units as the blocks have, or a unit's array has another shape than the last one's.
    """
    totals: list[dict[str, np.ndarray]] = [{} for _ in blocks]
    of_units = chain.from_iterable(repeat(total, len(block)) for total, block in zip(totals, blocks, strict=True))
    for total, of_unit in zip(of_units, added, strict=True):
        for name, value in of_unit.items():
            _add(total, name, value)
    return of_blocks(totals)


def added_up(
    function: Callable[..., Added],
    units: Mapping[str, Iterable],
    whole: Mapping[str, object],
    blocks: Sequence[range],
    show: Callable[[Iterable], Iterable],
) -> dict[str, np.ndarray]:
    """:func:`sum_up` of the function ``sums`` of an analysis.

    Parameters
    ----------
    units
        What the function is given of each unit, by its arguments: the units of one corpus, in the same order.
    whole
        What it is given with every unit.
    show
        What the units pass through: a progress bar.
    """
    of_each = show(zip(*units.values(), strict=True))
    return sum_up((function(**dict(zip(units, unit, strict=True)), **whole) for unit in of_each), blocks)


def _add(total: dict[str, np.ndarray], name: str, value: np.ndarray | float) -> None:
    array = np.asarray(value)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=name not in total)
    before = total.setdefault(name, array)
    if before is array:
        return
    if before.shape != array.shape:
        raise ValueError(f"{name} has the shape {array.shape} in one unit and {before.shape} in others")
    total[name] = joined_by(name)(before, array, out=before if before.dtype == array.dtype else None)


def of_blocks(totals: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """By name ``[block, ...]``; where a block has nothing of that name, what no units come to."""
    examples = {name: array for total in totals for name, array in total.items()}
    return {
        name: np.stack([total.get(name, np.full_like(example, _OF_NONE[joined_by(name)])) for total in totals])
        for name, example in sorted(examples.items())
    }


@dataclass(frozen=True)
class Sums(Mapping[str, np.ndarray]):
    """The sums of some analysis over a set of blocks: ``sums[name]`` is the sum over all blocks but those left out.

    Attributes
    ----------
    arrays
        ``[block, ...]`` by name.
    left_out
        The place of the block that is left out; None for none.
    weights
        Of the blocks, ``[split, block]``; then sums are ``[split, ...]``. None gives each block the weight 1.
    """

    arrays: Mapping[str, np.ndarray]
    left_out: int | None = None
    weights: np.ndarray | None = None

    @classmethod
    def of(cls, added: Iterable[Added], units: int) -> Sums:
        """The sums of what all ``units`` units of a corpus add."""
        return cls(sum_up(added, blocks_of(units)))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Sums:
        """The sums of what units add, ``[unit, ...]`` by name."""
        units = len(next(iter(arrays.values())))
        return cls.of(({name: array[unit] for name, array in arrays.items()} for unit in range(units)), units)

    @property
    def blocks(self) -> int:
        """How many blocks there are, one that is left out included."""
        return len(next(iter(self.arrays.values()), ()))

    @property
    def kept(self) -> np.ndarray:
        """Which blocks are not left out, ``[block]``."""
        return np.arange(self.blocks) != (-1 if self.left_out is None else self.left_out)

    @property
    def of_all(self) -> Sums:
        """The same with no block left out: it decides which rows a table has, so that all its replicates have them."""
        return Sums(self.arrays)

    def without(self, block: int) -> Sums:
        """The same with one block left out."""
        return Sums(self.arrays, block)

    def within(self, prefix: str) -> Sums:
        """The sums whose names begin with a prefix, by what follows it."""
        found = {name.removeprefix(prefix): array for name, array in self.arrays.items() if name.startswith(prefix)}
        return replace(self, arrays=found)

    def weighted(self, weights: np.ndarray) -> Sums:
        """Sums of blocks with weights ``[split, block]``: ``[split, ...]`` by name, without what is left out."""
        return replace(self, weights=(weights * self.kept).astype(np.float64))

    def __getitem__(self, name: str) -> np.ndarray:
        array = self.arrays[name]
        if self.weights is not None:
            return np.tensordot(self.weights, array, 1)
        return joined_by(name).reduce(array if self.left_out is None else array[self.kept], 0)

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


def joined_by(name: str) -> np.ufunc:
    """How numbers of a name are joined: added up, unless they are extremes."""
    return _EXTREMES.get(name.rpartition("/")[2], np.add)


def ratio(numerator: np.ndarray | float, denominator: np.ndarray | float) -> np.ndarray:
    """A quotient of sums; NaN, without a warning, where there is nothing to divide by."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)
