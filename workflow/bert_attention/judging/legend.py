"""The legend of verdicts: the list of verdicts that scoreboard, results page and paper show, and notes on numbers."""

from __future__ import annotations

from dataclasses import dataclass

from bert_attention.judging.claims import SMALLEST_EFFECTS, SMALLEST_OF_CURVE, SMALLEST_OF_RATIO
from bert_attention.judging.evidence import INCONCLUSIVE
from bert_attention.judging.verdicts import (
    ALSO_RANDOM,
    CONFIRMED,
    NO_CONTROL,
    NOT_CONFIRMED,
    NOT_REPRODUCED,
    NOT_SPECIFIC,
    PERHAPS_SPECIFIC,
    REPRODUCED,
)
from bert_attention.results import POINTS, RANK_CORRELATION


@dataclass(frozen=True)
class Verdict:
    """A verdict as readers see it."""

    name: str
    style: str  # the name of its color on the results page
    predicate: str  # what a sentence says of a finding or a number with this verdict, after "is" or "are"
    meaning: str


def _by_name(*verdicts: Verdict) -> dict[str, Verdict]:
    return {verdict.name: verdict for verdict in verdicts}


STATEMENTS = _by_name(
    Verdict(
        CONFIRMED,
        "confirmed",
        "confirmed",
        "The interval lies on the stated side of the threshold, and farther than random weights do. Number and "
        "difference (of a count, the number alone) are at least the smallest effect worth stating. Random weights may "
        "be on this side, too.",
    ),
    Verdict(
        NOT_SPECIFIC,
        "not-specific",
        "also true of random weights",
        "The statement is true, but also true of random weights, or they are even farther on the stated side, or the "
        "difference is too small to be stated. This does not say that both are equal.",
    ),
    Verdict(
        PERHAPS_SPECIFIC,
        "not-specific",
        "true but perhaps no truer than of random weights",
        "The statement is truer of the encoder than of random weights by the interval of the difference, but not by "
        "the stricter limit for so many statements.",
    ),
    Verdict(
        NO_CONTROL,
        "no-control",
        "true without a control",
        "The statement is true, but random weights have no such heads, there is no control, or the statement says "
        "that something hardly happens, as in random weights. It does not count as confirmed.",
    ),
    Verdict(
        NOT_CONFIRMED,
        "not-confirmed",
        "not confirmed",
        "The interval lies on the other side of the threshold, or nearer to it than the smallest effect worth stating.",
    ),
    Verdict(
        INCONCLUSIVE,
        "inconclusive",
        "inconclusive",
        "The interval contains the threshold or the smallest effect, or there are too few data.",
    ),
)
NUMBERS = _by_name(
    Verdict(
        REPRODUCED,
        "confirmed",
        "reproduced",
        "The interval lies within the margin around the published number. The margin is at most a fifth of the number.",
    ),
    Verdict(
        ALSO_RANDOM,
        "not-specific",
        ALSO_RANDOM,
        "The number is reproduced, and the interval of random weights lies within the margin as well.",
    ),
    Verdict(
        NOT_REPRODUCED,
        "not-confirmed",
        "not reproduced",
        "The interval lies outside the margin, or the statement that the number supports is false here.",
    ),
    Verdict(INCONCLUSIVE, "inconclusive", "inconclusive", "The interval contains the edge of the margin."),
)

SMALLEST = (
    "The smallest effects worth stating are "
    f"{100 * SMALLEST_EFFECTS[POINTS].size:g} point of a share or a difference of shares, "
    f"{SMALLEST_EFFECTS[RANK_CORRELATION].size:g} of a rank correlation (\N{GREEK SMALL LETTER RHO}), "
    f"{SMALLEST_OF_CURVE.size:g} of a correlation with published numbers (r), {SMALLEST_OF_RATIO.size:g} of a ratio, "
    f"{SMALLEST_EFFECTS['nats'].size:g} nats, {SMALLEST_EFFECTS['heads'].size:g} head, and "
    f"{SMALLEST_EFFECTS[''].size:g} of other scores."
)
NOTES = (
    "Intervals are 95% intervals over texts. Points are hundredths: differences of percentages.",
    "The control is the same encoder with random weights. It keeps trained embeddings and the sizes of layer norms; in "
    "MPNet and DeBERTa also trained position biases, with which heads can attend to neighbors.",
    f"{SMALLEST} A claim can have its own.",
    "Numbers are compared only if the encoder and the corpora are the paper's. Of several numbers, tables show the "
    "mean, but each number is judged. A statement can also be about their correlation r with the published numbers.",
    "Among many statements, some would pass by luck. The limits of p are therefore those of Benjamini and Hochberg, "
    "for each kind of evidence: at most 5% of the statements that are confirmed, not confirmed, or true without a "
    "control are expected to be judged wrongly. A claim that restates another claim is shown, but not counted.",
    "No statement is judged on a stand-in. A dagger (\N{DAGGER}) marks what is cited from memory, not checked in the "
    "paper. If nobody is sure of it, it is not judged.",
    "For claims about layers of the paper's encoder, other encoders use the layers at the same relative depth: the "
    "last of 6 layers stands for the last two of 12.",
)
