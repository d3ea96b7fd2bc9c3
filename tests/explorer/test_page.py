"""The page as a file: it needs no other files, and texts cannot become elements or code."""

import json
import re
from html.parser import HTMLParser

import pytest

from bert_attention.errors import InputError
from bert_attention.explorer.data import packed
from bert_attention.explorer.notes import Fact, Finding
from bert_attention.explorer.page import _read, findings_in, packed_findings, page
from tests.conftest import ROOT
from tests.explorer.sequences import random_sequence

CODE = ["</script><script>alert(1)</script>", "<!--", "&amp;", '"', "'", "\u2028", "שלום", "🤗", "\\u003c"]
HOSTILE = ["[CLS]", *CODE, "[SEP]"]


class Reader(HTMLParser):
    """Collects the elements and scripts of a page."""

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


def hostile_page(**changes):
    finding = Finding("<b>", "&</script>", '"', "share", {(1, 2): Fact(0.5, 0.44444444, None, 7, None, "<i>")})
    arguments = {"model": "m</title><b>", "found": packed_findings([finding], "abc"), "about": "<i>"} | changes
    return page(layers=1, heads=2, sequences=[packed(random_sequence(1, 2, HOSTILE))], **arguments)


def test_texts_stay_texts_and_nothing_is_loaded():
    html = hostile_page()
    found = Reader(html)
    content = json.loads(found.scripts[0])
    assert content["sequences"][0]["sides"][0]["tokens"] == HOSTILE
    assert content["model"] == "m</title><b>"
    assert content["found"]["first"] == [0, 0]
    (finding,) = content["found"]["findings"]
    assert (finding["group"], finding["label"], finding["corpus"]) == ("<b>", "&</script>", '"')
    assert finding["facts"] == {"1-2": [0.5, 0.4444, None, 7, None, "<i>"]}
    plain = page("m", 1, 2, [packed(random_sequence(1, 2, ["[CLS]", "a", "[SEP]"]))])
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in Reader(plain).elements]
    assert "<!--" not in html.partition('class="data"')[2].partition("</script>")[0]
    for _, attributes in found.elements:
        assert not {"src", "srcset", "action"} & attributes.keys()
        assert attributes.get("href", "data:").startswith("data:")
    assert "default-src 'none'" in html
    assert "@import" not in html
    assert html.replace("http://www.w3.org/2000/svg", "").count("http") == 1  # http-equiv


def test_findings_can_be_read_from_a_page(tmp_path):
    file = tmp_path / "explorer.html"
    file.write_text(hostile_page(), encoding="utf-8")
    model, found = findings_in(file)
    assert (model, found["weights"]) == ("m</title><b>", "abc")
    assert hostile_page(found=found) == hostile_page()
    file.write_text("<p>other</p>", encoding="utf-8")
    with pytest.raises(InputError, match="is not a page of this explorer"):
        findings_in(file)


def test_the_docs_list_the_keys_of_the_page():
    docs = (ROOT / "docs" / "explorer.md").read_text(encoding="utf-8").partition("## Keys")[2].partition("##")[0]
    in_docs = re.findall(r"^\| (.+?) \| ", docs, flags=re.M)[1:]
    keys = _read("page.js").partition("const KEYS = [")[2].partition("\n];")[0]
    assert in_docs == re.findall(r'^  \["(.+?)", "', keys, flags=re.M)
