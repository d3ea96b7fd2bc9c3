"""Verdicts follow from what was published and what was measured."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from bert_attention.errors import InputError
from bert_attention.judging.claims import Claim, Margin, Paper
from bert_attention.judging.verdicts import (
    Judgment,
    differences,
    finding,
    judge,
    margin_of,
    not_measured,
    p_value,
    with_control,
)
from bert_attention.statistics.counts import count_beyond
from bert_attention.statistics.measures import Measured, NothingFoundError
from tests.replicates import within

TWENTY = tuple(np.linspace(0.1, 0.9, 20))
SEP_BY_TASK = pd.Series([0.5, 0.3], pd.Index(["rte", "mnli"], name="task"))
HUB = "google-bert/bert-base-uncased"
PAPER = Paper("clark/claims.py", "Clark et al. 2019", HUB, 4, {HUB: ["a" * 64]})
BERT = {"name": "mine", "source": f"path:/data/bert sha256:{'a' * 64}"}
# The same name and source, and other weights.
TWIN = {"name": "bert-base-uncased", "source": f"hub:google-bert/bert-base-uncased@86b5 sha256:{'d' * 64}"}


def measured(numbers, margin):
    """Numbers whose intervals have this margin on either side; none without it."""
    table = pd.DataFrame({"number": numbers})
    left_out = [] if margin is None else within(table, number=margin).left_out
    return Measured(numbers, [table["number"] for table in left_out])


def cell(value, margin=None):
    return measured(pd.Series({"value": float(value)}), margin)


def a_list(*layers, margin=0.0):
    """The layers whose head is above .5, of four layers with a head of .6 or .4."""
    attention = np.array([0.6 if layer in layers else 0.4 for layer in range(1, 5)])
    cells = within(pd.DataFrame({"a": attention}), a=margin).map(lambda table: table["a"])
    count = count_beyond([(1.0, cells)], 0.5, above=True, as_share=False)
    return Measured(pd.Series(layers, dtype=float), [pd.Series(layers)] * 20, count=count, entries=[1, 2, 3, 4])


def by_layer(*values, margin=None):
    index = pd.MultiIndex.from_tuples([(layer,) for layer in range(1, len(values) + 1)], names=["layer"])
    return measured(pd.Series(values, index=index, dtype=float), margin)


def curve(*values):
    """A published curve by layer."""
    return pd.Series(values, pd.RangeIndex(1, len(values) + 1, name="layer"))


def claim_of(**about):
    if isinstance(about.get("margin"), int | float):
        about["margin"] = Margin(about["margin"], "a reason")
    return Claim("C01", "a label", "A statement.", "section 3", measure=None, paper=PAPER, **{"model": HUB, **about})


def judged(claim, measured, reasons=()):
    return judge(claim_of(**claim), measured, list(reasons))


def verdict(claim, measured, reasons=()):
    result = judged(claim, measured, reasons)
    return result.verdict, result.condition


def judged_with_control(trained, *controls, reasons=(), **claim):
    return with_control(judged(claim, trained, reasons), claim_of(**claim), trained, controls)


NUMBER = {"published": 0.5, "margin": 0.02}
ABOVE_0, ABOVE = {"true_if": {"above": 0}}, {"true_if": {"above": 0.2}}
BETWEEN = {"true_if": {"between": [0, 1]}}
LIST, ZERO = {"true_if": {"equals": [2, 4]}}, {"true_if": {"equals": 0}}


@pytest.mark.parametrize(
    ("claim", "measured", "expected"),
    [
        # Without an interval a number is exact, as a count is.
        (NUMBER, cell(0.52), ("reproduced", "")),
        (NUMBER, cell(0.53), ("not reproduced", "")),
        (NUMBER, cell(0.51, margin=0.009), ("reproduced", "")),
        (NUMBER, cell(0.51, margin=0.011), ("inconclusive", "")),
        (NUMBER | {"true_if": {"below": 0.5}}, cell(0.501, margin=0.0), ("not reproduced", "not met")),
        ({"published": (0.3, 0.4)}, cell(0.39, margin=0.02), ("inconclusive", "")),
        ({"published": (0.3, 0.4), "margin": 0.05}, cell(0.44), ("reproduced", "")),
        (ABOVE_0, cell(0.1, margin=0.09), ("", "met")),
        (ABOVE_0, cell(0.1, margin=0.11), ("", "inconclusive")),
        (ABOVE_0, cell(-0.1, margin=0.09), ("", "not met")),
        (ABOVE_0, cell(0, margin=0.0), ("", "not met")),
        ({"true_if": {"below": 0}}, cell(-0.1, margin=0.09), ("", "met")),
        (BETWEEN, cell(1, margin=0.0), ("", "met")),
        (BETWEEN, cell(0.95, margin=0.1), ("", "inconclusive")),
        (LIST, a_list(2.0, 4.0), ("", "met")),
        (LIST, a_list(2.0), ("", "not met")),
        ({"true_if": {"equals": [2, 9]}}, a_list(2.0), ("", "not met")),  # there is no layer 9
        # The intervals hold for four layers at once. For a single layer, the interval of .1 would exclude .06.
        (LIST, a_list(2.0, 4.0, margin=0.06), ("", "met")),
        (LIST, a_list(2.0, 4.0, margin=0.09), ("", "inconclusive")),
        (LIST, a_list(2.0, margin=0.09), ("", "inconclusive")),
        (LIST, replace(a_list(2.0, 4.0), count=None), ("", "inconclusive")),  # no limit: no interval
        (ZERO, cell(0, margin=0.0), ("", "inconclusive")),  # leaving out any block changes nothing: no interval
        (ZERO, cell(0.11, margin=0.1), ("", "not met")),
        (ABOVE, by_layer(0.3, 0.25, margin=0.04), ("", "met")),
        (ABOVE, by_layer(0.3, 0.21, margin=0.04), ("", "inconclusive")),  # each number has to be above the threshold
        (ABOVE, by_layer(0.3, 0.1, margin=0.04), ("", "not met")),
        # The interval of one of two numbers is wider than the interval of a single number.
        (ABOVE, by_layer(0.3, 0.165, margin=0.04), ("", "inconclusive")),
        (ABOVE, cell(0.165, margin=0.04), ("", "not met")),
        (ABOVE, cell(0.3), ("", "inconclusive")),  # no interval
        # An effect of less than a hundredth is too small to be stated.
        (ABOVE_0, cell(0.005, margin=0.001), ("", "not met")),
        (ABOVE_0, cell(0.001, margin=0.004), ("", "not met")),
        (ABOVE_0, cell(0.009, margin=0.004), ("", "inconclusive")),
        (
            ABOVE_0,
            cell(0.011, margin=0.004),
            ("", "met"),
        ),  # the smallest effect has to be reached, not to be exceeded surely
        ({"true_if": {"below": 0}}, cell(-0.005, margin=0.001), ("", "not met")),
        (ABOVE_0 | {"least": Margin(0.002, "of its own")}, cell(0.005, margin=0.001), ("", "met")),
        (ABOVE_0, by_layer(0.3, 0.005, margin=0.001), ("", "not met")),
        # The paper states a smaller effect.
        (ABOVE_0 | {"published": 0.005, "margin": 0.002}, cell(0.005, margin=0.0005), ("reproduced", "not met")),
    ],
)
def test_a_claim_is_judged(claim, measured, expected):
    assert verdict(claim, measured) == expected
    # If numbers cannot be compared, only the statement is judged.
    assert verdict(claim, measured, ["other treebank"]) == (expected[0] and "not comparable", expected[1])


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (ABOVE_0 | {"unit": "%"}, 0.01),
        (ABOVE_0 | {"unit": "% of heads"}, 0.01),
        (ABOVE_0 | {"unit": "points"}, 0.01),
        (ABOVE_0 | {"unit": "\N{GREEK SMALL LETTER RHO}"}, 0.1),
        (ABOVE_0 | {"unit": "heads"}, 1),
        ({"true_if": {"below": 1}}, 0.05),
        ({"true_if": {"below": 1}, "unit": "nats"}, 0.1),
        ({"true_if": {"correlation_above": 0.5}, "unit": "%"}, 0.05),
        (BETWEEN, 0),
        (LIST, 0),
        (ABOVE_0 | {"least": Margin(0.002, "of its own")}, 0.002),
    ],
)
def test_the_smallest_effect_follows_from_the_unit_and_the_statement(claim, expected):
    smallest = claim_of(**claim).smallest
    assert smallest.size == expected
    assert smallest.reason


def test_a_share_of_heads_is_decided_by_the_heads_that_are_surely_beyond():
    cells = within(pd.DataFrame({"a": [0.6] * 11 + [0.4] * 9}), a=0.0).map(lambda table: table["a"])
    count = count_beyond([(1.0, cells)], 0.5, above=True, as_share=True)
    share = pd.Series({"value": 0.55})
    found = Measured(share, [share] * 20, count=count)
    above = {"true_if": {"above": 0.5}, "unit": "% of heads"}
    assert judged(above, found).condition == "met"
    assert judged(above | {"least": Margin(0.1, "of its own")}, found).condition == "not met"
    assert judged(above, found).effect == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("claim", "published", "expected"),
    [
        ({"published": 0.5, "margin": 0.02}, [0.5], 0.02),
        ({"published": 0.05, "margin": 0.02}, [0.05], 0.01),  # a fifth of the number
        ({"published": 0.001, "margin": 0.002}, [0.001], 0.0005),  # half of the last digit
        ({"published": 2, "margin": 0}, [2], 0),
        ({"published": 0.5, "margin": 0.02, "true_if": {"above": 0.49}}, [0.5], 0.01),  # or a number below could agree
        ({"margin": 0.1}, [0.1, 0.3, -0.2], 0.04),
    ],
)
def test_a_margin_is_never_large_beside_its_number(claim, published, expected):
    assert margin_of(claim_of(**claim), np.array(published)) == pytest.approx(expected)


def test_each_number_of_a_curve_has_to_be_within_the_margin():
    claim = {"published": curve(0.1, 0.2, 0.3, 0.4), "margin": 0.05}
    near = judged(claim, by_layer(0.14, 0.16, 0.34, 0.36, margin=0.005))
    assert (near.verdict, near.cells) == ("reproduced", 4)
    assert (near.published, near.replicated, near.difference) == pytest.approx((0.25, 0.25, 0.04))
    assert verdict(claim, by_layer(0.14, 0.16, 0.34, 0.446, margin=0.005)) == ("inconclusive", "")
    assert verdict(claim, by_layer(0.14, 0.16, 0.34, 0.46, margin=0.005)) == ("not reproduced", "")
    assert verdict(claim, by_layer(0.4, 0.3, 0.2, 0.1, margin=0.005)) == (
        "not reproduced",
        "",
    )  # the mean is the same
    # A curve of another depth is read at the same relative depths.
    shallow = judged(claim, by_layer(0.15, 0.35))
    assert (shallow.difference, shallow.cells) == (pytest.approx(0), 2)


SHAPE = {"published": curve(*TWENTY), "margin": 0.05, "true_if": {"correlation_above": 0.5}}


def test_a_curve_has_the_published_shape_if_its_correlation_is_beyond_chance():
    for numbers, expected in ((TWENTY, "met"), (TWENTY[::-1], "not met"), ([0.2] * 20, "not met")):
        assert judged(SHAPE, by_layer(*numbers, margin=0.0), ["other model"]).condition == expected
    # .8 is above .5, but four numbers in random order often have such a correlation.
    swapped = [0.2, 0.1, 0.3, 0.4]
    expected = np.corrcoef(swapped, [0.1, 0.2, 0.3, 0.4])[0, 1]
    short = SHAPE | {"published": curve(0.1, 0.2, 0.3, 0.4)}
    by_chance = judged(short, by_layer(*swapped, margin=1e-3), ["other model"])
    assert by_chance.correlation_low > 0.5
    assert re.fullmatch(r"other model; these numbers correlate as well in \d+\.\d% of random orders", by_chance.reason)
    found = judged(short, by_layer(*swapped, margin=0.01), ["other model"])
    assert (found.condition, found.correlation_threshold) == ("inconclusive", 0.5)
    assert found.correlation == pytest.approx(expected)
    assert -1 <= found.correlation_low < expected < found.correlation_high <= 1
    assert np.isnan(judged(ABOVE, cell(0.3, margin=0.01)).correlation)


def test_rounding_noise_is_neither_a_mean_nor_an_interval():
    numbers = by_layer(0.1, 0.2, -0.3, 1e-17, margin=0.0)
    assert numbers.numbers.mean() != 0
    found = judged({"true_if": {"above": -1}}, numbers)
    assert (found.replicated, found.low, found.high) == (0, 0, 0)
    found = judged(ABOVE, cell(0.3, margin=1e-16), ["other model"])
    assert (found.condition, found.distance) == ("met", np.inf)


@pytest.mark.parametrize(
    ("true_if", "trained", "control", "expected"),
    [
        ({"above": 0.2}, 0.3, 0.25, "confirmed"),  # the control meets the threshold, but is far from the encoder
        ({"above": 0.2}, 0.3, 0.29, "not specific to training"),
        ({"above": 0.2}, 0.1, 0.0, "not confirmed"),
        ({"above": 0.2}, 0.21, 0.0, "inconclusive"),
        ({"below": 0.2}, 0.1, 0.15, "confirmed"),
        ({"between": [0, 1]}, 0.5, 0.8, "confirmed"),  # nearer to the middle than the control
    ],
)
def test_a_statement_is_confirmed_if_it_is_truer_than_for_random_weights(true_if, trained, control, expected):
    measured = [cell(value, margin=0.02) for value in (trained, control)]
    # Both read the same texts, so their replicates move together and the difference has an interval of no width.
    opposite = replace(measured[1], left_out=measured[1].left_out[1:] + measured[1].left_out[:1])
    assert finding(judged_with_control(measured[0], opposite, true_if=true_if)) == expected


def test_a_difference_from_random_weights_can_be_too_small_to_be_stated():
    pair = cell(0.3, margin=0.02), cell(0.295, margin=0.02)  # both move together
    assert finding(judged_with_control(*pair, **ABOVE)) == "not specific to training"
    assert finding(judged_with_control(*pair, **ABOVE, least=Margin(0, "none"))) == "confirmed"


def test_intervals_are_clipped_and_distances_are_in_half_widths():
    found = judged(NUMBER, replace(cell(0.98, margin=0.05), limits=(-1.0, 1.0)))
    assert (found.low, found.high) == (pytest.approx(0.93), 1)
    found = judged_with_control(cell(0.3, margin=0.05), cell(0.1, margin=0.05), **ABOVE)
    assert (found.distance, found.control_distance, found.control_value) == pytest.approx((2, -2.2, 0.1))


def test_the_difference_to_random_weights_is_paired_over_blocks_and_varies_over_seeds():
    generator = np.random.default_rng(1)
    ours, theirs = generator.normal(0.5, 0.01, 21), generator.normal(0.3, 0.01, (3, 21))
    trained, *controls = (
        Measured(pd.Series({"value": v[0]}), [pd.Series({"value": x}) for x in v[1:]]) for v in (ours, *theirs)
    )
    found = judged_with_control(trained, *controls, **ABOVE)
    left_out = [ours[b] - sum(seed[b] for seed in theirs) / 3 for b in range(1, 21)]
    of_units = 19 / 20 * sum((x - sum(left_out) / 20) ** 2 for x in left_out)
    of_seeds = np.var([ours[0] - seed[0] for seed in theirs], ddof=1) / 3
    freedom = (of_units + of_seeds) ** 2 / (of_units**2 / 19 + of_seeds**2 / 2)
    margin = t.ppf(0.975, freedom) * (of_units + of_seeds) ** 0.5
    gain = ours[0] - theirs[:, 0].mean()
    assert (found.gain, found.gain_low, found.gain_high) == pytest.approx((gain, gain - margin, gain + margin))
    assert found.gain_p == pytest.approx(2 * t.sf(gain / (of_units + of_seeds) ** 0.5, freedom))


def test_a_curve_is_compared_with_that_of_random_weights_by_its_correlation():
    ours, theirs = by_layer(*TWENTY, margin=0.0), by_layer(*TWENTY[::-1], margin=0.0)
    found = judged_with_control(ours, theirs, **SHAPE)
    assert (found.correlation, found.control_correlation, found.gain) == pytest.approx((1, -1, 2))
    assert finding(found) == "confirmed"
    # The correlations of several seeds are averaged; the mean curve of these three would have a correlation of 1.
    seeds = judged_with_control(ours, ours, ours, theirs, **SHAPE)
    assert (seeds.control_correlation, seeds.gain) == pytest.approx((1 / 3, 2 / 3))
    same = judged_with_control(ours, ours, **SHAPE)
    assert (same.gain, finding(same)) == (pytest.approx(0), "not specific to training")
    few = judged_with_control(ours, by_layer(0.1, 0.2, margin=0.0), reasons=["other model"], **SHAPE)
    assert (few.control, finding(few)) == ("inconclusive", "inconclusive")
    assert few.reason == "other model; random weights have too few numbers for a curve"


def test_random_weights_are_judged_on_the_mean_correlation_that_is_shown():
    """The mean of noisy curves has less noise, and a higher correlation than each of them."""
    generator = np.random.default_rng(3)
    curves = [by_layer(*(np.array(TWENTY) + generator.normal(0, 0.65, 20)), margin=0.0) for _ in range(10)]
    found = judged_with_control(by_layer(*TWENTY, margin=0.0), *curves, **SHAPE)
    mean = np.corrcoef(np.mean([curve.numbers for curve in curves], axis=0), TWENTY)[0, 1]
    assert found.control_correlation < 0.5 < mean
    assert (found.control, finding(found)) == ("not met", "confirmed")


def test_a_list_is_compared_by_how_many_entries_differ():
    ours = a_list(2.0, 4.0)
    found = judged_with_control(ours, a_list(2.0), **LIST)
    assert (found.condition, found.control, found.gain, finding(found)) == ("met", "not met", 1, "confirmed")
    assert finding(judged_with_control(ours, ours, **LIST)) == "not specific to training"
    seeds = judged_with_control(ours, a_list(2.0), a_list(4.0), a_list(3.0, 4.0), **LIST)
    assert (seeds.control, finding(seeds)) == ("inconclusive", "inconclusive")  # they differ too much
    assert finding(judged_with_control(ours, a_list(2.0, margin=0.09), **LIST)) == "inconclusive"


def test_counts_are_compared_by_their_difference():
    numbers = [pd.Series({"value": float(n)}) for n in (1, 2)]
    lists = a_list(2.0), a_list(2.0, 4.0)
    one, two = (replace(own, numbers=n, left_out=[n] * 20) for own, n in zip(lists, numbers, strict=True))
    found = judged_with_control(two, one, true_if={"above": 0.5})
    assert (found.gain, found.gain_low, found.gain_high, finding(found)) == (1, 1, 1, "confirmed")
    # The gain of a count that has to equal a number has no interval.
    found = judged_with_control(one, one, true_if={"equals": 1})
    assert (found.condition, np.isnan(found.gain_p)) == ("met", True)


def test_too_few_texts_give_no_interval():
    few = replace(cell(0.5), left_out=[pd.Series({"published": 0.5 + 0.001 * block}) for block in range(7)])
    found = judged(ABOVE, few)
    assert (found.condition, finding(found)) == ("inconclusive", "inconclusive")
    assert found.reason == "no interval: fewer than 8 independent texts of similar size"
    assert np.isnan([found.low, found.p, p_value(found)]).all()
    assert finding(judged_with_control(cell(0.5, margin=0.01), few, **ABOVE)) == "inconclusive"
    numbers = by_layer(0.1, 0.3, margin=0.04)  # one of several numbers has no interval
    found = judged(ABOVE, replace(numbers, left_out=[numbers.left_out[0] * [np.nan, 1], *numbers.left_out[1:]]))
    assert (found.condition, np.isnan(found.p)) == ("inconclusive", True)


@pytest.mark.parametrize(
    ("evidence", "control", "level", "expected"),
    [
        ({}, "not met", 0.01, ("confirmed", 0.002)),  # the larger of the two tests
        # The gain is significant alone, but above the limit for many statements.
        ({}, "not met", 0.0015, ("true, perhaps not specific", 0.002)),
        ({"gain_p": 0.03, "control_distance": 2.0, "control_p": 0.0}, "met", 0.05, ("confirmed", 0.03)),
        (
            {"gain_p": 0.03, "control_distance": 2.0, "control_p": 0.0},
            "met",
            0.01,
            ("true, perhaps not specific", 0.03),
        ),
        # True of random weights as well, which describes both; the p-value is that of a confirmed statement.
        ({"gain_p": 0.06, "control_distance": 2.0, "control_p": 0.0}, "met", 0.01, ("not specific to training", 0.06)),
        # A statement that something hardly happens has no such verdict, and its p-value is that of the threshold.
        ({"says_absence": True, "gain_distance": -2.0}, "met", 0.05, ("true, no control applies", 0.001)),
        ({"says_absence": True, "gain_p": np.nan}, "inconclusive", 0.05, ("true, no control applies", 0.001)),
        ({"says_absence": True}, "not met", 0.05, ("confirmed", 0.002)),
        ({"says_absence": True, "distance": -2.0}, "met", 0.05, ("not confirmed", 0.001)),
        ({"gain_p": np.nan}, "inconclusive", 0.05, ("inconclusive", 1.0)),
        ({"gain_distance": -2.0}, "not met", 0.05, ("not specific to training", 0.002)),
        ({"distance": -2.0, "gain_p": 0.9}, "not met", 0.05, ("not confirmed", 0.001)),
        ({"gain_p": np.nan}, "not applicable", 0.05, ("true, no control applies", 0.001)),
        ({"gain_p": np.nan}, "in the statement", 0.05, ("confirmed", 0.001)),
    ],
)
def test_a_verdict_needs_all_of_its_tests(evidence, control, level, expected):
    known = {
        "distance": 2.0,
        "p": 0.001,
        "control_distance": -2.0,
        "control_p": 0.01,
        "gain_distance": 2.0,
        "gain_p": 0.002,
    }
    found = Judgment("", condition="met", control=control, **known | evidence)
    assert (finding(found, level), p_value(found)) == expected


def test_a_claim_that_is_not_measured_keeps_its_published_number():
    def published(**claim):
        result = not_measured(claim_of(**claim), "no code")
        assert (result.verdict, result.reason) == ("not measured", "no code")
        return result

    assert published(published=0.5, margin=0).published == 0.5
    bounds = published(published=(0.1, 0.3))
    assert (bounds.published, bounds.published_low, bounds.published_high) == (pytest.approx(0.2), 0.1, 0.3)
    assert published(true_if={"equals": [2, 4]}).published_list == "2, 4"
    assert np.isnan(published(published=curve(0.1, 0.2), margin=0).published)  # a mean would look like one number


def test_only_shared_keys_are_compared():
    claim = {"published": SEP_BY_TASK, "margin": 0.1}

    def by(name, *keys):
        index = pd.MultiIndex.from_tuples([(key,) for key in keys], names=[name])
        return Measured(pd.Series([0.35, 0.9][: len(keys)], index=index))

    result = judged(claim, by("task", "mnli", "sst2"))
    assert (result.verdict, result.cells, result.published) == ("reproduced", 1, 0.3)
    with pytest.raises(NothingFoundError, match="C01: has no number for any measured task"):
        judged(claim, by("task", "qqp"))
    with pytest.raises(InputError, match="C01: has published numbers by task, but measures layer"):
        judged(claim, by("layer", 1))


@pytest.mark.parametrize(
    ("claim", "model", "expected"),
    [
        ({}, BERT, []),
        ({}, TWIN, ["not the model google-bert/bert-base-uncased"]),
        ({"model": None}, TWIN, []),
        ({"model": "roberta"}, BERT, ["not the model roberta: its digest is missing in clark/claims.py"]),
        ({"model": "fairseq"}, TWIN, ["not the model fairseq: its digest is missing in clark/claims.py"]),
        ({"needs": ["treebank", "wikipedia"]}, BERT, ["not the paper's treebank"]),
    ],
)
def test_differences_keep_numbers_from_being_compared(claim, model, expected):
    assert differences(claim_of(**claim), model, ["wikipedia"]) == expected
