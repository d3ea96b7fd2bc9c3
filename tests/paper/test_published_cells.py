"""Published numbers in print: found by what their claims say, marked if they are recalled."""

import pandas as pd
import pytest

from bert_attention.paper.layout import NO_VALUE, decimal
from bert_attention.paper.published_cells import model_name, note_on_recalled, published_cell

PUBLISHED = pd.DataFrame(
    [
        {"id": "a", "value": -0.25, "provenance": "recalled", "category": "cls", "layer": 0},
        {"id": "b", "value": 0.5, "provenance": "official code", "category": "sep", "layer": 0},
        {"id": "c", "value": 0.7, "provenance": "official code", "category": "sep", "layer": 1},
    ]
)


def cell(**where):
    return published_cell(PUBLISHED, lambda value: decimal(value, 2), **where)


def test_a_recalled_number_is_marked():
    assert cell(category="cls") == "\N{MINUS SIGN}0.25\N{DAGGER}"
    assert cell(category="sep", layer=1) == "0.70"
    assert note_on_recalled(PUBLISHED) == ("\N{DAGGER}: recalled, not read in the paper.",)
    assert note_on_recalled(PUBLISHED[1:]) == ()


def test_what_was_not_published_is_a_dash():
    assert cell(category="other") == cell(unheard_of=1) == NO_VALUE


def test_two_claims_on_one_cell_are_refused():
    with pytest.raises(ValueError, match="b, c"):
        cell(category="sep")


def test_a_models_name_is_without_its_owner():
    assert (model_name("google-bert/bert-base-uncased"), model_name("mine")) == ("bert-base-uncased", "mine")
