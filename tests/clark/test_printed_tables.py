"""Printed tables of Clark et al. 2019."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.relations import CLARK_TABLE_1
from bert_attention.papers.clark.columns import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.papers.clark.printed import table_1_dependency_heads as clark_table_1_dependency_heads
from bert_attention.papers.clark.printed import table_2_coreference as clark_table_2_coreference
from bert_attention.papers.clark.printed import table_3_probes as clark_table_3_probes
from bert_attention.papers.clark.printed import table_clusters as clark_table_clusters
from bert_attention.printing.layout import Bold
from tests.paper.printed import published_rows, rows

NAN = float("nan")
PUBLISHED, NOTEBOOK = (published_rows("clark", name) for name in ("table_1", "table_1_notebook"))
TABLE_2 = published_rows("clark", "table_2")


@pytest.fixture
def heads():
    """Best heads of relations, of which the head of det attends from head to dependent."""
    found = [
        ("all", 7, 6, 0.35, 0.26),
        ("all_without_punctuation", 7, 6, 0.4, 0.3),
        ("case", 8, 11, 0.7, 0.4),
        ("obj", 8, 10, 0.87, 0.4),
        ("det", 8, 11, 0.9, 0.85),
    ]
    table = pd.DataFrame(found, columns=["relation", "layer", "head", "accuracy", "baseline_accuracy"])
    direction = np.where(table["relation"] == "det", "head_to_dependent", "dependent_to_head")
    table = table.assign(direction=direction, baseline_offset=-2, n=1234)
    table = table.assign(low=table["accuracy"] - 0.01, high=table["accuracy"] + 0.01)
    table = table.assign(apart_gain=-0.08, apart_gain_low=-0.1, apart_gain_high=-0.05)
    held_out = table.assign(accuracy=table["accuracy"] - 0.05)
    held_out[["apart_gain", "apart_gain_low", "apart_gain_high"]] += 0.04
    table = pd.concat([table.assign(selection="same_data"), held_out.assign(selection="held_out")])
    return pd.concat([table.assign(variant="described"), table.assign(variant="released", accuracy=0.0)])


def dependency_heads(table):
    return clark_table_1_dependency_heads.format_table(table, PUBLISHED, NOTEBOOK)


def test_relations_are_in_the_papers_order_beside_its_numbers(heads):
    table = dependency_heads(heads)
    totals, counterparts, others = table.groups
    apart = "−4.0 (−6.0 to −1.0)"  # chosen on other words
    assert [name for name, *_ in totals] == ["all", "all but punctuation"]
    assert [name.split()[0] for name, *_ in counterparts] == list(CLARK_TABLE_1)
    assert others == [["case", "8-11", "70.0 (69.0–71.0)", "65.0", "40.0 (−2)", apart, "1,234", *"———"]]
    ours = ["8-10", "87.0 (86.0–88.0)", "82.0", "40.0 (−2)", apart, "1,234"]
    assert rows(table)["dobj (obj)"] == [*ours, "8-10", "86.8", "40.0 (−2)"]
    assert rows(table)["det"][0] == "8-11*"
    assert rows(table)["pobj"] == [*"——————", "9-6", "76.3", "34.6 (−2)"]
    assert table.notes[-2:] == [
        "all: the authors' notebook has 34.7, baseline 26.7 (+1).",
        "auxpass: the authors' notebook has 94.1, baseline 82.5 (+1).",
    ]


def test_the_rule_for_bold_gives_the_papers_bold_rows(heads):
    cells = rows(dependency_heads(heads))
    assert [name for name, row in cells.items() if isinstance(row[1], Bold)] == ["dobj (obj)", "case"]
    in_print = dict(zip(PUBLISHED["relation"], PUBLISHED["bold"], strict=True))
    assert {name.split()[0]: isinstance(row[7], Bold) for name, row in cells.items() if row[7] != "—"} == in_print
    ours = PUBLISHED.assign(low=0.0, high=1.0, n=100, direction="dependent_to_head", variant="described")
    ours = ours.assign(apart_gain=0.0, apart_gain_low=0.0, apart_gain_high=0.0)
    ours = pd.concat([ours, ours[ours["relation"] == "all"].assign(relation="all_without_punctuation")])
    replicated = rows(dependency_heads(pd.concat([ours.assign(selection=name) for name in ("same_data", "held_out")])))
    assert {name: isinstance(row[1], Bold) for name, row in replicated.items() if name in in_print} == in_print


def test_published_mark_and_aux_stand_beside_the_rows_that_count_to_in_the_same_way(heads):
    of_det = heads[heads["relation"] == "det"]
    names = ("mark", "aux", "mark_without_to", "aux_with_to")
    more = [of_det.assign(relation=name, n=number) for number, name in enumerate(names, start=100)]
    table = dependency_heads(pd.concat([heads, *more]))
    by_name = {name: cells[5:] for name, cells in rows(table).items()}
    assert by_name["mark (mark_without_to)"] == ["102", "8-2", "50.7", "14.5 (+2)"]
    assert by_name["aux (aux_with_to)"] == ["103", "4-10", "81.1", "71.5 (+1)"]
    assert (by_name["mark"], by_name["aux"]) == (["100", *"———"], ["101", *"———"])
    assert sum("infinitive" in note for note in table.notes) == 1
    # in Stanford Dependencies, mark and aux are already as in the paper
    table = dependency_heads(heads.replace({"relation": {"case": "mark", "obj": "aux"}}))
    assert (rows(table)["mark"][6], rows(table)["aux"][6], len(table.groups)) == ("8-2", "4-10", 2)
    assert not any("infinitive" in note for note in table.notes)


@pytest.mark.parametrize(("names", "times"), [({"obj": "pobj"}, 1), ({"det": "pobj", "obj": "dobj"}, 1), ({}, 0)])
def test_case_is_explained_where_it_is_not_a_preposition(heads, names, times):
    notes = dependency_heads(heads.replace({"relation": names})).notes
    assert sum("case: the possessive 's" in note for note in notes) == times


@pytest.fixture
def coreference():
    """A table in which every number is different."""
    systems = pd.DataFrame({"system": BASELINES, "candidates": "mentions"})
    choices = itertools.product(CANDIDATES, COREFERENCE_DIRECTIONS, ("same_data", "held_out"))
    best = pd.DataFrame(choices, columns=["candidates", "direction", "selection"])
    best = best.assign(system="best_head", layer=3, head=best["candidates"].map(CANDIDATES.index) + 1)
    table = pd.concat([systems, best], ignore_index=True)
    table["accuracy"] = 0.2 + table.index / 100
    table["gain"] = (table["accuracy"] - 0.21).where(table["system"] == "best_head")
    table = table.assign(gain_low=table["gain"] - 0.03, gain_high=table["gain"] + 0.03, low=0.1, high=0.9, n=1000)
    kinds = {name: table.assign(accuracy=table["accuracy"] + i / 1000) for i, name in enumerate(MENTION_TYPES)}
    return pd.concat(kinds, names=["mention_type"]).reset_index("mention_type")


def test_systems_and_best_heads_find_antecedents(coreference):
    table = clark_table_2_coreference.format_table(coreference, TABLE_2)
    cells = rows(table)
    assert cells["head match"] == ["—", "21.0 (10.0–90.0)", "21.1", "21.2", "21.3", "—", "—", "52", "47", "67", "40"]
    assert cells["neural (quoted)"] == [*["—"] * 7, "83", "—", "—", "—"]
    ours = ["3-1", "23.0 (10.0–90.0)", "23.1", "23.2", "23.3", "24.0"]
    assert cells["best head, among mentions"] == [*ours, "5-4", "65", "64", "73", "58"]
    ours = ["3-3", "33.0 (10.0–90.0)", "33.1", "33.2", "33.3", "34.0"]
    assert cells["best head*, among all words"] == [*ours, *["—"] * 5]
    assert len(cells) == 10
    note = "Best head among mentions minus head match, in points: 2.0 (−1.0 to 5.0); in the paper 13."
    assert note in table.notes


def test_probes_that_were_not_run_have_dashes():
    table = pd.DataFrame(
        [
            ("right_branching", "described", 0.26, NAN, NAN),
            ("distances_glove", "described", 0.5, 0.6, -0.1),
            ("attention_glove", "described", 0.77, 0.5, 0.27),
            ("attention_glove", "released", 0.7, 0.4, 0.3),
        ],
        columns=["probe", "variant", "uas", "control_uas", "selectivity"],
    )
    for name, prefix in (("uas", ""), ("selectivity", "selectivity_")):
        table = table.assign(**{f"{prefix}low": table[name] - 0.02, f"{prefix}high": table[name] + 0.02})
    published = published_rows("clark", "table_3")
    printed = clark_table_3_probes.format_table(table.assign(n=900, known_words=[NAN, 0.9, 0.9, 0.9]), published)
    cells = rows(printed)
    assert cells["structural probe (quoted, undirected)"] == [*"————", "80"]
    assert cells["right-branching"] == ["26.0 (24.0–28.0)", *"———", "26"]
    assert cells["distances + word vectors"] == ["50.0 (48.0–52.0)", "60.0", "−10.0 (−12.0 to −8.0)", "—", "58"]
    ours = ["77.0 (75.0–79.0)", "50.0", "27.0 (25.0–29.0)", "70.0 (68.0–72.0)"]
    assert cells["attention + word vectors"] == [*ours, "77"]
    assert "Words: 900, of which 90.0% have a word vector." in printed.notes[1]
    assert not any("sample" in note for note in printed.notes)


def test_a_note_counts_the_words_that_random_weights_read_if_these_are_a_sample():
    cells = {"uas": 0.5, "low": 0.4, "high": 0.6, "control_uas": 0.5, "known_words": 0.9}
    cells |= {"selectivity": 0.0, "selectivity_low": -0.1, "selectivity_high": 0.1, "variant": "described"}
    table = pd.DataFrame({"probe": ["random_init_glove", "attention"], "n": [1200, 7000], **cells})
    published = published_rows("clark", "table_3")
    assert "random-init.: 1,200 of these words, a sample." in clark_table_3_probes.format_table(table, published).notes
    whole = clark_table_3_probes.format_table(table.assign(n=7000), published)
    assert not any("sample" in note for note in whole.notes)


def test_clusters_of_trained_and_random_weights_stand_side_by_side():
    statistics = ("same_layer", "cross_layer", "same_to_cross", "silhouette", "neighbors_in_layer")
    cells = itertools.product(("trained", "random"), statistics, (0, 1, 2))
    table = pd.DataFrame(cells, columns=["weights", "statistic", "layer"])
    table = table.assign(value=table.index / 100, chance=0.5, p=table.index / 1000, n=24)
    bounds = table["value"].where(table["layer"] < 2)  # layer 2 has no interval
    printed = clark_table_clusters.format_table(table.assign(low=bounds - 0.01, high=bounds + 0.02))
    cells = rows(printed)
    trained, random = ["12.0 (11.0–14.0)", "50.0", "0.012"], ["27.0 (26.0–29.0)", "50.0", "0.027"]
    assert cells["nearest heads that are of the same layer, percent"] == [*trained, *random]
    trained, random = ["0.09 (0.08–0.11)", "0.50", "0.009"], ["0.24 (0.23–0.26)", "0.50", "0.024"]
    assert cells["mean silhouette, layers as clusters"] == [*trained, *random]
    assert cells["ratio, layer 2"] == ["0.08", "0.50", "0.008", "0.23", "0.50", "0.023"]
    assert len(cells) == 5 + 2
    assert printed.notes[0].startswith("24 heads;")
