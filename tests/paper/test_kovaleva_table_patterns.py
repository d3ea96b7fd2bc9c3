"""The printed table on how well patterns of attention are told apart."""

import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.column_values import PATTERN_AVERAGES
from bert_attention.paper.kovaleva_table_patterns import format_table
from tests.paper.printed import published_values, rows

NAN = float("nan")


@pytest.fixture
def kovaleva_pattern_classifier():
    rows = [
        {"fold": fold, "method": method, "pattern": pattern, "f1": 0.3 + place / 10 - fold / 20}
        | {"low": NAN if fold else 0.2, "high": NAN if fold else 0.95, "n": 10 * place + 10}
        | {"f1_sd": place / 100 if method == "one_network" else NAN}
        for fold in (0, 1)
        for method in ("classifier", "one_network", "rules", "second_pass")
        for place, pattern in enumerate((*PATTERNS, *PATTERN_AVERAGES))
    ]
    return pd.DataFrame(rows)


def printed(table, agreement):
    return format_table(table, agreement, published_values("kovaleva_pattern_classifier"))


def test_f1_of_all_folds_stands_beside_the_published_one(kovaleva_pattern_classifier):
    agreement = pd.DataFrame(
        [{"first": "first_pass", "second": "second_pass", "kappa": 0.8, "low": 0.75, "high": 0.85, "n": 432}]
    )
    table = printed(kovaleva_pattern_classifier, agreement)
    columns = ["pattern", "maps", "classifier, held out", "one network", "rules", "second pass", "F1"]
    assert [name for _, name in table.header] == columns
    found = rows(table)
    assert found["macro average"] == ["80", *["1.00 (0.20–0.95)"] * 4, "0.86"]
    assert found["accuracy"] == ["60", *["0.80 (0.20–0.95)"] * 4, "—"]
    assert found["vertical + diagonal"] == ["30", *["0.50 (0.20–0.95)"] * 4, "—"]
    assert list(found)[-3:] == ["accuracy", "weighted average", "macro average"]
    assert any("is 0.07 (macro average) and 0.05 (accuracy)" in note for note in table.notes)
    assert "Cohen's kappa of first pass and second pass: 0.80 (0.75–0.85), on 432 maps." in table.notes


def test_a_single_pass_has_no_agreement(kovaleva_pattern_classifier):
    alone = pd.DataFrame([{"first": "mine", "second": NAN, "kappa": NAN, "low": NAN, "high": NAN, "n": 400}])
    table = printed(kovaleva_pattern_classifier.query("method != 'second_pass'"), alone)
    assert not [note for note in table.notes if "kappa" in note]
    assert len(table.header) == 6
