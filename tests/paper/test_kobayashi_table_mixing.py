"""Table 1 of Kobayashi et al. 2021, as printed."""

import itertools

import pandas as pd

from bert_attention.kobayashi.column_values import MIXING_LABELS, TEXTS
from bert_attention.paper.kobayashi_table_mixing import lay_out
from tests.paper.kobayashi_tables import published, rows

NAME = "kobayashi_mixing"


def test_both_texts_stand_beside_the_published_numbers_of_each_model():
    table = pd.DataFrame(itertools.product(TEXTS, (0, 1), MIXING_LABELS), columns=["text", "layer", "method"])
    ratio = table["text"].map({"whole": 0.5, "masked": 0.25}) + table["layer"]
    printed = lay_out(table.assign(mixing_ratio=ratio, max=ratio + 0.1, min=ratio - 0.1, n=3), published(NAME))
    found = rows(printed)
    assert list(found) == list(MIXING_LABELS.values())
    masked, whole = ["25.00", "35.00", "15.00"], ["50.00", "60.00", "40.00"]
    assert found["norms, residual"] == [*masked, *whole, "22.25", "65.70", "2.04", "19.55"]
    assert found["weights"][6:] == ["96.41", "99.99", "45.04", "95.81"]
    shared = [title for title, _ in printed.header]
    assert shared == [
        "",
        *["replicated, masked"] * 3,
        *["replicated, whole text"] * 3,
        *["published, bert-base-uncased"] * 3,
        "published, roberta-base",
    ]
