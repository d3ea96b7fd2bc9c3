"""The claims of Kovaleva et al. 2019: each claim is measured, and false statements fail."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.publications import published_numbers
from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva import column_values as names
from bert_attention.statistics.jackknife import Replicates
from bert_attention.tables import columns_of
from tests.claims import claim_tables
from tests.claims.claim_tables import OTHER, changed

PUBLICATION = claim_tables.claims_of("kovaleva")
TASKS = tuple(task for task in names.TASK_LABELS if task not in ("tweets", "nsp"))  # the paper's tasks
LAYERS = range(1, 13)
HEADS = (1, 2, 6, 12)  # some of the paper's heads, including all heads that claims name
_METRICS = [*((task, names.MAIN_METRICS[task]) for task in TASKS), ("mrpc", "accuracy"), ("qqp", "accuracy")]
_EXAMPLE = ("[CLS]", "he", "was", "becoming", "agitated", ".", "[SEP]")
_HEADS = {"layer": LAYERS, "head": HEADS}
_TASK_AND_MODEL = {"task": TASKS, "model": names.MODELS}
_OF_TASKS = {**_TASK_AND_MODEL, **_HEADS}
_SCORES = {("task", "metric"): _METRICS}
_METHOD = {"model": ["finetuned"], "method": ["classifier"]}
_SELECTIONS = ("same_data", "held_out", "mean")
_INITIALISATIONS = ("pretrained_untrained_head", "pretrained_frozen", "pretrained", "random")


@pytest.fixture(scope="module")
def run():
    """The tables by name: their keys in all combinations that claims query, and numbers below .5 in other columns."""
    keys = {
        "kovaleva_pattern_predictions": {"map": range(1, 401)},
        "kovaleva_pattern_classifier": {"fold": [0], "method": ["classifier"], "pattern": ["macro"]},
        "kovaleva_patterns": {"task": TASKS, **_METHOD, "pattern": (*PATTERNS, names.BLOCK_OR_HETEROGENEOUS)},
        "kovaleva_pattern_repetition": {
            "model": names.MODELS,
            ("task_a", "task_b", "tasks", "heads"): [
                *((task, task, "same", "different") for task in TASKS),
                *((*pair, "different", heads) for pair in combinations(TASKS, 2) for heads in ("same", "different")),
            ],
        },
        "kovaleva_frames": {**_HEADS, "variant": ["released"], "link": ["annotated"]},
        "kovaleva_frame_example": {
            ("layer", "head"): [(7, 6), (3, 4), (1, 2)],
            **dict.fromkeys(["query_token", "key_token"], _EXAMPLE),
        },
        "kovaleva_frame_selection": {"outcome": ("chosen", "sentences of more than 12 tokens")},
        "kovaleva_change": {"task": TASKS, "compared": ["finetuning"], **_HEADS, "variant": names.MAPS},
        "kovaleva_finetuning": {**_SCORES, "initialisation": _INITIALISATIONS},
        "kovaleva_features": {**_OF_TASKS, "feature": names.FEATURES, "variant": ["released"]},
        "kovaleva_token_pairs": {**_OF_TASKS, "pair": names.PAIRS, "variant": ("described", "released")},
        "kovaleva_cls": {**_TASK_AND_MODEL, "head": HEADS, "feature": names.FEATURES, "variant": ["released"]},
        "kovaleva_disabled_heads": {**_SCORES, **_HEADS},
        "kovaleva_disabled_layers": {**_SCORES, "layer": LAYERS},
        "kovaleva_disabled_gains": {**_SCORES, "disabled": ("head", "layer"), "selection": _SELECTIONS},
        "kovaleva_shared_heads": {("task_a", "task_b"): [("rte", "stsb")], "worst": (2, 10)},
        "kovaleva_repeated_words": {"task": ("rte", "stsb"), "model": names.MODELS, **_HEADS},
    }
    random = np.random.default_rng(0)
    made = {name: claim_tables.rows(columns) for name, columns in keys.items()}
    for name, table in made.items():
        for column in columns_of(name):
            if column not in table:
                table[column] = random.uniform(0, 0.5, len(table))
    made["kovaleva_pattern_predictions"]["reference"] = [PATTERNS[number % 5] for number in range(400)]
    made["kovaleva_token_pairs"]["n"] = 20
    made["kovaleva_disabled_heads"]["baseline"] = 0.8
    made["kovaleva_finetuning"]["learned"] = True
    gains, frames = made["kovaleva_disabled_gains"], made["kovaleva_frames"]
    gains["main_metric"] = gains["metric"] == gains["task"].map(names.MAIN_METRICS)
    frames["above_99th_percentile"] = (frames["layer"] == 7) & (frames["head"] == 6)
    return made


def check(tables, expected, **kwargs):
    claim_tables.check_verdicts("kovaleva", tables, expected, **kwargs)


def published(claim_id):
    (claim,) = [claim for claim in PUBLICATION.claims if claim["id"] == claim_id]
    return published_numbers(claim, PUBLICATION)


def of_claim(claim_id, column, **columns):
    """A result table with the published numbers of a claim."""
    return published(claim_id).rename(column).reset_index().assign(**columns)


def rows(table):
    return claim_tables.published_rows("kovaleva", table)


def curve(figure, series):
    return claim_tables.published_curve("kovaleva", figure, series)


def test_every_query_finds_its_numbers_if_the_corpora_are_the_papers(run):
    found = claim_tables.board("kovaleva", {name: Replicates(table) for name, table in run.items()})
    assert found.index[found["verdict"] == "not measured"].tolist() == ["K34-worst", "K34-best"]
    heads = len(LAYERS) * len(HEADS)
    cells = {"K06": 35, "K06-tasks": 35, "K12": 14, "K13": heads, "K15-heads": 7 * heads}
    cells |= {
        "K29-cells": 56,
        "K29-means": 8,
        "K34-lowest": 7,
        "K36-highest": 7,
        "K40-noun": 2 * heads,
        "K40-subject_verb": 2 * heads,
    }
    assert found.loc[list(cells), "cells"].to_dict() == cells


def test_numbers_of_heads_encoders_and_labels_are_not_compared_with_others(run):
    check(run, "K09: not measured; K12: not measured; K31: not comparable; K01: reproduced", model=OTHER)
    check(run, "K01: not comparable; K06: not comparable; K07: not comparable", papers_corpora=["tasks"])


def test_claims_on_tasks_that_the_model_has_not_learned_are_not_measured(run):
    weak = ["rte", "mrpc", "qqp"]
    scores, gains = run["kovaleva_finetuning"], run["kovaleva_disabled_gains"]
    run = run | {
        "kovaleva_finetuning": scores.assign(learned=~scores["task"].isin(weak)),
        "kovaleva_disabled_gains": gains.assign(gain=gains["gain"].mask(gains["task"].isin(weak), -1.0)),
    }
    found = claim_tables.board("kovaleva", run, entries=("K15", "K21", "K27-nouns", "K30", "K35-gain"))
    for claim in ("K35-gain", "K15-rte"):
        assert found.loc[claim, ["verdict", "reason"]].tolist() == ["not measured", "the model has not learned rte"]
    assert found.loc["K27-nouns", "reason"] == "the model has not learned mrpc, rte, qqp"
    assert found.loc["K21-finetuned", "verdict"] != "not measured"  # the score itself
    assert found.loc["K15-heads", "cells"] == 4 * len(LAYERS) * len(HEADS)
    assert found.loc["K30", "condition"] == "met"


LATE = {"": 0.9, "layer > 10": 0.5}
PADDED = "task == 'rte' and layer == 3 and variant == 'padded'"
FROM_RANDOM = "initialisation == 'random'"
TRAINED = {"initialisation == 'pretrained_frozen'": 0.4, FROM_RANDOM: 0.5}
TRAINED = {"": 0.3, **TRAINED, "initialisation == 'pretrained'": 0.65}
SEP = {"feature == 'sep'": 0.4, "feature == 'sep' and task == 'sst2'": 0.6}
RTE_SEP = "task == 'rte' and feature == 'sep'"
SST2 = "feature == 'sep' and task == 'sst2' and layer == 7"
PUNCTUATED = "task in ['stsb', 'rte', 'qnli']"
FROM_CLS = {"": 0.1, "feature == 'sep'": 0.3, f"feature == 'sep' and {PUNCTUATED}": 0.1}
FROM_CLS |= {f"feature == 'punctuation' and {PUNCTUATED}": 0.3}
MAIN_RTE = "task == 'rte' and main_metric"
REPEATED = {"": 0.3, "heads == 'same'": 0.5}
MNLI_NOUN = "task == 'mnli' and feature == 'noun'"
SPECIAL = {"": 0.1, "feature == 'cls'": 0.21}
UNTAGGED = {"task == 'sst2' and feature == 'noun'": np.nan, "task == 'sst2' and feature == 'verb'": 0.9}
UNTAGGED |= {"task != 'sst2' and feature in ['cls', 'sep']": 0.8}
MRPC = "task == 'mrpc' and metric =="
WORST = "layer == 4 and head == 1 and task in ['stsb', 'rte']"


@pytest.mark.parametrize(
    ("table", "column", "cells", "expected"),
    [
        ("change", "cosine", LATE, "K14: met; K14-qqp: not met"),
        ("change", "cosine", {**LATE, PADDED: 0.4}, "K14: not met; K14-cropped: met"),
        ("finetuning", "value", TRAINED, "K16: reproduced, met; K16-frozen: not reproduced, met; K16-random: met"),
        ("finetuning", "value", TRAINED, "K24-stsb: not met; K24-stsb_frozen: not met"),
        ("finetuning", "value", {**TRAINED, f"task == 'rte' and {FROM_RANDOM}": 0.7}, "K16-random: not met"),
        ("features", "attention", SPECIAL, "K25-special: met"),
        ("features", "attention", {**SPECIAL, "feature == 'noun' and task == 'rte'": 0.11}, "K25-special: not met"),
        ("features", "attention", SEP, "K26-others: met; K26-least_layer: reproduced; K26-most_layer: reproduced"),
        ("features", "attention", {**SEP, SST2: 0.45}, "K26-least_layer: not reproduced"),
        ("features", "attention", {**SEP, "feature == 'sep' and task == 'rte'": 0.7}, "K26-others: not met"),
        ("features", "attention", UNTAGGED, "K27-small: met"),  # without the task whose words have no tags
        ("features", "attention", {**UNTAGGED, "task == 'sst2' and feature == 'noun'": 0.0}, "K27-small: not met"),
        ("cls", "attention", FROM_CLS, "K29-sep: met; K29-sep_four: met; K29-not_sep: met; K29-punctuation: met"),
        ("cls", "attention", {**FROM_CLS, MNLI_NOUN: 0.4}, "K29-sep: met; K29-sep_four: not met"),
        ("cls", "attention", {**FROM_CLS, MNLI_NOUN: 1.0}, "K29-sep: not met; K29-sep_four: not met"),
        ("cls", "attention", {**FROM_CLS, RTE_SEP: 0.4}, "K29-not_sep: not met; K29-punctuation: not met"),
        ("pattern_repetition", "share", REPEATED, "K41-across_heads: met; K41-across_tasks: met"),
        ("pattern_repetition", "share", {**REPEATED, "task_b == 'rte'": 0.2}, "K41-across_heads: not met"),
        ("pattern_repetition", "share", {**REPEATED, "task_b == 'rte'": 0.3}, "K41-across_tasks: not met"),
        ("disabled_gains", "gain", {"": -0.005, MAIN_RTE: -0.009}, "K42-head: met; K42-layer: met; K30: not met"),
        ("disabled_gains", "gain", {"": 0.01, f"{MAIN_RTE} and disabled == 'layer'": -0.02}, "K42-layer: not met"),
        ("disabled_gains", "gain", {"": 0.01, f"{MAIN_RTE} and disabled == 'head'": -0.02}, "K42-head: not met"),
        ("disabled_gains", "gain", {"": 0.01, f"{MRPC} 'accuracy'": -0.01}, "K30: met; K32-held_out: met"),
        ("disabled_gains", "gain", {"": 0.01, f"{MRPC} 'f1'": -0.01}, "K30: not met; K32-held_out: not met"),
        ("disabled_heads", "value", {"": 0.8, "head == 2 and task == 'sst2'": 0.7}, "K38-head_1_2: not met"),
        ("disabled_heads", "value", {"": 0.8, WORST: 0.7}, "K39-head_4_1: met; K39-head_2_12: not met"),
    ],
)
def test_statements_are_judged_by_their_conditions(run, table, column, cells, expected):
    name = f"kovaleva_{table}"
    check(run | {name: changed(run[name], column, cells)}, expected)


def test_cls_is_attended_to_early_and_sep_late_on_an_encoder_of_half_the_depth(run):
    cells = {"": 0.1, "feature == 'cls' and layer <= 2": 0.4, "feature == 'sep' and layer > 2": 0.5}
    table = changed(run["kovaleva_features"].query("layer <= 6"), "attention", cells)
    met = "K25-special: met; K25-early: met; K25-late: met; K27-small: met"
    check({"kovaleva_features": table}, met, model=OTHER)
    table = changed(table, "attention", {"feature == 'cls' and layer == 6 and task == 'sst2'": 2.0})
    check({"kovaleva_features": table}, "K25-early: not met", model=OTHER)


HERE = ("sst2", "tweets", "nsp")


def of_the_tasks_here(table, column, cells):
    """The table with the tasks of the default edition, and other numbers for some rows."""
    parts = [table[table["task"] == "sst2"].assign(task=task) for task in HERE]
    return changed(pd.concat(parts, ignore_index=True), column, cells)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"": 0.2, "task != 'nsp'": 0.3}, "met"),
        ({"": 0.2, "task == 'sst2'": 0.3, "task == 'tweets'": 0.1}, "not met"),  # includes tasks of single sentences
        ({"": 0.2, "task != 'nsp'": 0.3, "task == 'nsp'": 0.4}, "not met"),
    ],
)
def test_tasks_of_single_sentences_are_compared_with_tasks_of_pairs(run, cells, expected):
    table = of_the_tasks_here(run["kovaleva_features"], "attention", cells)
    check({"kovaleva_features": table}, f"K26-others: {expected}", model=OTHER)


def test_a_claim_on_several_tasks_is_not_measured_on_a_part_of_them(run):
    """Neither a claim on some tasks, nor a difference from the mean over all tasks of the paper."""
    tables = {
        "kovaleva_cls": of_the_tasks_here(run["kovaleva_cls"], "attention", {"": 0.1, "feature == 'sep'": 0.3}),
        "kovaleva_patterns": of_the_tasks_here(run["kovaleva_patterns"], "share", {"": 0.2}),
    }
    edition = {"corpora": {"tasks": {task: {"source": "path:texts"} for task in HERE}}, "model": OTHER}
    found = claim_tables.board("kovaleva", tables, entries=("K06-tasks", "K29"), **edition)
    assert found.loc["K06-tasks", "reason"] == "the edition has no mrpc, stsb, qqp, rte, qnli, mnli"
    assert found.loc["K29-sep_four", "reason"] == "the edition has no mrpc, qqp, mnli"
    assert found.loc["K29-sep", ["condition", "replicated"]].tolist() == ["met", pytest.approx(0.2)]
    assert found.loc["K29-means", "cells"] == 8
    # A task that lacks a feature does not count.
    lacking = {"task == 'nsp' and feature == 'negation'": np.nan, "task == 'nsp' and feature == 'noun'": 0.9}
    changed_tables = tables | {"kovaleva_cls": changed(tables["kovaleva_cls"], "attention", lacking)}
    again = claim_tables.board("kovaleva", changed_tables, entries=("K29",), **edition)
    assert again.loc[["K29-sep", "K29-means"], "replicated"].tolist() == pytest.approx([0.2, 0.125])


def test_tasks_that_do_not_differ_do_not_have_the_papers_patterns(run):
    shares = published("K06")
    keys = run["kovaleva_patterns"].set_index(["task", "pattern"]).index
    mean = shares.groupby("pattern").transform("mean")
    assert np.corrcoef(mean, shares)[0, 1] == pytest.approx(0.92, abs=0.005)  # note of K06-tasks
    table = run["kovaleva_patterns"]
    own, equal = (table.assign(share=values.reindex(keys).to_numpy()) for values in (shares, mean))
    check({"kovaleva_patterns": own}, "K06: reproduced; K06-tasks: reproduced, met")
    check({"kovaleva_patterns": equal}, "K06: not reproduced; K06-tasks: not reproduced, not met")


def test_heads_of_word_pairs_are_those_of_neighbors_only_if_they_attend_to_them_more(run):
    def check_pairs(table, expected):
        check({"kovaleva_token_pairs": table}, f"K28-verb_subject: {expected}")

    table = run["kovaleva_token_pairs"]
    check_pairs(table, "not met")  # no connection
    connected = table.assign(neighbors=2 * table["attention"])
    check_pairs(connected, "met")
    # Tasks with too few examples do not count.
    rare = changed(connected, "n", {"task != 'rte'": names.LEAST_EXAMPLES - 1})
    check_pairs(changed(rare, "neighbors", {"task == 'rte'": 0.3}), "not met")
    check_pairs(table.assign(n=names.LEAST_EXAMPLES - 1), "not measured")


def test_the_papers_example_and_its_map_of_heads_are_reproduced_by_themselves(run):
    example = run["kovaleva_frame_example"]
    keys = pd.MultiIndex.from_frame(example[["layer", "head", "key_token"]])
    weights = published("K12").reindex(keys).where(example["query_token"].eq("he").to_numpy()).fillna(0.9)
    frames = of_claim("K13", "attention", variant="released", link="annotated", above_99th_percentile=True)
    own = {"kovaleva_frame_example": example.assign(weight=weights.to_numpy()), "kovaleva_frames": frames}
    check(own, "K08: reproduced; K09: reproduced; K11-head_1_2: reproduced; K12: reproduced; K13: reproduced, met")
    check(own, "K10-head_7_6: inconclusive")  # no interval
    check(run, "K11-head_1_2: not reproduced; K12: not reproduced; K13: not reproduced, not met")


def test_statements_of_the_text_are_true_of_the_figures():
    change = of_claim("K15-heads", "cosine", compared="finetuning", variant="padded")
    from_cls = of_claim("K29-cells", "attention", model="finetuned", variant="released", head=1)
    features = claim_tables.rows({"task": TASKS, "feature": names.FEATURES, "layer": LAYERS}, head=1)
    features = features.assign(model="finetuned", variant="released", attention=0.0).set_index(["task", "feature"])
    for feature, task in ((feature, task) for feature in ("sep", "cls") for task in TASKS):
        layers = curve("kovaleva_figure_6_features", f"{task}_{feature}").to_numpy()
        features.loc[(task, feature), "attention"] = layers
    own = {
        "kovaleva_change": pd.concat([change, change.assign(variant="cropped")]),
        "kovaleva_cls": from_cls,
        "kovaleva_features": features.reset_index(),
    }
    met = ["K14", "K14-cropped", "K14-qqp", "K25-special", "K25-early", "K25-late", "K26-others"]
    met += ["K29-sep", "K29-sep_four", "K29-not_sep"]
    check(own, "; ".join(f"{name}: met" for name in met))
    check(own, "K15-heads: reproduced, met; K15-rte: reproduced, met; K25-sep_qnli: reproduced, met")
    check(own, "K26-least_layer: reproduced; K26-most_layer: reproduced; K29-cells: reproduced")
    check(own, "K29-means: reproduced, met")


def test_numbers_of_the_text_are_those_of_tables_and_figures():
    shares = rows("figure_2").set_index("task")[list(PATTERNS)]
    upper = shares["heterogeneous"] + shares["block"]
    assert (upper.min(), upper.max()) == pytest.approx((published("K04").item(), published("K05").item()), abs=0.005)
    by_task = rows("figure_2_by_task").set_index("task")[list(PATTERNS)]
    np.testing.assert_allclose(by_task, shares - shares.mean(), atol=0.0005001)
    by_feature = rows("figure_7").groupby("feature")["attention"].mean()[rows("figure_7_by_feature")["feature"]]
    np.testing.assert_allclose(rows("figure_7_by_feature")["attention"], by_feature, atol=0.0005001)
    gain = rows("table_1").query("metric != 'f1'").eval("finetuned - pretrained").mean()
    assert gain == pytest.approx(published("K16").item(), abs=0.0005)
    frames, example = published("K13"), published("K12")
    assert (frames[1, 2], frames[7, 6]) == (published("K08").item(), published("K09").item())
    for layer, head in ((1, 2), (7, 6)):
        assert example[layer, head, "agitated"] == published(f"K11-head_{layer}_{head}").item()
    heads = rows("figure_8_heads").set_index("task")["baseline"]
    best = rows("figure_8").set_index("task")["highest"] - heads
    assert best[["mrpc", "stsb"]].tolist() == pytest.approx([published(k).item() for k in ("K32", "K31")], abs=0.0005)
