"""Table 1 of Clark et al. 2019, as printed."""

import pandas as pd
import pytest

from bert_attention.corpora.relations import CLARK_TABLE_1
from bert_attention.paper.clark_table_1_dependency_heads import format_table
from bert_attention.paper.layout import Bold
from tests.paper.printed import published_rows, rows

PUBLISHED, NOTEBOOK = (published_rows("clark", name) for name in ("table_1", "table_1_notebook"))


def row(relation, head, accuracy, baseline, direction="dependent_to_head", n=1234):
    layer, head = map(int, head.split("-"))
    return {
        "relation": relation,
        "layer": layer,
        "head": head,
        "direction": direction,
        "accuracy": accuracy,
        "low": accuracy - 0.01,
        "high": accuracy + 0.01,
        "baseline_offset": -2,
        "baseline_accuracy": baseline,
        "n": n,
    }


@pytest.fixture
def clark_dependency_heads():
    rows = pd.DataFrame(
        [
            row("all", "7-6", 0.35, 0.26),
            row("all_without_punctuation", "7-6", 0.4, 0.3),
            row("case", "8-11", 0.7, 0.4),
            row("obj", "8-10", 0.87, 0.4),
            row("det", "8-11", 0.9, 0.85, direction="head_to_dependent"),
        ]
    )
    held_out = rows.assign(accuracy=rows["accuracy"] - 0.05)
    table = pd.concat([rows.assign(selection="same_data"), held_out.assign(selection="held_out")])
    return pd.concat([table.assign(variant="described"), table.assign(variant="released", accuracy=0.0)])


def test_rows_stand_in_the_papers_order_with_its_numbers_beside(clark_dependency_heads):
    table = format_table(clark_dependency_heads, PUBLISHED, NOTEBOOK)
    totals, counterparts, others = table.groups
    assert [name for name, *_ in totals] == ["all", "all but punctuation"]
    assert [name.split()[0] for name, *_ in counterparts] == list(CLARK_TABLE_1)
    assert others == [["case", "8-11", "70.0 (69.0–71.0)", "65.0", "40.0 (−2)", "1,234", *"———"]]
    by_name = {cells[0]: cells[1:] for cells in counterparts}
    assert by_name["dobj (obj)"][:5] == ["8-10", "87.0 (86.0–88.0)", "82.0", "40.0 (−2)", "1,234"]
    assert by_name["dobj (obj)"][5:] == ["8-10", "86.8", "40.0 (−2)"]
    assert by_name["det"][0] == "8-11*"
    assert by_name["pobj"] == [*"—————", "9-6", "76.3", "34.6 (−2)"]


def test_bold_is_what_beats_the_baseline_by_the_rule_that_gives_the_papers_bold(clark_dependency_heads):
    table = format_table(clark_dependency_heads, PUBLISHED, NOTEBOOK)
    cells = rows(table)
    assert [name for name, row in cells.items() if isinstance(row[1], Bold)] == ["dobj (obj)", "case"]
    in_print = dict(zip(PUBLISHED["relation"], PUBLISHED["bold"], strict=True))
    assert {name.split()[0]: isinstance(row[6], Bold) for name, row in cells.items() if row[6] != "—"} == in_print
    columns = ["layer", "head", "accuracy", "baseline_offset", "baseline_accuracy"]
    as_ours = PUBLISHED[["relation", *columns]].assign(
        low=0.0, high=1.0, n=100, direction="dependent_to_head", variant="described"
    )
    both = pd.concat([as_ours.assign(selection=selection) for selection in ("same_data", "held_out")])
    both = pd.concat([both, both[both["relation"] == "all"].assign(relation="all_without_punctuation")])
    replicated = rows(format_table(both, PUBLISHED, NOTEBOOK))
    assert {name: isinstance(row[1], Bold) for name, row in replicated.items() if name in in_print} == in_print


def test_published_mark_and_aux_stand_beside_rows_that_count_to_as_the_paper_does(clark_dependency_heads):
    det = clark_dependency_heads["relation"] == "det"
    names = ("mark", "aux", "mark_without_to", "aux_with_to")
    more = [clark_dependency_heads[det].assign(relation=name, n=100 + place) for place, name in enumerate(names)]
    table = format_table(pd.concat([clark_dependency_heads, *more]), PUBLISHED, NOTEBOOK)
    by_name = {name: cells[4:] for name, cells in rows(table).items()}
    assert by_name["mark (mark_without_to)"] == ["102", "8-2", "50.7", "14.5 (+2)"]
    assert by_name["aux (aux_with_to)"] == ["103", "4-10", "81.1", "71.5 (+1)"]
    assert (by_name["mark"], by_name["aux"]) == (["100", *"———"], ["101", *"———"])
    assert sum("infinitive" in note for note in table.notes) == 1


def test_a_stanford_treebanks_mark_and_aux_stand_beside_the_published_ones(clark_dependency_heads):
    ours = clark_dependency_heads.replace({"relation": {"case": "mark", "obj": "aux"}})
    table = format_table(ours, PUBLISHED, NOTEBOOK)
    by_name = {row[0]: row[6] for row in table.groups[1]}
    assert (by_name["mark"], by_name["aux"]) == ("8-2", "4-10")
    assert len(table.groups) == 2
    assert not any("infinitive" in note for note in table.notes)


def test_the_notebooks_other_numbers_are_noted(clark_dependency_heads):
    notes = format_table(clark_dependency_heads, PUBLISHED, NOTEBOOK).notes
    assert notes[-2:] == [
        "all: the authors' notebook has 34.7, baseline 26.7 (+1).",
        "auxpass: the authors' notebook has 94.1, baseline 82.5 (+1).",
    ]
