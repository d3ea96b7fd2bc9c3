"""Evidence on a statement: the distance of numbers from its threshold, and the gain in distance over a control.

A p-value is two-sided: the interval of coverage ``1 - p`` ends at the threshold. If several numbers have to be beyond
the threshold, all of them are tested, and the largest p-value counts (an intersection-union test; Berger 1982,
Technometrics 24). The p-value of the opposite, at least one number on the other side, is the smallest p-value times the
number of tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from bert_attention.claims.publications import Publication, published_numbers
from bert_attention.errors import InputError
from bert_attention.heads import relative_depth
from bert_attention.statistics.counts import Count, half_widths, mean_of_counts
from bert_attention.statistics.jackknife import COVERAGE, FEWEST_BLOCKS, Estimate, Interval, Replicates, estimate
from bert_attention.statistics.queries import Measured, NothingFoundError

LEVEL = 1 - COVERAGE
# Verdicts on a condition.
MET, NOT_MET, INCONCLUSIVE = "met", "not met", "inconclusive"

# Fewer points say nothing about the shape of a curve: two points always lie on a line.
_POINTS_OF_A_CURVE = 3
_PERMUTATIONS = 2000
# Narrower intervals are rounding noise.
_ROUNDING = 1e-12


class Evidence(NamedTuple):
    """The evidence on a condition.

    Attributes
    ----------
    lead
        Distance beyond the threshold in half-widths of the 95 % interval, for several numbers the smallest distance.
        Positive if the condition is met, negative if it is not met, 0 if the numbers are on neither side.
    p
        The p-value; NaN if a number has no interval.
    """

    lead: float
    p: float

    def says(self, level: float = LEVEL) -> str:
        """Return the verdict on the condition by the evidence at this level: MET, NOT_MET or INCONCLUSIVE."""
        if not self.p <= level or self.lead == 0:
            return INCONCLUSIVE
        return MET if self.lead > 0 else NOT_MET


@dataclass(frozen=True)
class Compared:
    """Numbers that a query found, beside the published numbers with the same keys.

    Attributes
    ----------
    condition
        Condition on the numbers that the claim states; empty without a statement.
    published
        Published numbers with the same keys; None if there are none.
    replicates
        The numbers, as arrays. For a list, the number of entries that are extra or missing.
    count
        The number as a count of cells, or None if it is no count. For a list over a limit, the count of each entry.
    wanted
        How often a list should have each entry; None if the numbers are no list.
    varies
        False if the numbers are no statistics of texts, so that they do not vary with units or seeds.
    """

    condition: Mapping
    published: np.ndarray | None
    replicates: Replicates
    count: Count | None
    varies: bool
    wanted: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        """Numbers from all units."""
        return self.replicates.whole

    @property
    def lack_of_interval(self) -> str:
        """Reason why the numbers have no interval; empty if they have one."""
        if not self.varies or (self.wanted is not None and not self.count):
            return "no interval"
        # Equal replicates do not mean certainty: leaving out a block moves a number far less than its interval is wide.
        parts = (self.replicates.whole, *self.replicates.left_out, *self.replicates.of_seeds)
        if not self.count and all((part == self.condition.get("equals")).all() for part in parts):
            return "no interval: the number is the same without any block"
        few = 0 < len(self.replicates.left_out) < FEWEST_BLOCKS
        return f"no interval: fewer than {FEWEST_BLOCKS} independent texts" if few else ""

    def interval(self, function: Callable[[np.ndarray], np.ndarray | float] = np.asarray) -> Interval:
        """Return a function of the numbers with its interval, which is the value itself if the numbers do not vary."""
        found = estimate(function, self.replicates)
        if not self.varies:
            return Interval(found.value, found.value, found.value)
        if self.count and self.wanted is None and not self.lack_of_interval:
            return Interval(found.value, *(np.full(found.value.shape, bound) for bound in self.count.bounds()))
        return found.interval()

    def evidence(self) -> Evidence | None:
        """Return the evidence on the condition; None without a condition, or with too few points for a correlation."""
        if not self.condition or ("correlation_above" in self.condition and len(self.numbers) < _POINTS_OF_A_CURVE):
            return None
        if self.lack_of_interval:
            return Evidence(np.nan, np.nan)
        if "correlation_above" in self.condition:
            return self._evidence_of_correlation()
        if self.count:
            side, p = self.count.test(self._side)
            return Evidence(half_widths(side, p), p)
        return _beyond(estimate(np.asarray, self.replicates), *self._limits)

    def effects(self) -> Replicates:
        """Return the distance beyond the threshold in each replicate, for several numbers the least favorable one.

        For a range, it is the distance to the nearer end, positive within the range. For a value, it is the negative
        distance to the value. For a curve, it is the correlation.
        """
        return self.replicates.made_into(self._effect)

    @property
    def _limits(self) -> tuple[float, float]:
        """Limits between which the condition wants the numbers. The limits themselves do not meet the condition."""
        ((kind, wanted),) = self.condition.items()
        match kind:
            case "above":
                return wanted, np.inf
            case "below":
                return -np.inf, wanted
            case "between":
                return tuple(np.nextafter(wanted, (-np.inf, np.inf)))
            case _:
                return tuple(np.nextafter((wanted, wanted), (-np.inf, np.inf)))

    def _side(self, low: np.ndarray, high: np.ndarray) -> int:
        """Return 1 if a count with these bounds meets the condition, -1 if it does not, 0 if the bounds cannot tell."""
        if self.wanted is None:
            return _side(low, high, *self._limits)
        if ((self.wanted < low) | (high < self.wanted)).any():
            return -1
        return int((low == high).all())

    def _evidence_of_correlation(self) -> Evidence:
        """Return the evidence that the correlation is above the wanted one, and above chance (a permutation test)."""
        found = _beyond(estimate(self._correlation, self.replicates), self.condition["correlation_above"], np.inf)
        if not found.lead > 0:
            return found
        orders = np.random.default_rng(0).permuted(np.tile(self.numbers, (_PERMUTATIONS, 1)), axis=1)
        as_high = self._correlation(orders) >= self._correlation(self.numbers) - _ROUNDING
        p = (1 + as_high.sum()) / (1 + _PERMUTATIONS)
        return Evidence(min(found.lead, half_widths(1, p)), max(found.p, float(p)))

    def _effect(self, numbers: np.ndarray) -> float:
        ((kind, wanted),) = self.condition.items()
        if kind == "correlation_above":
            return float(self._correlation(numbers))
        if kind == "equals":
            return float(-np.abs(numbers - wanted).max())
        low, high = self._limits
        return float(np.minimum(numbers - low, high - numbers).min())

    def _correlation(self, numbers: np.ndarray) -> np.ndarray:
        """Return Pearson's correlation of ``[..., number]`` with the published numbers; 0 if either is constant."""
        ours, theirs = (values - values.mean(-1, keepdims=True) for values in (numbers, self.published))
        size = np.sqrt((ours**2).sum(-1) * (theirs**2).sum())
        return np.divide((ours * theirs).sum(-1), size, out=np.zeros_like(size), where=size > 1e-12)


def compare(claim: Mapping, publication: Publication, measured: Measured) -> Compared:
    """Return the numbers that a query found, beside the numbers that the claim published.

    Raises
    ------
    InputError
        If the published and the replicated numbers have different keys, or no key value in common.
    """
    condition, published = claim.get("holds", {}), published_numbers(claim, publication)
    count, how_often = measured.count, None
    if measured.is_list:
        wanted, condition = condition.get("equals", []), {"equals": 0}
        entries = np.unique([*measured.entries, *wanted])
        how_often = np.equal.outer(entries, np.array(wanted, dtype=float)).sum(-1)
        count = count and replace(count, weights=np.equal.outer(entries, np.array(measured.entries)).astype(float))

        def array(numbers: pd.Series) -> np.ndarray:
            return np.array([_entries_that_differ(numbers, wanted)], dtype=float)
    elif published is None or measured.is_single:

        def array(numbers: pd.Series) -> np.ndarray:
            return numbers.to_numpy(float)
    else:
        keys, place = published, f"{publication.path}, claim {claim['id']}"
        published = _paired(keys, measured.numbers, place)[0]

        def array(numbers: pd.Series) -> np.ndarray:
            return _paired(keys, numbers, place)[1].to_numpy(float)

    found = Replicates(measured.numbers, measured.left_out, measured.of_seeds).made_into(array)
    published = None if published is None else published.to_numpy(float)
    return Compared(condition, published, found, count, measured.varies, how_often)


def mean_of_seeds(seeds: Sequence[Compared]) -> Compared:
    """Return the mean over encoders with random weights. Its interval includes the variation between seeds."""
    first, *others = seeds
    if not others:
        return first
    parts = [seed.replicates for seed in seeds]
    left_out = [np.mean(found, axis=0) for found in zip(*(part.left_out for part in parts), strict=True)]
    whole = [part.whole for part in parts]
    count = mean_of_counts([seed.count for seed in seeds]) if all(seed.count for seed in seeds) else None
    return replace(first, replicates=Replicates(np.mean(whole, axis=0), left_out, whole), count=count)


def gain_over(control: Sequence[Compared], trained: Compared) -> tuple[Interval, Evidence]:
    """Return how much farther beyond the threshold an encoder is than random weights are, on average over seeds.

    Blocks are paired, because both encoders read the same texts. A list either is the wanted one or not, so the
    evidence on the gain is the evidence that the control has another list. Other differences that involve counts have
    no interval.
    """
    if trained.wanted is not None:
        of_control = mean_of_seeds(control)
        fewer_differ = np.asarray(of_control.numbers - trained.numbers).item()
        evidence = of_control.evidence() or Evidence(np.nan, np.nan)
        return Interval(fewer_differ, np.nan, np.nan), Evidence(-evidence.lead, evidence.p)
    sign = {"above": 1, "below": -1}.get(next(iter(trained.condition)))
    if trained.count and sign and all(seed.count for seed in control):
        gain = trained.count - mean_of_counts([seed.count for seed in control])
        side, p = gain.test(lambda low, high: sign * ((low > 0) - (high < 0)))
        bounds = sorted(sign * bound for bound in gain.bounds())
        return Interval(sign * (gain.weights @ gain.counted), *bounds), Evidence(half_widths(side, p), p)
    ours, theirs = trained.effects(), [seed.effects() for seed in control]
    blocks = max(len(effects.left_out) for effects in (ours, *theirs))

    def without(effects: Replicates, block: int) -> float:
        return effects.left_out[block] if block < len(effects.left_out) else effects.whole

    left_out = [without(ours, b) - np.mean([without(effects, b) for effects in theirs]) for b in range(blocks)]
    of_seeds = [ours.whole - effects.whole for effects in theirs] if len(theirs) > 1 else []
    gain = Replicates(ours.whole - np.mean([effects.whole for effects in theirs]), left_out, of_seeds)
    found = estimate(np.asarray, gain)
    if any(compared.lack_of_interval or compared.count for compared in (trained, *control)):
        found = found._replace(error=found.error * np.nan)
    return found.interval(), _beyond(found, 0, np.inf)


def _side(low: float, high: float, above: float, below: float) -> int:
    """Return 1 if an interval lies between two limits, -1 if it lies outside of them, else 0."""
    if above < low and high < below:
        return 1
    return -1 if high <= above or low >= below else 0


def _beyond(found: Estimate, above: float, below: float) -> Evidence:
    """Return the evidence that all numbers lie between two limits, or that one of them does not."""
    value, error, freedom = map(np.atleast_1d, found)
    distance = np.minimum(value - above, below - value)
    inside = distance > 0
    tests = len(distance)
    exact = error < _ROUNDING  # includes numbers that equal a limit, which are outside
    p = np.where(exact, 0.0, Estimate(distance, error, freedom).p_value())
    if inside.all():
        margin = Estimate(distance, error, freedom).margin()
        lead, p = distance, p.max()
    else:
        margin = Estimate(distance, error, freedom).margin(1 - LEVEL / tests)
        lead, p = np.where(inside, np.inf, distance), np.minimum(1.0, np.where(inside, np.inf, p).min() * tests)
    lead = np.divide(lead, margin, out=np.where(lead > 0, np.inf, -np.inf), where=~exact)
    return Evidence(float(lead.min()), float(p))


def _entries_that_differ(numbers: pd.Series, wanted: Sequence[float]) -> int:
    """Return the number of extra and missing entries of a list."""
    ours, theirs = Counter(map(float, numbers)), Counter(map(float, wanted))
    return ((ours - theirs) + (theirs - ours)).total()


def _paired(published: pd.Series, numbers: pd.Series, place: str) -> tuple[pd.Series, pd.Series]:
    """Return published and replicated numbers with the same keys, in the same order.

    A published curve by layer is interpolated linearly at the relative depths of our layers. For an encoder of the same
    depth, these are the curve's own points.
    """
    names = list(published.index.names)
    if names == ["layer"] == list(numbers.index.names):
        layers = numbers.index.get_level_values("layer").to_numpy()
        points = relative_depth(published.index.get_level_values("layer").to_numpy(), len(published))
        read = np.interp(relative_depth(layers, layers.max()), points, published.to_numpy())
        return pd.Series(read, index=numbers.index), numbers
    if set(names) != set(numbers.index.names):
        raise InputError(place, f"has numbers by {', '.join(map(str, names))}", "let `by` name the same keys")
    numbers = numbers.reorder_levels(names) if len(names) > 1 else numbers
    shared = published.index.intersection(numbers.index)
    if shared.empty:
        raise NothingFoundError(
            place, f"shares no {', '.join(names)} with what was measured", "compare `values` with the table"
        )
    return published[shared], numbers[shared]
