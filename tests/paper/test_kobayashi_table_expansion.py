"""Expansion rates of Kobayashi et al. 2021, as printed."""

import itertools

import pandas as pd

from bert_attention.paper.kobayashi_table_expansion import lay_out
from tests.paper.kobayashi_tables import published, rows

NAME = "kobayashi_expansion"


def test_the_mean_stands_beside_the_published_means():
    table = pd.DataFrame(itertools.product(("released", "described"), (0, 1, 2)), columns=["variant", "layer"])
    table["expansion_rate"] = 1 + table["layer"] / 4 - (table["variant"] == "described") / 8
    printed = lay_out(table, published(NAME))
    assert rows(printed) == {
        "mean of the layers": ["1.000", "0.875", "0.877", "0.798", "1.238", "1.858"],
        "layer 1": ["1.250", "1.125", *"————"],
        "layer 2": ["1.500", "1.375", *"————"],
    }
    assert [title for _, title in printed.header[3:]] == [
        "bert-base-uncased",
        "bert-large-uncased",
        "bert-mini",
        "bert-tiny",
    ]
