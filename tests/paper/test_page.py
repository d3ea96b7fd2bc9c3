"""The page of an edition's results."""

import re

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.scoreboard import STATEMENTS
from bert_attention.paper.page import markdown_table, results_page
from bert_attention.results import results

FIGURE, PRINTED, TABLE = "clark_figure_2_positions", "clark_table_3_probes", "clark_positions"
MARKDOWN = "| model | here \\| there |\n| :-- | --: |\n| **a** & b | 0.5 (0.4–0.6) |\n\nPer cent.  \nOver texts.\n"


def board():
    """Return a scoreboard with a fact of each verdict, a claim on a stand-in, and a restatement."""
    judged = [(f"C0{number}", "real", verdict, True) for number, verdict in enumerate(STATEMENTS)]
    rows = pd.DataFrame([*judged, ("C08", "stand-in", "", False), ("C09", "silver", "confirmed", False)])
    rows.columns = ["id", "text", "finding", "counted"]
    numbers = {"published": 0.5, "replicated": 0.25, "low": 0.2, "high": 0.3, "control_value": 0.1, "cells": 1.0}
    empty = [
        "published_list",
        "published_low",
        "published_high",
        "replicated_list",
        "reason",
        "restates",
        "control",
        "verdict",
    ]
    return rows.assign(
        paper="clark", model="bert", label="<b>heads</b> on [SEP]", statement='Heads "rest".', **numbers
    ).assign(**dict.fromkeys(empty))


@pytest.fixture
def page(edition, tmp_path):
    """The page of a run with a figure, a printed table, a table of numbers and a paper."""
    folder = tmp_path / "results"
    for name in (f"m/figures/{FIGURE}.png", f"m/tables/{PRINTED}.md", f"m/tables/{TABLE}.csv", "m/paper.pdf"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    matplotlib.image.imsave(folder / "m" / "figures" / f"{FIGURE}.png", np.zeros((20, 50)))
    (folder / "m" / "tables" / f"{PRINTED}.md").write_text(MARKDOWN, encoding="utf-8")
    edition = edition | {"models": [edition["models"][0] | {"name": "m"}]}
    said = {"m": {"clark_resting_token": "[SEP]", "clark_attention_to_resting_token": "40.0%"}}
    return results_page(edition, folder.rglob("*.*"), folder, board(), said)


def test_each_verdict_has_a_badge_and_each_claim_its_numbers(page):
    facts = page.partition('id="clark"')[2].partition("Not judged")[0]
    assert all(f'">{verdict}</span>' in facts for verdict in STATEMENTS)
    assert facts.count("<td>0.25 (0.2–0.3)</td>") == len(STATEMENTS)
    assert re.findall(r'class="faint">(C0\d)', page.partition("Not judged")[2]) == ["C08", "C09"]


def test_the_verdict_on_a_published_number_has_a_badge_beside_that_on_the_statement(edition, tmp_path):
    rows = board()
    rows.loc[0, "verdict"], rows.loc[6, "verdict"] = "reproduced", "not reproduced"
    page = results_page(edition, [], tmp_path, rows, {}).partition('id="clark"')[2]
    first, *_, last = re.findall(r"<tr><td title.*?</tr>", page.partition("Not judged")[0])
    assert re.findall(r'class="badge ([\w-]+)">([\w ]+)<', first) == [
        ("confirmed", "confirmed"),
        ("confirmed", "reproduced"),
    ]
    assert "C09" in last
    assert 'class="badge not-confirmed">not reproduced<' in last


def test_text_is_escaped(page):
    assert "&lt;b&gt;heads&lt;/b&gt; on [SEP]" in page
    assert "<b>heads" not in page
    assert 'title="Heads &#34;rest&#34;."' in page


def test_pictures_are_embedded_with_their_captions_and_links_are_relative(page):
    assert 'id="clark_figure_2"' in page
    assert 'src="data:image/png;base64,' in page
    assert 'width="50" height="20"' in page
    assert results().shown[FIGURE].caption.split(".")[0] in page
    links = re.findall(r'href="([^"#]+)"', page)
    assert {f"m/figures/{FIGURE}.pdf", f"m/tables/{PRINTED}.md", f"m/tables/{TABLE}.csv", "m/paper.pdf"} == set(links)
    assert "http" not in re.sub(r"<code>[^<]*</code>", "", page).replace("http-equiv", "")


def test_a_printed_table_becomes_cells():
    assert markdown_table(MARKDOWN) == {
        "header": ["model", "here | there"],
        "sides": ["", "right"],
        "rows": [["a & b", "0.5 (0.4–0.6)"]],
        "notes": ["Per cent.", "Over texts."],
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_is_wider_than_the_window(browser, page, tmp_path, width, theme):
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "index.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 29)"}[theme]
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"}
    tab.close()
