"""The page in a real browser, from a file: what is drawn, shown, saved and brought back."""

import csv
import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from bert_attention.explorer.data import add_neurons, packed
from bert_attention.explorer.notes import Fact, Note
from bert_attention.explorer.page import page as html_of
from bert_attention.explorer.stored import packed_from_store
from tests.explorer.sequences import random_sequence, random_vectors, small_store
from tests.explorer.test_page import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
# A frame of an animation at 10 a second: slower than this, a redraw is felt. In a browser without a GPU.
FLUID = 100


@pytest.fixture(scope="module")
def small(embedded_model, tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store"), embedded_model)


@pytest.fixture(scope="module")
def file(small, tmp_path_factory):
    """A page of a small store."""
    encoder, tokenizer, store = small
    notes = {(2, 3): Note("det", [Fact("The best of all heads for", "det", "83 % right", 0.83)])}
    path = tmp_path_factory.mktemp("page") / "explorer.html"
    path.write_text(html_of("small", 3, 4, packed_from_store(store, tokenizer, encoder), notes), encoding="utf-8")
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
        page.wait_for_selector("body[data-shown]")
        return page

    yield open_file
    context.close()
    assert [problem for problem in problems if not problem.startswith(("file:", "data:", "blob:"))] == []


def drawn(page):
    """The pixels of the lines."""
    return page.evaluate("document.querySelector('.head-view canvas').toDataURL()")


def after(page, action):
    """Do something that changes the address, and wait until it is shown."""
    before = page.get_attribute("body", "data-shown")
    action()
    page.wait_for_function("before => document.body.dataset.shown !== before", arg=before)


def numbers(page, side):
    values = page.eval_on_selector_all(f".token.{side} .value", "all => all.map(one => one.textContent)")
    return np.array([float(value) for value in values if value])


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


def test_clicks_change_what_is_drawn(file, tab):
    page = tab(file)
    assert page.input_value("#layer") == "2"  # the head that a note says most of
    assert page.get_attribute("#heads button:nth-child(3)", "aria-pressed") == "true"
    pictures = [drawn(page)]
    for selector in ("#heads button:nth-child(1)", ".token.left >> nth=2", ".token.right >> nth=3"):
        after(page, lambda selector=selector: page.click(selector))
        pictures.append(drawn(page))
    after(page, lambda: page.select_option("#layer", "3"))
    pictures.append(drawn(page))
    after(page, lambda: page.select_option("#quantity", "norm"))
    pictures.append(drawn(page))
    assert len(set(pictures)) == len(pictures)


def test_pointing_at_a_token_shows_its_lines_until_one_leaves(file, tab):
    page = tab(file)
    before = drawn(page)
    page.hover(".token.left >> nth=1")
    page.wait_for_selector(".token.left.chosen")
    assert drawn(page) != before
    page.mouse.move(5, 5)
    page.wait_for_selector(".token.chosen", state="detached")
    assert drawn(page) == before


def test_special_tokens_can_be_hidden(file, tab):
    page = tab(file, "#text=1")
    after(page, lambda: page.check("#hide-specials"))
    assert page.eval_on_selector_all(".token.left bdi", "all => all.map(one => one.textContent)") == [
        "a",
        "dog",
        "barked",
        ".",
    ]


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


def test_neurons_multiply_to_the_scores_of_the_weights(file, tab, small):
    stored = sequence_in(small[2], 6)
    page = tab(file, "#text=1&view=neuron&layer=2&heads=1&from=3")
    script = """() => {
      const {queries, keys, size} = SEQUENCES[0].neurons(1, 0);
      return Array.from({length: 6}, (_, key) => {
        let sum = 0;
        for (let i = 0; i < size; i++) sum += queries[2 * size + i] * keys[key * size + i];
        return sum / Math.sqrt(size);
      });
    }"""
    scores = np.exp(page.evaluate(script))
    np.testing.assert_allclose(scores / scores.sum(), stored.attention[1, 0, 2], atol=0.02)
    before = page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()")
    after(page, lambda: page.click(".pick .token >> nth=4"))
    assert page.evaluate("document.querySelector('.neuron-view canvas').toDataURL()") != before


def test_keys_do_what_the_help_says(file, tab):
    page = tab(file, "#text=1&layer=1&heads=1")
    for key, part in (
        ("ArrowRight", "heads=2"),
        ("ArrowLeft", "heads=1"),
        ("ArrowUp", "layer=3"),
        ("ArrowDown", "layer=1"),
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


def test_a_link_brings_back_the_view(file, tab):
    page = tab(file)
    after(page, lambda: page.select_option("#sequence", "2"))
    after(page, lambda: page.click("#all-heads"))
    after(page, lambda: page.click("#heads button:nth-child(2)"))
    after(page, lambda: page.select_option("#unit", "words"))
    after(page, lambda: page.select_option("#quantity", "norm"))
    after(page, lambda: page.click(".token.left >> nth=3"))
    after(page, lambda: page.click(".token.right >> nth=1"))
    page.mouse.move(5, 5)
    link = page.url.partition("#")[2]
    again = tab(file, f"#{link}")
    assert again.url == page.url
    for opened in (page, again):
        opened.wait_for_function("document.querySelectorAll('.token.chosen').length === 2")
    assert drawn(again) == drawn(page)
    assert numbers(again, "right").tolist() == numbers(page, "right").tolist()


@pytest.mark.parametrize(
    "link", ["#text=99&layer=0&heads=7,x&from=999&view=none&lines=constructor&contrast=a", "#%E0", "#=&&"]
)
def test_a_broken_link_shows_something(file, tab, link):
    page = tab(file, link)
    assert page.locator(".head-view canvas").count() == 1


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value.suggested_filename, download.value.path().read_text(encoding="utf-8")


@pytest.mark.parametrize("link", ["#from=3", "#lines=summed", "#view=model", "#view=neuron&text=1"])
def test_the_saved_picture_is_xml_with_all_tokens(file, tab, link):
    page = tab(file, link)
    name, text = saved(page, "#save-svg")
    root = ET.fromstring(text)
    assert name.endswith(".svg")
    assert root.tag == f"{SVG}svg"
    found = [element.text for element in root.iter(f"{SVG}text")]
    if "model" in link:
        assert len(list(root.iter(f"{SVG}image"))) == 12
    else:
        assert found.count("[CLS]") == (1 if "neuron" in link else 2)
    if "neuron" not in link and "model" not in link:
        assert len(list(root.iter(f"{SVG}path"))) == page.evaluate(
            "explorer.views.head.lines(explorer.views.head.chosen()).lines.length"
        )


def test_the_saved_numbers_are_those_of_the_store(file, tab, small):
    stored = sequence_in(small[2], 6)
    name, text = saved(tab(file, "#text=1&layer=2&heads=3"), "#save-csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert name.endswith(".csv")
    assert len(rows) == 36
    values = np.array([float(row["value"]) for row in rows]).reshape(6, 6)
    np.testing.assert_allclose(values, stored.attention[1, 2], atol=0.005)
    assert (rows[8]["query_text"], rows[8]["key_text"], rows[8]["layer"], rows[8]["head"]) == ("a", "dog", "2", "3")


def test_texts_that_look_like_code_are_shown_as_text(tab, tmp_path):
    path = tmp_path / "hostile.html"
    contents = [packed(random_sequence(1, 2, HOSTILE))]
    notes = {(1, 1): Note("<b>brief</b>", [Fact("<i>group", "</dl>", "&lt;", 0.5)])}
    path.write_text(html_of("<u>m</u>", 1, 2, contents, notes, "<s>"), encoding="utf-8")
    page = tab(path, "#from=2")
    assert page.eval_on_selector_all(".token.left bdi", "all => all.map(one => one.textContent)") == HOSTILE
    assert page.inner_text("#model") == "<u>m</u>"
    assert page.locator("main b, main i, main u, main s").count() == 0
    root = ET.fromstring(saved(page, "#save-svg")[1])
    assert set(HOSTILE) <= {element.text for element in root.iter(f"{SVG}text")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_one_chooses(browser, file, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-shown]")
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    assert (before == "rgb(255, 255, 255)") == (scheme == "light")
    after(page, lambda: page.click("#theme"))
    assert (page.evaluate(background) == "rgb(255, 255, 255)") == (scheme == "dark")
    page.close()


@pytest.mark.long  # of other tests beside it, it would measure these
def test_128_tokens_remain_fluid(tab, tmp_path):
    path = tmp_path / "long.html"
    contents = [packed(random_sequence(12, 12, [f"token{i}" for i in range(128)]))]
    add_neurons(contents, [lambda: random_vectors(12, 12, 128, 64)])
    path.write_text(html_of("long", 12, 12, contents, {}), encoding="utf-8")
    page = tab(path, "#heads=1,2,3,4,5,6,7,8,9,10,11,12")

    def time_of(heads, hovered, call="explorer.views.head.draw()"):
        """The quickest of seven redraws, in milliseconds: that which the machine disturbed least."""
        script = f"""() => {{
          explorer.state.heads = [...Array({heads}).keys()];
          explorer.views.head.hovered = {hovered};
          return Array.from({{length: 7}}, () => {{
            const started = performance.now();
            {call};
            const canvas = document.querySelector("#stage canvas"); // reading a pixel waits until all is drawn
            new OffscreenCanvas(1, 1).getContext("2d", {{willReadFrequently: true}}).drawImage(canvas, 0, 0);
            return performance.now() - started;
          }}).sort((a, b) => a - b)[0];
        }}"""
        return page.evaluate(script)

    one_token = "{side: 'left', place: 5}"
    times = {
        "lines of a token, one head": time_of(1, one_token),
        "lines of a token, twelve heads": time_of(12, one_token),
        "all lines, one head": time_of(1, "null"),
        "all lines, twelve heads": time_of(12, "null"),
        "all heads": time_of(1, "null", "explorer.views.model.show()"),
    }
    print(", ".join(f"{name}: {time:.0f} ms" for name, time in times.items()))
    assert times["lines of a token, twelve heads"] < FLUID
    assert max(times.values()) < 10 * FLUID  # on a machine that does much else
