"""The claims of Kovaleva et al. 2019: each claim is measured, and false statements fail."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.task_names import MAIN_METRICS, TASK_LABELS
from bert_attention.corpora.types import PATTERNS
from bert_attention.papers.kovaleva import columns as names
from bert_attention.statistics.jackknife import FEWEST_BLOCKS, Replicates
from bert_attention.tables import columns_of
from tests.judging import claim_tables
from tests.judging.claim_tables import OTHER, changed

CLAIMS = {claim.name: claim for claim in claim_tables.claims_of("kovaleva").claims}
TASKS = tuple(task for task in TASK_LABELS if task not in ("tweets", "nsp"))  # the paper's tasks
LAYERS = range(1, 13)
HEADS = (1, 2, 6, 12)  # some of the paper's heads, including all heads that claims name
_METRICS = [*((task, MAIN_METRICS[task]) for task in TASKS), ("mrpc", "accuracy"), ("qqp", "accuracy")]
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
    for name in ("features", "token_pairs", "cls"):
        made[f"kovaleva_{name}"]["n"] = names.LEAST_EXAMPLES
    made["kovaleva_disabled_heads"]["baseline"] = 0.8
    made["kovaleva_finetuning"]["learned"] = True
    gains, frames = made["kovaleva_disabled_gains"], made["kovaleva_frames"]
    gains["main_metric"] = gains["metric"] == gains["task"].map(MAIN_METRICS)
    frames["above_99th_percentile"] = (frames["layer"] == 7) & (frames["head"] == 6)
    return made


def check(tables, expected, **kwargs):
    claim_tables.check_verdicts("kovaleva", tables, expected, **kwargs)


def published(name):
    """The published numbers of a claim."""
    return CLAIMS[name].numbers


def of_claim(name, column, **columns):
    """A result table with the published numbers of a claim."""
    return published(name).rename(column).reset_index().assign(**columns)


def rows(table):
    return claim_tables.published_rows("kovaleva", table)


def curve(figure, series):
    return claim_tables.published_curve("kovaleva", figure, series)


def test_every_query_finds_its_numbers_if_the_corpora_are_the_papers(run):
    found = claim_tables.board("kovaleva", {name: Replicates(table) for name, table in run.items()})
    other = ["most_needed_heads", "most_harmful_heads"]
    of_random = found["reason"].str.endswith("the statement is about random weights, not about an encoder")
    assert found.index[(found["verdict"] == "not measured") & ~of_random].tolist() == other
    assert found.index[of_random].str.match("random_beside_(pretrained|frozen)_on_").sum() == 5
    heads = len(LAYERS) * len(HEADS)
    cells = {
        "shares_of_patterns": 35,
        "differences_of_tasks_in_patterns": 35,
        "example_of_two_heads": 14,
        "attention_in_frames_by_head": heads,
        "change_by_head": 7 * heads,
    }
    cells |= {
        "attention_from_cls": 56,
        "attention_from_cls_by_feature": 8,
        "scores_without_most_needed_head": 7,
        "scores_without_least_needed_layer": 7,
        "notebook_map_of_noun": 2 * heads,
        "notebook_map_of_subject_verb": 2 * heads,
    }
    assert found.loc[list(cells), "cells"].to_dict() == cells


def test_numbers_of_heads_encoders_and_labels_are_not_compared_with_others(run):
    check(
        run,
        "attention_in_frames_of_head_7_6: not measured; example_of_two_heads: not measured; "
        "gain_of_best_head_on_stsb: not comparable; labeled_maps: reproduced",
        model=OTHER,
    )
    check(
        run,
        "labeled_maps: not comparable; shares_of_patterns: not comparable; frame_sentences: not comparable",
        papers_corpora=["tasks"],
    )


def test_the_papers_small_gains_of_disabling_heads_are_gains(run):
    """They are smaller than a point."""
    gains = run["kovaleva_disabled_gains"]
    own = {"kovaleva_disabled_gains": gains.assign(gain=gains["selection"].map({"mean": 0.0013}).fillna(0.001))}
    check(
        own,
        "disabling_a_head_helps: met; mean_gain_of_heads_on_rte: met; mean_gain_of_heads_on_mrpc: met; "
        "gain_of_best_head_on_other_examples_of_stsb: met",
    )


def test_claims_on_tasks_that_the_model_has_not_learned_are_not_measured(run):
    weak = ["rte", "mrpc", "qqp"]
    scores, gains = run["kovaleva_finetuning"], run["kovaleva_disabled_gains"]
    run = run | {
        "kovaleva_finetuning": scores.assign(learned=~scores["task"].isin(weak)),
        "kovaleva_disabled_gains": gains.assign(gain=gains["gain"].mask(gains["task"].isin(weak), -1.0)),
    }
    found = claim_tables.board(
        "kovaleva",
        run,
        entries=(
            "change_by",
            "accuracy_on_rte",
            "gain_of_head_on_noun",
            "disabling_a_head_helps",
            "gain_on_rte_without_first_layer",
        ),
    )
    for claim in ("gain_on_rte_without_first_layer", "change_by_layer_on_rte"):
        assert found.loc[claim, ["verdict", "reason"]].tolist() == ["not measured", "the model has not learned rte"]
    assert found.loc["gain_of_head_on_noun", "reason"] == "the model has not learned mrpc, rte, qqp"
    assert found.loc["accuracy_on_rte_finetuned", "verdict"] != "not measured"  # the score itself
    assert found.loc["change_by_head", "cells"] == 4 * len(LAYERS) * len(HEADS)
    assert found.loc["disabling_a_head_helps", "condition"] == "met"


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
        ("change", "cosine", LATE, "last_layers_change_most: met; last_layers_change_in_qqp: not met"),
        (
            "change",
            "cosine",
            {**LATE, PADDED: 0.4},
            "last_layers_change_most: not met; last_layers_change_most_without_padding: met",
        ),
        (
            "finetuning",
            "value",
            TRAINED,
            "mean_gain: reproduced, met; mean_gain_over_frozen: not reproduced, met; least_gain_over_random: met",
        ),
        (
            "finetuning",
            "value",
            {**TRAINED, f"task == 'rte' and {FROM_RANDOM}": 0.7},
            "least_gain_over_random: not met",
        ),
        ("features", "attention", SPECIAL, "special_tokens_beside_words: met"),
        (
            "features",
            "attention",
            {**SPECIAL, "feature == 'noun' and task == 'rte'": 0.11},
            "special_tokens_beside_words: not met",
        ),
        (
            "features",
            "attention",
            SEP,
            "sep_of_single_sentences: met; least_attention_to_sep_on_sst2: reproduced; "
            "most_attention_to_sep_on_sst2: reproduced",
        ),
        ("features", "attention", {**SEP, SST2: 0.45}, "least_attention_to_sep_on_sst2: not reproduced"),
        (
            "features",
            "attention",
            {**SEP, "feature == 'sep' and task == 'rte'": 0.7},
            "sep_of_single_sentences: not met",
        ),
        (
            "features",
            "attention",
            UNTAGGED,
            "heads_on_words_beside_special_tokens: met",
        ),  # without the task whose words have no tags
        (
            "features",
            "attention",
            {**UNTAGGED, "task == 'sst2' and feature == 'noun'": 0.0},
            "heads_on_words_beside_special_tokens: not met",
        ),
        (
            "cls",
            "attention",
            FROM_CLS,
            "lead_of_sep_from_cls: met; lead_of_sep_from_cls_in_four_tasks: met; "
            "lead_of_sep_from_cls_in_three_tasks: met; lead_of_punctuation_from_cls: met",
        ),
        (
            "cls",
            "attention",
            {**FROM_CLS, MNLI_NOUN: 0.4},
            "lead_of_sep_from_cls: met; lead_of_sep_from_cls_in_four_tasks: not met",
        ),
        (
            "cls",
            "attention",
            {**FROM_CLS, MNLI_NOUN: 1.0},
            "lead_of_sep_from_cls: not met; lead_of_sep_from_cls_in_four_tasks: not met",
        ),
        (
            "cls",
            "attention",
            {**FROM_CLS, RTE_SEP: 0.4},
            "lead_of_sep_from_cls_in_three_tasks: not met; lead_of_punctuation_from_cls: not met",
        ),
        ("pattern_repetition", "share", REPEATED, "patterns_across_heads: met; patterns_across_tasks: met"),
        ("pattern_repetition", "share", {**REPEATED, "task_b == 'rte'": 0.2}, "patterns_across_heads: not met"),
        ("pattern_repetition", "share", {**REPEATED, "task_b == 'rte'": 0.3}, "patterns_across_tasks: not met"),
        (
            "disabled_gains",
            "gain",
            {"": -0.005, MAIN_RTE: -0.009},
            "disabling_a_head_costs_nothing: met; disabling_a_layer_costs_nothing: met; disabling_a_head_helps: not "
            "met",
        ),
        (
            "disabled_gains",
            "gain",
            {"": 0.01, f"{MAIN_RTE} and disabled == 'layer'": -0.02},
            "disabling_a_layer_costs_nothing: not met",
        ),
        (
            "disabled_gains",
            "gain",
            {"": 0.01, f"{MAIN_RTE} and disabled == 'head'": -0.02},
            "disabling_a_head_costs_nothing: not met",
        ),
        (
            "disabled_gains",
            "gain",
            {"": 0.01, f"{MRPC} 'accuracy'": -0.01},
            "disabling_a_head_helps: met; gain_of_best_head_on_other_examples_of_mrpc: met",
        ),
        (
            "disabled_gains",
            "gain",
            {"": 0.01, f"{MRPC} 'f1'": -0.01},
            "disabling_a_head_helps: not met; gain_of_best_head_on_other_examples_of_mrpc: not met",
        ),
        ("disabled_heads", "value", {"": 0.8, "head == 2 and task == 'sst2'": 0.7}, "cost_of_frame_head_1_2: not met"),
        ("disabled_heads", "value", {"": 0.8, WORST: 0.7}, "cost_of_head_4_1: met; cost_of_head_2_12: not met"),
    ],
)
def test_statements_are_judged_by_their_conditions(run, table, column, cells, expected):
    name = f"kovaleva_{table}"
    check(run | {name: changed(run[name], column, cells)}, expected)


def test_cls_is_attended_to_early_and_sep_late_on_an_encoder_of_half_the_depth(run):
    cells = {"": 0.1, "feature == 'cls' and layer <= 2": 0.4, "feature == 'sep' and layer > 2": 0.5}
    table = changed(run["kovaleva_features"].query("layer <= 6"), "attention", cells)
    met = "special_tokens_beside_words: met; early_layers_on_cls_in_tasks: met; later_layers_on_sep_in_tasks: met; "
    met += "heads_on_words_beside_special_tokens: met"
    check({"kovaleva_features": table}, met, model=OTHER)
    table = changed(table, "attention", {"feature == 'cls' and layer == 6 and task == 'sst2'": 2.0})
    check({"kovaleva_features": table}, "early_layers_on_cls_in_tasks: not met", model=OTHER)


HERE = ("sst2", "tweets", "nsp")  # two of single sentences
FIGURE_7 = ("attention_from_cls", "most_attention_from", "lead_of_sep_from", "lead_of_punctuation")


def of_the_tasks_here(table, column, cells):
    """The table with tasks of single sentences and of pairs, and other numbers for some rows."""
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
    own = table[table["task"] == "nsp"].assign(task="reviews", attention=0.25)  # is in neither group
    for tables in (table, pd.concat([table, own], ignore_index=True)):
        check({"kovaleva_features": tables}, f"sep_of_single_sentences: {expected}", model=OTHER)


def test_single_sentences_are_not_judged_without_pairs(run):
    table = of_the_tasks_here(run["kovaleva_features"], "attention", {"": 0.2})
    found = claim_tables.board(
        "kovaleva", {"kovaleva_features": table.query("task != 'nsp'")}, entries=("sep_of_single",), model=OTHER
    )
    assert found["verdict"].item() == "not measured"
    assert found["reason"].item().endswith("it takes a learned task of single sentences and one of pairs")


def test_a_claim_on_several_tasks_is_not_measured_on_a_part_of_them(run):
    """Neither a claim on some tasks, nor a difference from the mean over all tasks of the paper."""
    tables = {
        "kovaleva_cls": of_the_tasks_here(run["kovaleva_cls"], "attention", {"": 0.1, "feature == 'sep'": 0.3}),
        "kovaleva_patterns": of_the_tasks_here(run["kovaleva_patterns"], "share", {"": 0.2}),
    }
    edition = {"corpora": {"tasks": {task: {"source": "path:texts"} for task in HERE}}, "model": OTHER}
    found = claim_tables.board("kovaleva", tables, entries=("differences_of_tasks_in_patterns", *FIGURE_7), **edition)
    assert (
        found.loc["differences_of_tasks_in_patterns", "reason"] == "the edition has no mrpc, stsb, qqp, rte, qnli, mnli"
    )
    assert found.loc["lead_of_sep_from_cls_in_four_tasks", "reason"] == "the edition has no mrpc, qqp, mnli"
    assert found.loc["lead_of_sep_from_cls", ["condition", "replicated"]].tolist() == ["met", pytest.approx(0.2)]
    assert found.loc["attention_from_cls_by_feature", "cells"] == 8
    # A task with few examples of a feature, or none, does not count.
    more = changed(tables["kovaleva_cls"], "attention", {"task == 'nsp' and feature == 'noun'": 0.9})
    negation = "task == 'nsp' and feature == 'negation'"
    for lacking in (
        changed(more, "attention", {negation: np.nan}),
        changed(more, "n", {negation: names.LEAST_EXAMPLES - 1}),
    ):
        again = claim_tables.board("kovaleva", tables | {"kovaleva_cls": lacking}, entries=FIGURE_7, **edition)
        numbers = again.loc[["lead_of_sep_from_cls", "attention_from_cls_by_feature"], "replicated"]
        assert numbers.tolist() == pytest.approx([0.2, 0.125])
    # A feature that is rare in every task does not count.
    rare = changed(more, "n", {"feature == 'negation'": names.LEAST_EXAMPLES - 1})
    again = claim_tables.board("kovaleva", tables | {"kovaleva_cls": rare}, entries=FIGURE_7, **edition)
    assert again.loc["attention_from_cls_by_feature", "cells"] == 7


def test_tasks_that_do_not_differ_do_not_have_the_papers_patterns(run):
    shares = published("shares_of_patterns")
    keys = run["kovaleva_patterns"].set_index(["task", "pattern"]).index
    mean = shares.groupby("pattern").transform("mean")
    assert np.corrcoef(mean, shares)[0, 1] == pytest.approx(0.92, abs=0.005)  # note of differences_of_tasks_in_patterns
    table = run["kovaleva_patterns"]
    own, equal = (table.assign(share=values.reindex(keys).to_numpy()) for values in (shares, mean))
    check(
        {"kovaleva_patterns": own}, "shares_of_patterns: reproduced; differences_of_tasks_in_patterns: reproduced, met"
    )
    check(
        {"kovaleva_patterns": equal},
        "shares_of_patterns: not reproduced; differences_of_tasks_in_patterns: not reproduced, not met",
    )


def test_heads_of_word_pairs_are_those_of_neighbors_only_if_they_attend_to_them_more(run):
    def check_pairs(table, expected):
        check({"kovaleva_token_pairs": table}, f"neighbors_of_verb_subject_heads: {expected}")

    table = run["kovaleva_token_pairs"]
    check_pairs(table, "not met")  # no connection
    connected = table.assign(neighbors=2 * table["attention"])
    check_pairs(connected, "met")
    fewer = connected.assign(n=names.LEAST_EXAMPLES - 1)
    check_pairs(Replicates(connected, [fewer] * FEWEST_BLOCKS), "met")  # the number of all examples counts
    # Tasks with too few examples do not count.
    rare = changed(connected, "n", {"task != 'rte'": names.LEAST_EXAMPLES - 1})
    check_pairs(changed(rare, "neighbors", {"task == 'rte'": 0.3}), "not met")
    check_pairs(table.assign(n=names.LEAST_EXAMPLES - 1), "not measured")
    # A head counts once, however many tasks it attends so in.
    few = {"kovaleva_token_pairs": changed(connected, "attention", {"layer > 1": 0.1})}
    found = claim_tables.board("kovaleva", few, entries=("neighbors_of_verb_subject_heads",))
    assert found["reason"].tolist() == ["only 4 heads of this kind, which is too few for a verdict"]


def test_the_papers_example_and_its_map_of_heads_are_reproduced_by_themselves(run):
    example = run["kovaleva_frame_example"]
    keys = pd.MultiIndex.from_frame(example[["layer", "head", "key_token"]])
    weights = (
        published("example_of_two_heads").reindex(keys).where(example["query_token"].eq("he").to_numpy()).fillna(0.9)
    )
    frames = of_claim(
        "attention_in_frames_by_head", "attention", variant="released", link="annotated", above_99th_percentile=True
    )
    own = {"kovaleva_frame_example": example.assign(weight=weights.to_numpy()), "kovaleva_frames": frames}
    check(
        own,
        "attention_in_frames_of_head_1_2: reproduced; attention_in_frames_of_head_7_6: reproduced; "
        "example_of_head_1_2: reproduced; example_of_two_heads: reproduced; attention_in_frames_by_head: reproduced, "
        "met",
    )
    check(own, "rank_in_frames_of_head_7_6: met")
    check(
        run,
        "example_of_head_1_2: not reproduced; example_of_two_heads: not reproduced; attention_in_frames_by_head: not "
        "reproduced, not met",
    )


def test_statements_of_the_text_are_true_of_the_figures():
    change = of_claim("change_by_head", "cosine", compared="finetuning", variant="padded")
    from_cls = of_claim("attention_from_cls", "attention", model="finetuned", variant="released", head=1, n=20)
    features = claim_tables.rows({"task": TASKS, "feature": names.FEATURES, "layer": LAYERS}, head=1)
    features = features.assign(model="finetuned", variant="released", attention=0.0, n=20)
    features = features.set_index(["task", "feature"])
    for feature, task in ((feature, task) for feature in ("sep", "cls") for task in TASKS):
        layers = curve("figure_6_features", f"{task}_{feature}").to_numpy()
        features.loc[(task, feature), "attention"] = layers
    own = {
        "kovaleva_change": pd.concat([change, change.assign(variant="cropped")]),
        "kovaleva_cls": from_cls,
        "kovaleva_features": features.reset_index(),
    }
    met = [
        "last_layers_change_most",
        "last_layers_change_most_without_padding",
        "last_layers_change_in_qqp",
        "special_tokens_beside_words",
        "early_layers_on_cls_in_tasks",
        "later_layers_on_sep_in_tasks",
        "sep_of_single_sentences",
    ]
    met += ["lead_of_sep_from_cls", "lead_of_sep_from_cls_in_four_tasks", "lead_of_sep_from_cls_in_three_tasks"]
    check(own, "; ".join(f"{name}: met" for name in met))
    check(
        own,
        "change_by_head: reproduced, met; change_by_layer_on_rte: reproduced, met; "
        "attention_to_sep_by_layer_on_qnli: reproduced, met",
    )
    check(
        own,
        "least_attention_to_sep_on_sst2: reproduced; most_attention_to_sep_on_sst2: reproduced; attention_from_cls: "
        "reproduced",
    )
    check(own, "attention_from_cls_by_feature: reproduced, met")


def test_numbers_of_the_text_are_those_of_tables_and_figures():
    shares = rows("figure_2").set_index("task")[list(PATTERNS)]
    upper = shares["heterogeneous"] + shares["block"]
    assert (upper.min(), upper.max()) == pytest.approx(
        (published("fewest_complex_maps").item(), published("most_complex_maps").item()), abs=0.005
    )
    by_task = rows("figure_2_by_task").set_index("task")[list(PATTERNS)]
    np.testing.assert_allclose(by_task, shares - shares.mean(), atol=0.0005001)
    by_feature = rows("figure_7").groupby("feature")["attention"].mean()[rows("figure_7_by_feature")["feature"]]
    np.testing.assert_allclose(rows("figure_7_by_feature")["attention"], by_feature, atol=0.0005001)
    gain = rows("table_1").query("metric != 'f1'").eval("finetuned - pretrained").mean()
    assert gain == pytest.approx(published("mean_gain").item(), abs=0.0005)
    frames, example = published("attention_in_frames_by_head"), published("example_of_two_heads")
    assert (frames[1, 2], frames[7, 6]) == (
        published("attention_in_frames_of_head_1_2").item(),
        published("attention_in_frames_of_head_7_6").item(),
    )
    for layer, head in ((1, 2), (7, 6)):
        assert example[layer, head, "agitated"] == published(f"example_of_head_{layer}_{head}").item()
    heads = rows("figure_8_heads").set_index("task")["baseline"]
    best = rows("figure_8").set_index("task")["highest"] - heads
    assert best[["mrpc", "stsb"]].tolist() == pytest.approx(
        [published(k).item() for k in ("gain_of_best_head_on_mrpc", "gain_of_best_head_on_stsb")], abs=0.0005
    )
