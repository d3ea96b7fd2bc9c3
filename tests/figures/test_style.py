import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

from bert_attention.figures import style
from bert_attention.tokenization.delimiters import Delimiters
from tests.figures.users_styles import USERS_STYLES


@pytest.mark.parametrize(("top", "some"), [(0.006, {"0.1%", "0.5%"}), (0.06, {"1%", "5%"}), (1, {"20%", "100%"})])
def test_tick_labels_of_small_shares_differ(top, some):
    axes = Figure().subplots()
    axes.set_ylim(0, top)
    style.percent_axis(axes, "share")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == len(set(labels))
    assert some <= set(labels)
    assert max(map(len, labels)) <= len("100%")


def texts_of(figure):
    """Return all texts of a figure, with the labels of ticks as they are drawn."""
    figure.draw_without_rendering()
    return {text.get_text() for text in figure.findobj(Text)}


def test_a_figure_names_the_tokens_of_the_tokenizer():
    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 2], label="from [CLS]")
    axes.legend()
    axes.set_title("(a) attention to [SEP]", loc="left")
    axes.set_xlabel("[SEP]")
    axes.set_xticks([0, 1], ["[CLS]", "cat"])
    figure.suptitle("[CLS] and [SEP]")
    before = texts_of(figure)
    style.name_delimiters(figure, Delimiters())
    assert texts_of(figure) == before
    style.name_delimiters(figure, Delimiters("<s>", "</s>", 3))
    expected = {"from <s>", "(a) attention to </s>", "</s>", "<s>", "cat", "<s> and </s>"}
    assert expected <= texts_of(figure)
    assert not any("[" in text for text in texts_of(figure))


def drawn():
    """Return a figure with elements that might make files differ: a layout, texts, points and a heat map."""
    with style.house_style():
        figure, (above, below) = style.panels(2, panel_height=1)
        above.scatter([1, 2], [3, 4], label="points")
        below.imshow(np.eye(2))
        below.fill_between([0, 1], [0, 0], [1, 1], alpha=0.2)
        style.legend_above(above)
    return figure


@pytest.mark.parametrize("users_style", USERS_STYLES)
@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_a_users_style_changes_no_figure_and_stays_set(saved, suffix, users_style):
    expected = saved(drawn(), suffix)
    with mpl.rc_context(users_style):
        before = dict(mpl.rcParams)
        assert saved(drawn(), suffix) == expected
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_the_same_figure_gives_the_same_bytes(saved, suffix):
    first, second = (saved(drawn(), suffix) for _ in "ab")
    assert first == second
    assert len(first) > 1000


@pytest.mark.parametrize(("height", "note"), [(1, "stand-in: frames"), (3, "stand-in: coreference (names)")])
def test_a_note_stands_below_the_figure(tmp_path, height, note):
    """The note adds a strip to the file, and leaves the figure as it was."""
    images = []
    for text in ("", note):
        figure = Figure(figsize=(3, height), layout="constrained")
        figure.subplots().plot([0, 1])
        style.save(figure, tmp_path / "figure.png", text)
        assert not figure.texts
        images.append(imread(tmp_path / "figure.png")[..., :3])
    above, whole = images
    strip = whole[len(above) :]
    assert 0 < len(strip) < 0.2 * 300
    np.testing.assert_allclose(whole[: len(above)], above)
    assert 0 < (strip < 0.9).any(axis=-1).mean() < 0.5


def test_drawing_leaves_the_settings_of_a_notebook_alone(monkeypatch):
    monkeypatch.setitem(mpl.rcParams, "backend", "svg")
    before = dict(mpl.rcParams)
    drawn()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(("layers", "at"), [(12, [1, 12]), (6, [0.75, 6.25]), (24, [1.5, 23.5])])
def test_published_curves_stand_at_their_relative_depth(layers, at):
    published = pd.DataFrame({"series": "sep", "layer": [1, 12], "value": [0.1, 0.2]})
    tables = [pd.DataFrame({"layer": [1, layers]}), pd.DataFrame({"token": ["the"]})]
    assert style.published_at_depth(published, tables)["layer"].tolist() == at
    assert style.published_at_depth(published, tables[1:]).equals(published)
