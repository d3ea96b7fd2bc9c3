"""Verdicts follow from what was published and what was measured."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.publications import Publication
from bert_attention.claims.queries import Measured, NothingFoundError
from bert_attention.claims.verdicts import differences, judge, not_measured, published_numbers
from bert_attention.errors import InputError
from tests.replicates import within

CURVE = {"figure": "f", "series": "a", "provenance": "recalled", "by_layer": [0.1, 0.2, 0.3, 0.4]}
ROWS = [{"task": "rte", "sep": 0.5, "cls": 0.1}, {"task": "mnli", "sep": 0.3, "cls": 0.2}]
BY_HEAD = [{"layer": 1, "by_head": [0.1, 0.2]}, {"layer": 2, "by_head": [0.3, 0.4]}]
PUBLICATION = Publication(
    Path("clark.yaml"),
    "google-bert/bert-base-uncased",
    4,
    claims=(),
    curves=(CURVE,),
    tables={"figure_7": {"rows": ROWS}, "figure_3": {"rows": BY_HEAD}},
)
BERT = {"name": "bert", "source": "hub:google-bert/bert-base-uncased@86b5"}


def measured(numbers, margin):
    """Numbers whose intervals have this margin on either side; none without it."""
    table = pd.DataFrame({"number": numbers})
    left_out = [] if margin is None else within(table, number=margin).left_out
    return Measured(numbers, [table["number"] for table in left_out])


def cell(value, margin=None):
    return measured(pd.Series({"value": float(value)}), margin)


def by_layer(*values, margin=None):
    index = pd.MultiIndex.from_tuples([(layer,) for layer in range(1, len(values) + 1)], names=["layer"])
    return measured(pd.Series(values, index=index, dtype=float), margin)


def verdict(claim, measured, reasons=()):
    result = judge({"id": "C01", **claim}, PUBLICATION, measured, list(reasons))
    return result.verdict, result.direction


@pytest.mark.parametrize(
    ("claim", "measured", "expected"),
    [
        ({"value": 0.5, "tolerance": 0.02}, cell(0.52), ("reproduced", "")),
        ({"value": 0.5, "tolerance": 0.02}, cell(0.48), ("reproduced", "")),
        ({"value": 0.5, "tolerance": 0.02}, cell(0.53), ("not reproduced", "")),
        ({"value": 0.5, "tolerance": 0.02}, cell(0.47), ("not reproduced", "")),
        ({"value": 0.5, "tolerance": 0.02}, cell(0.6, margin=0.11), ("reproduced", "")),  # inside the interval
        ({"value": 0.5, "tolerance": 0.02}, cell(0.6, margin=0.09), ("not reproduced", "")),
        ({"value": 0.5, "tolerance": 0.02, "holds": {"above": 0.5}}, cell(0.6), ("direction only", "holds")),
        ({"value": 0.5, "tolerance": 0.02, "holds": {"below": 0.5}}, cell(0.6), ("not reproduced", "does not hold")),
        ({"range": [0.3, 0.4]}, cell(0.35), ("reproduced", "")),
        ({"range": [0.3, 0.4], "tolerance": 0.05}, cell(0.44), ("reproduced", "")),
        ({"range": [0.3, 0.4], "tolerance": 0.05}, cell(0.24), ("not reproduced", "")),
        ({"holds": {"above": 0}}, cell(0.1), ("reproduced", "holds")),
        ({"holds": {"above": 0}}, cell(-0.1), ("not reproduced", "does not hold")),
        ({"holds": {"between": [0, 1]}}, cell(1), ("reproduced", "holds")),
        ({"holds": {"equals": [2, 4]}}, Measured(pd.Series([2.0, 4.0])), ("reproduced", "holds")),
        ({"holds": {"equals": [2, 4]}}, Measured(pd.Series([2.0])), ("not reproduced", "does not hold")),
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.25), ("reproduced", "holds")),
        ({"holds": {"above": 0.2}}, by_layer(0.3, 0.1), ("not reproduced", "does not hold")),
    ],
)
def test_a_comparable_claim_is_judged(claim, measured, expected):
    assert verdict(claim, measured) == expected


def test_where_numbers_cannot_be_compared_only_the_direction_is_judged():
    claim = {"value": 0.5, "tolerance": 0.02, "holds": {"above": 0.4}}
    assert verdict(claim, cell(0.5), ["other treebank"]) == ("not comparable", "holds")
    assert verdict(claim, cell(0.3), ["other treebank"]) == ("not comparable", "does not hold")


def test_a_curve_is_compared_by_the_mean_difference():
    claim = {"values": {"figure": "f", "series": "a"}, "tolerance": 0.05, "holds": {"correlation_above": 0.5}}
    near = judge({"id": "C01", **claim}, PUBLICATION, by_layer(0.2, 0.2, 0.3, 0.5), [])
    assert (near.verdict, near.cells) == ("reproduced", 4)
    assert (near.published, near.replicated, near.difference) == pytest.approx((0.25, 0.3, 0.05))
    assert verdict(claim, by_layer(0.3, 0.4, 0.5, 0.6)) == ("direction only", "holds")
    assert verdict(claim, by_layer(0.6, 0.5, 0.4, 0.3)) == ("not reproduced", "does not hold")


def test_several_numbers_have_the_interval_of_their_mean_which_does_not_judge_them():
    claim = {"values": {"figure": "f", "series": "a"}, "tolerance": 0.05}
    result = judge({"id": "C01", **claim}, PUBLICATION, by_layer(0.4, 0.3, 0.2, 0.1, margin=0.03), [])
    assert (result.replicated, result.low, result.high) == pytest.approx((0.25, 0.22, 0.28))
    assert result.low < result.published < result.high
    assert result.verdict == "not reproduced"  # each differs


def test_a_curve_of_another_depth_is_read_at_the_same_relative_depth():
    claim = {"id": "C01", "values": {"figure": "f", "series": "a"}, "tolerance": 0.01}
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
    claim = {"values": asked, "tolerance": 0.01}
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
    claim = {"id": "K06", "values": {"table": "figure_7", "keys": ["task"], "column": "sep"}, "tolerance": 0.1}
    index = pd.MultiIndex.from_tuples([("mnli",), ("sst2",)], names=["task"])
    result = judge(claim, PUBLICATION, Measured(pd.Series([0.35, 0.9], index=index)), [])
    assert (result.verdict, result.cells, result.published) == ("reproduced", 1, 0.3)


def test_numbers_without_a_shared_key_are_no_finding():
    claim = {"id": "K06", "values": {"table": "figure_7", "keys": ["task"], "column": "sep"}, "tolerance": 0.1}
    index = pd.MultiIndex.from_tuples([("qqp",)], names=["task"])
    with pytest.raises(NothingFoundError, match="claim K06: shares no task with what was measured"):
        judge(claim, PUBLICATION, Measured(pd.Series([0.35], index=index)), [])


def test_a_curve_that_does_not_vary_has_not_the_published_shape():
    claim = {"values": {"figure": "f", "series": "a"}, "tolerance": 0, "holds": {"correlation_above": 0.5}}
    assert verdict(claim, by_layer(0.2, 0.2, 0.2, 0.2)) == ("not reproduced", "does not hold")


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
        ({}, {"name": "bert-base-uncased", "source": "path:/data/bert"}, [], []),
        (
            {},
            {"name": "mini", "source": "hub:google-bert/bert-base-uncased-mini@1"},
            [],
            ["other model than google-bert/bert-base-uncased"],
        ),
        ({"model": None}, {"name": "mini", "source": "path:/m"}, [], []),
        ({"model": "FacebookAI/roberta-base"}, BERT, [], ["other model than FacebookAI/roberta-base"]),
        ({"corpora": ["treebank", "wikipedia"]}, BERT, ["wikipedia"], ["other treebank"]),
        ({"translation_model": "fairseq"}, {"name": "opus", "source": "path:/m"}, [], ["other model than fairseq"]),
    ],
)
def test_what_keeps_numbers_from_being_compared_is_said(needs, model, corpora, expected):
    assert differences({"needs": needs}, PUBLICATION, model, corpora) == expected
