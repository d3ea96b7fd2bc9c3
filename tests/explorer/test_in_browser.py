"""The page in a real browser, from a file: what is drawn, shown, saved and brought back."""

import csv
import io
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from bert_attention.explorer.data import add_neurons, packed
from bert_attention.explorer.notes import Fact, Finding, evidence
from bert_attention.explorer.page import packed_findings
from bert_attention.explorer.page import page as html_of
from bert_attention.explorer.show import show
from bert_attention.explorer.stored import packed_from_store
from tests.explorer.sequences import random_sequence, random_vectors, small_store
from tests.explorer.test_page import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
# A frame of an animation at 10 a second: slower than this, a redraw is felt. In a browser without a GPU.
FLUID = 100
SHOWN = ".explorer[data-shown^='#']"
FOUND = packed_findings(
    [
        Finding(
            "The best of all heads for",
            "det",
            "treebank (silver)",
            "share",
            {(2, 3): Fact(0.83, 0.8, 0.85, 1920, 0.16, "a fixed offset: 54%")},
        ),
        Finding(
            "Its attention goes to",
            "previous token",
            "running text",
            "share",
            {(layer, head): Fact((layer * head) / 20) for layer in (1, 2, 3) for head in (1, 2, 3, 4)},
        ),
    ]
)


@pytest.fixture(scope="module")
def small(embedded_model, tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store"), embedded_model)


@pytest.fixture(scope="module")
def file(small, tmp_path_factory):
    """A page of a small store."""
    encoder, tokenizer, store = small
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    path.write_text(html_of("small", 3, 4, packed_from_store(store, tokenizer, encoder), FOUND), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser):
    """A function that opens a file in a browser that must not complain or ask for anything else."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    problems = []

    def open_file(path, link=""):
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine is slow to draw
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
        path = tmp_path / "page.html"
        path.write_text(html_of(model, layers, heads, contents, **options), encoding="utf-8")
        return tab(path, link)

    return open_page


def drawn(page):
    """The pixels of the lines, once all are drawn."""
    page.wait_for_function(
        "() => document.querySelector('.explorer').explorer.views.head.shown.every(({left}) => !left.length)"
    )
    return page.evaluate("document.querySelector('.head-view canvas').toDataURL()")


def after(page, action):
    """Do something that changes the address, and wait until it is shown."""
    before = page.get_attribute(SHOWN, "data-shown")
    action()
    page.wait_for_function("before => document.querySelector('.explorer').dataset.shown !== before", arg=before)


def explorer(call):
    """JavaScript that calls the page, as ``explorer``."""
    return f"(({{explorer}}) => {call})(document.querySelector('.explorer'))"


def texts(page, selector):
    """The text of every element that a selector names."""
    return page.eval_on_selector_all(selector, "all => all.map(one => one.textContent)")


def numbers(page, side):
    return np.array([float(value) for value in texts(page, f".token.{side} .value") if value])


def sequence_in(store, n):
    return next(sequence for sequence in store if len(sequence.token_ids) == n)


@pytest.mark.parametrize(("layer", "head", "query"), [(1, 1, 2), (3, 4, 0)])
def test_weights_and_norms_that_are_shown_are_those_of_the_store(file, tab, small, layer, head, query):
    stored = sequence_in(small[2], 6)
    weights = stored.attention[layer - 1, head - 1, query]
    step = np.sqrt(weights) / 255 + 1e-4
    page = tab(file, f"#text=1&layer={layer}&heads={head}&from={query + 1}")
    assert (np.abs(numbers(page, "right") - weights) <= step + 5e-4).all()
    page = tab(file, f"#text=1&layer={layer}&heads={head}&from={query + 1}&lines=norm")
    norms = stored.value_norms[layer - 1, head - 1]
    assert (np.abs(numbers(page, "right") - weights * norms) <= step * norms + 5e-3).all()
    page = tab(file, f"#text=1&layer={layer}&heads={head}&from={query + 1}&lines=summed")
    summed = stored.summed_norms[layer - 1]
    step = np.sqrt(summed[query] * summed.max()) / 255 + 1e-3
    assert (np.abs(numbers(page, "right") - summed[query]) <= step + 5e-3).all()


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


def test_several_tokens_and_heads_give_a_sum_and_a_mean(file, tab, small):
    weights = sequence_in(small[2], 6).attention[0, [0, 2]][:, [1, 3]]
    page = tab(file, "#text=1&layer=1&heads=1,3&from=2,4")
    np.testing.assert_allclose(numbers(page, "right"), weights.sum(1).mean(0), atol=0.01)


def test_all_heads_have_a_picture_and_a_click_chooses_one(file, tab):
    page = tab(file)
    after(page, lambda: page.click("#view-model"))
    pictures = page.eval_on_selector_all(".thumbnail canvas", "all => all.map(one => one.toDataURL())")
    assert len(pictures) == len(set(pictures)) == 12
    assert page.inner_text('.thumbnail[data-head="2-3"]') == "det"
    after(page, lambda: page.click('.thumbnail[data-head="3-2"]'))
    assert "view=head&layer=3&heads=2" in page.url
    after(page, lambda: page.goto(f"{page.url.partition('#')[0]}#view=model&lines=summed"))
    assert page.locator(".thumbnail").count() == 3


def test_neurons_are_drawn_written_out_and_saved(file, tab, small):
    weights = sequence_in(small[2], 6).attention[1, 0, 2]
    page = tab(file, "#text=1&view=neuron&layer=2&heads=1&from=3")
    assert "table of numbers" in page.get_attribute(".neuron-view canvas", "aria-label")
    header, *rows = page.eval_on_selector_all(
        "#numbers tr", "all => all.map(row => [...row.children].map(cell => cell.textContent))"
    )
    assert header == ["to", "score", "weight"]
    assert [row[0] for row in rows] == ["[CLS]", "a", "dog", "barked", ".", "[SEP]"]
    np.testing.assert_allclose([float(row[2]) for row in rows], weights, atol=0.01)

    assert page.inner_text("#save-csv") == "Save 48 numbers"
    neurons = pd.DataFrame(saved_rows(page)).astype(dict.fromkeys(("q", "k", "product", "score"), float))
    np.testing.assert_allclose(neurons["q"] * neurons["k"], neurons["product"], rtol=2e-3)
    keys = neurons.groupby(neurons["key"].astype(int))
    scores = keys["score"].first()
    np.testing.assert_allclose(keys["product"].sum() / keys.size() ** 0.5, scores, atol=1e-3)
    np.testing.assert_allclose(np.exp(scores) / np.exp(scores).sum(), weights, atol=0.02)

    before = page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()")
    after(page, lambda: page.click(".pick .token >> nth=4"))
    assert page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()") != before


def test_keys_do_what_the_help_says(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    for key, part in (
        ("ArrowRight", "heads=2"),
        ("ArrowLeft", "heads=1"),
        ("k", "layer=3"),
        ("j", "layer=1"),
        ("]", "text=2"),
        ("a", "heads=1,2,3,4"),
        ("o", "heads=1&"),
        ("q", "lines=norm"),
        ("w", "units=words"),
        ("x", "specials=hidden"),
        ("2", "view=model"),
        ("3", "view=neuron"),
        ("1", "view=head"),
        ("d", "theme=dark"),
    ):
        after(page, lambda key=key: page.keyboard.press(key))
        assert part in page.url, key
    page.focus(".token.left")
    page.keyboard.press("ArrowDown")
    after(page, lambda: page.keyboard.press("Enter"))
    assert "from=3" in page.url  # the second that is shown, as [CLS] is hidden
    after(page, lambda: page.keyboard.press("Escape"))
    assert "from" not in page.url


def test_every_choice_is_drawn_and_a_link_brings_them_back(file, tab):
    page = tab(file)
    assert page.input_value("#layer") == "2"  # the head that a note says most of
    assert page.get_attribute("#heads button:nth-child(3)", "aria-pressed") == "true"
    pictures = [drawn(page)]
    for choose in (
        lambda: page.select_option("#sequence", "2"),
        lambda: page.select_option("#layer", "3"),
        lambda: page.click("#all-heads"),
        lambda: page.click("#heads button:nth-child(2)"),
        lambda: page.select_option("#unit", "words"),
        lambda: page.select_option("#quantity", "norm"),
        lambda: page.click(".token.left >> nth=3"),
        lambda: page.click(".token.right >> nth=1"),
    ):
        after(page, choose)
        page.mouse.move(5, 5)
        pictures.append(drawn(page))
    assert len(set(pictures)) == len(pictures)
    again = tab(file, f"#{page.url.partition('#')[2]}")
    assert again.url == page.url
    for opened in (page, again):
        opened.wait_for_function("() => document.querySelectorAll('.token.chosen').length === 2")
    assert drawn(again) == drawn(page)
    assert numbers(again, "right").tolist() == numbers(page, "right").tolist()


def test_a_broken_link_shows_something(file, tab):
    broken = "#text=99&layer=0&heads=7,x&from=999&view=none&lines=constructor&contrast=a"
    for link in (broken, "#%E0", "#=&&"):
        assert tab(file, link).locator(".head-view canvas").count() == 1, link


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value.suggested_filename, download.value.path().read_text(encoding="utf-8")


def saved_picture(page):
    return ET.fromstring(saved(page, "#save-svg")[1])


def saved_rows(page):
    return list(csv.DictReader(io.StringIO(saved(page, "#save-csv")[1])))


def texts_of(picture):
    return [element.text for element in picture.iter(f"{SVG}text")]


def test_gold_links_are_dashed_and_saved(tab_of):
    content = packed(random_sequence(1, 1, ["[CLS]", "a", "b", "[SEP]"])) | {"links": [[1, 2, 1], [2, 1, 0]]}
    page = tab_of(1, 1, [content])
    lines = page.evaluate(explorer("explorer.views.head.panes[0].goldLines()"))
    rows = page.eval_on_selector_all(".token.left", "all => all.map(one => one.offsetTop + one.offsetHeight / 2)")
    assert [(line["y1"], line["y2"]) for line in lines] == [(rows[1], rows[2]), (rows[2], rows[1])]
    sure, possible = (line["dash"] for line in lines)
    assert sure[0] > possible[0]
    assert "Gold links are dashed" in page.inner_text("#numbers p")
    with_links = drawn(page)
    dashes = [path.get("stroke-dasharray") for path in saved_picture(page).iter(f"{SVG}path")]
    assert [dash for dash in dashes if dash] == [",".join(map(str, dash)) for dash in (sure, possible)]
    page.evaluate("document.querySelector('.explorer').sequences[0].links = []")
    page.evaluate(explorer("explorer.views.head.draw()"))
    assert drawn(page) != with_links


def test_the_saved_numbers_are_those_of_the_store(file, tab, small):
    stored = sequence_in(small[2], 6)
    page = tab(file, "#text=1&layer=2&heads=3")
    assert saved(page, "#save-csv")[0].endswith(".csv")
    rows = saved_rows(page)
    assert len(rows) == 36
    values = np.array([float(row["value"]) for row in rows]).reshape(6, 6)
    np.testing.assert_allclose(values, stored.attention[1, 2], atol=0.005)
    assert (rows[8]["query_text"], rows[8]["key_text"], rows[8]["layer"], rows[8]["head"]) == ("a", "dog", "2", "3")
    after(page, lambda: page.check("#hide-specials"))
    assert texts(page, ".token.left bdi") == ["a", "dog", "barked", "."]
    after(page, lambda: page.click("#view-model"))
    assert page.inner_text("#save-csv") == f"Save {12 * 16} numbers"
    assert len(saved_rows(page)) == 12 * 16


def test_texts_that_look_like_code_are_shown_as_text(tab_of):
    contents = [packed(random_sequence(1, 2, HOSTILE))]
    finding = Finding("<i>group", "</dl>", "&lt;<b>", "share", {(1, 1): Fact(0.5, remark="<s>")})
    texts_around = {"model": "<u>m</u>", "found": packed_findings([finding]), "about": "<s>", "lacks": "<s>"}
    page = tab_of(1, 2, contents, "#from=2", **texts_around)
    assert texts(page, ".token.left bdi") == HOSTILE
    assert page.inner_text("#model") == "<u>m</u>"
    assert page.locator("main b, main i, main u, main s").count() == 0
    assert set(HOSTILE) <= set(texts_of(saved_picture(page)))


def test_colors_follow_the_system_until_one_chooses(browser, file):
    page = browser.new_page(color_scheme="dark")
    page.goto(file.as_uri())
    page.wait_for_selector(SHOWN)
    background = "getComputedStyle(document.querySelector('.explorer')).backgroundColor"
    assert page.evaluate(background) != "rgb(255, 255, 255)"
    after(page, lambda: page.click("#theme"))
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.close()


@pytest.mark.long  # of other tests beside it, it would measure these
def test_128_tokens_remain_fluid(tab_of):
    contents = [packed(random_sequence(12, 12, [f"token{i}" for i in range(128)]))]
    add_neurons(contents, [random_vectors(12, 12, 128, 64)], budget=10**7)
    page = tab_of(12, 12, contents)

    def time_of(before, call):
        """Return the milliseconds of the quickest of five redraws, which the machine disturbed least."""
        script = f"""async () => {{
          const {{explorer}} = document.querySelector(".explorer"), times = [];
          const drawn = () => {{ // reading a pixel waits until all is drawn
            const canvas = document.querySelector("#stage canvas");
            new OffscreenCanvas(1, 1).getContext("2d", {{willReadFrequently: true}}).drawImage(canvas, 0, 0);
            document.body.offsetHeight;
          }};
          const heads = (count) => [...Array(count).keys()];
          for (let i = 0; i < 5; i++) {{
            await explorer.change({{view: "head", quantity: "weight", heads: heads(12), ...{before}}});
            drawn();
            const started = performance.now();
            await {call};
            drawn();
            times.push(performance.now() - started);
          }}
          return times.sort((one, other) => one - other)[0];
        }}"""
        return page.evaluate(script)

    times = {
        "all lines, twelve heads": time_of("{}", "explorer.views.head.draw()"),
        "weight to norm, twelve heads": time_of("{}", "explorer.change({quantity: 'norm'})"),
        "next layer, twelve heads": time_of("{layer: 1}", "explorer.change({layer: 2})"),
        "all heads": time_of("{view: 'model'}", "explorer.change({quantity: 'norm'})"),
        "neurons, next head": time_of("{view: 'neuron', heads: [1]}", "explorer.change({heads: [2]})"),
    }
    print(", ".join(f"{name}: {time:.0f} ms" for name, time in times.items()))
    slow = {name: time for name, time in times.items() if time >= 2 * FLUID}  # on a machine that does much else
    assert not slow


def page_of(tmp_path, attention, tokens, **options):
    path = tmp_path / "page.html"
    show(attention, tokens, **options).save(path)
    return path


@pytest.mark.parametrize("n", [9, 128])
def test_a_broad_head_is_no_empty_stage(tab, tmp_path, n):
    page = tab(page_of(tmp_path, np.full((1, 1, n, n), 1 / n), [f"t{i}" for i in range(n)]))
    lines = page.evaluate(explorer("explorer.views.head.panes[0].lines({left: null, right: null}).lines"))
    assert len(lines) == (81 if n == 9 else pytest.approx(5000, abs=250))
    for end in ("y1", "y2"):  # from and to all tokens
        assert len({line[end] for line in lines}) == n
    assert min(line["opacity"] for line in lines) > 0.1
    share = 100 if n == 9 else 30
    said = page.inner_text("#numbers p")
    assert abs(float(said.partition(" lines hold ")[2].partition("%")[0]) - share) <= 2, said
    page.hover(".token.left >> nth=3")
    page.wait_for_selector(".token.left.chosen")
    assert f"{n} lines hold 100% of the attention" in page.inner_text("#numbers p")


def test_each_row_has_its_strongest_line_and_the_share_counts_what_is_hidden(tab, tmp_path):
    attention = np.full((1, 1, 30, 30), 0.5 / 29)
    attention[0, 0, :15] = np.eye(30)[:15]
    attention[0, 0, 15:, 0] = 0.5
    page = tab(page_of(tmp_path, attention, ["[CLS]", *(f"t{i}" for i in range(29))]))
    lines = page.evaluate(explorer("explorer.views.head.panes[0].lines({left: null, right: null}).lines"))
    assert len({line["y1"] for line in lines}) == 30
    after(page, lambda: page.check("#hide-specials"))
    drawn_share = (14 + 15 * 0.5) / (14 + 15)  # [CLS] is neither drawn from, nor to
    assert f"hold {100 * drawn_share:.0f}%" in page.inner_text("#numbers p")


def test_notes_name_corpus_interval_count_and_control(file, tab):
    page = tab(file, "#layer=2&heads=3")
    said = page.inner_text("#notes")
    for part in ("treebank (silver)", "83% (80% to 85%; n = 1,920; random weights: 16%; a fixed offset: 54%)"):
        assert part in said
    assert "30% (no control)" in said
    after(page, lambda: page.click("#heads button:nth-child(1)", modifiers=[]))
    assert "silver" not in page.inner_text("#notes")


def test_a_frame_of_another_document_shows_the_page(browser, tmp_path, file):
    html = file.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    outer = tmp_path / "outer.html"
    outer.write_text(f'<iframe width="900" height="700" srcdoc="{html}"></iframe>' * 2, encoding="utf-8")
    page, problems = browser.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(outer.as_uri())
    for number in (0, 1):
        frame = page.frame_locator("iframe").nth(number)
        frame.locator(SHOWN).wait_for()
        frame.locator(".token.left").nth(1).click()
        frame.locator(".explorer[data-shown*='from=2']").wait_for()
        assert frame.locator("#problem").inner_text() == ""
        assert not frame.locator("#copy-link").is_visible()
    assert page.url == outer.as_uri()
    assert problems == []
    page.close()


def test_two_pages_in_one_document_do_not_disturb_each_other(browser, tmp_path):
    path = tmp_path / "two.html"
    one = show(np.full((2, 2, 3, 3), 1 / 3), ["a", "b", "c"], model="one").html
    other = show(np.full((2, 2, 2, 2), 1 / 2), ["d", "e"], model="other").html
    path.write_text(one + other, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_function(f"() => document.querySelectorAll(`{SHOWN}`).length === 2")
    first, second = page.locator(".explorer").all()
    assert [first.locator("#model").inner_text(), second.locator("#model").inner_text()] == ["one", "other"]
    second.locator(".token.left").nth(1).click()
    second.locator(".token.left.chosen").wait_for()
    assert first.locator(".token.chosen").count() == 0
    page.keyboard.press("j")
    page.wait_for_function("() => document.querySelectorAll('.explorer')[1].dataset.shown.includes('layer=2')")
    assert "layer=1" in first.get_attribute("data-shown")
    assert "from" not in page.url
    page.close()


def test_back_takes_back_a_step(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    length = page.evaluate("history.length")
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
    assert page.locator(".thumbnail").count() == 12
    length = page.evaluate("history.length")
    page.evaluate(
        "const slider = document.querySelector('#contrast'); slider.value = 1.2; slider.oninput({target: slider})"
    )
    page.wait_for_function("() => location.hash.includes('contrast')")
    assert page.evaluate("history.length") == length


def focused(page):
    """Return the id, the data or the text of the element that has the focus."""
    return page.evaluate("""() => {
      const {dataset: {side, place, head}, id, textContent} = document.activeElement;
      return id || [side, place, head].filter(Boolean).join(" ") || textContent;
    }""")


def test_focus_stays_where_it_is(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    page.focus(".token.left >> nth=0")
    page.keyboard.press("ArrowDown")
    for key in ("Enter", "q", "j", "x", "d", "q", "q", "Escape"):
        after(page, lambda key=key: page.keyboard.press(key))
        assert focused(page) == "left 1", key
    page.focus("#heads button:nth-child(2)")
    for key in ("Enter", "q"):
        after(page, lambda key=key: page.keyboard.press(key))
        assert focused(page) == "2", key
    after(page, lambda: page.keyboard.press("2"))
    page.focus(".thumbnail >> nth=0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    after(page, lambda: page.keyboard.press("x"))
    assert focused(page) == "2-2"
    after(page, lambda: page.keyboard.press("Enter"))
    assert "view=head&layer=2&heads=2" in page.url
    assert focused(page) == "stage"  # not lost with the map
    after(page, lambda: page.keyboard.press("3"))
    page.focus(".pick .token >> nth=2")
    after(page, lambda: page.keyboard.press("Enter"))
    assert focused(page).endswith("2")
    after(page, lambda: page.keyboard.press("1"))
    page.focus("#layer")
    after(page, lambda: page.select_option("#layer", "1"))
    assert focused(page) == "layer"  # chosen by key
    after(page, lambda: page.keyboard.press("a"))
    page.dispatch_event("#layer", "pointerdown")
    after(page, lambda: page.select_option("#layer", "3"))
    after(page, lambda: page.keyboard.press("ArrowRight"))  # the head: the control has lost the focus
    assert "layer=3&heads=3" in page.url


def test_arrows_scroll(tab, tmp_path):
    page = tab(page_of(tmp_path, np.full((2, 2, 80, 80), 1 / 80), [f"t{i}" for i in range(80)]))
    page.click("#stage", position={"x": 5, "y": 5})
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => scrollY > 0")
    assert "layer=1" in page.get_attribute(SHOWN, "data-shown")


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        (
            "#text=1&layer=2&heads=3,1",
            [
                *("small, layer 2, heads 1, 3: attention weight α, between tokens", "head 2-3", "lines hold"),
                *("text: “a dog barked .”", "[CLS]", "[SEP]"),
            ],
        ),
        (
            "#text=1&layer=2&lines=summed&specials=hidden",
            ["small, layer 2, all heads: norm of all heads", "special tokens are hidden"],
        ),
        ("#text=1&view=model&lines=norm", ["small, all layers and heads: norm", "Rows attend to columns"]),
        ("#text=1&view=model&find=previous", ["Heads by: Its attention goes to: previous token (running text)"]),
        (
            "#text=1&view=neuron&layer=1&heads=2",
            ["small, layer 1, head 2: queries, keys and attention weight", "Full strength: query", "above 0"],
        ),
    ],
)
def test_a_saved_picture_says_what_it_shows(file, tab, link, parts):
    page = tab(file, link)
    name, text = saved(page, "#save-svg")
    assert name.endswith(".svg")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    said = " ".join(text or "" for text in texts_of(root))
    for part in parts:
        assert part in said
    if "view=model" in link:
        assert len(list(root.iter(f"{SVG}image"))) == 12
    elif "view" not in link:
        pane = "explorer.views.head.panes[0]"
        lines = page.evaluate(explorer(f"{pane}.lines({pane}.chosen()).lines.length"))
        assert len(list(root.iter(f"{SVG}path"))) == lines
    bottom = max(float(element.get("y")) for element in root.iter(f"{SVG}text"))
    assert bottom < float(root.get("height"))


def test_pointing_shows_lines_until_one_leaves(file, tab):
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


def test_a_model_without_neurons_says_why(tab_of):
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["a", "b"]))], "#view=neuron", lacks="it turns them")
    assert page.inner_text("#stage") == "No queries and keys can be shown of this model: it turns them."
    assert page.is_disabled("#save-svg")
    assert page.is_disabled("#save-csv")


def test_a_narrow_screen_shows_all(browser, file):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{file.as_uri()}#text=3&units=words&from=3")
    page.wait_for_selector(SHOWN)
    left, right = (page.locator(f".token.{side}").first.bounding_box() for side in ("left", "right"))
    assert left["x"] >= 0
    assert right["x"] + right["width"] <= 390
    assert right["x"] - left["x"] - left["width"] >= 50  # room for lines
    for link in ("view=model&text=3", "view=model&find=previous", "view=neuron&text=1"):
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        after(page, lambda link=link: page.goto(f"{file.as_uri()}#{link}"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


def test_a_head_is_found_by_what_was_found_of_it(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    after(page, lambda: page.fill("#find", "previous"))
    labels = page.eval_on_selector_all(".found .thumbnail", "all => all.map(one => one.innerText)")
    assert labels[:3] == ["3-4: 60%", "3-3: 45%", "2-4: 40%"]
    assert len(labels) == 12
    after(page, lambda: page.fill("#find", "det"))
    assert page.inner_text("#stage h2") == "The best of all heads for: det"
    assert "treebank (silver)" in page.inner_text("#stage")
    link = page.url.partition("#")[2]
    assert tab(file, f"#{link}").input_value("#find") == "det"
    after(page, lambda: page.click(".found .thumbnail"))
    assert "view=head&layer=2&heads=3" in page.url
    after(page, lambda: page.keyboard.press("2"))
    after(page, lambda: page.fill("#find", "nobody"))
    assert "Nothing was found" in page.inner_text("#stage")
    after(page, lambda: page.press("#find", "Escape"))
    assert page.locator(".thumbnail").count() == 12


def test_lines_can_go_from_one_sentence_to_another(tab, tmp_path):
    tokens = ["[CLS]", "a", "[SEP]", "b", "c", "[SEP]"]
    page = tab(page_of(tmp_path, random_sequence(1, 1, tokens).attention, tokens))
    assert page.get_attribute(".token.left >> nth=4", "aria-label") == "from c, sentence B"
    after(page, lambda: page.select_option("#parts", "AB"))
    assert [texts(page, f".token.{side} bdi") for side in ("left", "right")] == [tokens[:3], tokens[3:]]
    assert "sentences=AB" in page.url
    assert page.inner_text("#save-csv") == "Save 9 numbers"
    assert page.locator("#parts").is_visible()
    assert not tab(page_of(tmp_path, np.ones((1, 1, 1, 1)), ["a"])).locator("#parts").is_visible()


def test_attention_from_one_sequence_to_another(tab, tmp_path):
    attention = np.random.default_rng(0).dirichlet(np.ones(4), size=(1, 2, 3))
    page = tab(
        page_of(tmp_path, attention, ["wir", "gehen", "</s>"], key_tokens=["we", "are", "going", "</s>"]),
        "#from=2&heads=2",
    )
    assert texts(page, ".token.right bdi") == ["we", "are", "going", "</s>"]
    np.testing.assert_allclose(numbers(page, "right"), attention[0, 1, 1], atol=0.01)
    after(page, lambda: page.keyboard.press("2"))
    assert page.evaluate("(({width, height}) => [width, height])(document.querySelector('.thumbnail canvas'))") == [
        4,
        3,
    ]
    assert [row["key_text"] for row in saved_rows(page)[:5]] == ["we", "are", "going", "</s>", "we"]


def test_two_texts_stand_side_by_side_with_their_difference(tab_of):
    contents = [packed(random_sequence(2, 2, ["a", "b", "c"], seed=seed)) for seed in (1, 2)]
    contents.append(packed(random_sequence(2, 2, ["a", "b"])))
    page = tab_of(2, 2, contents, "#layer=2&heads=1")
    assert page.locator(".head-view").count() == 1
    after(page, lambda: page.select_option("#beside", "2"))
    assert "beside=2" in page.url
    maps = [random_sequence(2, 2, ["a", "b", "c"], seed=seed).attention[1, 0] for seed in (1, 2)]
    page.hover(".head-view >> nth=0 >> .token.left >> nth=1")
    page.wait_for_function("() => document.querySelectorAll('.token.left.chosen').length === 3")
    shown = np.reshape(numbers(page, "right"), (3, 3))
    np.testing.assert_allclose(shown, [maps[0][1], maps[1][1], maps[0][1] - maps[1][1]], atol=0.02)
    page.mouse.move(5, 5)
    said = set(texts_of(saved_picture(page)))
    assert {"more on the left", "more in the middle", "the difference: left less middle"} <= said
    colors = {
        line["color"]
        for line in page.evaluate(explorer("explorer.views.head.panes[2].lines({left: null, right: null}).lines"))
    }
    assert len(colors) == 2
    assert [row["text"] for row in saved_rows(page)] == ["1"] * 9 + ["2"] * 9
    after(page, lambda: page.keyboard.press("2"))
    assert "all on one scale" in page.inner_text("#numbers")
    after(page, lambda: page.keyboard.press("1"))
    after(page, lambda: page.select_option("#beside", "3"))  # of another length: no difference
    assert page.locator(".head-view").count() == 2
    after(page, page.go_back)
    assert page.locator(".head-view").count() == 3
    after(page, lambda: page.select_option("#sequence", "1"))  # the one that is beside
    assert page.locator(".head-view").count() == 1


def test_a_relation_has_sentences_right_and_wrong(tab_of):
    table = pd.DataFrame(
        [
            ("det", 2, 3, right, number, index, word, weight, role)
            for number, right, words in (
                (1, True, [("a", 0.0, "dependent"), ("<b>", 0.9, "head")]),
                (2, False, [("the", 0.0, "dependent"), ("old", 0.7, "predicted"), ("dog", 0.2, "head")]),
            )
            for index, (word, weight, role) in enumerate(words, start=1)
        ],
        columns=["relation", "layer", "head", "right", "sentence", "index", "word", "weight", "role"],
    )
    finding = Finding("The best of all heads for", "det", "treebank", "share", {(1, 1): Fact(0.5)})
    found = packed_findings([finding], evidence=evidence(table))
    page = tab_of(1, 1, [packed(random_sequence(1, 1, ["x"]))], found=found)
    page.click("#notes summary")
    assert page.eval_on_selector_all("#notes details p", "all => all.map(one => one.innerText.trim())") == [
        "right: a (dependent) <b> (head, found)",
        "wrong: the (dependent) old (taken for the head) dog (head, missed)",
    ]
    assert page.get_attribute("#notes .predicted", "title") == "taken for the head: 0.700"
