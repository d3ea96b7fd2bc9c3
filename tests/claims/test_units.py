"""Units of the numbers of claims."""

import pytest

from bert_attention.claims.units import in_unit, unit_of
from bert_attention.results import RANK_CORRELATION

ATTENTION = {"table": "clark_positions", "where": {"target": "sep"}, "column": "attention"}
ENTROPY = {"table": "clark_entropy", "where": {"source": "cls"}, "column": "entropy", "take": "mean"}
BY_LAYER = {"by": ["layer"], "minus": {"where": {"source": "all"}}}
VALUE = {"column": "value", "take": "mean"}


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        (ATTENTION | {"take": "mean"}, "%"),
        (ATTENTION | {"take": "mean", "minus": {"layers": [1, 2]}}, "points"),
        (ATTENTION | {"take": "mean", "divided_by": {"layers": [1, 2]}}, ""),
        (ATTENTION | {"take": {"number_above": 0.5}}, "heads"),
        (ATTENTION | {"take": {"share_below": 0.1}}, "% of heads"),
        (ATTENTION | {"where": {}, "take": {"share_below": 0.1}}, "%"),  # of heads and targets
        (ATTENTION | {"take": {"share_below": 0.1}, "minus": {"layers": [1, 2]}}, "points"),
        (ATTENTION | {"take": "list"}, ""),
        (ATTENTION | {"column": "layer", "take": "mean"}, ""),
        (ENTROPY, "nats"),
        (ENTROPY | BY_LAYER | {"over": "smallest"}, "nats"),
        (ENTROPY | BY_LAYER | {"over": {"share_within": 0.5}}, "% of layers"),
        (ENTROPY | BY_LAYER | {"over": {"number_above": 0.5}}, "layers"),
        (VALUE | {"table": "clark_importance"}, "nats per unit of attention"),
        (VALUE | {"table": "kovaleva_finetuning"}, ""),  # accuracy or correlation
        ({"table": "clark_probes", "column": "selectivity"}, "points"),
        ({"table": "kobayashi_correlation", "column": "spearman"}, RANK_CORRELATION),
        ({"table": "kobayashi_correlation", "column": "spearman", "minus": {"where": {"category": "sep"}}}, ""),
        ({"table": "kovaleva_pattern_predictions", "column": "map", "take": "count"}, ""),
    ],
)
def test_the_unit_of_a_query(query, unit):
    assert unit_of(query) == unit


@pytest.mark.parametrize(
    ("text", "unit", "long", "short"),
    [
        ("97.2 (97–98)", "% of heads", "97.2% (97–98) of heads", "97.2% (97–98)"),
        ("1 (0–2)", "heads", "1 head (0–2)", "1 (0–2)"),
        ("3", "nats", "3 nats", "3 nats"),
        ("0.5 (0.4–0.6)", RANK_CORRELATION, "ρ = 0.5 (0.4–0.6)", "ρ = 0.5 (0.4–0.6)"),
        ("\N{EM DASH}", "points", "\N{EM DASH}", "\N{EM DASH}"),
        ("3", "", "3", "3"),
    ],
)
def test_the_text_of_a_number_in_a_unit(text, unit, long, short):
    assert (in_unit(text, unit), in_unit(text, unit, short=True)) == (long, short)
