"""Figure 5 of Clark et al. 2019: a line for each visible weight, as thick as it is high, colored by gold."""

import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.clark.clark_figure_5_linguistic_heads import draw
from tests.figures.clark.head_pictures import TO_NEXT, WORDS, drawn_lines, pairs

BLUE, VERMILION = style.BLUE.lower(), style.VERMILION.lower()


def draw_example():
    """Three sentences, and two passages, of which the first begins with the third word of its document."""
    at = {"layer": 8, "head": 10, "direction": "dependent_to_head"}
    back = {"layer": 9, "head": 6, "direction": "head_to_dependent"}
    sentences = [
        pairs(TO_NEXT, {(1, 2)}, relation="obj", sentence=4, **at),
        pairs(TO_NEXT, {(2, 3)}, relation="obj", sentence=7, **at),
        pairs(TO_NEXT, {(1, 2)}, relation="case", sentence=2, **back),
    ]
    scores = pd.DataFrame({"relation": ["obj", "case"], "accuracy": [0.868, 0.5], "baseline_accuracy": [0.4, 0.1]})
    at = {"layer": 5, "head": 4, "direction": "mention_to_antecedent"}
    first, second = pairs(TO_NEXT, {(2, 1)}, document="d1", **at), pairs(TO_NEXT, {(3, 2)}, document="d2", **at)
    first[["query", "key"]] += 3
    systems = pd.DataFrame({"system": ["nearest", "best_head", "best_head"], "accuracy": [0.27, 0.65, 0.6]})
    directions = [None, "mention_to_antecedent", "antecedent_to_mention"]
    return draw(
        pd.concat(sentences, ignore_index=True),
        scores.assign(baseline_offset=-2, selection="same_data", variant="described"),
        pd.concat([first, second], ignore_index=True),
        systems.assign(direction=directions, selection="same_data", candidates="mentions", mention_type="all"),
    )


@pytest.fixture
def figure():
    return draw_example()


def cells(figure):
    """The cells of the figure, row by row, without the legend."""
    return figure.subfigs[0].subfigs


def texts(axes):
    return [text.get_text() for text in axes.texts]


def bold(axes):
    return [text.get_text() for text in axes.texts if text.get_fontweight() == "bold"]


def test_each_sentence_stands_under_its_heads_accuracy(figure):
    assert [cell.get_suptitle() for cell in cells(figure) if cell.get_suptitle()] == [
        "head 8-10: objects (obj)\n86.8% (offset \N{MINUS SIGN}2: 40.0%)",
        "head 9-6: prepositions (case)\n50.0% (offset \N{MINUS SIGN}2: 10.0%)",
        "head 5-4: coreferent mentions\n65.0% (nearest mention: 27.0%)",
    ]
    first, second = cells(figure)[0].axes
    assert texts(first) == [word for word in WORDS for _ in "ab"]
    drawn = drawn_lines(first)
    assert set(drawn) == {(0, 1), (1, 2), (2, 2), (2, 3), (3, 3)}  # 0.01 would not be seen
    assert drawn[2, 3][0] == pytest.approx(3 * drawn[2, 2][0])
    assert drawn[1, 2][1] == BLUE
    assert drawn_lines(second)[2, 3][1] == BLUE
    assert drawn_lines(second)[2, 2][1] == VERMILION
    assert drawn[2, 2][1] not in (BLUE, VERMILION)
    assert figure.subfigs[-1].legends


def test_a_head_of_the_other_direction_has_what_goes_to_dependents_colored(figure):
    panel = cells(figure)[1].axes[0]
    drawn = drawn_lines(panel)
    assert drawn[1, 2][1] == BLUE
    assert drawn[2, 2][1] == VERMILION  # to the dependent, from another
    assert drawn[2, 3][1] == drawn[0, 1][1]
    assert bold(panel) == ["$b$", "$b$"]


def test_passages_begin_at_the_top_and_have_their_mentions_colored(figure):
    first, second = cells(figure)[2].axes
    drawn = drawn_lines(first)
    assert set(drawn) == {(0, 1), (1, 2), (2, 2), (2, 3), (3, 3)}
    assert {drawn[2, 2][1], drawn[2, 3][1]} == {VERMILION}  # the mention's attention, none to its antecedent
    assert (bold(first), bold(second)) == (["$b$", "$b$"], ["c", "c"])


def test_the_same_tables_give_the_same_bytes(saved):
    first, second = (saved(draw_example()) for _ in "ab")
    assert first == second
