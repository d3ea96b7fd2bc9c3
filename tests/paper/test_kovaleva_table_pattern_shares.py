"""Shares of patterns by task, as printed."""

import pandas as pd
import pytest

from bert_attention.claims.publications import published_rows
from bert_attention.corpora.types import PATTERNS
from bert_attention.paper.kovaleva_table_pattern_shares import lay_out
from tests.conftest import ROOT

FIGURE_2 = published_rows(ROOT / "workflow" / "claims" / "kovaleva.yaml", "figure_2")


def test_published_shares_are_of_all_seven_tasks_and_sum_to_one():
    assert sorted(FIGURE_2["task"]) == ["mnli", "mrpc", "qnli", "qqp", "rte", "sst2", "stsb"]
    assert FIGURE_2[list(PATTERNS)].sum(axis=1).tolist() == pytest.approx([1] * 7, abs=0.002)


def test_shares_stand_beside_the_published_ones_by_task():
    rows = [
        {"task": task, "model": model, "method": method, "pattern": pattern}
        | {"share": (place + 1) / 15, "low": place / 15, "high": (place + 2) / 15}
        for task in ("qqp", "mrpc")
        for model in ("pretrained", "finetuned")
        for method in ("classifier", "rules", "corrected")
        for place, pattern in enumerate(PATTERNS)
    ]
    table = lay_out(pd.DataFrame(rows), FIGURE_2)
    mrpc, qqp = table.groups
    assert [row[0].text for row in mrpc] == [
        "MRPC, fine-tuned, classifier",
        "MRPC, fine-tuned, corrected",
        "MRPC, fine-tuned, rules",
        "MRPC, pre-trained, classifier",
        "MRPC, pre-trained, corrected",
        "MRPC, pre-trained, rules",
        "MRPC, published",
    ]
    assert [cell.text for cell in mrpc[0][1:3]] == ["6.7 (0.0–13.3)", "13.3 (6.7–20.0)"]
    assert mrpc[0][-1].text == "60.0"
    assert [cell.text for cell in qqp[-1]] == ["QQP, published", "24.5", "8.3", "6.6", "2.9", "57.7", "60.6"]
