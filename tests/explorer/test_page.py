"""The page as a file: it stands alone, and no text can break out of its place."""

import json
from html.parser import HTMLParser

from bert_attention.explorer.data import packed
from bert_attention.explorer.notes import Fact, Note
from bert_attention.explorer.page import page
from tests.explorer.sequences import random_sequence

HOSTILE = [
    "[CLS]",
    "</script><script>alert(1)</script>",
    "<!--",
    "&amp;",
    '"',
    "'",
    "\u2028",
    "שלום",
    "🤗",
    "\\u003c",
    "[SEP]",
]


class Reader(HTMLParser):
    """Collects the elements of a page, and what is in its scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self.lasttag == "script":
            self.scripts[-1] += data


def made(**changes):
    notes = {(1, 2): Note("</script>", [Fact("<b>", "&", '"', 0.5)])}
    arguments = {"model": "m</title><b>", "notes": notes, "about": "<i>"} | changes
    return page(layers=1, heads=2, sequences=[packed(random_sequence(1, 2, HOSTILE))], **arguments)


def test_texts_come_back_as_they_were():
    found = Reader(made())
    content = json.loads(found.scripts[0])
    assert content["sequences"][0]["tokens"] == HOSTILE
    assert content["model"] == "m</title><b>"
    assert content["notes"] == {"1-2": {"brief": "</script>", "facts": [["<b>", "&", '"', 0.5]]}}
    assert content["first"] == [0, 0]


def test_texts_make_no_elements():
    plain = page("m", 1, 2, [packed(random_sequence(1, 2, ["[CLS]", "a", "[SEP]"]))], {})
    assert [tag for tag, _ in Reader(made()).elements] == [tag for tag, _ in Reader(plain).elements]
    assert "<!--" not in made().partition('id="data"')[2].partition("</script>")[0]


def test_the_page_loads_nothing_from_elsewhere():
    for _, attributes in Reader(made()).elements:
        assert not {"src", "srcset", "action"} & attributes.keys()
        assert attributes.get("href", "data:").startswith("data:")
    assert "default-src 'none'" in made()
    assert "@import" not in made()
    assert made().replace("http://www.w3.org/2000/svg", "").count("http") == 1  # http-equiv
