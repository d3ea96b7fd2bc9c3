"""Table 2 of Kobayashi et al. 2021, as printed."""

import itertools

import pandas as pd

from bert_attention.kobayashi.column_values import MIXING_LABELS, TEXTS, TOKENS
from bert_attention.paper.kobayashi_table_mixing_frequency import lay_out
from tests.paper.kobayashi_tables import published, rows

NAME = "kobayashi_mixing_frequency"


def test_both_texts_stand_beside_what_was_published_on_the_whole():
    places = itertools.product(TEXTS, (0, 1), MIXING_LABELS, TOKENS)
    table = pd.DataFrame(places, columns=["text", "layer", "method", "tokens"])
    values = table["text"].map({"whole": -0.5, "masked": -0.25}) + table["tokens"].map({"all": 0.0, TOKENS[0]: 0.125})
    found = rows(lay_out(table.assign(spearman=values + table["layer"], n=3), published(NAME)))
    assert list(found) == list(MIXING_LABELS.values())
    assert found["norms"] == ["−0.500", "−0.250", "−0.387", "−0.375", "−0.125", "−0.413"]
    assert found["weights, residual"][2] == "0.159"
