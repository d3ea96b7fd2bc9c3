"""Judgment of a claim by rule, from the published numbers and the measured numbers with their intervals.

A number is judged by equivalence (two one-sided tests; Schuirmann 1987, Journal of Pharmacokinetics and
Biopharmaceutics 15): it is *reproduced* if the 95% interval lies within the margin around the published number, *not
reproduced* if it lies outside, else *inconclusive*. Few units give a wide interval, so their numbers are at best
*inconclusive*. A number that does not vary with units, such as the number of labeled maps, is exact.

The control is the same encoder with random weights. A statement is *confirmed* if the interval lies on the stated side
of its threshold, and the difference to the control lies beyond 0 in that direction. The number has to be at least the
smallest effect worth stating beyond its threshold, and so far from the control. A statement is *not confirmed* if the
interval lies on the other side of the threshold, or nearer to it than the smallest effect. A true statement that is not
confirmed is *not specific to training* if it is true of random weights as well, or if they are farther, or nearer to
the encoder than the smallest effect. This verdict describes the two encoders, and does not say that they are equal. A
true statement whose difference lies beyond 0 alone, but not among so many statements, is *true, perhaps not specific*.
A true statement that something hardly happens has no control, because hardly anything happens in random weights. All
other statements are *inconclusive*, including those without an interval.

A number is *also reproduced by random weights* if their interval lies within the margin as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bert_attention.downloads.sources import parse_source
from bert_attention.judging.claims import CORPORA, IN_STATEMENT, Claim
from bert_attention.judging.evidence import (
    INCONCLUSIVE,
    LEVEL,
    MET,
    NOT_MET,
    Comparison,
    Evidence,
    compare,
    evidence_of_control,
    gain_over,
    mean_of_seeds,
)
from bert_attention.statistics.jackknife import Interval
from bert_attention.statistics.measures import Measured

# Verdicts on a published number.
REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
ALSO_RANDOM = "also reproduced by random weights"
NOT_COMPARABLE, NOT_MEASURED = "not comparable", "not measured"
# Verdicts on a statement. Numbers and statements can also be inconclusive.
CONFIRMED, NOT_SPECIFIC, NO_CONTROL = "confirmed", "not specific to training", "true, no control applies"
NOT_CONFIRMED, PERHAPS_SPECIFIC = "not confirmed", "true, perhaps not specific"
# A further condition of a control: random weights have no head of the kind in the claim.
NOT_APPLICABLE = "not applicable"

# Fields of a judgment that are about its statement.
_STATEMENT_FIELDS = (
    *("condition", "control", "control_value", "distance", "p", "control_distance", "control_p"),
    *("correlation", "correlation_low", "correlation_high", "control_correlation", "correlation_threshold"),
    *("gain", "gain_low", "gain_high", "gain_distance", "gain_p", "effect", "effect_low", "effect_high"),
)
# Largest margin, relative to the published number.
_LARGEST_MARGIN = 0.2
# A smaller mean, relative to the largest of its numbers, is rounding noise.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Judgment:
    """Judgment of a claim after a run. What a claim lacks is an empty text or NaN."""

    verdict: str  # on the published number
    reason: str = ""  # why a claim is not comparable or not measured, or why a number has no interval
    condition: str = ""  # the verdict on the statement's threshold: met, not met or inconclusive
    control: str = ""  # the same for random weights, "in the statement", or "not applicable" without such heads
    margin: float = np.nan  # the largest accepted distance of a replicated number from the published number
    published: float = np.nan  # for several numbers, the mean over the keys that both have
    published_low: float = np.nan  # the bounds of a published range
    published_high: float = np.nan
    replicated: float = np.nan  # for several numbers, the mean over the keys that both have
    low: float = np.nan  # the 95% interval of replicated
    high: float = np.nan
    difference: float = np.nan  # replicated minus published; for several numbers, the mean absolute difference
    published_list: str = ""  # the text of numbers that are a list, such as layers
    replicated_list: str = ""
    cells: int = 0  # how many replicated numbers were compared or judged
    control_value: float = np.nan  # the replicated number of random weights, averaged over seeds
    correlation: float = np.nan  # with the published numbers, if the statement is about a correlation
    correlation_low: float = np.nan  # the 95% interval of the correlation
    correlation_high: float = np.nan
    control_correlation: float = np.nan  # that of random weights, averaged over seeds, so that gain is the difference
    correlation_threshold: float = np.nan  # the statement's threshold on the correlation
    distance: float = np.nan  # the evidence on the threshold, see Evidence
    p: float = np.nan
    control_distance: float = np.nan  # the evidence for random weights
    control_p: float = np.nan
    gain: float = np.nan  # how much farther beyond the threshold the encoder is than random weights are
    gain_low: float = np.nan  # the interval of gain
    gain_high: float = np.nan
    gain_distance: float = np.nan  # the evidence on gain
    gain_p: float = np.nan
    effect: float = np.nan  # how far the number is beyond the threshold; of several numbers, the least favorable one
    effect_low: float = np.nan  # the interval of effect
    effect_high: float = np.nan
    says_absence: bool = False  # True for a statement that something hardly happens


def is_model(entry: Mapping, digests: Iterable[str]) -> bool:
    """Return True if the weights of a model of the edition have one of these digests. The model's name is ignored."""
    return parse_source(entry["source"]).sha256 in digests


def differences(claim: Claim, model: Mapping | None, papers_corpora: Iterable[str]) -> list[str]:
    """Return the differences that keep a claim's numbers from being compared: another model, or other corpora.

    ``model`` is the edition's model that is measured, if any. ``papers_corpora`` are the edition's corpora that are the
    papers' own.
    """
    is_other = model and claim.model and not is_model(model, claim.weights)
    unknown = "" if claim.weights else f": its digest is missing in {claim.paper.name}/claims.py"
    found = [f"not the model {claim.model}{unknown}"] if is_other else []
    corpora = [CORPORA[name] for name in claim.needs if name not in papers_corpora]
    return found + [f"not the paper's {name}" for name in corpora]


def weaknesses(reason: str) -> list[str]:
    """Return the parts of a reason that weaken the evidence on a statement, without those of :func:`differences`."""
    parts = reason.split("; ") if reason else []
    return [part for part in parts if not part.startswith(("not the model ", "not the paper's "))]


def not_measured(claim: Claim, reason: str) -> Judgment:
    """Return the judgment on a claim that is not measured, with its published number, range or list if it has one."""
    result = Judgment(NOT_MEASURED, reason=reason, **_range_and_list(claim))
    if claim.numbers is not None and len(claim.numbers) == 1:
        result = replace(result, published=float(claim.numbers.iloc[0]))
    return result


def judge(claim: Claim, measured: Measured, reasons: list[str]) -> Judgment:
    """Return the judgment on a claim, by the rules at the head of this module.

    A claim is *reproduced* if all its numbers lie within the margin, and *not reproduced* if one lies outside or if its
    own statement fails. If there are ``reasons`` not to compare numbers, only statements are judged. Raise InputError
    if the published and the replicated numbers have no key in common.
    """
    found = compare(claim, measured)
    mean = found.interval(lambda numbers: np.nan if measured.is_list else _mean(numbers))
    low, high = _bounds(mean, measured.varies, measured.limits)
    replicated = float(mean.value)
    result = Judgment(
        NOT_COMPARABLE, "; ".join(reasons), replicated=replicated, low=low, high=high, cells=len(found.numbers)
    )
    result = replace(result, says_absence=claim.says_absence)
    if evidence := found.evidence():
        result = _with_evidence(result, found, evidence)
    if found.published is not None:
        gap = found.numbers - found.published
        difference = float(gap[0]) if measured.is_single else float(np.abs(gap).mean())
        published, margin = _mean(found.published), margin_of(claim, found.published)
        result = replace(result, published=published, difference=difference, margin=margin)
    if claim.range:
        difference = replicated - float(np.clip(replicated, *claim.range))
        result = replace(result, difference=difference, margin=claim.margin.size if claim.margin else 0)
    if measured.is_list:
        result = replace(result, replicated_list=_list_text(measured.numbers))
    result = replace(result, **_range_and_list(claim))
    if found.published is None and not claim.range:
        return replace(result, verdict="")
    return result if reasons else replace(result, verdict=_verdict(claim, result, found))


def _with_evidence(judgment: Judgment, found: Comparison, evidence: Evidence) -> Judgment:
    """Return the judgment with the verdict on its statement, and with the correlation if that is about one."""
    judgment = replace(judgment, condition=evidence.verdict(), distance=evidence.distance, p=evidence.p)
    effect, low, high = map(float, found.effect())
    judgment = replace(judgment, effect=effect, effect_low=low, effect_high=high)
    if found.lack_of_interval:
        judgment = with_reason(judgment, found.lack_of_interval)
    if not found.is_about_correlation:
        return judgment
    correlation, threshold = found.interval(found.correlation), found.condition["correlation_above"]
    low, high = _bounds(correlation, found.varies, (-1, 1))
    if judgment.condition == INCONCLUSIVE and low > threshold:
        by_chance = f"these numbers correlate as well in {evidence.p:.1%} of random orders"
        judgment = with_reason(judgment, by_chance)
    return replace(
        judgment,
        correlation=float(correlation.value),
        correlation_low=low,
        correlation_high=high,
        correlation_threshold=threshold,
    )


def _bounds(interval: Interval, varies: bool, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the bounds of an interval, cut at the limits of its number; NaN for a number that does not vary."""
    if not varies:
        return np.nan, np.nan
    return float(np.clip(interval.low, *limits)), float(np.clip(interval.high, *limits))


def with_control(judgment: Judgment, claim: Claim, measured: Measured, controls: Sequence[Measured]) -> Judgment:
    """Return the judgment with the numbers that the same function finds for random weights, of one or several seeds."""
    trained, *seeds = (compare(claim, found) for found in (measured, *controls))
    if len({seed.numbers.shape for seed in seeds}) > 1:
        return control_unknown(judgment, "random encoders differ in how many numbers they have")
    control, evidence = mean_of_seeds(seeds), evidence_of_control(seeds)
    if not evidence:
        return control_unknown(judgment, "random weights have too few numbers for a curve")
    gain, gain_evidence = gain_over(seeds, trained)
    if np.isnan(gain_evidence.p):
        judgment = with_reason(judgment, "the difference to random weights has no interval")
    elif not control.count and len({seed.numbers.tobytes() for seed in seeds}) == 1:  # seeds are equal
        judgment = with_reason(judgment, "the difference to random weights has an interval over texts alone")
    return replace(
        judgment,
        control=evidence.verdict(),
        control_value=np.nan if measured.is_list else _mean(control.numbers),
        control_correlation=judgment.correlation - float(gain.value),
        control_distance=evidence.distance,
        control_p=evidence.p,
        gain=float(gain.value),
        gain_low=float(gain.low),
        gain_high=float(gain.high),
        gain_distance=gain_evidence.distance,
        gain_p=gain_evidence.p,
    )


def with_control_of_number(judgment: Judgment, claim: Claim, controls: Sequence[Measured]) -> Judgment:
    """Return the judgment on a reproduced number, which random weights can reproduce as well, on average over seeds."""
    seeds = [compare(claim, found) for found in controls]
    if len({seed.numbers.shape for seed in seeds}) != 1:
        return judgment
    verdict = _verdict(claim, replace(judgment, condition=""), mean_of_seeds(seeds))
    return replace(judgment, verdict=ALSO_RANDOM) if verdict == REPRODUCED else judgment


def control_unknown(judgment: Judgment, reason: str) -> Judgment:
    """Return the judgment with an inconclusive control."""
    return replace(with_reason(judgment, reason), control=INCONCLUSIVE)


def with_reason(judgment: Judgment, reason: str) -> Judgment:
    """Return the judgment with one more reason."""
    return replace(judgment, reason="; ".join(filter(None, [judgment.reason, reason])))


def without_statement(judgment: Judgment, reason: str) -> Judgment:
    """Return the judgment on the number alone, without the fields about the statement."""
    verdict = judgment.verdict or NOT_MEASURED
    kept = {name: value for name, value in vars(judgment).items() if name not in _STATEMENT_FIELDS}
    return with_reason(Judgment(**kept | {"verdict": verdict}), reason)


def finding(judgment: Judgment, level: float = LEVEL) -> str:
    """Return the verdict on the statement by the evidence at this level, or an empty text without a statement.

    *Not specific to training* and *true, perhaps not specific* describe true statements that are not confirmed at this
    level. Except for these verdicts and *inconclusive*, a verdict at one level is also the verdict at every higher
    level.
    """
    if not judgment.condition:
        return ""
    condition = Evidence(judgment.distance, judgment.p).verdict(level)
    control = Evidence(judgment.control_distance, judgment.control_p).verdict(level)
    gain = Evidence(judgment.gain_distance, judgment.gain_p).verdict(level)
    if condition != MET:
        return NOT_CONFIRMED if condition == NOT_MET else INCONCLUSIVE
    if judgment.control in ("", NOT_APPLICABLE):
        return NO_CONTROL
    if judgment.control == IN_STATEMENT or gain == MET:
        return CONFIRMED
    if _is_gain_alone(judgment):
        return PERHAPS_SPECIFIC
    if judgment.says_absence:
        return NO_CONTROL
    return NOT_SPECIFIC if gain == NOT_MET or control == MET else INCONCLUSIVE


def _is_gain_alone(judgment: Judgment) -> bool:
    """Return True if the difference from the control lies beyond 0 by its own 95% interval."""
    return Evidence(judgment.gain_distance, judgment.gain_p).verdict() == MET


def p_value(judgment: Judgment) -> float:
    """Return the p-value of a statement: for a true statement, the larger one of threshold and gain.

    It is 1 for a true statement whose gain has no interval, and NaN for a statement without an interval. A statement
    that something hardly happens does not need a gain.
    """
    if judgment.says_absence and not _is_gain_alone(judgment):
        return judgment.p
    if np.isnan(judgment.p) or not judgment.distance > 0 or judgment.control in ("", NOT_APPLICABLE, IN_STATEMENT):
        return judgment.p
    return 1.0 if np.isnan(judgment.gain_p) else max(judgment.p, judgment.gain_p)


def margin_of(claim: Claim, published: np.ndarray) -> float:
    """Return the largest accepted distance of a replicated number from the published number.

    This is the claim's margin, but at most a fifth of the published number (of several, of their mean size), or what
    is lost by rounding if that is more. A number within the margin never lies on the other side of the statement's
    threshold.
    """
    rounding = 0.0
    if isinstance(claim.published, float) and claim.published:
        rounding = 0.5 * 10.0 ** -len(repr(claim.published).partition(".")[2])
    limits = [claim.margin.size, max(_LARGEST_MARGIN * float(np.abs(published).mean()), rounding)]
    threshold = claim.true_if.get("above", claim.true_if.get("below"))
    if isinstance(claim.published, int | float) and threshold is not None:
        limits.append(abs(claim.published - threshold))
    return min(limits)


def _verdict(claim: Claim, result: Judgment, found: Comparison) -> str:
    if result.condition == NOT_MET and not result.effect > 0:  # a small effect can be the published one
        return NOT_REPRODUCED
    lowest, highest = claim.range or (found.published, found.published)
    # Published numbers have few digits, so a number exactly at the edge of the margin counts as within.
    margin = result.margin + 1e-9
    each = found.interval()
    if (each.low >= lowest - margin).all() and (each.high <= highest + margin).all():
        return REPRODUCED
    return NOT_REPRODUCED if ((each.high < lowest - margin) | (each.low > highest + margin)).any() else INCONCLUSIVE


def _range_and_list(claim: Claim) -> dict[str, float | str]:
    """Return the fields of a judgment for the claim's published range or list."""
    fields: dict[str, float | str] = {}
    if claim.range:
        low, high = claim.range
        fields = {"published": (low + high) / 2, "published_low": low, "published_high": high}
    wanted = claim.true_if.get("equals")
    return fields | {"published_list": _list_text(wanted)} if isinstance(wanted, list) else fields


def _mean(numbers: np.ndarray) -> float:
    """Return the mean, or 0 if the mean is rounding noise, such as the mean of deviations from a mean."""
    mean = float(numbers.mean())
    return mean if abs(mean) > _ROUNDING * np.abs(numbers).max() else 0.0


def _list_text(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers) or "none"
