"""The page and the guide of an edition's results."""

import re
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.summaries import Summary
from bert_attention.judging.claims import numbers_in
from bert_attention.judging.words import STATEMENTS
from bert_attention.paper.guide import results_guide
from bert_attention.paper.headlines import headlines
from bert_attention.paper.page import markdown_table, results_page
from bert_attention.results import results
from bert_attention.tables import columns_of
from bert_attention.tokenization.delimiters import Delimiters
from tests.paper.kinds_of_corpora import with_every_kind

FIGURE, PRINTED, TABLE = "clark_figure_2_positions", "clark_table_3_probes", "clark_positions"
FACTS = {"m": {"clark_resting_token": "[SEP]", "clark_attention_to_resting_token": "40.0%"}}
MARKDOWN = "| model | here \\| there |\n| :-- | --: |\n| **a** & b | 0.5 (0.4–0.6) |\n\nPercent.  \nOver texts.\n"


def board():
    """Return a scoreboard with a fact of each verdict, a claim on a stand-in, and a claim that is not counted."""
    facts = [(f"C0{number}", "real", verdict, True) for number, verdict in enumerate(STATEMENTS)]
    rows = [*facts, ("C08", "stand-in", None, False), ("C09", "silver", "confirmed", False)]
    table = pd.DataFrame(rows, columns=["id", "text", "finding", "counted"]).reindex(columns=columns_of("scoreboard"))
    table = table.astype({"verdict": object, "reason": object})
    table = table.assign(provenance="transcribed", paper="clark", work="Clark et al. 2019", model="bert")
    table = table.assign(label="<b>heads</b> on [SEP]", statement='Heads "rest".', place="section 3", table=TABLE)
    return table.assign(published=0.5, replicated=0.25, low=0.2, high=0.3, control_value=0.1, cells=1.0)


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
    summaries = [Summary("treebank, dev", {"sentences": 4}, example=[("words", "long " * 40), ("heads", "x" * 90)])]
    return results_page(edition, folder.rglob("*.*"), folder, board(), FACTS, summaries=summaries)


def test_each_verdict_has_a_badge_and_each_claim_its_numbers(page):
    facts = page.partition('id="clark"')[2].partition("Not judged")[0]
    assert all(f'">{verdict}</span>' in facts for verdict in STATEMENTS)
    assert facts.count('<td class="here" data-title="Here">0.250 (0.200–0.300)</td>') == len(STATEMENTS)
    assert re.findall(r'<tr id="(C0\d)"', page.partition("Not judged")[2]) == ["C08", "C09"]
    assert "<strong>&lt;b&gt;heads&lt;/b&gt; on [SEP]</strong>" in facts
    assert "Heads &#34;rest&#34; (section 3)." in facts
    assert "<b>heads" not in page


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("provenance", "recalled", "on [SEP]\N{DAGGER}</strong>"),
        ("text", "model-labeled", " Evidence: model-labeled.</span>"),
    ],
)
def test_findings_show_if_they_are_recalled_or_on_labels_by_a_model(edition, tmp_path, column, value, shown):
    rows = board()
    assert shown not in results_page(edition, [], tmp_path, rows, {})
    rows.loc[0, column] = value
    assert results_page(edition, [], tmp_path, rows, {}).count(shown) == 1


@pytest.mark.parametrize("holds", ["", "8 of 9"])
def test_findings_have_a_column_of_other_choices_if_these_were_tried(edition, tmp_path, holds):
    shown = results_page(edition, [], tmp_path, board().assign(holds=holds), {})
    assert shown.count('<td data-title="Holds under">8 of 9</td>') == (len(STATEMENTS) if holds else 0)
    assert shown.count(">Holds under</th>") == bool(holds)


@pytest.mark.parametrize("works", [["Clark et al. 2019"], ["Clark et al. 2019", "Clark et al. 2021"]])
def test_the_works_of_a_paper_have_tables_of_their_own(edition, tmp_path, works):
    rows = board()
    rows.loc[rows["id"] < "C03", "work"] = works[-1]
    page = results_page(edition, [], tmp_path, rows, {}).partition('id="clark"')[2].partition("Not judged")[0]
    assert re.findall(r"<h3>(.*)</h3>", page) == (works[::-1] if len(works) > 1 else [])
    assert page.count('class="findings"') == len(works)


def test_the_verdict_on_a_published_number_has_a_badge(edition, tmp_path):
    rows = board()
    rows.loc[0, "verdict"], rows.loc[7, "verdict"] = "reproduced", "not reproduced"
    page = results_page(edition, [], tmp_path, rows, {}).partition('id="clark"')[2]
    first, *_, last = re.findall(r"<tr id=.*?</tr>", page.partition("Not judged")[0], flags=re.S)
    badges = re.findall(r'class="badge ([\w-]+)">([\w ]+)<', first)
    assert badges == [("confirmed", "confirmed"), ("confirmed", "reproduced")]
    assert "C09" in last
    assert 'class="badge not-confirmed">not reproduced<' in last


def test_pictures_are_embedded_with_captions_and_links_are_relative(page):
    assert 'id="clark_figure_2"' in page
    assert re.search(r'src="data:image/png;base64,[^"]+" width="50" height="20"', page)
    assert results().shown[FIGURE].caption.split(".")[0] in page
    links = re.findall(r'href="([^"#]+)"', page)
    assert {
        f"m/figures/{FIGURE}.pdf",
        f"m/figures/{FIGURE}.png",
        f"m/tables/{PRINTED}.md",
        f"m/tables/{TABLE}.csv",
        "m/paper.pdf",
        "codebook.md",
    } == set(links)
    assert "http" not in re.sub(r"<code>[^<]*</code>", "", page).replace("http-equiv", "")


@pytest.mark.parametrize("name", ["running text", "frames <1>"])
def test_the_page_shows_what_was_read(edition, tmp_path, name):
    summaries = [Summary(name, {"sentences": 1200}, {"damaged lines": 3}, example=[("words", "a <b>")])]
    page = results_page(edition, [], tmp_path, board(), {}, summaries=summaries)
    read = page.partition('<h2 id="read">What was read</h2>')[2].partition("<h2")[0]
    assert "<p>1,200 sentences</p>" in read
    assert "<dd>damaged lines (3)</dd>" in read
    assert "<dd>a &lt;b&gt;</dd>" in read
    assert '<a href="#read">' in page
    assert 'id="read"' not in results_page(edition, [], tmp_path, board(), {})


def test_the_page_opens_with_sentences_a_figure_and_bars(page, edition, tmp_path):
    opening = page.partition('id="found"')[2].partition("No published number")[0]
    (work,) = re.findall(r'aria-label="([^"]+)"', opening)
    assert work == f"Clark et al. 2019: {', '.join(f'1 {verdict}' for verdict in STATEMENTS)}"
    assert opening.count('<span class="key fill-') == len(STATEMENTS)
    assert opening.count("data:image/png") == 1
    assert '<a href="#clark_figure_2">figure 2: attention to positions' in opening
    assert "headlines" not in opening
    known = {name: "7" for headline in headlines() for name in numbers_in(headline.text)}
    found = {"a": known, "b": {name: text for name, text in known.items() if name.startswith("vig")}}
    models = [edition["models"][0] | {"name": name} for name in "ab"]
    page = results_page(edition | {"models": models}, [], tmp_path, board(), found)
    lists = [re.findall(r"<strong>(.*?)\.</strong>", part) for part in page.split('<ul class="headlines">')[1:]]
    assert lists == [["Neighbors", "Syntax", "Disabling heads", "Weight and norm"], ["Next and previous token"]]
    assert "data:image" not in page


def test_a_page_without_findings_has_no_bars(edition, tmp_path):
    page = results_page(edition, [], tmp_path, board().assign(counted=False), {})
    assert 'class="bar"' not in page


def test_findings_have_units_layers_and_reasons(edition, tmp_path):
    rows = board().assign(unit="% of heads", layers_here=None, needed_low=0.5)
    rows.loc[3, "layers_here"] = "3 to 5"  # not confirmed
    page = results_page(edition, [], tmp_path, rows, {}).partition('id="clark"')[2].partition("Not judged")[0]
    cells = re.findall(r'<td(?: class="here")? data-title="([\w ]+)">(.*?)</td>', page)
    numbers = {
        "Here": "25.0% (20.0–30.0) of heads",
        "Threshold": "&gt; 50%",
        "Random weights": "10%",
        "Published": "50%",
    }
    assert cells == [*numbers.items()] * len(STATEMENTS)
    assert page.count("Here layers") == 1
    assert "Heads &#34;rest&#34; (section 3). Here layers 3 to 5.</span>" in page
    outside = "the interval excludes the published 50%"
    assert page.count(outside) == len(STATEMENTS)
    assert page.count(f">needs more than 50%; {outside}</span>") == 2  # not confirmed, and inconclusive


@pytest.mark.parametrize("name", ["kobayashi_table_mixing", "kobayashi_table_mixing_frequency"])
def test_tables_of_the_second_paper_of_kobayashi_name_it(edition, tmp_path, name):
    file = tmp_path / "m" / "tables" / f"{name}.md"
    file.parent.mkdir(parents=True)
    file.write_text(MARKDOWN, encoding="utf-8")
    page = results_page(edition | {"models": [edition["models"][0] | {"name": "m"}]}, [file], tmp_path, board(), {})
    assert re.search(r"<h4 id=[^>]*>Kobayashi et al. 2021, table \d: ", page)


def test_captions_and_sentences_name_the_tokens_of_each_model(edition, tmp_path):
    for model in "ab":
        (tmp_path / model / "figures").mkdir(parents=True)
        matplotlib.image.imsave(tmp_path / model / "figures" / f"{FIGURE}.png", np.zeros((20, 50)))
    known = {name: "7" for headline in headlines() for name in numbers_in(headline.text)}
    edition = edition | {"models": [edition["models"][0] | {"name": name} for name in "ab"]}
    tokens = {"a": Delimiters(), "b": Delimiters("<s>", "</s>", 3)}
    page = results_page(edition, tmp_path.rglob("*.png"), tmp_path, board(), {"a": known, "b": known}, tokens)
    captions = re.findall(r"<figcaption>(Clark et al. 2019, figure 2: .*?) <a", page)
    assert "[SEP]" in captions[0]
    assert "[SEP]" not in captions[1]
    assert captions[1].endswith("A pair of texts has three &lt;/s&gt;.")
    assert page.count("Tokens give &lt;s&gt; up to 7") == page.count("Tokens give [CLS] up to 7") == 1
    assert page.count("b has the tokens &lt;s&gt; and &lt;/s&gt; where texts say [CLS] and [SEP].") == 1


def test_results_of_several_encoders_have_their_own_sections(edition, tmp_path):
    encoders = [edition["models"][0] | {"name": name} for name in "ab"]
    files = [tmp_path / folder / f"{PRINTED}.md" for folder in ("a/tables", "b/tables", "edition/tables")]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(MARKDOWN, encoding="utf-8")
    page = results_page(edition | {"models": encoders}, files, tmp_path, board(), {})
    assert re.findall(r">Tables of ([\w ]+)</h2>", page) == ["a", "b", "all models"]
    assert re.findall(r'<h4 id="clark_table_3([\w-]*)"', page) == ["", "-1", "-2"]


def test_the_cells_of_a_printed_table():
    assert markdown_table(MARKDOWN) == {
        "header": ["model", "here | there"],
        "sides": ["", "right"],
        "rows": [["a & b", "0.5 (0.4–0.6)"]],
        "notes": ["Percent.", "Over texts."],
    }


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
def test_nothing_is_wider_than_the_window(browser, page, tmp_path, width, theme):
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    requests = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((tmp_path / "index.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate("document.querySelector('.opening img').getBoundingClientRect().top < 900")
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 29)"}[theme]
    assert {url.partition(":")[0] for url in requests} <= {"file", "data"}
    tab.close()


@pytest.mark.parametrize(("width", "kinds"), [(1400, ".findings, .printed"), (390, ".findings")])
def test_no_table_scrolls_sideways(browser, edition, tmp_path, width, kinds):
    rows = board()
    rows.loc[0, "id"] = "gain_of_random_attention_over_distances_and_word_vectors_in_all_layers"
    cells = " | ".join(["0.022 (0.022–0.023)"] * 3 + ["12.66†"] * 7)
    header = " | ".join([f"replicated {name}" for name in "abc"] + [f"published {name}" for name in "abcdefg"])
    file = tmp_path / "m" / "tables" / f"{PRINTED}.md"
    file.parent.mkdir(parents=True)
    sides = " | ".join([":--", *["--:"] * 10])
    file.write_text(f"| length | {header} |\n| {sides} |\n| weighted vector f(x) | {cells} |\n", encoding="utf-8")
    models = {"models": [edition["models"][0] | {"name": "m"}]}
    page = tmp_path / "index.html"
    page.write_text(results_page(edition | models, [file], tmp_path, rows, {}), encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.goto(page.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    scroll = "boxes => boxes.filter(box => box.parentElement.scrollWidth > box.parentElement.clientWidth).length"
    assert tab.eval_on_selector_all(kinds, "boxes => boxes.length") >= 2
    assert tab.eval_on_selector_all(kinds, scroll) == 0
    tab.close()


def guide_to(edition, *names):
    claims = [
        ("C01", "clark", "real", "confirmed", True),
        ("C02", "clark", "silver", "confirmed", True),
        ("C03", "clark", "stand-in", "", False),
        ("V01", "vig", "real", "not confirmed", True),
        ("V02", "vig", "real", "not confirmed", False),
    ]
    table = pd.DataFrame(claims, columns=["id", "paper", "text", "finding", "counted"])
    table = table.assign(
        work=table["paper"], model="m", verdict=None, provenance="transcribed", distance=1, p=0, level=0.05
    )
    files = [Path("results/a") / name for name in names]
    return results_guide(edition, files, Path("results/a"), table, FACTS).splitlines()


def test_the_guide_has_findings_and_the_seeds_of_models(edition):
    edition = with_every_kind(edition)
    (entry,) = edition["translation_models"]
    one = {key: value for key, value in entry.items() if key != "seeds"} | {"name": "one"}
    lines = guide_to(edition | {"translation_models": [one | {"name": "several", "seeds": [7, 9]}, one]})
    assert lines[2].startswith("No published number is compared")
    for line in (
        "Of 2 findings that can be tested on this encoder and real text, 1 is confirmed, 1 is not confirmed.",
        "1 statement is only measured on stand-ins, and gets no verdict.",
        "Stand-ins, on which nothing is judged: coreference, frames, word alignment.",
        "- translation model several, trained from the seeds 7, 9 (stand-in), from `trained:stand-in`",
        "- translation model one (stand-in), from `trained:stand-in`",
    ):
        assert line in lines
    assert any(line.startswith("Silver, which means parsed by a program: treebank, ") for line in lines)
    rests = "m gives the most attention to [SEP] (of [CLS], [SEP], periods and commas): 40.0%"
    assert any(line.startswith(rests) for line in lines)


def test_the_guide_lists_pages_and_folders_with_their_use(edition):
    names = ["m/paper.pdf", "explorer_de-en.html", "m/tables/control/vig_patterns.csv", "m/figures/clark_figure_4.pdf"]
    names += ["m/figures/clark_figure_2_positions.png", "edition/tables/kobayashi_alignment.csv"]
    lines = guide_to(edition, *names)
    listed = {line.partition("`: ")[0].removeprefix("- `") for line in lines if line.startswith("- `")}
    assert listed == {
        "index.html",
        "codebook.md",
        "m/paper.pdf",
        "explorer_de-en.html",
        "edition/tables/",
        "m/figures/",
        "m/tables/control/",
    }
    assert "- `edition/tables/`: Tables about no single encoder." in lines
    (picture,) = [line for line in lines if line.startswith("![")]
    assert picture.endswith("(m/figures/clark_figure_2_positions.png)")


@pytest.mark.parametrize("models", ["a", "ab"])
def test_a_finding_can_be_cited_and_leads_to_its_table(edition, tmp_path, models):
    rows = board().assign(needed_low=0.2, unit="%")
    rows = pd.concat([rows.assign(model=name) for name in models], ignore_index=True)
    files = [tmp_path / name / "tables" / f"{TABLE}.csv" for name in models]
    entries = [edition["models"][0] | {"name": name} for name in models]
    page = results_page(edition | {"models": entries}, files, tmp_path, rows, {})
    assert re.findall(r'<tr id="(C00[\w-]*)"', page) == ["C00", "C00-b"][: len(models)]
    assert [page.count(f'href="{name}/tables/{TABLE}.csv">{TABLE}</a>') for name in models] == [len(STATEMENTS)] * len(
        models
    )
    assert (
        "Clark et al. 2019: Heads &#34;rest&#34; (section 3). On a (bert-attention, edition embedded): "
        "25.0% (20.0–30.0) (threshold &gt; 20%; random weights 10%; published 50%); confirmed. Claim C00."
    ) in page
