import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from bert_attention.figures.robustness import draw
from bert_attention.judging.alternatives import (
    alternatives,
    as_page,
    held,
    sentence,
    tables_changed,
    under_alternatives,
    with_choices,
)
from bert_attention.judging.claims import Claim, Paper
from bert_attention.judging.scoreboard import scoreboard
from bert_attention.papers import paper
from tests.conftest import ROOT
from tests.replicates import within

EQUAL_LAYERS = next(choice.judged for choice in alternatives() if choice.name == "equal_layers")


def attention_of(layer):
    return lambda t: t.layers(t.clark_positions(target="sep"), layer, layer).attention.mean()


def board(effects, level=0.05, **columns):
    """A scoreboard of statements with these effects, whose intervals have half-widths of 1."""
    effects = np.array(effects, dtype=float)
    rows = {
        "paper": "clark",
        "id": [f"statement_{number}" for number in range(len(effects))],
        "model": "an encoder",
        "work": "Clark et al. 2019",
        "label": [f"Statement {number}" for number in range(len(effects))],
        "text": "real",
        "unit": "",
        "smallest": 0.1,
        "counted": True,
        "finding": "confirmed",
        "level": level,
        "distance": effects,
        "p": np.where(np.abs(effects) > 1, 0.001, 0.3),
        "effect": effects,
        "effect_low": effects - 1,
        "effect_high": effects + 1,
    }
    return pd.DataFrame(rows | columns)


def test_a_choice_changes_the_tables_of_claims_about_its_corpora():
    choices = {choice.name: choice for choice in alternatives()}
    papers = {name: paper(name) for name in ("clark", "coenen", "vig")}
    rows = [
        ("clark", "heads_on_previous", "clark_positions"),
        ("clark", "gain_of_prep", "clark_dependency_heads"),
        ("clark", "gain_of_non_objects_on_resting_token", "clark_positions, clark_no_op"),  # of text, and of trees
        ("coenen", "no_such_claim", "coenen_relations"),  # a claim that was removed since
        ("vig", papers["vig"].claims[0].name, "vig_patterns"),  # it needs no corpus of the paper's
        ("kobayashi", "anything", "kobayashi_mixing"),  # another paper
    ]
    own = pd.DataFrame(rows, columns=["paper", "id", "table"])
    assert tables_changed(choices["words_first"], own, papers) == {"clark_dependency_heads", "clark_no_op"}
    assert tables_changed(choices["short_segments"], own, papers) == {"clark_positions", "vig_patterns"}
    of_both = {"clark_positions", "clark_dependency_heads", "clark_no_op", "vig_patterns"}
    assert tables_changed(choices["another_sample"], own, papers) == of_both


def test_settings_change_corpora_that_editions_have():
    edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    for choice in alternatives():
        assert bool(choice.settings) == bool(choice.changes)
        assert {*choice.changes} <= edition["corpora"].keys()


def test_statements_are_asked_under_the_alternatives_that_change_their_numbers():
    own = board([5, 5, 5, 5])
    table = under_alternatives(own, {"a": board([5.00001, 6, 0.5, -4]), "b": board([5, 5, 7, -4])})
    found = [(row.id, row.choice, row.before, row.truth) for row in table.itertuples()]
    assert found == [
        ("statement_1", "a", "true", "true"),
        ("statement_2", "a", "true", "open"),
        ("statement_3", "a", "true", "false"),
        ("statement_2", "b", "true", "true"),
        ("statement_3", "b", "true", "false"),
    ]
    counts = held(table).set_index("id")[["asked", "holds", "turns"]]
    assert counts.loc["statement_1"].tolist() == [1, 1, 0]
    assert counts.loc["statement_2"].tolist() == [2, 1, 0]
    assert counts.loc["statement_3"].tolist() == [2, 0, 2]
    assert sentence(table).endswith(
        "1 stays so under all of them, 1 turns round under at least one, and 1 is open under at least one."
    )


def test_a_scoreboard_gets_a_column_of_what_holds_unless_it_has_changed_since():
    own = board([5, 5, 5, 5])
    table = under_alternatives(own, {"a": board([5, 6, 0.5, -4]), "b": board([5, 5, 7, -4])})
    assert with_choices(own, table)["holds"].tolist() == ["", "1 of 1", "1 of 2", "0 of 2"]
    assert with_choices(board([5, 5, -5, 0.5]), table)["holds"].tolist() == ["", "1 of 1", "", ""]
    assert with_choices(board([5, 5.1, 5, -4]), table)["holds"].tolist() == ["", "", "1 of 2", ""]
    assert with_choices(own, None)["holds"].tolist() == [""] * 4


def test_the_level_is_that_of_the_edition_and_other_statements_are_left_out():
    own = board([5, 5, 5], level=0.0001, counted=[True, False, True], finding=["confirmed", "confirmed", None])
    table = under_alternatives(own, {"a": board([6, 6, 6], level=0.05)})
    assert [(row.id, row.before, row.truth) for row in table.itertuples()] == [("statement_0", "open", "open")]


def test_each_alternative_changes_some_number_of_the_default_edition():
    """A misspelled column or value in `judged` would change none.

    One alternative is about coreference, which is a stand-in in the default edition, so that nothing is judged on it.
    """
    choices = alternatives()
    assert all(bool(choice.settings) != bool(choice.judged) for choice in choices)
    found = pd.read_csv(ROOT / "docs" / "robustness.csv")
    assert {*found["choice"]} == {choice.name for choice in choices} - {"antecedents_among_words"}


def test_a_statement_that_an_alternative_does_not_ask_is_left_out():
    own = board([5, 5])
    assert under_alternatives(own, {"a": board([6, 6]).iloc[:1]})["id"].tolist() == ["statement_0"]
    assert under_alternatives(own, {}).empty


def test_claims_can_be_asked_of_layers_of_the_same_numbers():
    """Layer 4 of 12 is layer 2 of 6; layer 8 of 12 is layer 4 of 6, and an encoder of 6 layers has no layer 8."""
    paper = Paper("clark/claims.py", "Clark et al. 2019", "google-bert/bert-base-uncased", 12, {})
    about = {"work": paper.work, "depth": 12, "true_if": {"above": 0.3}}
    claims = [
        Claim(f"layer_{layer}", "It is", "It is.", "section 3", attention_of(layer), paper, **about) for layer in (4, 8)
    ]
    paper = replace(paper, claims=claims)
    layers = pd.DataFrame({"layer": range(1, 7), "head": 1, "target": "sep", "n": 9, "attention": np.arange(1, 7) / 10})
    edition = {"models": [{"name": "six", "source": "path:/six"}], "papers_corpora": [], "corpora": {"tasks": {}}}
    edition["translation_models"] = []

    def tables(model, name):
        return within(layers, attention=0.01) if name == "clark_positions" else None

    relative = scoreboard({"clark": paper}, tables, edition)
    with pytest.warns(UserWarning, match="claim layer_8 is not measured"):
        equal = scoreboard({"clark": paper}, tables, edition, EQUAL_LAYERS)
    assert relative["replicated"].tolist() == pytest.approx([0.2, 0.4])
    assert equal["replicated"].fillna(0).tolist() == pytest.approx([0.4, 0])
    assert equal["verdict"].tolist()[1] == "not measured"


@pytest.mark.parametrize("effects", [[6, 0.5, -4], [5, 5, 5]])
def test_the_figure_has_a_row_for_each_statement_that_depends_on_a_choice(effects):
    table = under_alternatives(board([5, 5, 5]), {"a": board(effects)})
    figure = draw(table, {"a": "a choice with a rather long label", "b": "choice b"})
    (axes,) = figure.axes
    figure.draw_without_rendering()
    assert all(figure.bbox.y1 > label.get_window_extent().y1 for label in axes.get_xticklabels())
    labels = [text.get_text() for text in axes.texts]
    assert labels == [f"Statement {number}" for number, effect in enumerate(effects) if effect < 1]
    assert axes.get_xticklabels()[0].get_text() == "as configured"
    assert len(axes.patches) == len(labels) * (2 if labels else 0)


def test_the_figure_and_the_page_name_each_of_several_encoders():
    changed = {"a": board([-6, 6], model="B")}
    first = under_alternatives(board([5, 5], model="B"), changed)
    table = pd.concat([first, first.assign(model="A")])
    choices = [replace(alternatives()[0], name="a", label="choice a")]
    (axes,) = draw(table, {"a": "choice a"}).axes
    assert [text.get_text() for text in axes.texts] == ["A", "Statement 0", "B", "Statement 0"]
    headings = ["## Clark et al. 2019, A", "## Clark et al. 2019, B"]
    assert sorted(re.findall("## .*", as_page(table, choices))) == headings
    assert re.findall("## .*", as_page(first, choices)) == ["## Clark et al. 2019"]
