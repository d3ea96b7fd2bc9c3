"""Evidence on a statement: the distance of numbers from its threshold, and the gain in distance over a control.

A p-value is two-sided: the interval of coverage ``1 - p`` ends at the threshold. If all of several numbers have to be
beyond the threshold, all are tested, and the largest p-value counts (an intersection-union test; Berger 1982,
Technometrics 24). The p-value of the opposite, at least one number on the other side, is the smallest p-value times the
number of tests.

A number that is nearer to the threshold than the smallest effect worth stating does not meet the condition. Such a
number is tested against the smallest effect: surely below it, the condition is not met. A number at or beyond the
smallest effect is tested against the threshold itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from bert_attention.errors import InputError
from bert_attention.heads import relative_depth
from bert_attention.judging.claims import Claim
from bert_attention.statistics.counts import Count, half_widths, mean_of_counts
from bert_attention.statistics.jackknife import (
    COVERAGE,
    FEWEST_BLOCKS,
    Estimate,
    Interval,
    Replicates,
    estimate,
    fewest_blocks,
)
from bert_attention.statistics.measures import Measured, NothingFoundError

LEVEL = 1 - COVERAGE
# Verdicts on a condition.
MET, NOT_MET, INCONCLUSIVE = "met", "not met", "inconclusive"

# Fewer points say nothing about the shape of a curve: two points always lie on a line.
_MIN_POINTS_OF_CURVE = 3
_PERMUTATIONS = 2000
# Narrower intervals are rounding noise.
_ROUNDING = 1e-12


class Evidence(NamedTuple):
    """The evidence on a condition.

    The distance is positive if the condition is met, negative if it is not met, 0 if the numbers are on neither side.
    """

    distance: (
        float  # distance beyond the threshold, in half-widths of the 95% interval; the smallest of several numbers
    )
    p: float  # the p-value; NaN if a number has no interval

    def verdict(self, level: float = LEVEL) -> str:
        """Return the verdict on the condition at this level: MET, NOT_MET or INCONCLUSIVE."""
        if not self.p <= level or self.distance == 0:
            return INCONCLUSIVE
        return MET if self.distance > 0 else NOT_MET


_NO_INTERVAL = Evidence(np.nan, np.nan)


@dataclass(frozen=True)
class Comparison:
    """Numbers that a claim's function found, beside the published numbers with the same keys."""

    condition: Mapping  # the claim's condition on the numbers; empty without a statement
    published: np.ndarray | None  # the published numbers with the same keys; None if there are none
    replicates: Replicates  # the numbers, as arrays; for a list, the number of entries that are extra or missing
    count: Count | None  # None if the number is no count of cells; for a list over a limit, each entry's count
    varies: bool  # False if no statistic of texts is involved, so that units and seeds change nothing
    frequencies: np.ndarray | None = None  # how often a list should have each entry; None if the numbers are not a list
    smallest: float = 0.0  # the smallest effect worth stating

    @property
    def numbers(self) -> np.ndarray:
        """Numbers from all units."""
        return self.replicates.whole

    @property
    def is_about_correlation(self) -> bool:
        """True if the condition is on the correlation with the published numbers."""
        return "correlation_above" in self.condition

    @property
    def lack_of_interval(self) -> str:
        """Reason why the numbers have no interval; empty if they have one."""
        if not self.varies or (self.frequencies is not None and not self.count):
            return "no interval"
        # Equal replicates do not mean certainty: one block changes a number far less than other texts would.
        parts = (self.replicates.whole, *self.replicates.left_out, *self.replicates.of_seeds)
        if not self.count and all((part == self.condition.get("equals")).all() for part in parts):
            return "no interval: the number is the same without any block"
        few = 0 < self.replicates.fewest_blocks < FEWEST_BLOCKS
        return f"no interval: fewer than {FEWEST_BLOCKS} independent texts of similar size" if few else ""

    def interval(self, function: Callable[[np.ndarray], np.ndarray | float] = np.asarray) -> Interval:
        """Return a function of the numbers with its interval, which is the value itself if the numbers do not vary."""
        found = estimate(function, self.replicates)
        if not self.varies:
            return Interval(found.value, found.value, found.value)
        if self.count and self.frequencies is None and not self.lack_of_interval:
            return Interval(found.value, *(np.full(found.value.shape, bound) for bound in self.count.bounds()))
        return found.interval()

    def evidence(self) -> Evidence | None:
        """Return the evidence on the condition; None without a condition, or with too few points for a correlation."""
        if not self.condition or (self.is_about_correlation and len(self.numbers) < _MIN_POINTS_OF_CURVE):
            return None
        if self.lack_of_interval:
            return _NO_INTERVAL
        if self.is_about_correlation:
            return self._evidence_on_correlation()
        if self.count:
            side, p = self.count.test(self._side)
            return Evidence(half_widths(side, p), p)
        return _beyond(estimate(np.asarray, self.replicates), *self._limits, self.smallest)

    def effect(self) -> Interval:
        """Return the distance beyond the threshold with its interval, see :meth:`effects`."""
        if self.count and self.frequencies is None:
            value, *bounds = map(self._effect, self.interval())
            return Interval(value, *sorted(bounds))
        found = estimate(np.asarray, self.effects())
        return Interval(found.value, np.nan, np.nan) if self.lack_of_interval else found.interval()

    def effects(self) -> Replicates:
        """Return the distance beyond the threshold in each replicate, for several numbers the least favorable one.

        For a range, it is the distance to the nearer end, positive within the range. For a value, it is the negative
        distance to the value. For a curve, it is the distance of the correlation.
        """
        return self.replicates.map(self._effect)

    def compared(self) -> Replicates:
        """Return what two encoders are compared by, in each replicate: a single number, or else :meth:`effects`."""
        is_single = self.numbers.size == 1 and not self.is_about_correlation
        return self.replicates.map(lambda numbers: float(numbers.item())) if is_single else self.effects()

    def correlation(self, numbers: np.ndarray) -> np.ndarray:
        """Return Pearson's correlation of ``[..., number]`` with the published numbers; 0 if either is constant."""
        ours, theirs = (values - values.mean(-1, keepdims=True) for values in (numbers, self.published))
        size = np.sqrt((ours**2).sum(-1) * (theirs**2).sum())
        return np.divide((ours * theirs).sum(-1), size, out=np.zeros_like(size), where=size > _ROUNDING)

    @property
    def _limits(self) -> tuple[float, float]:
        """Limits between which the numbers have to lie. A number at a limit does not meet the condition."""
        ((kind, wanted),) = self.condition.items()
        if kind in ("above", "below"):
            return (wanted, np.inf) if kind == "above" else (-np.inf, wanted)
        return tuple(np.nextafter(np.broadcast_to(wanted, 2), (-np.inf, np.inf)))  # includes both ends

    def _side(self, low: np.ndarray, high: np.ndarray) -> int:
        """Return 1 if a count with these bounds meets the condition, -1 if it does not, 0 if the bounds cannot tell."""
        if self.frequencies is None:
            above, below = self._limits
            least, most = min(low - above, below - high), min(high - above, below - low)
            if least > 0 and self._effect(self.numbers) >= self.smallest:
                return 1
            return -1 if most <= 0 or most < self.smallest else 0
        if ((self.frequencies < low) | (high < self.frequencies)).any():
            return -1
        return int((low == high).all())

    def _evidence_on_correlation(self) -> Evidence:
        """Return the evidence that the correlation is above the limit, and above chance (a permutation test)."""
        limits = (self.condition["correlation_above"], np.inf)
        found = _beyond(estimate(self.correlation, self.replicates), *limits, self.smallest)
        if not found.distance > 0:
            return found
        orders = np.random.default_rng(0).permuted(np.tile(self.numbers, (_PERMUTATIONS, 1)), axis=1)
        as_high = self.correlation(orders) >= self.correlation(self.numbers) - _ROUNDING
        p = (1 + as_high.sum()) / (1 + _PERMUTATIONS)
        return Evidence(min(found.distance, half_widths(1, p)), max(found.p, float(p)))

    def _effect(self, numbers: np.ndarray) -> float:
        ((kind, wanted),) = self.condition.items()
        if kind == "correlation_above":
            return float(self.correlation(numbers) - wanted)
        if kind == "equals":
            return float(-np.abs(numbers - wanted).max())
        low, high = self._limits
        return float(np.minimum(numbers - low, high - numbers).min())


def compare(claim: Claim, measured: Measured) -> Comparison:
    """Return the numbers that a claim's function found, beside the published numbers.

    Raise InputError if the published and the replicated numbers have different keys, or no key value in common.
    """
    condition, published = claim.true_if, claim.numbers
    count, frequencies = measured.count, None
    if measured.is_list:
        wanted, condition = condition.get("equals", []), {"equals": 0}
        entries = np.unique([*measured.entries, *wanted])
        frequencies = np.equal.outer(entries, np.array(wanted, dtype=float)).sum(-1)
        count = count and replace(count, weights=np.equal.outer(entries, np.array(measured.entries)).astype(float))
        found = measured.replicates.map(lambda numbers: np.array([_wrong_entries(numbers, wanted)], dtype=float))
    else:
        kept = slice(None)
        if published is not None and not measured.is_single:
            published, kept = _with_shared_keys(published, measured.numbers.index, claim.location)
        found = measured.replicates.map(lambda numbers: numbers.to_numpy(float)[kept])
    published = None if published is None else published.to_numpy(float)
    return Comparison(condition, published, found, count, measured.varies, frequencies, claim.smallest.size)


def mean_of_seeds(seeds: Sequence[Comparison]) -> Comparison:
    """Return the mean over encoders with random weights. Its interval includes the variation between seeds."""
    first, *others = seeds
    if not others:
        return first
    whole = [seed.numbers for seed in seeds]
    left_out = [*np.mean([seed.replicates.left_out for seed in seeds], axis=0)]
    count = mean_of_counts([seed.count for seed in seeds]) if all(seed.count for seed in seeds) else None
    replicates = replace(first.replicates, whole=np.mean(whole, axis=0), left_out=left_out, of_seeds=whole)
    return replace(first, replicates=replicates, count=count)


def evidence_of_control(seeds: Sequence[Comparison]) -> Evidence | None:
    """Return the evidence that random weights meet the condition, on average over seeds; None as in ``evidence``.

    The distances beyond the threshold are averaged, and not the numbers: the mean of several curves has less noise than
    each of them, and correlates more.
    """
    mean = mean_of_seeds(seeds)
    found = mean.evidence()
    if not found or mean.count or mean.frequencies is not None or np.isnan(found.p) or len(seeds) < 2:
        return found
    return _beyond(estimate(np.asarray, _mean_effects(seeds)), 0, np.inf, mean.smallest)


def _mean_effects(seeds: Sequence[Comparison]) -> Replicates:
    """Return the distance beyond the threshold in each replicate, on average over seeds, and that of each seed."""
    effects = [seed.effects() for seed in seeds]
    whole = [of_one.whole for of_one in effects]
    left_out = [*np.mean([of_one.left_out for of_one in effects], axis=0)]
    return replace(effects[0], whole=np.mean(whole), left_out=left_out, of_seeds=whole if len(whole) > 1 else [])


def gain_over(control: Sequence[Comparison], trained: Comparison) -> tuple[Interval, Evidence]:
    """Return how much farther beyond the threshold an encoder is than random weights are, on average over seeds.

    Blocks are paired, because both encoders read the same articles. A list either equals the stated list or not, so the
    evidence on its gain is the evidence that the control has another list. Other differences that involve counts have
    no interval.
    """
    if trained.frequencies is not None:
        mean = mean_of_seeds(control)
        fewer_wrong = np.asarray(mean.numbers - trained.numbers).item()
        evidence = mean.evidence() or _NO_INTERVAL
        return Interval(fewer_wrong, np.nan, np.nan), Evidence(-evidence.distance, evidence.p)
    sign = {"above": 1, "below": -1}.get(next(iter(trained.condition)))
    if trained.count and sign and all(seed.count for seed in control):
        gain = trained.count - mean_of_counts([seed.count for seed in control])
        side, p = gain.test(lambda low, high: sign * ((low > 0) - (high < 0)))
        bounds = sorted(sign * bound for bound in gain.bounds())
        return Interval(sign * (gain.weights @ gain.counted), *bounds), Evidence(half_widths(side, p), p)
    ours, theirs = trained.effects(), _mean_effects(control)
    blocks = max(len(ours.left_out), len(theirs.left_out))
    # An encoder without blocks has the same effect in each replicate.
    first, second = ([*effects.left_out, *[effects.whole] * blocks][:blocks] for effects in (ours, theirs))
    left_out = [a - b for a, b in zip(first, second, strict=True)]
    of_seeds = [ours.whole - effect for effect in theirs.of_seeds]
    fewest = fewest_blocks([ours, theirs])
    found = estimate(np.asarray, Replicates(ours.whole - theirs.whole, left_out, of_seeds, fewest))
    if any(compared.lack_of_interval or compared.count for compared in (trained, *control)):
        found = found._replace(error=found.error * np.nan)
    return found.interval(), _beyond(found, 0, np.inf, trained.smallest)


def difference(one: Comparison, other: Comparison, is_paired: bool) -> tuple[Interval, float]:
    """Return how much larger the number of one encoder is than that of another, with its interval and p-value.

    Of several numbers, the distances beyond the threshold are compared, of curves the correlations with the published
    ones. ``is_paired`` says that both encoders read the same texts, so that their blocks are the same. Otherwise the
    texts of both vary independently. Seeds of training always do. A list has no interval.
    """
    ours, theirs = one.compared(), other.compared()
    value = np.asarray(ours.whole - theirs.whole)
    if one.count and other.count and one.frequencies is None:
        if one.count.of_seeds or other.count.of_seeds:
            return Interval(value, np.nan, np.nan), np.nan
        count = one.count - other.count
        _, p = count.test(lambda low, high: (low > 0) - (high < 0))
        return Interval(value, *count.bounds()), p
    if one.count or other.count or one.lack_of_interval or other.lack_of_interval:
        return Interval(value, np.nan, np.nan), np.nan
    if is_paired and len(ours.left_out) == len(theirs.left_out):
        pairs = [
            zip(*each, strict=False) for each in ((ours.left_out, theirs.left_out), (ours.of_seeds, theirs.of_seeds))
        ]
        left_out, of_seeds = ([a - b for a, b in pair] for pair in pairs)
        fewest = fewest_blocks([ours, theirs])
        found = estimate(np.asarray, Replicates(value, left_out, of_seeds, fewest))
    else:
        found = _independent(value, *(estimate(np.asarray, each) for each in (ours, theirs)))
    return found.interval(), float(found.p_value())


def _independent(value: np.ndarray, *parts: Estimate) -> Estimate:
    """Return the estimate of a difference of independent numbers (Welch 1947)."""
    variances = np.array([part.error**2 for part in parts])
    divisor = sum(variance**2 / part.freedom for variance, part in zip(variances, parts, strict=True))
    total = variances.sum()
    freedom = total**2 / divisor if divisor > 0 else max(part.freedom for part in parts)
    return Estimate(value, np.sqrt(total), np.asarray(freedom))


def _beyond(found: Estimate, above: float, below: float, smallest: float) -> Evidence:
    """Return the evidence that all numbers lie between two limits, or that at least one of them does not.

    A number that is nearer to a limit than the smallest effect is outside, by its distance from this effect.
    """
    value, error, freedom = map(np.atleast_1d, found)
    distance = np.minimum(value - above, below - value)
    inside = (distance > 0) & (distance >= smallest - _ROUNDING)  # a number at a limit is outside
    distance = np.where(inside, distance, distance - smallest)
    exact = error < _ROUNDING
    estimated = Estimate(distance, error, freedom)
    p = np.where(exact, 0.0, estimated.p_value())
    beyond, margin = distance, estimated.margin()
    if inside.all():
        p = p.max()
    else:
        margin = estimated.margin(1 - LEVEL / len(distance))
        beyond = np.where(inside, np.inf, distance)
        p = np.minimum(1.0, np.where(inside, np.inf, p).min() * len(distance))  # p is NaN without an interval
    beyond = np.divide(beyond, margin, out=np.where(beyond > 0, np.inf, -np.inf), where=~exact)
    return Evidence(float(beyond.min()), float(p))


def _wrong_entries(numbers: pd.Series, wanted: Sequence[float]) -> int:
    """Return the number of extra and missing entries of a list."""
    ours, theirs = Counter(map(float, numbers)), Counter(map(float, wanted))
    return ((ours - theirs) + (theirs - ours)).total()


def _with_shared_keys(published: pd.Series, keys: pd.Index, location: str) -> tuple[pd.Series, np.ndarray | slice]:
    """Return the published numbers whose keys are among ``keys``, and the indices of these keys.

    A published curve by layer is interpolated linearly at the relative depths of our layers. For an encoder of the same
    depth, this returns the points of the curve.
    """
    names = list(published.index.names)
    if names == ["layer"] == list(keys.names):
        layers = keys.get_level_values("layer").to_numpy()
        points = relative_depth(published.index.get_level_values("layer").to_numpy(), len(published))
        read = np.interp(relative_depth(layers, layers.max()), points, published.to_numpy())
        return pd.Series(read), slice(None)
    if set(names) != set(keys.names):
        problem = (
            f"has published numbers by {', '.join(map(str, names))}, but measures {', '.join(map(str, keys.names))}"
        )
        raise InputError(location, problem, "index both by the same columns")
    keys = keys.reorder_levels(names) if len(names) > 1 else keys
    shared = published.index.intersection(keys)
    if shared.empty:
        problem = f"has no number for any measured {', '.join(names)}"
        raise NothingFoundError(
            location, problem, "compare the keys of the published numbers with the rows of the result table"
        )
    return published[shared], keys.get_indexer(shared)
