"""Characters that the usual font lacks are drawn with other installed fonts."""

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


def only_in(family):
    """Return the file of a font and a character that the usual font lacks."""
    font = next(font for font in fontManager.ttflist if font.name == family)
    return font.fname, max(style._characters(font.fname) - style._characters(style.findfont(style._FONT)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("where", ["title", "tick"])
def test_a_font_with_the_character_is_used(tmp_path, where):
    _, character = only_in("STIXGeneral")
    style.save(figure_with(*((character, "a") if where == "title" else ("a", character))), tmp_path / "f.pdf")


@pytest.mark.parametrize(
    "label", ["\U0010f123 \U0010f124", "\U000f1234 and \U0010f125"]
)  # private-use characters, which no font has
def test_one_warning_names_characters_without_a_font(tmp_path, label):
    figure = figure_with(label)
    with pytest.warns(UserWarning, match="boxes for 2 characters") as warned:
        for name in ("f.pdf", "f.png"):
            style.save(figure, tmp_path / name)
    assert len(warned) == 1


@pytest.mark.filterwarnings("error")
def test_newly_installed_fonts_are_used(tmp_path, monkeypatch):
    """Matplotlib reads its list of fonts from a cache, which it does not update."""
    font, character = only_in("STIXNonUnicode")
    known = [font for font in fontManager.ttflist if font.name == style._FONT]
    monkeypatch.setattr(fontManager, "ttflist", known)
    monkeypatch.setattr(style, "findSystemFonts", lambda: ["no/such/font.ttf", font])
    other, plain = figure_with(character), figure_with("plain")
    for figure in (other, plain):
        style.save(figure, tmp_path / "f.pdf")
    assert families(other, character) == [style._FONT, "STIXNonUnicode"]
    assert families(plain, "plain") == [style._FONT]
