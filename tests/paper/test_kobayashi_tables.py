"""Printed tables of Kobayashi et al. 2020 and 2021: each number in its place, beside what was published."""

import itertools

import pandas as pd

from bert_attention.kobayashi.column_values import MIXING_LABELS, TEXTS, TOKENS
from bert_attention.paper import (
    kobayashi_table_correlation,
    kobayashi_table_dispersion,
    kobayashi_table_expansion,
    kobayashi_table_mixing,
    kobayashi_table_mixing_frequency,
)
from tests.paper.printed import published_values, rows


def combined(**columns):
    """A row for every combination of the columns' values."""
    return pd.DataFrame(itertools.product(*columns.values()), columns=list(columns))


def test_correlations_of_kinds_of_tokens_stand_in_the_papers_order():
    table = pd.DataFrame(
        {
            "category": ["other", "punctuation", "sep", "cls"],
            "spearman": [0.031, float("nan"), -0.5, -0.25],
            "low": [0.024, float("nan"), -0.625, -0.5],
            "high": [0.038, float("nan"), -0.375, 0],
            "n": [4000, 0, 20, 10],
        }
    )
    printed = kobayashi_table_correlation.format_table(table, published_values("kobayashi_correlation"))
    assert rows(printed) == {
        "[CLS]": ["−0.25 (−0.50 to 0.00)", "10", "−0.34†"],
        "[SEP]": ["−0.50 (−0.62 to −0.38)", "20", "−0.69†"],
        ". and ,": ["—", "0", "−0.25†"],
        "other tokens": ["0.03 (0.02–0.04)", "4,000", "−0.06†"],
    }
    assert len(printed.header) == 4


def test_averages_of_lengths_stand_beside_published_numbers():
    table = combined(vector=("input", "transformed", "weight", "weighted"), layer=(0, 1))
    table = table.assign(cv=0.3 - table["layer"], cv_low=0.2, cv_high=0.4, mean=4.125, low=4, high=4.25)
    table = table.assign(sd=1, sd_low=0.9, sd_high=1.1, max=8, min=0.0004)
    printed = kobayashi_table_dispersion.format_table(table, published_values("kobayashi_dispersion"))
    found = rows(printed)
    assert found["transformed vector f(x)"][:5] == [
        "0.30 (0.20–0.40)",
        "4.12 (4.00–4.25)",
        "1.00 (0.90–1.10)",
        "8.00",
        "0.00",
    ]
    assert found["transformed vector f(x)"][5:] == ["0.22†", "5.15†", "1.17†", "12.66†", "0.96†"]
    assert found["input vector x"][5:] == ["0.12†", *"————"]
    assert found["attention weight"] == [
        "0.300 (0.200–0.400)",
        "4.125 (4.000–4.250)",
        "1.000 (0.900–1.100)",
        "8.000",
        "0.000",
        *"—————",
    ]
    assert list(found)[3] == "weighted vector"
    assert printed.notes[-1] == "†: recalled, not read in the paper."
    assert [title for _, title in printed.header[1:6]] == ["cv", "mean", "sd", "max", "min"]


def test_the_mean_expansion_stands_beside_the_published_means():
    table = combined(variant=("released", "described"), layer=(0, 1, 2))
    table["expansion_rate"] = 1 + table["layer"] / 4 - (table["variant"] == "described") / 8
    printed = kobayashi_table_expansion.format_table(table, published_values("kobayashi_expansion"))
    assert rows(printed) == {
        "mean of the layers": ["1.000", "0.875", "0.877", "0.798", "1.238", "1.858"],
        "layer 1": ["1.250", "1.125", *"————"],
        "layer 2": ["1.500", "1.375", *"————"],
    }
    models = ["bert-base-uncased", "bert-large-uncased", "bert-mini", "bert-tiny"]
    assert [title for _, title in printed.header[3:]] == models


def test_mixing_of_both_texts_stands_beside_the_published_numbers_of_each_model():
    table = combined(text=TEXTS, layer=(0, 1), method=MIXING_LABELS)
    ratio = table["text"].map({"whole": 0.5, "masked": 0.25}) + table["layer"]
    table = table.assign(mixing_ratio=ratio, low=ratio - 0.05, high=ratio + 0.05, max=ratio + 0.1, min=ratio - 0.1, n=3)
    printed = kobayashi_table_mixing.format_table(table, published_values("kobayashi_mixing"))
    found = rows(printed)
    assert list(found) == list(MIXING_LABELS.values())
    masked, whole = ["25.00 (20.00–30.00)", "35.00", "15.00"], ["50.00 (45.00–55.00)", "60.00", "40.00"]
    assert found["norms, residual"] == [*masked, *whole, "22.25", "65.70", "2.04", "19.55"]
    assert found["weights"][6:] == ["96.41", "99.99", "45.04", "95.81"]
    titles = ("replicated, masked", "replicated, whole text", "published, bert-base-uncased")
    shared = [title for title in titles for _ in range(3)]
    assert [title for title, _ in printed.header] == ["", *shared, "published, roberta-base"]


def test_mixing_by_frequency_in_both_texts_stands_beside_what_was_published_on_the_whole():
    table = combined(text=TEXTS, layer=(0, 1), method=MIXING_LABELS, tokens=TOKENS)
    values = table["text"].map({"whole": -0.5, "masked": -0.25}) + table["tokens"].map({"all": 0.0, TOKENS[0]: 0.125})
    values += table["layer"]
    table = table.assign(spearman=values, low=values - 0.25, high=values + 0.125, n=3)
    found = rows(kobayashi_table_mixing_frequency.format_table(table, published_values("kobayashi_mixing_frequency")))
    assert list(found) == list(MIXING_LABELS.values())
    assert found["norms"] == [
        "−0.500 (−0.750 to −0.375)",
        "−0.250 (−0.500 to −0.125)",
        "−0.387",
        "−0.375 (−0.625 to −0.250)",
        "−0.125 (−0.375 to 0.000)",
        "−0.413",
    ]
    assert found["weights, residual"][2] == "0.159"
