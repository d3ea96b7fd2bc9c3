"""Shares of patterns by task, as printed."""

import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.paper.kovaleva_table_pattern_shares import format_table
from tests.figures.kovaleva.scores import learned
from tests.paper.printed import published_rows

FIGURE_2 = published_rows("kovaleva", "figure_2")


def test_published_shares_are_of_all_seven_tasks_and_sum_to_one():
    assert sorted(FIGURE_2["task"]) == ["mnli", "mrpc", "qnli", "qqp", "rte", "sst2", "stsb"]
    assert FIGURE_2[list(PATTERNS)].sum(axis=1).tolist() == pytest.approx([1] * 7, abs=0.002)


def test_shares_stand_beside_the_published_ones_by_task():
    rows = [
        {"task": task, "model": model, "method": method, "pattern": pattern}
        | {"share": (place + 1) / 20, "low": place / 20, "high": (place + 2) / 20}
        for task in ("qqp", "mrpc")
        for model in ("pretrained", "finetuned")
        for method in ("classifier", "rules", "corrected")
        for place, pattern in enumerate((*PATTERNS, "block_or_heterogeneous"))
        if method != "corrected" or pattern not in ("block", "heterogeneous")
    ]
    table = format_table(pd.DataFrame(rows), learned("mrpc"), FIGURE_2)
    mrpc, qqp = table.groups
    methods = ("classifier", "corrected", "rules")
    replicated = [f"MRPC, {weights}, {method}" for weights in ("fine-tuned", "pre-trained") for method in methods]
    assert [row[0] for row in mrpc] == [*replicated, "MRPC, published"]
    assert mrpc[0][1:3] == ["5.0 (0.0–10.0)", "10.0 (5.0–15.0)"]
    assert mrpc[0][-1] == "30.0 (25.0–35.0)"
    assert mrpc[1][3:] == ["15.0 (10.0–20.0)", "—", "—", "30.0 (25.0–35.0)"]
    assert [row[0] for row in qqp[2:4]] == ["QQP, fine-tuned°, rules", "QQP, pre-trained, classifier"]
    assert qqp[-1] == ["QQP, published", "24.5", "8.3", "6.6", "2.9", "57.7", "60.6"]
