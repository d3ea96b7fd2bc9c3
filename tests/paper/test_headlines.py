"""The sentences that open the results page."""

import re

from bert_attention.paper.facts import read_facts
from bert_attention.paper.headlines import TABLES, filled_headlines, headlines, requested_facts
from tests.conftest import ROOT

FACTS = read_facts(ROOT / "workflow" / "report" / "facts.yaml", ROOT.glob("workflow/claims/*.yaml"))


def test_the_tables_are_those_of_the_facts():
    assert {FACTS[name].query["table"] for name in requested_facts()} == set(TABLES)


def test_the_front_page_has_the_first_four_in_the_same_words():
    front_page = (ROOT / "README.md").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<!--(\w+)-->.*?<!---->", r"{\1}", front_page, flags=re.S).split())
    for headline in headlines()[:4]:
        assert f"- **{headline.title}.** {headline.text}" in text


def test_sentences_without_their_numbers_are_left_out():
    known = {name: "7" for name in requested_facts() if not name.startswith("clark_objects")}
    filled = filled_headlines(known)
    assert [headline.title for headline in filled] == [
        "Neighbors",
        "Weight and norm",
        "Disabling heads",
        "Related words",
    ]
    assert filled[0].text.startswith("One head, 7 (its layer")
    assert not filled_headlines({})
