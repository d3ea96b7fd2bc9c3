"""Figures show characters that the usual font lacks if any installed font has them."""

import warnings

import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text

from bert_attention.figures import style


def figure_with(label, tick="a"):
    with style.house_style():
        figure = Figure()
        axes = figure.subplots()
        axes.set_title(label)
        axes.set_xticks([0, 1], [tick, "b"])
        return figure


def families(figure, label):
    (text,) = (text for text in figure.findobj(Text) if text.get_text() == label)
    return text.get_fontfamily()


def only_elsewhere():
    usual = style._characters(style.findfont(style._FONT))
    font = next(font for font in fontManager.ttflist if font.name == "STIXGeneral")
    return sorted(style._characters(font.fname) - usual)[-1]


@pytest.mark.parametrize("where", ["title", "tick"])
def test_a_font_that_has_the_character_is_used(tmp_path, where):
    character = only_elsewhere()
    figure = figure_with(character if where == "title" else "a", character if where == "tick" else "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.save(figure, tmp_path / "f.pdf")


@pytest.mark.parametrize("label", ["\ue123 \ue124", "\U000f1234 and \ue125"])  # for private use: no font has them
def test_one_warning_tells_of_characters_that_no_font_has(tmp_path, label):
    figure = figure_with(label)
    with pytest.warns(UserWarning, match="boxes for 2 characters") as told:
        for name in ("f.pdf", "f.png"):
            style.save(figure, tmp_path / name)
    assert len(told) == 1


@pytest.mark.parametrize("family", ["STIXGeneral", "STIXNonUnicode"])
def test_a_font_that_was_installed_after_matplotlib_listed_the_fonts_is_used(tmp_path, monkeypatch, family):
    """Matplotlib reads its list of fonts from a cache, which it does not renew."""
    font = next(font for font in fontManager.ttflist if font.name == family)
    known = [font for font in fontManager.ttflist if font.name == style._FONT]
    character = max(style._characters(font.fname) - style._characters(style.findfont(style._FONT)))
    monkeypatch.setattr(fontManager, "ttflist", known)
    monkeypatch.setattr(style, "findSystemFonts", lambda: ["no/such/font.ttf", font.fname])
    figure = figure_with(character)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.save(figure, tmp_path / "f.pdf")
    assert families(figure, character) == [style._FONT, family]


def test_a_figure_in_the_usual_font_is_as_before(tmp_path):
    figure = figure_with("plain")
    style.use_fonts_with_glyphs(figure)
    assert families(figure, "plain") == [style._FONT]
