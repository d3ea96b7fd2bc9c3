"""The numbers in the paper's prose."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.paper.numbers import number_texts
from bert_attention.papers import paper
from bert_attention.results import PAPERS as PAPERS_FOLDER
from bert_attention.results import results
from bert_attention.statistics.forms import count, decimal_form, head_name, lost_points, p_value, points, share
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.measures import ResultTables, TableReader
from tests.conftest import ROOT
from tests.replicates import within

NAN = float("nan")
FILES = [ROOT / "workflow" / "report" / "paper.typ", *PAPERS_FOLDER.glob("*/section.typ")]
TEMPLATE = "".join(file.read_text(encoding="utf-8") for file in FILES)
PAPERS = [paper(name) for name in results().papers]
NUMBERS = {name: number for each in PAPERS for name, number in each.numbers.items()}


def texts_of(**tables):
    """Return the numbers of some tables, with or without replicates. Spaces that do not break are plain spaces.

    Numbers of which these small tables have no column or row are left out.
    """
    made = {name: Replicates(table) if isinstance(table, pd.DataFrame) else table for name, table in tables.items()}
    found = {}
    for name in NUMBERS:
        try:
            found |= number_texts(PAPERS, made.get, [name])
        except (InputError, AttributeError, KeyError):
            continue
    return {name: text.replace("\N{NO-BREAK SPACE}", " ") for name, text in found.items()}


# The form of the template.
def test_the_template_and_the_front_page_ask_for_every_number_and_for_no_other():
    in_paper = set(re.findall(r'(?:fact|known)\("(\w+)"\)', TEMPLATE))
    on_front_page = set(re.findall(r"<!--(\w+)-->", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert in_paper <= set(NUMBERS) <= in_paper | on_front_page


def test_figures_and_tables_of_the_template_have_captions():
    in_template = set(re.findall(r'"(\w+_(?:figure|table)_\w+)"', TEMPLATE))
    assert len(in_template) > 40
    assert in_template <= set(results().shown)


def test_no_semicolon_follows_a_call():
    """Typst would take it for the end of the call, and not print it."""
    assert not re.findall(r"#[\w-]+\((?:[^()]|\([^()]*\))*\);", TEMPLATE)


# The numbers of small tables.
def entropy(**changes):
    table = pd.DataFrame(itertools.product((1, 2), (1, 2)), columns=["layer", "head"])
    return table.assign(**{"source": "all", "entropy": [1.0, 2.0, 3.0, 3.5], "uniform": 4.0, "n": 5} | changes)


def test_numbers_of_the_tables_that_are_given():
    found = texts_of(clark_entropy=entropy())
    assert (found["clark_layers"], found["clark_all_heads"]) == ("2", "4")
    assert found["clark_broadest_layer"] == "layer 2 (3.25 nats)"
    assert found["clark_narrowest_layer"] == "layer 1 (1.50 nats)"
    assert not {"clark_segments", "clark_layers_alike_from_cls"} & {*found}
    both = pd.concat([entropy(), entropy(source="cls", entropy=[1.5, 1.6, 3.0, 3.0]).assign(layer=[1, 1, 2, 2])])
    assert texts_of(clark_entropy=both)["clark_layers_alike_from_cls"] == "100.0%"
    both.loc[(both["source"] == "cls") & (both["layer"] == 1), "entropy"] = 2.1
    assert texts_of(clark_entropy=both)["clark_layers_alike_from_cls"] == "50.0%"


def test_a_missing_number_is_an_error_that_names_the_number():
    tables = {"clark_entropy": Replicates(entropy(source="cls"))}
    message = "clark/numbers.py, clark_broadest_layer: clark_entropy has no rows with source: all"
    with pytest.raises(InputError, match=message):
        number_texts(PAPERS, tables.get, ["clark_broadest_layer"])


@pytest.mark.parametrize("of_possessors", [0.1, NAN])
def test_attention_to_the_resting_token(of_possessors):
    index = itertools.product(("dobj", "poss"), ("cls", "sep"), ("dependents", "others", "non_nouns"))
    table = pd.DataFrame(index, columns=["relation", "target", "words"])
    attention = table["relation"].map({"dobj": 0.25, "poss": of_possessors}) * (2 - (table["words"] == "dependents"))
    table = table.assign(attention=attention, difference=0.25 + 0 * attention)
    table = table.assign(selection="held_out", layer=3, head=1)
    positions = pd.DataFrame({"target": ["sep", "cls"], "rests": [False, True], "layer": 1, "attention": 0.3})
    tables = {"clark_no_op": within(table, attention=0.01, difference=0.05), "clark_positions": Replicates(positions)}
    found = texts_of(**tables)
    assert found["clark_no_op_object_head"] == "3-1"
    assert found["clark_no_op_objects"] == "25.0% (24.0–26.0)"
    assert found["clark_no_op_not_nouns"] == "50.0% (49.0–51.0)"
    assert found["clark_no_op_beyond_objects"] == "25.0 (20.0–30.0)"
    assert found.get("clark_no_op_not_possessors") == (None if pd.isna(of_possessors) else "20.0% (19.0–21.0)")


def test_translation_models_that_align_no_better_than_the_diagonal():
    columns = ["model", "setting", "method", "value", "statistic", "selection"]
    rates = {("a", "awi"): 0.7, ("a", "awo"): 0.3, ("b", "awi"): 0.4, ("b", "awo"): 0.3}
    methods = ("weight", "norm")
    rows = [(*key, method, rate, "best_layer", "same_data") for key, rate in rates.items() for method in methods]
    rows += [(*key, "norm", 0.02, "best_layer_minus_weight", None) for key in rates]
    rows += [(model, None, None, 0.5, "diagonal", None) for model in ("a", "b")]
    found = texts_of(kobayashi_alignment_summary=within(pd.DataFrame(rows, columns=columns), value=0.03))
    assert found["kobayashi_alignment_not_learned_in"] == "a"
    assert "kobayashi_alignment_not_learned_out" not in found
    assert found["kobayashi_alignment_norm_minus_weight_in"] == "2.0 (−1.0 to 5.0), 2.0 (−1.0 to 5.0)"


@pytest.mark.parametrize(
    ("resting", "token", "share"), [("cls", "[CLS]", "20.0%"), ("punctuation", "periods and commas", "30.0%")]
)
def test_the_resting_token_is_named_with_its_attention_averaged_over_layers(resting, token, share):
    targets = {"cls": (0.0, 0.4), "sep": (0.1, 0.1), "punctuation": (0.1, 0.5)}
    rows = [(layer, target, values[layer - 1]) for target, values in targets.items() for layer in (1, 2)]
    table = pd.DataFrame(rows, columns=["layer", "target", "attention"]).assign(head=1, n=5)
    found = texts_of(clark_positions=table.assign(rests=table["target"] == resting))
    assert found["clark_resting_token"] == token
    assert found["clark_attention_to_resting_token"] == share


def test_relations_are_counted_without_their_totals():
    rows = [("all", 3, 2, 0.44, 0.1), ("all_without_punctuation", 3, 2, 0.45, 0.1)]
    rows += [("det", 2, 10, 0.83, 0.2), ("obj", 1, 1, 0.6, -0.1), ("prt", 3, 1, 0.5, -0.2)]
    heads = pd.DataFrame(rows, columns=["relation", "layer", "head", "accuracy", "gain_low"])
    heads = heads.assign(selection="same_data", variant="described", baseline_accuracy=[0.3, 0.3, 0.8, 0.4, 0.4])
    heads = heads.assign(apart_gain=0.15, apart_gain_low=0.1, apart_gain_high=0.2)
    # Few words of prt are apart from their heads.
    apart = {"apart_gain_low": [0.1, 0.1, -0.3, 0.1, np.nan], "apart_gain_high": [0.2, 0.2, -0.1, 0.2, np.nan]}
    apart["apart_gain"] = [0.15, 0.15, -0.2, 0.15, np.nan]
    held_out = heads.assign(selection="held_out", gain_low=[0.1, 0.1, -0.05, -0.2, -0.2], **apart)
    both = pd.concat([heads, held_out], ignore_index=True)
    found = texts_of(clark_dependency_heads=both)
    apart = ("clark_relations_found_better_apart", "clark_relations_found_worse_apart")
    assert [found[name] for name in apart] == ["1", "1"]
    # A head is better than the best offset by its score on other sentences.
    assert (found["clark_relations_of_the_treebank"], found["clark_relations_found_better"]) == ("3", "0")
    better = texts_of(clark_dependency_heads=both.assign(gain_low=both["gain_low"].abs()))
    assert better["clark_relations_found_better"] == "3"
    assert found["clark_relation_found_best"] == "det (head 2-10, 83.0%; best offset 80.0%)"
    assert found["clark_all_relations_head"] == "3-2"
    totals = heads[heads["relation"].str.startswith("all")]
    assert texts_of(clark_dependency_heads=totals)["clark_relation_found_best"] == "none"


def test_numbers_without_data_are_left_out():
    change = pd.DataFrame({"compared": "finetuning", "layer": [1, 2], "variant": "cropped", "cosine": [0.9, 0.5]})
    found = texts_of(kovaleva_change=change)  # of a single seed
    assert found["kovaleva_change_last_layer"] == "0.500"
    assert "kovaleva_change_between_seeds" not in found

    table = pd.DataFrame({"feature": ["sep", "sep", "negation", "negation"], "attention": [0.2, 0.4, NAN, NAN]})
    table = table.assign(model="finetuned", variant="described", head=[1, 2, 1, 2], n=20)
    assert texts_of(kovaleva_cls=table)["kovaleva_cls_looks_at"] == "[SEP] (30.0%)"
    with pytest.raises(InputError, match="no task has enough words with a feature"):
        number_texts(PAPERS, {"kovaleva_cls": Replicates(table.assign(attention=NAN))}.get)
    rare = table.assign(attention=[0.2, 0.4, 0.9, 0.9], n=[20, 20, 19, 19])
    assert texts_of(kovaleva_cls=rare)["kovaleva_cls_looks_at"] == "[SEP] (30.0%)"

    pairs = {"task_a": ["mnli", "mnli", "rte"], "task_b": ["rte", "stsb", "rte"]}
    table = pd.DataFrame({**pairs, "spearman": [NAN, 0.5, 1.0]})
    assert texts_of(kovaleva_shared_heads=table)["kovaleva_shared_heads"] == "0.50"
    assert "kovaleva_shared_heads" not in texts_of(kovaleva_shared_heads=table.assign(spearman=NAN))

    table = pd.DataFrame({"weights": ["trained", "random"], "value": [NAN, 1.0], "p": [NAN, 1.0]})
    found = texts_of(clark_head_clusters=within(table.assign(statistic="same_to_cross", layer=0), value=0.1))
    assert "clark_divergence_ratio" not in found  # a single layer has no ratio to others
    assert found["clark_divergence_ratio_random"] == "1.00 (0.90–1.10, p = 1.000)"


def test_a_task_with_two_metrics_counts_once_in_the_gain_of_fine_tuning():
    gains = {("rte", "accuracy"): 0.1, ("stsb", "pearson"): 0.5, ("stsb", "spearman"): 0.9}
    rows = [
        (*key, initialisation, 0.2 + gain * (initialisation == "pretrained"))
        for key, gain in gains.items()
        for initialisation in ("pretrained", "pretrained_untrained_head", "random")
    ]
    table = pd.DataFrame(rows, columns=["task", "metric", "initialisation", "value"])
    found = texts_of(kovaleva_finetuning=table.assign(learned=table["initialisation"] == "pretrained"))
    assert found["kovaleva_learned"] == "STS-B, RTE"
    assert found["kovaleva_learned_from_random"] == "none"
    assert found["kovaleva_finetuning_gain"] == found["kovaleva_finetuning_gain_over_random"] == "30.0"


def test_a_task_with_two_metrics_counts_once_among_tasks_that_a_disabled_head_helps():
    gains = {("rte", "accuracy"): 0.1, ("mrpc", "f1"): 0.02, ("mrpc", "accuracy"): 0.3}
    table = pd.DataFrame([(*key, gain) for key, gain in gains.items()], columns=["task", "metric", "gain"])
    table = table.assign(main_metric=[True, True, False], disabled="head")
    table = pd.concat([table.assign(selection=name) for name in ("same_data", "held_out")], ignore_index=True)
    found = texts_of(kovaleva_disabled_gains=within(table, gain=0.05))
    assert found["kovaleva_best_disabled_head"] == found["kovaleva_best_disabled_head_held_out"] == "2.0 to 10.0"
    assert found["kovaleva_disabled_heads_that_help"] == "1 of 2"


def learned_scores(**learned):
    return pd.DataFrame({"task": learned.keys(), "learned": learned.values()}).assign(
        initialisation="pretrained", metric="accuracy", value=0.5
    )


def test_prose_about_fine_tuned_models_is_of_learned_tasks():
    change = pd.DataFrame({"task": ["rte", "qnli"], "cosine": [0.9, 0.5]})
    tables = {"kovaleva_change": change.assign(compared="finetuning", variant="cropped", layer=1)}
    pairs = {"task_a": ["rte", "rte", "qnli"], "task_b": ["qnli", "sst2", "sst2"], "spearman": [0.1, 0.2, 0.3]}
    tables["kovaleva_shared_heads"] = pd.DataFrame(pairs)
    names = ("kovaleva_change_last_layer", "kovaleva_shared_heads")

    def said(**learned):
        found = texts_of(kovaleva_finetuning=learned_scores(**learned), **tables)
        return [found.get(name) for name in names]

    assert said(rte=True, qnli=True, sst2=True) == ["0.700", "0.10 to 0.30"]
    assert said(rte=True, qnli=False, sst2=True) == ["0.900", "0.20"]
    assert said(rte=False, qnli=False, sst2=False) == [None, None]
    none = {name: Replicates(table) for name, table in tables.items()}
    none["kovaleva_finetuning"] = Replicates(learned_scores(rte=False))
    assert number_texts(PAPERS, none.get, names) == {}  # no error


def test_the_head_of_a_pattern_is_the_head_furthest_above_its_baseline():
    rows = [(3, "predictive", 0.12, 0.117), (5, "predictive", 0.11, 0.03)]
    rows += [(3, name, 0.5, 0.1) for name in ("next", "previous", "identical", "identical_other_sentence", "delimiter")]
    table = pd.DataFrame(rows, columns=["head", "pattern", "attention", "baseline"]).assign(layer=1)
    assert texts_of(vig_patterns=table)["vig_predictive_head"] == "1-5 (11.0% instead of 3.0%)"
    alike = table.assign(baseline=table["attention"] - 0.004)
    assert texts_of(vig_patterns=alike)["vig_next_head"] == "none (at most 50.0% instead of 49.6%)"


@pytest.mark.parametrize(("most", "named"), [(0.3, "1-2 (30.0%)"), (0.008, "none (at most 0.8%)")])
def test_a_head_with_a_negligible_share_is_not_named(most, named):
    table = pd.DataFrame({"head": [1, 2], "target": "previous", "attention": [0.001, most]}).assign(layer=1, n=5)
    found = texts_of(clark_positions=pd.concat([table, table.assign(target="next")]))
    assert found["clark_previous_token_head"] == found["clark_next_token_head"] == named
    # Without this number, the results page does not say "One head gives ...".
    assert found.get("clark_head_on_previous") == ("1-2" if most > 0.1 else None)


@pytest.mark.parametrize(("accuracy", "said"), [(0.6, "60.0%"), (0.405, None)])
def test_a_head_for_objects_has_to_beat_the_best_offset(accuracy, said):
    row = {"relation": "dobj", "variant": "described", "selection": "held_out", "layer": 1, "head": 1}
    table = pd.DataFrame([row | {"accuracy": accuracy, "baseline_accuracy": 0.4}])
    assert texts_of(clark_dependency_heads=table).get("clark_objects") == said


@pytest.mark.parametrize(("difference", "said"), [(0.2, "2-3 (20.0 points"), (0.004, "none (at most 0.4 points")])
def test_the_head_of_repeated_words(difference, said):
    table = pd.DataFrame({"model": "pretrained", "layer": [2, 2], "head": [1, 3], "difference": [0.0, difference]})
    found = texts_of(kovaleva_repeated_words=table)["kovaleva_repeated_words_head"]
    assert found == f"{said} above other words)"


def test_the_numbers_that_the_docs_add_are_said(monkeypatch):
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8").partition("## A number in the paper")[2]
    own = replace(paper("clark"), numbers={})
    exec(
        re.search(r"```python\n(.*?)```", page, re.S)[1],
        {"clark": own, "decimal_form": decimal_form, "head_name": head_name},
    )
    monkeypatch.setitem(results().tables, "clark_width", results().tables["clark_entropy"])
    table = pd.DataFrame({"layer": [1, 2], "head": [1, 9], "width": [5.0, 7.6]})
    found = number_texts([own], {"clark_width": within(table, width=0.2)}.get)
    assert found == {"clark_widest_head": "2-9", "clark_mean_width": "6.3 (6.1–6.5)"}


# The forms of numbers.
def of_layers(margin=None, **columns):
    table = pd.DataFrame(columns)
    replicates = Replicates(table) if margin is None else within(table, attention=margin)
    return ResultTables(TableReader(lambda _: replicates))


def attention(t):
    return t.clark_positions().set_index("layer").attention


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (share.of(attention), "44.0 to 61.2%"),
        (points.of(attention), "44.0 to 61.2"),
        (lost_points.of(attention), "−44.0 to −61.2"),
        (decimal_form(2).of(attention), "0.44 to 0.61"),
        (decimal_form(2).interval(attention), "0.44 (0.42–0.46), 0.61 (0.59–0.63)"),
        (share.interval(attention), "44.0% (42.0–46.0), 61.2% (59.2–63.2)"),
        (lambda t: decimal_form(1).bounds(t, lambda t: attention(t)[2]), "0.6–0.6"),
    ],
)
def test_forms_of_several_numbers(text, expected):
    assert text(of_layers(0.02, layer=[1, 2], attention=[0.44, 0.612])) == expected


def test_forms_of_a_single_number():
    t = of_layers(layer=[1], attention=[6.1])
    assert decimal_form(2).interval(attention)(t) == "6.10"
    assert count(522445104) == "522,445,104"
    for p, text in ((0.0004, "p < 0.001"), (0.0009, "p = 0.001"), (0.012, "p = 0.012")):
        assert p_value(p) == text
