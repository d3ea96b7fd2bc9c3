"""The rules that judge claims are right if the truth is known."""

import pytest

from benchmarks.judgment import CASES, claims_with_numbers, page, verdicts
from benchmarks.report import PAGE


@pytest.mark.parametrize(
    ("case", "verdict", "low", "high"),
    [
        ("the published numbers, without noise", "reproduced", 1, 1),
        ("the published numbers, intervals of a quarter of the margin", "reproduced", 1, 1),
        ("the published numbers, intervals as wide as the margin", "reproduced", 0, 0),
        ("the published numbers, intervals of three margins", "reproduced", 0, 0),
        ("off by a margin", "reproduced", 0, 0.1),
        ("off by two margins", "not reproduced", 1, 1),
        ("zeros", "not reproduced", 1, 1),
        ("lists: their mean everywhere", "reproduced", 0, 0.1),
        ("lists: in another order", "reproduced", 0, 0.1),
    ],
)
def test_share_of_a_verdict(case, verdict, low, high):
    found = verdicts(case)
    assert found.total() > 50
    assert low <= found[verdict] / found.total() <= high


def test_margins_have_reasons_and_the_page_is_up_to_date():
    assert all(claim.margin.reason for claim in claims_with_numbers())
    text = page()
    assert set(CASES) <= {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()}
    assert text in PAGE.read_text(encoding="utf-8")
