"""Pictures of single heads: every visible weight is a line from its query to its key, as thick as it is high."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from bert_attention.figures import clark_dependency, style

WORDS = ("[CLS]", "a", "$b$", "c")


def pairs(weights, gold=(), **columns):
    """Rows of one example; the first word has number 0."""
    rows = [
        {"query": query, "key": key, "query_word": WORDS[query], "key_word": WORDS[key], "weight": weight}
        | {"gold": (query, key) in gold}
        for query, row in enumerate(weights)
        for key, weight in enumerate(row)
    ]
    return pd.DataFrame(rows).assign(**columns)


NEXT = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.25, 0.75], [0, 0.01, 0, 0.99]]


@pytest.fixture
def clark_examples():
    at = {"layer": 8, "head": 10, "direction": "dependent_to_head"}
    back = {"layer": 9, "head": 6, "direction": "head_to_dependent"}
    return pd.concat(
        [
            pairs(NEXT, {(1, 2)}, relation="obj", sentence=4, **at),
            pairs(NEXT, {(2, 3)}, relation="obj", sentence=7, **at),
            pairs(NEXT, {(1, 2)}, relation="case", sentence=2, **back),
        ],
        ignore_index=True,
    )


@pytest.fixture
def clark_dependency_heads():
    rows = pd.DataFrame({"relation": ["obj", "case"], "accuracy": [0.868, 0.5], "baseline_accuracy": [0.4, 0.1]})
    return rows.assign(baseline_offset=-2, selection="same_data", variant="described")


@pytest.fixture
def clark_coreference_examples():
    """Two passages; the first begins with the third word of its document."""
    at = {"layer": 5, "head": 4, "direction": "mention_to_antecedent"}
    first, second = pairs(NEXT, {(2, 1)}, document="d1", **at), pairs(NEXT, {(3, 2)}, document="d2", **at)
    first[["query", "key"]] += 3
    return pd.concat([first, second], ignore_index=True)


@pytest.fixture
def clark_coreference():
    rows = pd.DataFrame({"system": ["nearest", "best_head", "best_head"], "accuracy": [0.27, 0.65, 0.6]})
    direction = [None, "mention_to_antecedent", "antecedent_to_mention"]
    return rows.assign(direction=direction, selection="same_data", candidates="mentions", mention_type="all")


@pytest.fixture
def figure_5(clark_examples, clark_dependency_heads, clark_coreference_examples, clark_coreference):
    return clark_dependency.figure_5(
        clark_examples, clark_dependency_heads, clark_coreference_examples, clark_coreference, None
    )


def cells(figure):
    """The cells of figure 5, row by row, without the legend."""
    return figure.subfigs[0].subfigs


def texts(axes):
    return [text.get_text() for text in axes.texts]


def lines(axes):
    """(query, key) -> (width, colour) of each line."""
    (collection,) = axes.collections
    return {
        (start[1], end[1]): (width, to_hex(colour))
        for (start, end), width, colour in zip(
            collection.get_segments(), collection.get_linewidths(), collection.get_colors(), strict=True
        )
    }


def test_figure_5_draws_each_sentence_under_its_heads_accuracy(figure_5):
    assert [cell.get_suptitle() for cell in cells(figure_5) if cell.get_suptitle()] == [
        "head 8-10: objects (obj)\n86.8 % (offset \N{MINUS SIGN}2: 40.0 %)",
        "head 9-6: prepositions (case)\n50.0 % (offset \N{MINUS SIGN}2: 10.0 %)",
        "head 5-4: coreferent mentions\n65.0 % (nearest mention: 27.0 %)",
    ]
    first, second = cells(figure_5)[0].axes
    assert texts(first) == [word for word in WORDS for _ in "ab"]
    drawn = lines(first)
    assert set(drawn) == {(0, 1), (1, 2), (2, 2), (2, 3), (3, 3)}  # 0.01 would not be seen
    assert drawn[2, 3][0] == pytest.approx(3 * drawn[2, 2][0])
    assert drawn[1, 2][1] == style.BLUE.lower()
    assert lines(second)[2, 3][1] == style.BLUE.lower()
    assert lines(second)[2, 2][1] == style.VERMILION.lower()
    assert drawn[2, 2][1] not in (style.BLUE.lower(), style.VERMILION.lower())
    assert figure_5.subfigs[-1].legends


def test_a_head_of_the_other_direction_has_what_goes_to_dependents_coloured(figure_5):
    panel = cells(figure_5)[1].axes[0]
    drawn = lines(panel)
    assert drawn[1, 2][1] == style.BLUE.lower()
    assert drawn[2, 2][1] == style.VERMILION.lower()  # to the dependent, from another
    assert drawn[2, 3][1] == drawn[0, 1][1]
    assert bold(panel) == ["$b$", "$b$"]


def test_passages_begin_at_the_top_and_have_their_mentions_coloured(figure_5):
    first, second = cells(figure_5)[2].axes
    drawn = lines(first)
    assert set(drawn) == {(0, 1), (1, 2), (2, 2), (2, 3), (3, 3)}
    assert {drawn[2, 2][1], drawn[2, 3][1]} == {
        style.VERMILION.lower()
    }  # the mention's attention, none to its antecedent
    assert (bold(first), bold(second)) == (["$b$", "$b$"], ["c", "c"])


def bold(axes):
    return [text.get_text() for text in axes.texts if text.get_fontweight() == "bold"]


def test_figure_1_draws_a_panel_for_each_behaviour(tmp_path):
    table = pd.concat(
        [
            pairs([[0.25] * 4] * 4, layer=1, head=1, behaviour="broad", sequence=1),
            pairs(NEXT, layer=3, head=1, behaviour="next", sequence=1),
        ],
        ignore_index=True,
    )
    figure = clark_dependency.figure_1(table, None)
    assert [axes.get_title() for axes in figure.axes] == ["head 1-1\nattends broadly", "head 3-1\nnext token"]
    assert len(lines(figure.axes[0])) == 16
    style.save(figure, tmp_path / "figure.pdf")  # a word with dollar signs is no formula


def test_the_same_tables_give_the_same_bytes(
    tmp_path, clark_examples, clark_dependency_heads, clark_coreference_examples, clark_coreference
):
    tables = (clark_examples, clark_dependency_heads, clark_coreference_examples, clark_coreference)
    paths = [tmp_path / name for name in ("a.pdf", "b.pdf")]
    for path in paths:
        style.save(clark_dependency.figure_5(*tables, None), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
