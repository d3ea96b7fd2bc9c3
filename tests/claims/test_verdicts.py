"""Verdicts follow from what was published and what was measured."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from bert_attention.claims.publications import Publication, published_numbers
from bert_attention.claims.verdicts import (
    Judgment,
    differences,
    finding,
    judge,
    margin_of,
    not_measured,
    p_value,
    with_control,
)
from bert_attention.errors import InputError
from bert_attention.statistics.counts import count_beyond
from bert_attention.statistics.queries import Measured, NothingFoundError
from tests.replicates import within

CURVE = {"figure": "f", "series": "a", "provenance": "recalled", "by_layer": [0.1, 0.2, 0.3, 0.4]}
ROWS = [{"task": "rte", "sep": 0.5, "cls": 0.1}, {"task": "mnli", "sep": 0.3, "cls": 0.2}]
BY_HEAD = [{"layer": 1, "by_head": [0.1, 0.2]}, {"layer": 2, "by_head": [0.3, 0.4]}]
PUBLICATION = Publication(
    Path("clark.yaml"),
    "google-bert/bert-base-uncased",
    4,
    claims=(),
    weights={"google-bert/bert-base-uncased": ["a" * 64]},
    curves=(CURVE,),
    tables={"figure_7": {"rows": ROWS}, "figure_3": {"rows": BY_HEAD}},
)
BERT = {"name": "mine", "source": f"path:/data/bert sha256:{'a' * 64}"}

# Of the same name and source, and of other weights.
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
    cells = within(pd.DataFrame({"a": attention}), a=margin).made_into(lambda table: table["a"])
    count = count_beyond([(1.0, cells)], 0.5, above=True, as_share=False)
    return Measured(pd.Series(layers, dtype=float), [pd.Series(layers)] * 20, count=count, entries=[1, 2, 3, 4])


def by_layer(*values, margin=None):
    index = pd.MultiIndex.from_tuples([(layer,) for layer in range(1, len(values) + 1)], names=["layer"])
    return measured(pd.Series(values, index=index, dtype=float), margin)


def verdict(claim, measured, reasons=()):
    result = judge({"id": "C01", **claim}, PUBLICATION, measured, list(reasons))
    return result.verdict, result.condition


def test_an_interval_ends_where_the_number_does():
    score = replace(cell(0.98, margin=0.05), limits=(-1.0, 1.0))
    judged = judge({"id": "C01", "value": 0.9, "margin": 0.05}, PUBLICATION, score, [])
    assert (judged.low, judged.high) == (pytest.approx(0.93), 1)


@pytest.mark.parametrize(
    ("claim", "measured", "expected"),
    [
        # Without an interval a number is exact, as a count is.
        ({"value": 0.5, "margin": 0.02}, cell(0.52), ("reproduced", "")),
        ({"value": 0.5, "margin": 0.02}, cell(0.48), ("reproduced", "")),
        ({"value": 0.5, "margin": 0.02}, cell(0.53), ("not reproduced", "")),
        ({"value": 0.5, "margin": 0.02}, cell(0.51, margin=0.009), ("reproduced", "")),
        ({"value": 0.5, "margin": 0.02}, cell(0.51, margin=0.011), ("inconclusive", "")),
        (
            {"value": 0.5, "margin": 0.02},
            cell(0.5, margin=0.3),
            ("inconclusive", ""),
        ),  # a wide interval agrees with nothing
        ({"value": 0.5, "margin": 0.02}, cell(0.53, margin=0.009), ("not reproduced", "")),
        ({"value": 0.5, "margin": 0.02, "holds": {"above": 0.4}}, cell(0.6, margin=0.0), ("not reproduced", "met")),
        (
            {"value": 0.5, "margin": 0.02, "holds": {"below": 0.5}},
            cell(0.501, margin=0.0),
            ("not reproduced", "not met"),
        ),
        ({"range": [0.3, 0.4]}, cell(0.35), ("reproduced", "")),
        ({"range": [0.3, 0.4]}, cell(0.39, margin=0.02), ("inconclusive", "")),
        ({"range": [0.3, 0.4], "margin": 0.05}, cell(0.44), ("reproduced", "")),
        ({"range": [0.3, 0.4], "margin": 0.05}, cell(0.24), ("not reproduced", "")),
        ({"holds": {"above": 0}}, cell(0.1, margin=0.09), ("", "met")),
        ({"holds": {"above": 0}}, cell(0.1, margin=0.11), ("", "inconclusive")),
        ({"holds": {"above": 0}}, cell(-0.1, margin=0.11), ("", "inconclusive")),
        ({"holds": {"above": 0}}, cell(-0.1, margin=0.09), ("", "not met")),
        ({"holds": {"above": 0}}, cell(0, margin=0.0), ("", "not met")),
        ({"holds": {"below": 0}}, cell(-0.1, margin=0.09), ("", "met")),
        ({"holds": {"below": 0}}, cell(0.1, margin=0.09), ("", "not met")),
        ({"holds": {"between": [0, 1]}}, cell(1, margin=0.0), ("", "met")),
        ({"holds": {"between": [0, 1]}}, cell(0.95, margin=0.1), ("", "inconclusive")),
        ({"holds": {"equals": [2, 4]}}, a_list(2.0, 4.0), ("", "met")),
        ({"holds": {"equals": [2, 4]}}, a_list(2.0), ("", "not met")),
        ({"holds": {"equals": [2, 9]}}, a_list(2.0), ("", "not met")),  # there is no layer 9
        # The interval of each of the four is wide enough for all of them: that of .1 alone is beyond .06.
        ({"holds": {"equals": [2, 4]}}, a_list(2.0, 4.0, margin=0.06), ("", "met")),
        ({"holds": {"equals": [2, 4]}}, a_list(2.0, 4.0, margin=0.09), ("", "inconclusive")),
        ({"holds": {"equals": [2, 4]}}, a_list(2.0, margin=0.06), ("", "not met")),
        ({"holds": {"equals": [2, 4]}}, a_list(2.0, margin=0.09), ("", "inconclusive")),
        ({"holds": {"equals": 0}}, cell(0, margin=0.0), ("", "inconclusive")),  # no text moves it: no interval
        ({"holds": {"equals": 0}}, cell(0, margin=0.1), ("", "inconclusive")),
        ({"holds": {"equals": 0}}, cell(0.11, margin=0.1), ("", "not met")),
        ({"holds": {"equals": 0}}, cell(0.09, margin=0.1), ("", "inconclusive")),
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.25, margin=0.04), ("", "met")),
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.21, margin=0.04), ("", "inconclusive")),  # each has to
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.1, margin=0.04), ("", "not met")),
        # One of two numbers on the other side: its interval is wider, for there were two chances.
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.155, margin=0.04), ("", "inconclusive")),
        ({"holds": {"above": 0.2}}, cell(0.155, margin=0.04), ("", "not met")),
        ({"holds": {"above": 0.2}}, cell(0.3), ("", "inconclusive")),  # no interval
    ],
)
def test_a_comparable_claim_is_judged(claim, measured, expected):
    assert verdict(claim, measured) == expected


def test_a_list_that_is_not_one_over_a_limit_has_no_interval():
    judged = judge({"id": "C01", "holds": {"equals": [2, 4]}}, PUBLICATION, replace(a_list(2.0, 4.0), count=None), [])
    assert (judged.condition, judged.reason) == ("inconclusive", "no interval")
    assert np.isnan(p_value(judged))


def test_one_of_several_numbers_without_an_interval_has_no_p_value():
    numbers = by_layer(0.1, 0.3, margin=0.04)
    lacking = replace(numbers, left_out=[numbers.left_out[0] * [np.nan, 1], *numbers.left_out[1:]])
    judged = judge({"id": "C01", "holds": {"above": 0.2}}, PUBLICATION, lacking, [])
    assert (judged.condition, np.isnan(judged.p)) == ("inconclusive", True)


def test_where_numbers_cannot_be_compared_only_the_statement_is_judged():
    claim = {"value": 0.5, "margin": 0.02, "holds": {"above": 0.4}}
    assert verdict(claim, cell(0.5, margin=0.0), ["other treebank"]) == ("not comparable", "met")
    assert verdict(claim, cell(0.3, margin=0.0), ["other treebank"]) == ("not comparable", "not met")


@pytest.mark.parametrize(
    ("claim", "published", "expected"),
    [
        ({"value": 0.5, "margin": 0.02}, [0.5], 0.02),
        ({"value": 0.05, "margin": 0.02}, [0.05], 0.01),  # a fifth of the number
        ({"value": 0.5, "margin": 0.02, "holds": {"above": 0.49}}, [0.5], 0.01),  # else a number below could agree
        ({"value": 0.5, "margin": 0.02, "holds": {"below": 0.9}}, [0.5], 0.02),
        ({"margin": 0.1}, [0.1, 0.3, -0.2], 0.04),
    ],
)
def test_a_margin_is_never_large_beside_its_number(claim, published, expected):
    assert margin_of(claim, np.array(published)) == pytest.approx(expected)


def test_each_number_of_a_curve_has_to_be_within_the_margin():
    claim = {"values": {"figure": "f", "series": "a"}, "margin": 0.05}
    near = judge({"id": "C01", **claim}, PUBLICATION, by_layer(0.14, 0.16, 0.34, 0.36, margin=0.005), [])
    assert (near.verdict, near.cells) == ("reproduced", 4)
    assert (near.published, near.replicated, near.difference) == pytest.approx((0.25, 0.25, 0.04))
    assert verdict(claim, by_layer(0.14, 0.16, 0.34, 0.446, margin=0.005)) == ("inconclusive", "")
    assert verdict(claim, by_layer(0.14, 0.16, 0.34, 0.46, margin=0.005)) == ("not reproduced", "")
    assert verdict(claim, by_layer(0.4, 0.3, 0.2, 0.1, margin=0.005)) == ("not reproduced", "")  # with the same mean


LONG = {"figure": "f", "series": "long"}
TWENTY = tuple(np.linspace(0.1, 0.9, 20))


def correlated(*numbers, margin=0.0, published=LONG):
    claim = {"id": "C01", "values": published, "margin": 0.05, "holds": {"correlation_above": 0.5}}
    curve = {**LONG, "provenance": "recalled", "by_layer": list(TWENTY)}
    publication = replace(PUBLICATION, curves=(CURVE, curve))
    return judge(claim, publication, by_layer(*numbers, margin=margin), ["other model"]).condition


def test_a_curve_has_the_published_shape_if_its_correlation_is_beyond_chance():
    assert correlated(*TWENTY) == "met"
    assert correlated(*TWENTY[::-1]) == "not met"
    assert correlated(*[0.2] * 20) == "not met"
    swapped = [0.2, 0.1, 0.3, 0.4]
    # .8 is above .5, but four numbers in any order often have as much.
    assert np.corrcoef(swapped, CURVE["by_layer"])[0, 1] == pytest.approx(0.8)
    assert correlated(*swapped, published={"figure": "f", "series": "a"}) == "inconclusive"


def test_a_mean_of_the_size_of_rounding_is_none():
    numbers = by_layer(0.1, 0.2, -0.3, 1e-17, margin=0.0)
    judged = judge({"id": "C01", "holds": {"above": -1}}, PUBLICATION, numbers, [])
    assert numbers.numbers.mean() != 0
    assert (judged.replicated, judged.low, judged.high) == (0, 0, 0)


def test_an_interval_of_the_size_of_rounding_is_none():
    judged = judge({"id": "C01", "holds": {"above": 0.2}}, PUBLICATION, cell(0.3, margin=1e-16), ["other model"])
    assert (judged.condition, judged.lead) == ("met", np.inf)


def judged_with_control(trained, *controls, holds=None):
    claim = {"id": "C01", "holds": holds or {"above": 0.2}}
    judgment = judge(claim, PUBLICATION, trained, [])
    return with_control(judgment, claim, PUBLICATION, trained, controls)


def test_random_weights_are_judged_by_the_same_rule():
    controlled = judged_with_control(cell(0.3, margin=0.05), cell(0.1, margin=0.05))
    assert (controlled.condition, controlled.lead) == ("met", pytest.approx(2))
    assert (controlled.control, controlled.control_lead) == ("not met", pytest.approx(-2))
    assert controlled.control_value == pytest.approx(0.1)
    assert judged_with_control(cell(0.3, margin=0.05), cell(0.22, margin=0.05)).control == "inconclusive"


@pytest.mark.parametrize(
    ("holds", "trained", "control", "expected"),
    [
        ({"above": 0.2}, 0.3, 0.1, "confirmed"),
        (
            {"above": 0.2},
            0.3,
            0.25,
            "confirmed",
        ),  # the control meets the threshold, but is far from the trained encoder
        ({"above": 0.2}, 0.3, 0.29, "not specific to training"),
        ({"above": 0.2}, 0.3, 0.5, "not specific to training"),
        ({"above": 0.2}, 0.1, 0.0, "not confirmed"),
        ({"above": 0.2}, 0.21, 0.0, "inconclusive"),
        ({"below": 0.2}, 0.1, 0.15, "confirmed"),
        ({"below": 0.2}, 0.1, 0.05, "not specific to training"),
        ({"between": [0, 1]}, 0.5, 0.8, "confirmed"),  # nearer to the middle
        ({"between": [0, 1]}, 0.8, 0.5, "not specific to training"),
    ],
)
def test_a_statement_is_confirmed_if_it_is_truer_than_of_random_weights(holds, trained, control, expected):
    measured = [cell(value, margin=0.02) for value in (trained, control)]
    # The replicates of both move together, as they read the same texts: the difference has no width.
    opposite = replace(measured[1], left_out=measured[1].left_out[1:] + measured[1].left_out[:1])
    assert finding(judged_with_control(measured[0], opposite, holds=holds)) == expected


def test_the_difference_to_random_weights_is_paired_over_blocks_and_varies_over_seeds():
    generator = np.random.default_rng(1)
    ours, theirs = generator.normal(0.5, 0.01, 21), generator.normal(0.3, 0.01, (3, 21))
    trained, *controls = (
        Measured(pd.Series({"value": v[0]}), [pd.Series({"value": x}) for x in v[1:]]) for v in (ours, *theirs)
    )
    found = judged_with_control(trained, *controls)
    left_out = [ours[b] - sum(seed[b] for seed in theirs) / 3 for b in range(1, 21)]
    of_units = 19 / 20 * sum((x - sum(left_out) / 20) ** 2 for x in left_out)
    of_seeds = np.var([ours[0] - seed[0] for seed in theirs], ddof=1) / 3
    freedom = (of_units + of_seeds) ** 2 / (of_units**2 / 19 + of_seeds**2 / 2)
    margin = t.ppf(0.975, freedom) * (of_units + of_seeds) ** 0.5
    gain = ours[0] - theirs[:, 0].mean()
    assert (found.gain, found.gain_low, found.gain_high) == pytest.approx((gain, gain - margin, gain + margin))
    assert found.gain_p == pytest.approx(2 * t.sf(gain / (of_units + of_seeds) ** 0.5, freedom))


def test_a_curve_is_compared_with_that_of_random_weights_by_its_correlation():
    claim = {"id": "C01", "values": LONG, "margin": 0.05, "holds": {"correlation_above": 0.5}}
    curve = {**LONG, "provenance": "recalled", "by_layer": list(TWENTY)}
    publication = replace(PUBLICATION, curves=(CURVE, curve))
    ours, theirs = by_layer(*TWENTY, margin=0.0), by_layer(*TWENTY[::-1], margin=0.0)
    judgment = judge(claim, publication, ours, ["other model"])
    found = with_control(judgment, claim, publication, ours, [theirs])
    assert (found.gain, finding(found)) == (pytest.approx(2), "confirmed")
    same = with_control(judgment, claim, publication, ours, [ours])
    assert (same.gain, finding(same)) == (pytest.approx(0), "not specific to training")


def test_a_list_is_compared_by_how_many_entries_differ():
    found = judged_with_control(a_list(2.0, 4.0), a_list(2.0), holds={"equals": [2, 4]})
    assert (found.condition, found.control, found.gain, finding(found)) == ("met", "not met", 1, "confirmed")
    same = judged_with_control(a_list(2.0, 4.0), a_list(2.0, 4.0), holds={"equals": [2, 4]})
    assert finding(same) == "not specific to training"
    seeds = judged_with_control(a_list(2.0, 4.0), a_list(2.0), a_list(4.0), a_list(3.0, 4.0), holds={"equals": [2, 4]})
    assert (seeds.control, finding(seeds)) == ("inconclusive", "inconclusive")  # they differ too much
    unsure = judged_with_control(a_list(2.0, 4.0), a_list(2.0, margin=0.09), holds={"equals": [2, 4]})
    assert finding(unsure) == "inconclusive"


def test_a_count_that_has_to_be_a_number_has_no_interval_of_its_gain():
    trained, control = (replace(a_list(2.0), numbers=pd.Series({"value": float(n)})) for n in (1, 1))
    found = judged_with_control(trained, control, holds={"equals": 1})
    assert (found.condition, np.isnan(found.gain_p)) == ("met", True)


def test_a_control_with_too_few_points_for_a_curve_says_so():
    claim = {"id": "C01", "values": LONG, "margin": 0.05, "holds": {"correlation_above": 0.5}}
    publication = replace(PUBLICATION, curves=({**LONG, "provenance": "recalled", "by_layer": list(TWENTY)},))
    ours, theirs = by_layer(*TWENTY, margin=0.0), by_layer(0.1, 0.2, margin=0.0)
    judgment = judge(claim, publication, ours, ["other model"])
    found = with_control(judgment, claim, publication, ours, [theirs])
    assert (found.control, finding(found)) == ("inconclusive", "inconclusive")
    assert found.reason == "other model; random weights have too few numbers for a curve"


def test_too_few_texts_give_no_interval():
    few = replace(cell(0.5), left_out=[pd.Series({"value": 0.5 + 0.001 * block}) for block in range(7)])
    judged = judge({"id": "C01", "holds": {"above": 0.2}}, PUBLICATION, few, [])
    assert (judged.condition, finding(judged)) == ("inconclusive", "inconclusive")
    assert judged.reason == "no interval: fewer than 8 independent texts"
    assert np.isnan([judged.low, judged.p, p_value(judged)]).all()
    assert finding(judged_with_control(cell(0.5, margin=0.01), few)) == "inconclusive"


@pytest.mark.parametrize(
    ("evidence", "control", "level", "expected"),
    [
        ({}, "not met", 0.01, ("confirmed", 0.002)),  # the larger of the two tests
        ({}, "not met", 0.0015, ("inconclusive", 0.002)),
        ({"gain_p": 0.03, "control_lead": 2.0, "control_p": 0.0}, "met", 0.05, ("confirmed", 0.03)),
        # True of random weights as well, which describes both; the p-value is that of a confirmed statement.
        ({"gain_p": 0.03, "control_lead": 2.0, "control_p": 0.0}, "met", 0.01, ("not specific to training", 0.03)),
        ({"p": 1e-6, "gain_p": 0.01, "control_lead": 2.0, "control_p": 1e-4}, "met", 0.05, ("confirmed", 0.01)),
        ({"gain_p": np.nan}, "inconclusive", 0.05, ("inconclusive", 1.0)),
        ({"gain_lead": -2.0}, "not met", 0.05, ("not specific to training", 0.002)),
        ({"gain_p": 0.2}, "not met", 0.05, ("inconclusive", 0.2)),
        ({"lead": -2.0, "gain_p": 0.9}, "not met", 0.05, ("not confirmed", 0.001)),
        ({"gain_p": np.nan}, "not applicable", 0.05, ("true, no control applies", 0.001)),
        ({"gain_p": np.nan}, "", 0.05, ("true, no control applies", 0.001)),
        ({"gain_p": np.nan}, "in the statement", 0.05, ("confirmed", 0.001)),
    ],
)
def test_a_verdict_needs_all_of_its_tests(evidence, control, level, expected):
    known = {"lead": 2.0, "p": 0.001, "control_lead": -2.0, "control_p": 0.01, "gain_lead": 2.0, "gain_p": 0.002}
    judged = Judgment("", condition="met", control=control, **known | evidence)
    assert (finding(judged, level), p_value(judged)) == expected


def test_a_curve_of_another_depth_is_read_at_the_same_relative_depth():
    claim = {"id": "C01", "values": {"figure": "f", "series": "a"}, "margin": 0.01}
    result = judge(claim, PUBLICATION, by_layer(0.15, 0.35), ["other model"])
    assert result.difference == pytest.approx(0)
    assert result.cells == 2


def test_numbers_of_published_tables_have_the_keys_of_our_queries():
    asked = {"table": "figure_7", "keys": ["task"], "columns_are": "feature"}
    found = published_numbers({"id": "K29", "values": asked}, PUBLICATION)
    assert found[("mnli", "sep")] == 0.3
    assert len(found) == 4
    one_column = published_numbers(
        {"id": "K29", "values": {"table": "figure_7", "keys": ["task"], "column": "cls"}}, PUBLICATION
    )
    assert one_column[("rte",)] == 0.1
    heads = published_numbers({"id": "K13", "values": {"table": "figure_3", "keys": ["layer"]}}, PUBLICATION)
    assert heads.index.names == ["layer", "head"]
    assert heads[(2, 1)] == 0.3


def test_without_keys_a_published_number_is_a_cell():
    asked = {"table": "figure_7", "where": {"task": "mnli"}, "column": "cls"}
    claim = {"values": asked, "margin": 0.01}
    assert published_numbers({"id": "K29", **claim}, PUBLICATION).to_dict() == {"value": 0.2}
    assert verdict(claim, cell(0.195)) == ("reproduced", "")
    low = judge({"id": "K29", **claim}, PUBLICATION, cell(0.15), [])
    assert (low.verdict, low.difference) == ("not reproduced", pytest.approx(-0.05))


def test_what_is_not_measured_keeps_its_published_number():
    def published(**claim):
        result = not_measured({"id": "C01", **claim}, PUBLICATION, "no code")
        assert (result.verdict, result.reason) == ("not measured", "no code")
        return result

    assert published(value=0.5).published == 0.5
    assert published(values={"table": "figure_7", "where": {"task": "rte"}, "column": "sep"}).published == 0.5
    bounds = published(range=[0.1, 0.3])
    assert (bounds.published, bounds.published_low, bounds.published_high) == (pytest.approx(0.2), 0.1, 0.3)
    assert published(holds={"equals": [2, 4]}).published_list == "2, 4"
    # A mean of several numbers would look like one number.
    assert np.isnan(published(values={"figure": "f", "series": "a"}).published)


def test_only_shared_keys_are_compared():
    claim = {"id": "K06", "values": {"table": "figure_7", "keys": ["task"], "column": "sep"}, "margin": 0.1}
    index = pd.MultiIndex.from_tuples([("mnli",), ("sst2",)], names=["task"])
    result = judge(claim, PUBLICATION, Measured(pd.Series([0.35, 0.9], index=index)), [])
    assert (result.verdict, result.cells, result.published) == ("reproduced", 1, 0.3)


def test_numbers_without_a_shared_key_are_no_finding():
    claim = {"id": "K06", "values": {"table": "figure_7", "keys": ["task"], "column": "sep"}, "margin": 0.1}
    index = pd.MultiIndex.from_tuples([("qqp",)], names=["task"])
    with pytest.raises(NothingFoundError, match="claim K06: shares no task with what was measured"):
        judge(claim, PUBLICATION, Measured(pd.Series([0.35], index=index)), [])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"figure": "f", "series": "b"}, "claim K06: there is no curve b of f"),
        ({"table": "figure_8", "keys": ["task"]}, "claim K06: there is no table figure_8"),
        ({"table": "figure_7", "keys": ["tsk"]}, "claim K06: figure_7 has no column tsk"),
        ({"table": "figure_7", "where": {"task": "sst2"}, "column": "sep"}, "claim K06: 0 numbers of figure_7 match"),
        ({"table": "figure_7", "column": "sep"}, "claim K06: 2 numbers of figure_7 match"),
        ({"table": "figure_7", "where": {"tsk": "rte"}, "column": "sep"}, "claim K06: figure_7 has no column tsk"),
    ],
)
def test_what_is_not_published_is_named(values, message):
    with pytest.raises(InputError, match=message):
        published_numbers({"id": "K06", "values": values}, PUBLICATION)


@pytest.mark.parametrize(
    ("needs", "model", "corpora", "expected"),
    [
        ({}, BERT, [], []),
        ({}, TWIN, [], ["other model than google-bert/bert-base-uncased"]),
        ({"model": None}, TWIN, [], []),
        (
            {"model": "FacebookAI/roberta-base"},
            BERT,
            [],
            ["other model than FacebookAI/roberta-base, whose weights clark.yaml does not know"],
        ),
        ({"corpora": ["treebank", "wikipedia"]}, BERT, ["wikipedia"], ["other treebank"]),
        (
            {"translation_model": "fairseq"},
            TWIN,
            [],
            ["other model than fairseq, whose weights clark.yaml does not know"],
        ),
    ],
)
def test_what_keeps_numbers_from_being_compared_is_said(needs, model, corpora, expected):
    assert differences({"needs": needs}, PUBLICATION, model, corpora) == expected
