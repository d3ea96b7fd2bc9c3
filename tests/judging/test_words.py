"""Numbers of the scoreboard in words."""

from math import inf, nan

import pytest

from bert_attention.judging.words import interval_text


@pytest.mark.parametrize(
    ("numbers", "unit", "text"),
    [
        ((0.771234, 0.7512, 0.79), "%", "77.1 (75.1–79.0)"),
        ((0.0196, 0.0191, 0.0201), "%", "1.96 (1.91–2.01)"),
        ((-0.000592, -0.00637, 0.00519), "\N{GREEK SMALL LETTER RHO}", "−0.0006 (−0.0064 to 0.0052)"),
        ((-0.5969, -0.6032, -0.59), "\N{GREEK SMALL LETTER RHO}", "−0.597 (−0.603 to −0.590)"),
        ((0.0774, 0.0533, 0.1021), "", "0.077 (0.053–0.102)"),
        ((1234.5, 1200.4, 1268.6), "", "1234 (1200–1269)"),
        ((3, 1.2, 4.8), "heads", "3.0 (1.2–4.8)"),
        ((3, 1, 4), "heads", "3 (1–4)"),
        ((3, 3, 3), "heads", "3 (3–3)"),
        ((0.25, nan, nan), "%", "25"),
        ((0.5, 0.5 - 1e-12, 0.5 + 1e-12), "", "0.5 (0.5–0.5)"),  # an interval of rounding noise
        ((nan, nan, nan), "", "—"),
        ((2, -inf, inf), "", "2 (−inf to inf)"),
    ],
)
def test_a_number_has_the_decimals_of_its_interval(numbers, unit, text):
    assert interval_text(*numbers, unit) == text
