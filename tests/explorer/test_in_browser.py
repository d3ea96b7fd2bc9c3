"""The page in a real browser: drawings, numbers, controls, keys, links and saved files."""

import csv
import io
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from bert_attention.explorer.data import packed
from bert_attention.explorer.notes import Fact, Finding, evidence
from bert_attention.explorer.page import packed_findings
from bert_attention.explorer.page import page as html_of
from bert_attention.explorer.shortest_segments import packed_shortest
from bert_attention.explorer.show import show
from tests.explorer.sequences import random_sequence
from tests.explorer.test_page import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
SHOWN = ".explorer[data-shown^='#']"
DET = {(2, 3): Fact(0.83, 0.8, 0.85, 1920, 0.16, "a fixed offset: 54%")}
PREVIOUS = {(layer, head): Fact(layer * head / 20) for layer in (1, 2, 3) for head in (1, 2, 3, 4)}
FOUND = packed_findings(
    [
        Finding("Best head for", "det", "treebank (silver)", "share", DET),
        Finding("Attention to", "previous token", "running text", "share", PREVIOUS),
    ]
)


@pytest.fixture(scope="module")
def file(small, small_corpus, tmp_path_factory):
    """A page of a small corpus."""
    encoder, tokenizer, _ = small
    contents = packed_shortest(small_corpus, tokenizer, encoder)
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    path.write_text(html_of("small", 3, 4, contents, FOUND), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser):
    """A function that opens a file in a browser. The test fails if the page logs errors or makes other requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    problems = []

    def open_file(path, link=""):
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine is slow
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: problems.append(request.url))
        page.goto(f"{path.as_uri()}{link}")
        page.wait_for_selector(SHOWN)
        return page

    yield open_file
    context.close()
    assert [problem for problem in problems if not problem.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def tab_of(tab, tmp_path):
    """A function that opens a page of packed sequences."""

    def open_page(layers, heads, contents, link="", model="m", **options):
        (tmp_path / "page.html").write_text(html_of(model, layers, heads, contents, **options), encoding="utf-8")
        return tab(tmp_path / "page.html", link)

    return open_page


@pytest.fixture
def tab_showing(tab, tmp_path):
    """A function that opens the page of an attention array."""

    def open_page(attention, tokens, link="", **options):
        show(attention, tokens, **options).save(tmp_path / "page.html")
        return tab(tmp_path / "page.html", link)

    return open_page


def drawn(page):
    """Return the pixels of the lines, after all have been drawn."""
    page.wait_for_function(
        "() => document.querySelector('.explorer').explorer.views.head.shown.every(({left}) => !left.length)"
    )
    return page.evaluate("document.querySelector('.head-view canvas').toDataURL()")


def after(page, action):
    """Do something that changes the address, and wait until the page shows the change."""
    before = page.get_attribute(SHOWN, "data-shown")
    action()
    page.wait_for_function("before => document.querySelector('.explorer').dataset.shown !== before", arg=before)


def press(page, key):
    after(page, lambda: page.keyboard.press(key))


def all_lines(page, pane=0):
    lines = f"explorer.views.head.panes[{pane}].lines({{left: null, right: null}}).lines"
    return page.evaluate(f"(({{explorer}}) => {lines})(document.querySelector('.explorer'))")


def texts(page, selector):
    return page.eval_on_selector_all(selector, "all => all.map(one => one.textContent)")


def numbers(page, side):
    return np.array([float(value) for value in texts(page, f".token.{side} .value") if value])


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value.suggested_filename, download.value.path().read_text(encoding="utf-8")


def saved_picture(page):
    """Return a saved picture and its texts."""
    name, text = saved(page, "#save-svg")
    picture = ET.fromstring(text)
    assert (name[-4:], picture.tag) == (".svg", f"{SVG}svg")
    return picture, [element.text or "" for element in picture.iter(f"{SVG}text")]


def saved_rows(page):
    return list(csv.DictReader(io.StringIO(saved(page, "#save-csv")[1])))


@pytest.fixture(scope="module")
def dog(small):
    """The stored sequence of the shortest text: [CLS] a dog barked . [SEP]."""
    return next(sequence for sequence in small[2] if len(sequence.token_ids) == 6)


def test_numbers_of_tokens_are_those_of_the_store(file, tab, dog):
    weights, norms = dog.attention[2, 3, 0], dog.value_norms[2, 3]
    summed = dog.summed_norms[2]
    step = np.sqrt(weights) / 255 + 1e-4
    link = "#text=1&layer=3&heads=4&from=1"
    assert (np.abs(numbers(tab(file, link), "right") - weights) <= step + 5e-4).all()
    page = tab(file, f"{link}&lines=norm")
    assert (np.abs(numbers(page, "right") - weights * norms) <= step * norms + 5e-3).all()
    page = tab(file, f"{link}&lines=summed")
    step = np.sqrt(summed[0] * summed.max()) / 255 + 1e-3
    assert (np.abs(numbers(page, "right") - summed[0]) <= step + 5e-3).all()
    mean_of_sums = dog.attention[0, [0, 2]][:, [1, 3]].sum(1).mean(0)
    page = tab(file, "#text=1&layer=1&heads=1,3&from=2,4")
    np.testing.assert_allclose(numbers(page, "right"), mean_of_sums, atol=0.01)


def test_words_have_the_sum_over_columns_and_the_mean_over_rows(file, tab, small):
    stored = max(small[2], key=lambda sequence: len(sequence.token_ids))
    words = np.cumsum([0, *((stored.word_ids[1:] != stored.word_ids[:-1]) | (stored.word_ids[1:] < 0))])
    of_word = np.eye(words.max() + 1)[words]  # [token, word]
    expected = (of_word / of_word.sum(0)).T @ stored.attention[0, 1] @ of_word
    split = int(np.flatnonzero(of_word.sum(0) > 1)[0])
    page = tab(file, f"#text=3&layer=1&heads=2&units=words&from={split + 1}")
    np.testing.assert_allclose(numbers(page, "right"), expected[split], atol=0.015)
    page = tab(file, f"#text=3&layer=1&heads=2&units=words&to={split + 1}")
    np.testing.assert_allclose(numbers(page, "left"), expected[:, split], atol=0.015)


def test_neurons_are_drawn_listed_and_saved(file, tab, dog):
    weights = dog.attention[1, 0, 2]
    page = tab(file, "#text=1&view=neuron&layer=2&heads=1&from=3")
    assert "table of numbers" in page.get_attribute(".neuron-view canvas", "aria-label")
    cells = np.reshape(texts(page, "#numbers th, #numbers td"), (-1, 3))
    assert cells[0].tolist() == ["to", "score", "weight"]
    assert cells[1:, 0].tolist() == ["[CLS]", "a", "dog", "barked", ".", "[SEP]"]
    np.testing.assert_allclose(cells[1:, 2].astype(float), weights, atol=0.01)
    neurons = pd.DataFrame(saved_rows(page)).astype(dict.fromkeys(("q", "k", "product", "score"), float))
    assert page.inner_text("#save-csv") == f"Save {len(neurons)} numbers"
    np.testing.assert_allclose(neurons["q"] * neurons["k"], neurons["product"], rtol=2e-3)
    keys = neurons.groupby(neurons["key"].astype(int))
    scores = keys["score"].first()
    np.testing.assert_allclose(keys["product"].sum() / keys.size() ** 0.5, scores, atol=1e-3)
    np.testing.assert_allclose(np.exp(scores) / np.exp(scores).sum(), weights, atol=0.02)

    before = page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()")
    after(page, lambda: page.click(".pick .token >> nth=4"))
    assert page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()") != before


@pytest.mark.parametrize("lines", ["summed", "norm"])
def test_the_view_of_neurons_names_the_one_head_that_it_shows(file, tab, lines):
    page = tab(file, f"#text=1&view=neuron&layer=2&heads=3,1&lines={lines}")
    for button, suffix in (("#save-svg", "svg"), ("#save-csv", "csv")):
        assert saved(page, button)[0] == f"attention_text1_neuron_2-3_weight.{suffix}"
    assert page.inner_text("#map h2") == "Head 2-3"
    assert "treebank (silver)" in page.inner_text("#notes")
    assert texts(page, "#heads [aria-pressed=true]") == ["3"]
    after(page, lambda: page.click("#heads button:nth-child(1)"))
    assert page.inner_text("#map h2") == page.inner_text("#numbers h2").partition(",")[0].capitalize() == "Head 2-1"
    assert "heads=1&" in page.url


@pytest.mark.parametrize("size", [2, 7])
def test_the_position_bias_is_a_column_and_part_of_the_score(tab_showing, size):
    random = np.random.default_rng(size)
    queries, keys = random.normal(size=(2, 1, 2, 4, size))
    bias = random.normal(size=(2, 4, 4)) * 3
    scores = queries @ keys.swapaxes(-1, -2) / size**0.5 + bias
    page = tab_showing(
        softmax(scores, -1), ["a", "b", "c", "d"], "#view=neuron&heads=2&from=3", neurons=(queries, keys, bias)
    )
    cells = np.reshape(texts(page, "#numbers th, #numbers td"), (-1, 5))
    assert cells[0].tolist() == ["to", "q · k / √d", "bias", "score", "weight"]
    shown = cells[1:, 1:].astype(float)
    expected = np.stack([(scores - bias)[0, 1, 2], bias[1, 2], scores[0, 1, 2], softmax(scores, -1)[0, 1, 2]], axis=1)
    np.testing.assert_allclose(shown, expected, atol=0.1)
    saved = pd.DataFrame(saved_rows(page)).groupby("key")[["bias", "score"]].first().astype(float)
    np.testing.assert_allclose(saved.to_numpy(), expected[:, 1:3], atol=0.1)
    _, labels = saved_picture(page)
    assert "+ position bias" in labels


def test_keys_do_what_the_help_says(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    steps = "ArrowRight heads=2, ArrowLeft heads=1, k layer=3, j layer=1, ] text=2, a heads=1,2,3,4; o heads=1&"
    steps += "; q lines=norm; w units=words; x specials=hidden; 2 view=model; 3 view=neuron; 1 view=head; d theme=dark"
    for step in steps.replace(", ", "; ").split("; "):
        key, part = step.split(" ")
        press(page, key)
        assert part in page.url, key
    page.focus(".token.left")
    page.keyboard.press("ArrowDown")
    press(page, "Enter")
    assert "from=3" in page.url  # the second shown token, because [CLS] is hidden
    press(page, "Escape")
    assert "from" not in page.url


def test_every_choice_is_drawn_and_a_link_restores_them(file, tab):
    page = tab(file)
    assert page.input_value("#layer") == "2"  # the head that is best for most relations
    assert page.get_attribute("#heads button:nth-child(3)", "aria-pressed") == "true"
    pictures = [drawn(page)]
    choices = ("#sequence", "2"), ("#layer", "3"), ("#all-heads",), ("#heads button:nth-child(2)",), ("#unit", "words")
    for choice in (*choices, ("#quantity", "norm"), (".token.left >> nth=3",), (".token.right >> nth=1",)):
        after(page, lambda c=choice: page.select_option(*c) if len(c) > 1 else page.click(*c))
        page.mouse.move(5, 5)
        pictures.append(drawn(page))
    assert len(set(pictures)) == len(pictures)
    again = tab(file, f"#{page.url.partition('#')[2]}")
    assert again.url == page.url
    for opened in (page, again):
        opened.wait_for_function("() => document.querySelectorAll('.token.chosen').length === 2")
    assert drawn(again) == drawn(page)
    assert numbers(again, "right").tolist() == numbers(page, "right").tolist()
    broken = "#text=99&layer=0&heads=7,x&from=999&view=none&lines=constructor&contrast=a"
    for link in (broken, "#%E0", "#=&&"):
        assert tab(file, link).locator(".head-view canvas").count() == 1, link


def test_gold_links_are_dashed_and_saved(tab_of):
    content = packed(random_sequence(1, 1, ["[CLS]", "a", "b", "[SEP]"])) | {"links": [[1, 2, 1], [2, 1, 0]]}
    page = tab_of(1, 1, [content])
    lines = page.evaluate("document.querySelector('.explorer').explorer.views.head.panes[0].goldLines()")
    rows = page.eval_on_selector_all(".token.left", "all => all.map(one => one.offsetTop + one.offsetHeight / 2)")
    assert [(line["y1"], line["y2"]) for line in lines] == [(rows[1], rows[2]), (rows[2], rows[1])]
    sure, possible = (line["dash"] for line in lines)
    assert sure[0] > possible[0]
    assert "Gold links are dashed" in page.inner_text("#numbers p")
    dashes = [path.get("stroke-dasharray") for path in saved_picture(page)[0].iter(f"{SVG}path")]
    assert [dash for dash in dashes if dash] == [",".join(map(str, dash)) for dash in (sure, possible)]


def test_saved_numbers_are_those_of_the_store(file, tab, dog):
    page = tab(file, "#text=1&layer=2&heads=3")
    assert saved(page, "#save-csv")[0].endswith(".csv")
    rows = saved_rows(page)
    values = np.array([float(row["value"]) for row in rows]).reshape(6, 6)
    np.testing.assert_allclose(values, dog.attention[1, 2], atol=0.005)
    assert (rows[8]["query_text"], rows[8]["key_text"], rows[8]["layer"], rows[8]["head"]) == ("a", "dog", "2", "3")
    after(page, lambda: page.check("#hide-specials"))
    assert texts(page, ".token.left bdi") == ["a", "dog", "barked", "."]
    after(page, lambda: page.click("#view-model"))
    assert page.inner_text("#save-csv") == f"Save {12 * 16} numbers"
    assert len(saved_rows(page)) == 12 * 16


def test_texts_that_look_like_code_are_shown_as_text(tab_of):
    finding = Finding("<i>group", "</dl>", "&lt;<b>", "share", {(1, 1): Fact(0.5, remark="<s>")})
    texts_around = {"model": "<u>m</u>", "found": packed_findings([finding]), "about": "<s>", "lacks": "<s>"}
    page = tab_of(1, 2, [packed(random_sequence(1, 2, HOSTILE))], "#from=2", **texts_around)
    assert texts(page, ".token.left bdi") == HOSTILE
    assert page.inner_text("#model") == "<u>m</u>"
    assert page.locator("main b, main i, main u, main s").count() == 0
    assert set(HOSTILE) <= set(saved_picture(page)[1])


@pytest.mark.parametrize(("n", "count", "share"), [(9, 81, 100), (128, 5000, 30)])
def test_a_broad_head_has_lines(tab_showing, n, count, share):
    page = tab_showing(np.full((1, 1, n, n), 1 / n), [f"t{i}" for i in range(n)])
    lines = all_lines(page)
    assert len(lines) == pytest.approx(count, rel=0.05)
    for end in ("y1", "y2"):  # from and to all tokens
        assert len({line[end] for line in lines}) == n
    assert min(line["opacity"] for line in lines) > 0.1
    text = page.inner_text("#numbers p")
    assert abs(float(text.partition(" lines have ")[2].partition("%")[0]) - share) <= 2, text
    if n == 128:
        page.click("#stage", position={"x": 5, "y": 5})
        page.keyboard.press("ArrowDown")
        page.wait_for_function("() => scrollY > 0")
    page.hover(".token.left >> nth=3")
    page.wait_for_selector(".token.left.chosen")
    assert f"{n} lines have 100% of the attention" in page.inner_text("#numbers p")


def test_each_row_has_its_strongest_line_and_the_share_counts_hidden_tokens(tab_showing):
    attention = np.full((1, 1, 30, 30), 0.5 / 29)
    attention[0, 0, :15] = np.eye(30)[:15]
    attention[0, 0, 15:, 0] = 0.5
    page = tab_showing(attention, ["[CLS]", *(f"t{i}" for i in range(29))])
    assert len({line["y1"] for line in all_lines(page)}) == 30
    after(page, lambda: page.check("#hide-specials"))
    drawn_share = (14 + 15 * 0.5) / (14 + 15)  # no line starts or ends at [CLS]
    assert f"have {100 * drawn_share:.0f}%" in page.inner_text("#numbers p")


def test_notes_name_corpus_interval_count_and_control(file, tab):
    page = tab(file, "#layer=2&heads=3")
    notes = page.inner_text("#notes")
    assert "treebank (silver)" in notes
    assert "83% (80% to 85%; n = 1,920; random weights: 16%; a fixed offset: 54%)" in notes
    assert "30% (no control)" in notes
    after(page, lambda: page.click("#heads button:nth-child(1)", modifiers=[]))
    assert "silver" not in page.inner_text("#notes")


def test_each_corpus_of_a_group_of_findings_has_a_heading(tab_of):
    corpora = ("treebank (silver)", "frames (stand-in)")
    found = [Finding("Best head for", corpus, corpus, "share", {(1, 1): Fact(0.5)}) for corpus in corpora]
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["x"]))], found=packed_findings(found))
    assert texts(page, "#notes h3 + p") == [f"on {corpus}" for corpus in corpora]
    assert texts(page, "#notes dt") == list(corpora)


def test_pages_and_frames_in_one_document_are_independent(browser, tmp_path):
    one, other = (show(np.full((2, 2, 3, 3), 1 / 3), ["a", "b", "c"], model=model).html for model in ("one", "other"))
    framed = one.replace("&", "&amp;").replace('"', "&quot;")
    path = tmp_path / "several.html"
    path.write_text(f'{one}{other}<iframe width="900" height="700" srcdoc="{framed}"></iframe>', encoding="utf-8")
    page, problems = browser.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function(f"() => document.querySelectorAll(`{SHOWN}`).length === 2")
    first, second = page.locator(".explorer").all()
    assert [first.locator("#model").inner_text(), second.locator("#model").inner_text()] == ["one", "other"]
    second.locator(".token.left").nth(1).click()
    second.locator(".token.left.chosen").wait_for()
    page.keyboard.press("j")
    page.wait_for_function("() => document.querySelectorAll('.explorer')[1].dataset.shown.includes('layer=2')")
    frame = page.frame_locator("iframe")
    frame.locator(SHOWN).wait_for()
    frame.locator(".token.left").nth(1).click()
    frame.locator(".explorer[data-shown*='from=2']").wait_for()
    assert not frame.locator("#copy-link").is_visible()
    assert first.locator(".token.chosen").count() == 0
    assert "layer=1" in first.get_attribute("data-shown")
    assert "from" not in page.url
    assert problems == []
    page.close()


def test_a_page_in_a_frame_opens_at_its_address_and_does_not_change_it(browser, file, tmp_path):
    path = tmp_path / "embedded.html"
    path.write_text(f'<iframe width="900" height="700" src="{file.as_uri()}#layer=2&amp;heads=3"></iframe>', "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".explorer[data-shown*='layer=2&heads=3']").wait_for()
    frame.locator("#view-model").click()
    frame.locator(".explorer[data-shown*='view=model']").wait_for()
    assert page.frames[1].evaluate("location.hash") == "#layer=2&heads=3"
    assert page.evaluate("history.length") <= 2  # the empty tab, and the document
    assert not frame.locator("#copy-link").is_visible()
    page.close()


def test_the_browsers_back_button_undoes_a_step(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    after(page, lambda: page.click("#view-model"))
    after(page, lambda: page.click('.thumbnail[data-head="3-2"]'))
    after(page, lambda: page.click(".token.left >> nth=2"))
    page.mouse.move(5, 5)
    for part in ("view=head&layer=3&heads=2&", "view=model", "view=head&layer=1&heads=1"):
        after(page, page.go_back)
        assert part in page.get_attribute(SHOWN, "data-shown")
        assert "from" not in page.url
    after(page, page.go_forward)
    assert "view=model" in page.url
    length = page.evaluate("history.length")
    page.evaluate(
        "const slider = document.querySelector('#contrast'); slider.value = 1.2; slider.oninput({target: slider})"
    )
    page.wait_for_function("() => location.hash.includes('contrast')")
    assert page.evaluate("history.length") == length


def focused(page):
    """Return the id, the data or the text of the focused element."""
    return page.evaluate("""() => {
      const {dataset: {side, index, head}, id, textContent} = document.activeElement;
      return id || [side, index, head].filter(Boolean).join(" ") || textContent;
    }""")


def test_changes_keep_the_focus(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    page.focus(".token.left >> nth=0")
    page.keyboard.press("ArrowDown")
    for key, side in (("ArrowLeft", "left"), ("ArrowRight", "right"), ("ArrowRight", "right"), ("ArrowLeft", "left")):
        page.keyboard.press(key)
        assert focused(page) == f"{side} 1", key
    for key in ("Enter", "q", "j", "x", "Escape"):
        press(page, key)
        assert focused(page) == "left 1", key
    press(page, "2")
    page.focus(".thumbnail >> nth=0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    press(page, "x")
    assert focused(page) == "2-2"
    press(page, "Enter")
    assert "view=head&layer=2&heads=2" in page.url
    assert focused(page) == "stage"  # because the map is gone
    page.focus("#layer")
    after(page, lambda: page.select_option("#layer", "1"))
    assert focused(page) == "layer"  # after a choice by key
    page.dispatch_event("#layer", "pointerdown")
    after(page, lambda: page.select_option("#layer", "3"))
    press(page, "ArrowRight")  # changes the head, because a choice by mouse releases the focus
    assert "layer=3&heads=3" in page.url


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        (
            "#text=1&layer=2&heads=3,1",
            ["heads 1, 3: attention weight α, between tokens; text: “a dog barked .”"],
        ),
        ("#text=1&layer=2&lines=summed&specials=hidden", ["all heads: norm of all heads", "special tokens are hidden"]),
        ("#text=1&view=model&lines=norm", ["small, all layers and heads: norm", "Rows attend to columns"]),
        ("#text=1&view=model&find=previous", ["Heads sorted by: Attention to: previous token (running text)"]),
        ("#text=1&view=neuron&layer=1&heads=2", ["layer 1, head 2: queries, keys", "Full strength: query", "above 0"]),
    ],
)
def test_a_saved_picture_describes_itself(file, tab, link, parts):
    page = tab(file, link)
    root, labels = saved_picture(page)
    description = " ".join(labels)
    for part in parts:
        assert part in description
    if "view=model" in link:
        assert len(list(root.iter(f"{SVG}image"))) == 12
    elif "view" not in link:
        assert len(list(root.iter(f"{SVG}path"))) == len(all_lines(page))
    bottom = max(float(element.get("y")) for element in root.iter(f"{SVG}text"))
    assert bottom < float(root.get("height"))


def test_pointing_shows_lines_until_the_mouse_leaves(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    before = drawn(page)
    changed = "before => document.querySelector('.head-view canvas').toDataURL() !== before"
    page.hover("#heads button:nth-child(3)")
    page.wait_for_function(changed, arg=before)
    assert drawn(page) == drawn(tab(file, "#text=1&layer=1&heads=3"))
    page.hover(".token.left >> nth=1")
    page.wait_for_selector(".token.left.chosen")
    assert drawn(page) != before
    page.mouse.move(5, 5)
    page.wait_for_selector(".token.chosen", state="detached")
    page.wait_for_function(changed.replace("!==", "==="), arg=before)


def test_a_model_without_neurons_shows_the_reason(tab_of):
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["a", "b"]))], "#view=neuron", lacks="it rotates them")
    assert page.inner_text("#stage") == "This model has no queries and keys to show: it rotates them."
    assert page.is_disabled("#save-svg")
    assert page.is_disabled("#save-csv")
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["a", "b"]))], "#view=neuron")
    assert page.inner_text("#stage") == "This page has no queries and keys."


@pytest.mark.parametrize("number", [1, 2])
def test_each_of_two_models_has_its_own_reason_to_lack_neurons(tab_of, number):
    contents = [packed(random_sequence(1, 1, ["a", "b"])) | {"lacks": f"reason {n}", "model": f"m{n}"} for n in (1, 2)]
    page = tab_of(1, 1, contents, f"#view=neuron&text={number}")
    assert page.inner_text("#stage") == f"This model has no queries and keys to show: reason {number}."


def test_a_narrow_screen_and_the_systems_dark_theme(browser, file):
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.goto(f"{file.as_uri()}#text=3&units=words&from=3")
    page.wait_for_selector(SHOWN)
    left, right = (page.locator(f".token.{side}").first.bounding_box() for side in ("left", "right"))
    assert left["x"] >= 0
    assert right["x"] + right["width"] <= 390
    assert right["x"] - left["x"] - left["width"] >= 50  # space for lines
    for link in ("view=model&text=3", "view=model&find=previous", "view=neuron&text=1"):
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        after(page, lambda link=link: page.goto(f"{file.as_uri()}#{link}"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    background = "getComputedStyle(document.querySelector('.explorer')).backgroundColor"
    assert page.evaluate(background) != "rgb(255, 255, 255)"
    after(page, lambda: page.click("#theme"))
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.close()


def test_all_heads_have_a_picture_and_a_search_sorts_them(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    after(page, lambda: page.click("#view-model"))
    pictures = page.eval_on_selector_all(".thumbnail canvas", "all => all.map(one => one.toDataURL())")
    assert len(pictures) == len(set(pictures)) == 12
    assert page.inner_text('.thumbnail[data-head="2-3"]') == "det"
    after(page, lambda: page.select_option("#quantity", "summed"))
    assert page.locator(".thumbnail").count() == 3
    after(page, lambda: page.select_option("#quantity", "weight"))
    after(page, lambda: page.fill("#find", "previous"))
    labels = page.eval_on_selector_all(".found .thumbnail", "all => all.map(one => one.innerText)")
    assert labels[:3] == ["3-4: 60%", "3-3: 45%", "2-4: 40%"]
    assert len(labels) == 12
    after(page, lambda: page.fill("#find", "det"))
    assert page.inner_text("#stage h2") == "Best head for: det"
    assert "treebank (silver)" in page.inner_text("#stage")
    assert tab(file, f"#{page.url.partition('#')[2]}").input_value("#find") == "det"
    after(page, lambda: page.click(".found .thumbnail"))
    assert "view=head&layer=2&heads=3" in page.url
    press(page, "2")
    after(page, lambda: page.fill("#find", "nobody"))
    assert "No finding matches" in page.inner_text("#stage")
    after(page, lambda: page.press("#find", "Escape"))
    assert page.locator(".thumbnail").count() == 12


def test_lines_can_go_from_one_sentence_to_another(tab_showing):
    tokens = ["[CLS]", "a", "[SEP]", "b", "c", "[SEP]"]
    page = tab_showing(random_sequence(1, 1, tokens).attention, tokens)
    assert page.get_attribute(".token.left >> nth=4", "aria-label") == "from c, sentence B"
    after(page, lambda: page.select_option("#parts", "AB"))
    assert [texts(page, f".token.{side} bdi") for side in ("left", "right")] == [tokens[:3], tokens[3:]]
    assert "sentences=AB" in page.url
    assert page.inner_text("#save-csv") == "Save 9 numbers"
    assert page.locator("#parts").is_visible()
    assert not tab_showing(np.ones((1, 1, 1, 1)), ["a"]).locator("#parts").is_visible()


def test_a_single_head_is_not_a_sum(tab_showing):
    page = tab_showing(random_sequence(2, 1, ["a", "b"]).attention, ["a", "b"], "#view=model")
    assert texts(page, ".model-view .title") == ["head 1", "layer 1", "layer 2"]
    assert "sum" not in saved_picture(page)[1]


def test_parts_after_the_26th_have_no_letter(tab_showing):
    page = tab_showing(np.full((1, 1, 28, 28), 1 / 28), [f"t{i}" for i in range(28)], parts=range(28))
    labels = page.eval_on_selector_all(".token.left", "all => all.map(one => one.getAttribute('aria-label'))")
    assert labels[25:] == ["from t25, sentence Z", "from t26", "from t27"]
    assert page.locator("#parts option").count() == 1 + 26**2


def test_attention_from_one_sequence_to_another(tab_showing):
    attention = np.random.default_rng(0).dirichlet(np.ones(4), size=(1, 2, 3))
    keys = ["we", "are", "going", "</s>"]
    page = tab_showing(attention, ["wir", "gehen", "</s>"], "#from=2&heads=2", key_tokens=keys)
    assert texts(page, ".token.right bdi") == keys
    np.testing.assert_allclose(numbers(page, "right"), attention[0, 1, 1], atol=0.01)
    press(page, "2")
    size = page.evaluate("(({width, height}) => [width, height])(document.querySelector('.thumbnail canvas'))")
    assert size == [4, 3]
    assert [row["key_text"] for row in saved_rows(page)[:5]] == [*keys, "we"]


def test_two_texts_side_by_side_have_their_difference(tab_of):
    shown = [random_sequence(2, 2, ["a", "b", "c"], seed=seed) for seed in (1, 2)]
    page = tab_of(2, 2, [*map(packed, shown), packed(random_sequence(2, 2, ["a", "b"]))], "#layer=2&heads=1")
    assert page.locator(".head-view").count() == 1
    after(page, lambda: page.select_option("#beside", "2"))
    assert "beside=2" in page.url
    page.hover(".head-view >> nth=0 >> .token.left >> nth=1")
    page.wait_for_function("() => document.querySelectorAll('.token.left.chosen').length === 3")
    one, other = (sequence.attention[1, 0, 1] for sequence in shown)
    np.testing.assert_allclose(np.reshape(numbers(page, "right"), (3, 3)), [one, other, one - other], atol=0.02)
    page.mouse.move(5, 5)
    labels = {"more on the left", "more in the middle", "difference: left minus middle"}
    assert labels <= set(saved_picture(page)[1])
    assert len({line["color"] for line in all_lines(page, pane=2)}) == 2
    assert [row["text"] for row in saved_rows(page)] == ["1"] * 9 + ["2"] * 9
    press(page, "2")
    assert "all on one scale" in page.inner_text("#numbers")
    press(page, "1")
    after(page, lambda: page.select_option("#beside", "3"))  # another length: no difference
    assert page.locator(".head-view").count() == 2
    after(page, page.go_back)
    assert page.locator(".head-view").count() == 3
    after(page, lambda: page.select_option("#sequence", "1"))  # the same text as beside
    assert page.locator(".head-view").count() == 1


def test_a_search_without_a_match_has_no_largest_difference(tab_of):
    contents = [packed(random_sequence(1, 1, ["a", "b"], seed=seed)) for seed in (1, 2)]
    page = tab_of(1, 1, contents, "#view=model&beside=2&find=nobody")
    assert "No finding matches" in page.inner_text("#stage")
    assert page.is_hidden("#numbers")


def test_a_relation_has_right_and_wrong_sentences(tab_of):
    words = [(1, True, "a", 0.0, "dependent"), (1, True, "<b>", 0.9, "head"), (2, False, "the", 0.0, "dependent")]
    words += [(2, False, "old", 0.7, "predicted"), (2, False, "dog", 0.2, "head")]
    table = pd.DataFrame(words, columns=["sentence", "right", "word", "weight", "role"]).assign(relation="det")
    finding = Finding("Best head for", "det", "treebank", "share", {(1, 1): Fact(0.5)})
    found = packed_findings([finding], evidence=evidence(table))
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["x"]))], found=found)
    page.click("#notes summary")
    assert page.eval_on_selector_all("#notes details p", "all => all.map(one => one.innerText.trim())") == [
        "right: a (dependent) <b> (head, found)",
        "wrong: the (dependent) old (taken for the head) dog (head, missed)",
    ]
    assert page.get_attribute("#notes .predicted", "title") == "taken for the head: 0.700"
