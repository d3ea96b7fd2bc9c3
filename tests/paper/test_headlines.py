"""The sentences that open the results page."""

import re

from bert_attention.paper.headlines import filled_headlines, headlines, requested_numbers
from bert_attention.papers import paper
from bert_attention.results import results
from tests.conftest import ROOT


def test_the_numbers_of_the_sentences_exist():
    assert {*requested_numbers()} <= {name for each in results().papers for name in paper(each).numbers}


def test_the_front_page_has_the_first_four_in_the_same_words():
    front_page = (ROOT / "README.md").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<!--(\w+)-->.*?<!---->", r"{\1}", front_page, flags=re.S).split())
    for headline in headlines()[:4]:
        assert f"- **{headline.title}.** {headline.text}" in text


def test_sentences_without_their_numbers_are_left_out():
    known = {name: "7" for name in requested_numbers() if not name.startswith("clark_objects")}
    filled = filled_headlines(known)
    assert [headline.title for headline in filled] == [
        "Neighbors",
        "Disabling heads",
        "Weight and norm",
        "Related words",
    ]
    assert filled[0].text.startswith("One head, 7 (its layer")
    assert not filled_headlines({})
