"""Figures 1 and 5 of Clark et al. 2019: a line for each visible weight. Its width is the weight, its color the gold."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from tokenizers import Tokenizer as Backend

from bert_attention.figures import style
from bert_attention.papers.clark.figures import figure_1_patterns as clark_figure_1_patterns
from bert_attention.papers.clark.figures import figure_5_linguistic_heads as clark_figure_5_linguistic_heads
from bert_attention.tokenization.delimiters import Delimiters
from tests.models.random_models import save_roberta

WORDS = ("[CLS]", "a", "$b$", "c")
TO_NEXT = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.25, 0.75], [0, 0.01, 0, 0.99]]  # [query, key]
VISIBLE = {(0, 1), (1, 1), (1, 2), (2, 2)}  # between words, which are numbered from 0; [CLS] is left out
BLUE, VERMILION = style.BLUE.lower(), style.VERMILION.lower()


def pairs(weights, gold=(), **columns):
    """Return the rows of a text. The first word has number 0."""
    rows = [
        {"query": query, "key": key, "query_word": WORDS[query], "key_word": WORDS[key], "weight": weight}
        | {"gold": (query, key) == gold}
        for query, row in enumerate(weights)
        for key, weight in enumerate(row)
    ]
    return pd.DataFrame(rows).assign(**columns)


def lines_of(axes):
    """Return the width and color of each line by its query and key."""
    (lines,) = axes.collections
    looks = zip(lines.get_segments(), lines.get_linewidths(), lines.get_colors(), strict=True)
    return {(start[1], end[1]): (width, to_hex(color)) for (start, end), width, color in looks}


def bold(axes):
    return [text.get_text() for text in axes.texts if text.get_fontweight() == "bold"]


def test_each_behavior_has_a_panel(saved):
    broad = pairs([[0.25] * 4] * 4, layer=1, head=1, behaviour="broad", sequence=1)
    following = pairs(TO_NEXT, layer=3, head=1, behaviour="next", sequence=1)
    figure = clark_figure_1_patterns.draw(pd.concat([broad, following], ignore_index=True))
    assert [axes.get_title() for axes in figure.axes] == ["head 1-1\nattends broadly", "head 3-1\nto the next token"]
    assert len(lines_of(figure.axes[0])) == 16
    assert saved(figure)  # a word with dollar signs is not a formula


def test_words_of_a_byte_level_tokenizer_have_no_mark(tmp_path):
    folder = save_roberta(tmp_path)
    backend = Backend.from_file(str(folder / "tokenizer.json"))
    tokens = ["<s>", *backend.encode("The cat sat on", add_special_tokens=False).tokens][: len(WORDS)]
    assert any(token.startswith("\u0120") for token in tokens)
    rows = pairs([[0.25] * 4] * 4, layer=1, head=1, behaviour="broad", sequence=1)
    figure = clark_figure_1_patterns.draw(rows.replace(dict(zip(WORDS, tokens, strict=True))))
    style.name_delimiters(figure, Delimiters.read(folder / "tokenizer.json"))
    shown = {text.get_text() for text in figure.axes[0].texts}
    assert shown == {token.removeprefix("\u0120") for token in tokens}


def draw_example():
    """Draw three sentences and two passages. The first passage begins with the third word of its document."""
    at = {"layer": 8, "head": 10, "direction": "dependent_to_head"}
    back = {"layer": 9, "head": 6, "direction": "head_to_dependent"}
    sentences = [
        pairs(TO_NEXT, (1, 2), relation="obj", sentence=4, **at),
        pairs(TO_NEXT, (2, 3), relation="obj", sentence=7, **at),
        pairs(TO_NEXT, (1, 2), relation="case", sentence=2, **back),
    ]
    scores = pd.DataFrame({"relation": ["obj", "case"], "accuracy": [0.868, 0.5], "baseline_accuracy": [0.4, 0.1]})
    at = {"layer": 5, "head": 4, "direction": "mention_to_antecedent"}
    first, second = pairs(TO_NEXT, (2, 1), document="d1", **at), pairs(TO_NEXT, (3, 2), document="d2", **at)
    first[["query", "key"]] += 3
    systems = pd.DataFrame({"system": ["nearest", "best_head", "best_head"], "accuracy": [0.27, 0.65, 0.6]})
    directions = [None, "mention_to_antecedent", "antecedent_to_mention"]
    return clark_figure_5_linguistic_heads.draw(
        pd.concat(sentences, ignore_index=True),
        scores.assign(baseline_offset=-2, selection="same_data", variant="described"),
        pd.concat([first, second], ignore_index=True),
        systems.assign(direction=directions, selection="same_data", candidates="mentions", mention_type="all"),
    )


@pytest.mark.parametrize("resting", [[0.9, 0.1, 0, 0], [0.4, 0.2, 0.2, 0.2]])
def test_attention_from_and_to_cls_is_not_drawn(resting):
    table = pairs([resting] * 4, (1, 2), relation="all", sentence=1, layer=1, head=1, direction="dependent_to_head")
    scores = pd.DataFrame({"relation": ["all"], "accuracy": 0.5, "baseline_accuracy": 0.4, "baseline_offset": 1})
    scores = scores.assign(selection="same_data", variant="described")
    systems = pd.DataFrame({"system": ["nearest", "best_head"], "direction": [None, "mention_to_antecedent"]})
    systems = systems.assign(accuracy=0.5, candidates="mentions", mention_type="all", selection="same_data")
    passage = pairs([resting] * 4, (2, 1), document="d", layer=1, head=1, direction="mention_to_antecedent")
    figure = clark_figure_5_linguistic_heads.draw(table, scores, passage, systems)
    first = figure.subfigs[0].subfigs[0].axes[0]
    visible = {key - 1 for key, weight in enumerate(resting) if key and weight}
    assert {key for _, key in lines_of(first)} == visible
    assert "[CLS]" not in [text.get_text() for text in first.texts]


def test_the_figure_shows_sentences_and_passages(saved):
    figure = draw_example()
    assert saved(figure) == saved(draw_example())
    cells = figure.subfigs[0].subfigs
    assert [cell.get_suptitle() for cell in cells if cell.get_suptitle()] == [
        "head 8-10: objects (obj)\n86.8% (offset \N{MINUS SIGN}2: 40.0%)",
        "head 9-6: prepositions (case)\n50.0% (offset \N{MINUS SIGN}2: 10.0%)",
        "head 5-4: coreferent mentions\n65.0% (nearest mention: 27.0%)",
    ]
    assert figure.subfigs[-1].legends

    first, second = cells[0].axes
    assert [text.get_text() for text in first.texts] == [word for word in WORDS[1:] for _ in "ab"]
    lines = lines_of(first)
    assert set(lines) == VISIBLE
    assert lines[1, 2][0] == pytest.approx(3 * lines[1, 1][0])
    assert lines[0, 1][1] == BLUE
    assert lines[1, 1][1] not in (BLUE, VERMILION)
    assert [lines_of(second)[1, key][1] for key in (1, 2)] == [VERMILION, BLUE]

    other_direction = cells[1].axes[0]
    lines = lines_of(other_direction)
    assert [lines[0, 1][1], lines[1, 1][1]] == [BLUE, VERMILION]  # attention to the dependent
    assert lines[1, 2][1] == lines[2, 2][1]
    assert bold(other_direction) == ["$b$", "$b$"]

    first, second = cells[2].axes
    lines = lines_of(first)
    assert set(lines) == VISIBLE
    assert {lines[1, 1][1], lines[1, 2][1]} == {VERMILION}  # attention of the mention, none to its antecedent
    assert (bold(first), bold(second)) == (["$b$", "$b$"], ["c", "c"])
