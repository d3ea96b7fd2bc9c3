"""The page on which a person labels maps: its server over HTTP, and the page itself in a real browser."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import matplotlib as mpl
import numpy as np
import pytest

from bert_attention.corpora.pattern_annotations import read_labels, write_maps
from bert_attention.corpora.types import PATTERNS
from bert_attention.running.annotation_server import Annotation, server
from tests.annotated_maps import small_maps
from tests.conftest import ROOT

MAPS = small_maps(4)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "my_labels.csv"


@pytest.fixture
def serve():
    """A function that serves an annotation, and returns its address."""
    running = []

    def start(annotation):
        serving = server(annotation, port=0)
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        running.append(serving)
        return f"http://127.0.0.1:{serving.server_port}"

    yield start
    for serving in running:
        serving.shutdown()
        serving.server_close()


def get(address):
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


def post(address, content, kind="application/json"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    request = urllib.request.Request(f"{address}/labels", data, {"Content-Type": kind})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:80", "localhost", ""])
def test_what_is_sent_to_another_name_is_refused(serve, file, host):
    """Another site can have its own name lead to this machine; its page would then be taken for ours."""
    address = serve(Annotation(MAPS, file))
    headers = {"Host": host.format(port=address.rpartition(":")[2]), "Content-Type": "application/json"}
    for path, data in (("/state", None), ("/labels", b'{"map": 2, "pattern": "block"}')):
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(urllib.request.Request(address + path, data, headers))
    assert not file.exists()
    assert get(address.replace("127.0.0.1", "localhost") + "/state")["labels"] == {}


def test_a_label_is_in_the_file_at_once_and_can_be_changed_and_removed(serve, file):
    address = serve(Annotation(MAPS, file))
    assert post(address, {"map": 2, "pattern": "block"}) == 204
    assert read_labels(file, MAPS) == {2: "block"}
    post(address, {"map": 1, "pattern": "vertical"})
    post(address, {"map": 2, "pattern": "diagonal"})
    assert read_labels(file, MAPS) == {1: "vertical", 2: "diagonal"}
    assert post(address, {"map": 2, "pattern": None}) == 204
    assert read_labels(file, MAPS) == {1: "vertical"}
    assert get(f"{address}/state")["labels"] == {"1": "vertical"}


def test_a_new_server_goes_on_with_the_file(serve, file):
    post(serve(Annotation(MAPS, file)), {"map": 3, "pattern": "heterogeneous"})
    state = get(f"{serve(Annotation(MAPS, file))}/state")
    assert state["labels"] == {"3": "heterogeneous"}
    assert (state["maps"], list(state["patterns"]), len(state["colours"])) == ([1, 2, 3, 4], list(PATTERNS), 256)


def test_a_file_whose_last_label_was_taken_back_can_be_gone_on_with(serve, file):
    address = serve(Annotation(MAPS, file))
    post(address, {"map": 3, "pattern": "block"})
    post(address, {"map": 3, "pattern": None})
    assert get(f"{serve(Annotation(MAPS, file))}/state")["labels"] == {}


def test_a_seed_shuffles_the_maps(file):
    maps = small_maps(30)
    shuffled = Annotation(maps, file, seed=1).state()["maps"]
    assert shuffled != sorted(shuffled) == list(range(1, 31))


def test_a_map_comes_with_its_cells(serve, file):
    shown = get(f"{serve(Annotation(MAPS, file))}/maps/2")
    expected = [round(255 * weight / MAPS[1].attention.max()) for weight in MAPS[1].attention.ravel()]
    assert shown == {"map": 2, "tokens": 6, "separator": 3, "values": expected}


@pytest.mark.parametrize(
    "content",
    [{"map": 9, "pattern": "block"}, {"map": 1, "pattern": "blocks"}, {"map": 1}, {"map": [1], "pattern": None}, b"{"],
)
def test_what_is_no_label_is_refused(serve, file, content):
    assert post(serve(Annotation(MAPS, file)), content) == 400
    assert not file.exists()


def test_another_sites_form_cannot_send_labels(serve, file):
    assert post(serve(Annotation(MAPS, file)), {"map": 1, "pattern": "block"}, kind="text/plain") == 404
    assert not file.exists()


@pytest.mark.parametrize("path", ["/maps/9", "/maps/x", "/annotation_server.py", "/../pyproject.toml"])
def test_nothing_else_is_served(serve, file, path):
    with pytest.raises(urllib.error.HTTPError) as error:
        get(serve(Annotation(MAPS, file)) + path)
    assert error.value.code == 404


def program(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    command = [sys.executable, "-m", "bert_attention.running.annotation_server", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )


def test_the_program_says_where_the_page_is(file, tmp_path):
    write_maps(MAPS, tmp_path / "maps.parquet")
    with program("--maps", tmp_path / "maps.parquet", "--labels", file, "--port", 0) as process:
        try:
            line = process.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
            assert str(file) in line
            assert post(address, {"map": 1, "pattern": "block"}) == 204
        finally:
            process.terminate()
    assert file.read_text() == "map,pattern\n1,block\n"


def test_the_program_refuses_a_file_of_other_labels(file, tmp_path):
    write_maps(MAPS, tmp_path / "maps.parquet")
    file.write_text("map,pattern\n1,stripes\n")
    with program("--maps", tmp_path / "maps.parquet", "--labels", file) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.startswith("ERROR") and "'stripes' is no pattern" in said


# In a browser.
@pytest.fixture
def page(browser):
    opened = browser.new_page()
    opened.set_default_timeout(60_000)  # a busy machine is slow to draw
    problems = []

    def note(problem):
        problems.append(problem)

    opened.on("pageerror", note)
    yield opened
    opened.close()
    assert not problems


def shows(page, number):
    """Wait until the page shows a map, and return its text."""
    page.wait_for_selector(f'body[data-map="{number}"]')
    return page.inner_text("aside")


def test_keys_label_maps_in_the_browser(serve, file, page):
    page.goto(serve(Annotation(MAPS, file)))
    assert "0 labelled" in shows(page, 1)
    page.keyboard.press("1")
    assert "1 labelled" in shows(page, 2)
    page.keyboard.press("b")
    shows(page, 3)
    assert read_labels(file, MAPS) == {1: "vertical", 2: "block"}
    page.keyboard.press("u")  # takes back the label of map 2
    assert "1 labelled" in shows(page, 2)
    assert read_labels(file, MAPS) == {1: "vertical"}
    page.keyboard.press("ArrowLeft")
    shows(page, 1)
    assert page.get_attribute("#vertical", "aria-pressed") == "true"
    page.keyboard.press("m")  # another label for map 1; the next map without one is shown
    shows(page, 2)
    page.click("#heterogeneous")
    shows(page, 3)
    assert read_labels(file, MAPS) == {1: "vertical_diagonal", 2: "heterogeneous"}


def test_a_reloaded_page_goes_on_and_says_when_all_is_done(serve, file, page):
    address = serve(Annotation(MAPS, file))
    for number in (1, 3):
        post(address, {"map": number, "pattern": "block"})
    page.goto(address)
    shows(page, 2)
    page.keyboard.press("5")
    shows(page, 4)
    page.keyboard.press("d")
    page.wait_for_function("document.body.innerText.includes('all maps are labelled')")
    assert read_labels(file, MAPS) == {1: "block", 2: "heterogeneous", 3: "block", 4: "diagonal"}


def test_the_canvas_has_the_maps_colours_and_marks(serve, file, page):
    page.goto(serve(Annotation(MAPS, file)))
    shows(page, 1)
    attention = MAPS[0].attention

    def colour(x, y):
        script = "([x, y]) => [...document.getElementById('map').getContext('2d').getImageData(x, y, 1, 1).data]"
        return page.evaluate(script, [x, y])[:3]

    def middle(place):
        return round(14 + (place + 0.5) * (600 - 14) / 6)

    viridis = mpl.colormaps["viridis"]
    for row, column in np.ndindex(attention.shape):
        expected = np.multiply(viridis(round(255 * attention[row, column] / attention.max()))[:3], 255)
        assert colour(middle(column), middle(row)) == pytest.approx(expected, abs=1)
    marked = [place for place in range(6) if colour(middle(place), 3) == [224, 0, 0]]
    assert marked == [0, 3, 5]


def test_a_label_that_could_not_be_saved_is_not_shown_as_saved(serve, file, page):
    page.goto(serve(Annotation(MAPS, file)))
    shows(page, 1)
    file.mkdir()  # so that the server cannot write it
    page.keyboard.press("1")
    page.wait_for_function("document.getElementById('problem').textContent.includes('not saved')")
    assert "0 labelled" in shows(page, 1)
