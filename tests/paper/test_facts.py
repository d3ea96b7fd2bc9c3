"""The numbers of the paper's prose."""

import re

import jsonschema
import pandas as pd
import pytest
import yaml

from bert_attention.errors import InputError
from bert_attention.paper.facts import facts, number_text, read_facts
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.queries import measure
from tests.conftest import ROOT
from tests.replicates import within

REPORT = ROOT / "workflow" / "report"
TEMPLATE = (REPORT / "paper.typ").read_text(encoding="utf-8")
CLAIMS = sorted(ROOT.glob("workflow/claims/*.yaml"))
FACTS = read_facts(REPORT / "facts.yaml", CLAIMS)
TABLE_OF = {name: fact.query["table"] for name, fact in FACTS.items()}
SCHEMA = ROOT / "workflow" / "bert_attention" / "claims" / "publication.schema.yaml"


def said(**tables):
    """The facts of some tables, of which some have replicates."""
    made = {name: Replicates(table) if isinstance(table, pd.DataFrame) else table for name, table in tables.items()}
    return facts(FACTS, made)


def entropy(**changes):
    table = pd.DataFrame(
        {
            "layer": [1, 1, 2, 2],
            "head": [1, 2, 1, 2],
            "source": "all",
            "entropy": [1.0, 2.0, 3.0, 3.5],
            "uniform": 4.0,
            "n": 5,
        }
    )
    return table.assign(**changes)


def test_the_template_and_the_front_page_ask_for_every_number_and_for_no_other():
    in_paper = set(re.findall(r'(?:fact|known)\("(\w+)"\)', TEMPLATE))
    on_front_page = set(re.findall(r"<!--(\w+)-->", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert in_paper <= set(TABLE_OF) <= in_paper | on_front_page


def test_a_number_is_asked_for_where_its_tables_are_given():
    """A number in a passage that asks for other tables would be missing in editions that lack its own."""
    for start, body in re.findall(r"^#if given\(([^)]*)\) (\[\n.*?^\])", TEMPLATE, flags=re.S | re.M):
        given = set(re.findall(r"\w+", start))
        for inner in re.findall(r"if given\(([^)]*)\)", body):
            given |= set(re.findall(r"\w+", inner))
        for name in re.findall(r'fact\("(\w+)"\)', body):
            assert TABLE_OF[name] in given, name


def no_op(possessors):
    """Attention of words to [CLS], the resting token, and to [SEP]; that of possessors is a number or NaN."""
    rows = [
        (relation, target, words, dependents if words == "dependents" else 2 * dependents)
        for relation, dependents in (("dobj", 0.25), ("poss", possessors))
        for target in ("cls", "sep")
        for words in ("dependents", "others", "non_nouns")
    ]
    table = pd.DataFrame(rows, columns=["relation", "target", "words", "attention"])
    table = table.assign(rests=table["target"] == "cls", selection="held_out", layer=3, head=1)
    return within(table.assign(difference=0.25 + 0 * table["attention"]), attention=0.01, difference=0.05)


def test_resting_is_told_with_its_intervals():
    found = said(clark_no_op=no_op(0.1))
    assert found["clark_no_op_object_head"] == "3-1"
    assert found["clark_no_op_objects"] == "25.0% (24.0\N{EN DASH}26.0)"
    assert found["clark_no_op_not_nouns"] == "50.0% (49.0\N{EN DASH}51.0)"
    assert found["clark_no_op_beyond_objects"] == "25.0 (20.0\N{EN DASH}30.0)"
    assert found["clark_no_op_not_possessors"] == "20.0% (19.0\N{EN DASH}21.0)"


def test_of_trees_without_possessors_no_number_is_told():
    found = said(clark_no_op=no_op(float("nan")))
    assert not [name for name in found if "possessor" in name]
    assert "clark_no_op_objects" in found


def test_the_head_for_masked_tokens_is_told_with_its_interval():
    row = pd.DataFrame([{"loss": 6.1, "unigram_loss": 7.0, "accuracy": 0.123}])
    found = said(mlm_head=within(row, loss=0.1, accuracy=0.02))
    assert found["mlm_head_accuracy"] == "12.3% (10.3\N{EN DASH}14.3)"
    assert found["mlm_head_loss"] == "6.10 (6.00\N{EN DASH}6.20)"
    assert found["mlm_head_loss_by_frequency"] == "7.00"


def test_numbers_read_known_tables_of_their_own_paper():
    for name, table in TABLE_OF.items():
        assert table in results().tables, name
        assert table.partition("_")[0] == name.partition("_")[0], name


def test_figures_and_tables_of_the_template_have_captions():
    captions = results().shown
    named_in_template = set(re.findall(r'"(\w+_(?:figure|table)_\w+)"', TEMPLATE))
    assert len(named_in_template) > 40
    assert named_in_template <= set(captions)  # others stand last in their paper's section


def test_a_semicolon_after_a_number_is_not_swallowed():
    """Typst takes a semicolon right after a call for the call's end."""
    assert not re.findall(r"#[\w-]+\((?:[^()]|\([^()]*\))*\);", TEMPLATE)


def test_numbers_of_the_tables_that_are_there():
    found = said(clark_entropy=entropy())
    assert found["clark_layers"] == "2"
    assert found["clark_all_heads"] == "4"
    assert found["clark_broadest_layer"] == "layer 2 (3.25 nats)"
    assert found["clark_narrowest_layer"] == "layer 1 (1.50 nats)"
    assert "clark_segments" not in found


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (entropy(source="cls"), "clark_entropy has no rows with source: all"),
        (entropy(entropy=float("nan")), "a cell of clark_entropy.entropy is empty"),
    ],
)
def test_a_number_without_a_cell_is_an_error_that_names_both(table, message):
    with pytest.raises(InputError, match=rf"facts.yaml, clark_\w+: {message}"):
        said(clark_entropy=table)


def test_an_empty_cell_of_a_row_is_an_error():
    probes = pd.DataFrame(
        {
            "probe": ["attention", "attention_glove", "distances_glove", "random_init_glove"],
            "variant": "described",
            "uas": float("nan"),
            "selectivity": 0.1,
        }
    )
    with pytest.raises(InputError, match=r"facts.yaml, clark_probe_\w+: a cell of clark_probes.uas is empty"):
        said(clark_probes=probes)


def test_a_translation_model_that_aligns_no_better_than_the_diagonal_is_named():
    best = {"statistic": "best_layer", "selection": "same_data"}
    rows = [
        {"model": model, "setting": setting, "method": method, "value": rate} | best
        for model, rates in (("a", (0.7, 0.3)), ("b", (0.4, 0.3)))
        for setting, rate in zip(("awi", "awo"), rates, strict=True)
        for method in ("weight", "norm")
    ]
    rows += [
        {"model": model, "statistic": "best_layer_minus_weight", "setting": setting, "method": "norm", "value": 0.02}
        for model in ("a", "b")
        for setting in ("awi", "awo")
    ]
    rows += [{"model": model, "statistic": "diagonal", "value": 0.5} for model in ("a", "b")]
    found = said(kobayashi_alignment_summary=within(pd.DataFrame(rows), value=0.03))
    assert found["kobayashi_alignment_not_learned_in"] == "a"
    assert "kobayashi_alignment_not_learned_out" not in found
    assert found["kobayashi_alignment_norm_minus_weight_in"] == "2.0 (−1.0 to 5.0), 2.0 (−1.0 to 5.0)"


def positions(**attention):
    """Attention of one head in each of two layers to each target."""
    every = dict.fromkeys(("punctuation", "previous", "next", "sep_from_sep"), (0.9, 0.9)) | attention
    rows = [(layer, 1, target, value, 5) for target, values in every.items() for layer, value in enumerate(values, 1)]
    return pd.DataFrame(rows, columns=["layer", "head", "target", "attention", "n"])


@pytest.mark.parametrize(
    ("attention", "token", "share"),
    [
        ({"cls": (0.0, 0.4), "sep": (0.1, 0.1)}, "[CLS]", "20.0%"),
        ({"cls": (0.0, 0.4), "sep": (0.3, 0.3)}, "[SEP]", "30.0%"),
    ],
)
def test_the_resting_token_is_the_special_token_with_most_attention_over_layers(attention, token, share):
    found = said(clark_positions=positions(**attention))
    assert found["clark_resting_token"] == token
    assert found["clark_attention_to_resting_token"] == share


def test_gradients_are_told_of_both_special_tokens():
    values = {"cls": (0.1, 0.05), "sep": (0.8, 0.6), "other": (1.0, 1.0)}
    rows = [(layer, target, value) for target, pair in values.items() for layer, value in enumerate(pair, 1)]
    table = pd.DataFrame(rows, columns=["layer", "target", "value"]).assign(head=1, measure="gradient")
    found = said(clark_importance=table)
    assert found["clark_gradient_of_cls"] == "5.0 to 10.0%"
    assert found["clark_gradient_of_sep"] == "60.0 to 80.0%"
    assert found["clark_gradient_of_cls_lowest_layer"] == "2"


def test_relations_count_without_all_of_them_together():
    rows = [("all", 3, 2, 0.44, 0.1), ("all_without_punctuation", 3, 2, 0.45, 0.1)]
    rows += [("det", 2, 10, 0.83, 0.2), ("obj", 1, 1, 0.6, -0.1)]
    heads = pd.DataFrame(rows, columns=["relation", "layer", "head", "accuracy", "gain_low"])
    heads = heads.assign(selection="same_data", variant="described", baseline_accuracy=0.3)
    found = said(clark_dependency_heads=heads)
    assert found["clark_relations_of_the_treebank"] == "2"
    assert found["clark_relations_found_better"] == "1"
    assert found["clark_relation_found_best"] == "det (head 2-10, 83.0%)"
    assert found["clark_all_relations_head"] == "3-2"
    of_small_treebank = said(clark_dependency_heads=heads.head(2))
    assert of_small_treebank["clark_relation_found_best"] == "none"


def test_one_seed_has_no_difference_between_seeds():
    change = pd.DataFrame({"compared": "finetuning", "layer": [1, 2], "variant": "cropped", "cosine": [0.9, 0.5]})
    found = said(kovaleva_change=change)
    assert found["kovaleva_change_last_layer"] == "0.500"
    assert "kovaleva_change_between_seeds" not in found


def test_a_feature_that_no_example_has_is_left_out():
    attention = pd.DataFrame(
        {
            "model": "finetuned",
            "variant": "described",
            "head": [1, 2, 1, 2],
            "feature": ["sep", "sep", "negation", "negation"],
            "attention": [0.2, 0.4, None, None],
        }
    )
    found = said(kovaleva_cls=attention)
    assert found["kovaleva_cls_looks_at"] == "[SEP] (30.0%)"
    with pytest.raises(InputError, match="kovaleva_cls has no rows with attention"):
        said(kovaleva_cls=attention.assign(attention=float("nan")))


def test_a_task_that_no_head_matters_to_correlates_with_none():
    pairs = {"task_a": ["mnli", "mnli", "rte"], "task_b": ["rte", "stsb", "rte"]}
    table = pd.DataFrame({**pairs, "spearman": [None, 0.5, 1.0]})
    assert said(kovaleva_shared_heads=table)["kovaleva_shared_heads"] == "0.50"
    assert "kovaleva_shared_heads" not in said(kovaleva_shared_heads=table.assign(spearman=float("nan")))


def test_a_task_of_two_metrics_counts_once_in_the_gain_of_fine_tuning():
    scores = {("rte", "accuracy"): 0.1, ("stsb", "pearson"): 0.5, ("stsb", "spearman"): 0.9}
    rows = [
        (*key, initialisation, 0.2 + gain * (initialisation == "pretrained"))
        for key, gain in scores.items()
        for initialisation in ("pretrained", "pretrained_untrained_head", "random")
    ]
    table = pd.DataFrame(rows, columns=["task", "metric", "initialisation", "value"])
    table["learned"] = table["initialisation"] == "pretrained"
    found = said(kovaleva_finetuning=table)
    assert found["kovaleva_learned"] == "STS-B, RTE"
    assert found["kovaleva_learned_from_random"] == "none"
    assert found["kovaleva_finetuning_gain"] == found["kovaleva_finetuning_gain_over_random"] == "30.0"


def test_the_head_of_a_pattern_is_the_one_furthest_above_its_baseline():
    rows = [(3, "predictive", 0.12, 0.117), (5, "predictive", 0.11, 0.03)]
    rows += [(3, name, 0.5, 0.1) for name in ("next", "previous", "identical", "identical_other_sentence", "delimiter")]
    table = pd.DataFrame(rows, columns=["head", "pattern", "attention", "baseline"]).assign(layer=1)
    found = said(vig_patterns=table)
    assert found["vig_predictive_head"].replace("\N{NO-BREAK SPACE}", " ") == "1-5 (11.0% instead of 3.0%)"


def test_heads_of_one_layer_have_no_ratio_to_others():
    rows = [(weights, "same_to_cross", 0, value, value) for weights, value in (("trained", None), ("random", 1.0))]
    table = pd.DataFrame(rows, columns=["weights", "statistic", "layer", "value", "p"])
    found = said(clark_head_clusters=within(table, value=0.1))
    assert "clark_divergence_ratio" not in found
    assert found["clark_divergence_ratio_random"].replace("\N{NO-BREAK SPACE}", " ") == "1.00 (0.90–1.10, p = 1.000)"


def test_queries_of_facts_are_of_the_form_of_those_of_claims():
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    query = jsonschema.Draft202012Validator({"$ref": "#/$defs/query", "$defs": schema["$defs"]})
    for name, fact in FACTS.items():
        query.validate(dict(fact.query)), name


def test_a_fact_stands_under_the_table_that_its_query_is_of():
    content = yaml.safe_load((REPORT / "facts.yaml").read_text(encoding="utf-8"))
    assert {name: table for table, group in content.items() for name in group} == TABLE_OF


def test_a_fact_of_a_claim_needs_its_paper():
    without = read_facts(REPORT / "facts.yaml", [path for path in CLAIMS if path.stem != "clark"])
    assert set(FACTS) - set(without) >= {"clark_attention_to_cls", "clark_narrowest_layer"}
    assert "clark_layers" in without


@pytest.mark.parametrize("entry", ["{like: clark_layer}", "{claim: C00, text: a}"])
def test_an_unknown_fact_or_claim_is_an_error(entry, tmp_path):
    file = tmp_path / "facts.yaml"
    file.write_text(f"clark_entropy: {{clark_layers: {{column: layer, text: a}}, clark_heads: {entry}}}")
    with pytest.raises(InputError, match=r"facts.yaml, clark_heads: there is no (clark_layer|C00)\n"):
        read_facts(file, CLAIMS)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("share", "44.0 to 61.2%"),
        ("points", "44.0 to 61.2"),
        ("lost", "\N{MINUS SIGN}44.0 to \N{MINUS SIGN}61.2"),
        ("2", "0.44 to 0.61"),
        ("interval 2", "0.44 (0.42\N{EN DASH}0.46), 0.61 (0.59\N{EN DASH}0.63)"),
        (
            "interval share",
            "44.0% (42.0\N{EN DASH}46.0), 61.2% (59.2\N{EN DASH}63.2)",
        ),
        ("bounds 1", "0.4\N{EN DASH}0.5, 0.6\N{EN DASH}0.6"),
    ],
)
def test_numbers_are_printed_in_the_form_that_a_text_asks_for(form, text):
    table = within(pd.DataFrame({"layer": [1, 2], "attention": [0.44, 0.612]}), attention=0.02)
    query = {"table": "clark_positions", "column": "attention", "by": ["layer"]}
    assert number_text(measure(query, {"clark_positions": table}.__getitem__, 0, "here"), form) == text


def test_a_number_without_an_interval_stands_alone():
    found = measure(
        {"table": "mlm_head", "column": "loss"}, lambda _: Replicates(pd.DataFrame({"loss": [6.1]})), 0, "here"
    )
    assert number_text(found, "interval 2") == "6.10"


def test_a_large_count_keeps_its_digits():
    table = Replicates(pd.DataFrame({"n": [522445104]}))
    found = measure({"table": "mlm_head", "column": "n"}, lambda _: table, 0, "here")
    assert number_text(found, "count") == "522,445,104"


@pytest.mark.parametrize(("p", "text"), [(0.0004, "p < 0.001"), (0.0009, "p = 0.001"), (0.012, "p = 0.012")])
def test_a_small_p_is_only_said_to_be_small(p, text):
    found = measure(
        {"table": "clark_head_clusters", "column": "p"}, lambda _: Replicates(pd.DataFrame({"p": [p]})), 0, ""
    )
    assert number_text(found, "p") == text
