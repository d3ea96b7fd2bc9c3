"""Table 1 of Kobayashi et al. 2020, as printed."""

import itertools

import pandas as pd

from bert_attention.paper.kobayashi_table_dispersion import lay_out
from tests.paper.kobayashi_tables import published, rows

NAME = "kobayashi_dispersion"


def test_averages_stand_beside_published_numbers():
    vectors = ("input", "transformed", "weight", "weighted")
    table = pd.DataFrame(itertools.product(vectors, (0, 1)), columns=["vector", "layer"])
    table = table.assign(cv=0.3 - table["layer"], mean=4.125, sd=1, max=8, min=0.0004)
    printed = lay_out(table, published(NAME))
    found = rows(printed)
    assert found["transformed vector f(x)"][:5] == ["0.30", "4.12", "1.00", "8.00", "0.00"]
    assert found["transformed vector f(x)"][5:] == ["0.22†", "5.15†", "1.17†", "12.66†", "0.96†"]
    assert found["input vector x"][5:] == ["0.12†", *"————"]
    assert found["attention weight"] == ["0.300", "4.125", "1.000", "8.000", "0.000", *"—————"]
    assert list(found)[3] == "weighted vector"
    assert printed.notes[-1] == "†: recalled, not read in the paper."
    assert [title for _, title in printed.header[1:6]] == ["cv", "mean", "sd", "max", "min"]
