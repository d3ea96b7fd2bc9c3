"""The rules that judge claims: how often they are right where the truth is known."""

import pytest

from benchmarks.judgment import CASES, claims_with_numbers, page, verdicts
from benchmarks.report import PAGE


def share(case, verdict):
    found = verdicts(case)
    assert found.total() > 50
    return found[verdict] / found.total()


@pytest.mark.parametrize("noise", ["without noise", "intervals of a quarter of the margin"])
def test_what_was_published_is_reproduced(noise):
    assert share(f"the published numbers, {noise}", "reproduced") == 1


def test_wide_intervals_reproduce_nothing():
    for case in ("as wide as the margin", "of three margins"):
        assert share(f"the published numbers, intervals {case}", "reproduced") == 0


@pytest.mark.parametrize("case", ["off by two margins", "zeros"])
def test_what_is_far_off_is_never_reproduced(case):
    assert share(case, "not reproduced") == 1


@pytest.mark.parametrize("case", ["off by a margin", "lists: their mean everywhere", "lists: in another order"])
def test_what_is_off_is_rarely_reproduced(case):
    assert share(case, "reproduced") < 0.1


def test_margins_are_at_most_a_fifth_and_have_reasons():
    for _, claim, _ in claims_with_numbers():
        assert claim["margin_reason"]


def test_the_page_says_what_the_rules_do():
    text = page()
    assert set(CASES) <= {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()}
    assert text in PAGE.read_text(encoding="utf-8")
