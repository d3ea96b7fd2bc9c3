"""All models side by side, as printed."""

import numpy as np
import pytest

from bert_attention.paper.comparison_table_headlines import format_table
from bert_attention.paper.layout import as_latex, as_markdown
from tests.comparison.tables import comparison, tables_of_model
from tests.paper.printed import rows


def printed(**models):
    return format_table(comparison(**models))


def test_a_column_for_each_model():
    table = printed(five=tables_of_model(5), eleven=tables_of_model(11))
    assert [own for _, own in table.header] == ["", "five", "eleven"]
    cells = rows(table)
    assert cells["layers"] == ["5", "11"]
    assert cells["attention to the previous token, mean of all heads"] == ["1.8", "2.1"]
    assert cells["attention to the previous token, highest head"] == ["2.5 (5-2)", "3.1 (11-2)"]
    assert cells["attention to [SEP], highest layer"] == ["1.0 (5)", "1.3 (11)"]
    assert cells["share of [SEP] by norm, mean of layers"] == ["3.0", "6.0"]
    assert cells["best head of all dependency relations"] == ["50.0 (45.0–55.0)"] * 2
    assert cells["best fixed offset"] == ["30.0 (27.0–33.0)"] * 2
    assert cells["relations that a head finds better than an offset"] == ["1 of 2"] * 2
    assert cells["probe of attention and word vectors, UAS"] == ["75.0 (67.5–82.5)"] * 2
    assert cells["weight and norm, Spearman, [SEP]"] == ["−0.60 (−0.66 to −0.54)"] * 2
    assert not [note for note in table.notes if "no number" in note]
    assert as_markdown(table) and as_latex(table).startswith(r"\begin{tabular}{lrr}")


@pytest.mark.parametrize("poor", ["first", "second"])
def test_a_model_that_lacks_a_number_is_named(poor):
    models = {"first": tables_of_model(4), "second": tables_of_model(4)}
    positions = models[poor]["clark_positions"]
    positions.loc[positions["target"] == "sep_from_sep", "attention"] = np.nan
    models[poor]["kobayashi_correlation"].loc[1, "spearman"] = np.nan
    table = printed(**models)
    place = ["first", "second"].index(poor)
    for label in ("attention to [SEP], highest layer", "weight and norm, Spearman, [SEP]"):
        assert rows(table)[label][place] == "—" != rows(table)[label][1 - place]
    (note,) = [note for note in table.notes if "no number" in note]
    assert note.startswith(f"{poor} has no number for: attention to [SEP], mean of all heads; ")
    assert note.endswith("; weight and norm, Spearman, [SEP].")
