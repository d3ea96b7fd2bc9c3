"""Units of the numbers of claims."""

import pytest

from bert_attention.judging.units import in_unit
from bert_attention.results import RANK_CORRELATION


@pytest.mark.parametrize(
    ("text", "unit", "long", "short"),
    [
        ("97.2 (97–98)", "% of heads", "97.2% (97–98) of heads", "97.2% (97–98)"),
        ("1 (0–2)", "heads", "1 head (0–2)", "1 (0–2)"),
        ("3", "nats", "3 nats", "3 nats"),
        ("0.5 (0.4–0.6)", RANK_CORRELATION, "ρ = 0.5 (0.4–0.6)", "ρ = 0.5 (0.4–0.6)"),
        ("\N{EM DASH}", "points", "\N{EM DASH}", "\N{EM DASH}"),
        ("3", "", "3", "3"),
    ],
)
def test_the_text_of_a_number_in_a_unit(text, unit, long, short):
    assert (in_unit(text, unit), in_unit(text, unit, short=True)) == (long, short)
