"""The numbers of the paper's prose, from the tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.kovaleva.column_values import METRIC_LABELS, METRICS_OF_GAIN, TASK_LABELS, learnt_tasks
from bert_attention.paper.cells import (
    MissingCellError,
    accuracy,
    cell,
    count,
    head_of,
    highest,
    layer_means,
    p_value,
    peak,
    points,
    row,
    rows,
    share,
    shares,
    span,
    values,
)
from bert_attention.paper.layout import NO_VALUE, decimal, share_with_interval, with_interval
from bert_attention.tables import bounds_text


def facts(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """The numbers as text, by name: all those whose tables are there, and for which an edition has data.

    Raises
    ------
    MissingCellError
        If a table has no cell for a number; it says which number, table and cell.
    """
    found = {
        name: _number(name, number, table, tables[table])
        for table, numbers in FACTS.items()
        if table in tables
        for name, number in numbers.items()
    }
    return {name: text for name, text in found.items() if text is not None}


def _number(name: str, number: Callable[[pd.DataFrame], str | None], table: str, content: pd.DataFrame) -> str | None:
    try:
        text = number(content)
    except MissingCellError as error:
        raise MissingCellError(f"number {name} of the paper: {table}: {error}") from None
    if text is not None and NO_VALUE in text:
        raise MissingCellError(f"number {name} of the paper: {table}: has an empty cell ({text})")
    return text


# Rows of the tables that several numbers are taken from.
_ALL_RELATIONS = {"relation": ALL_RELATIONS, "variant": "described", "selection": "same_data"}
_ANTECEDENTS = {
    "system": "best_head",
    "candidates": "mentions",
    "direction": "mention_to_antecedent",
    "mention_type": "all",
    "selection": "same_data",
}
_CLASSIFIED = {"method": "classifier", "pattern": "heterogeneous"}
_FRAMES = {"variant": "described", "link": "annotated"}
_OVER_LAYERS = {"layer": 0, "tokens": "without_specials"}
_RELATED = {"probe": "binary", "negatives": "random", "direction": "dependent_to_head"}
_RELATED_AS_FAR = _RELATED | {"negatives": "same_distance"}
_WHICH_RELATION = {"probe": "relation", "direction": "dependent_to_head"}
_ATTENTION = {"features": "attention", "optimizer": "lbfgs"}
_ATTENTION_BY_SGD = {"features": "attention", "optimizer": "sgd"}


def _head_with_share(positions: pd.DataFrame, target: str) -> str:
    best = highest(rows(positions, target=target), "attention")
    return f"{head_of(best)} ({share(best['attention'])})"


def _heads_on_neighbours(positions: pd.DataFrame) -> str:
    neighbours = positions[positions["target"].isin(["previous", "next"])]
    return count((values(neighbours, "attention") > 0.5).sum())


def _resting_token(positions: pd.DataFrame) -> tuple[str, float]:
    """The special token that gets most attention, averaged over layers, and how much: in the papers' BERT, [SEP]."""
    means = {name: layer_means(positions, "attention", target=name).mean() for name in ("cls", "sep")}
    name = max(means, key=means.get)
    return f"[{name.upper()}]", means[name]


def resting_token(positions: pd.DataFrame) -> str:
    """The same as a sentence."""
    name, most = _resting_token(positions)
    return f"{name} gets most attention of all special tokens, {share(most)} averaged over layers"


def _gradient_ratio(importance: pd.DataFrame, target: str) -> pd.Series:
    """Mean gradient of attention to a target divided by that to other tokens, by layer."""
    gradient = layer_means(importance, "value", target=target, measure="gradient")
    return gradient / layer_means(importance, "value", target="other", measure="gradient")


def _layer_by_entropy(entropy: pd.DataFrame, choose: Callable[[pd.Series], int]) -> str:
    means = layer_means(entropy, "entropy", source="all")
    layer = choose(means)
    return f"layer {layer} ({decimal(means[layer], 2)} nats)"


def _resting_words(table: pd.DataFrame, relation: str, words: str) -> pd.Series | None:
    """Attention of some words to the resting token in the head of a relation; None if the trees lack the words."""
    found = row(table, relation=relation, words=words, selection="held_out", rests=True)
    return None if pd.isna(found["attention"]) else found


def _rest(table: pd.DataFrame, relation: str, words: str) -> str | None:
    found = _resting_words(table, relation, words)
    return None if found is None else accuracy(found, "attention")


def _rest_beyond_dependents(table: pd.DataFrame, relation: str) -> str | None:
    found = _resting_words(table, relation, "others")
    if found is None or pd.isna(found["difference"]):
        return None
    return with_interval(points, *found[["difference", "difference_low", "difference_high"]])


def _resting_head(table: pd.DataFrame, relation: str) -> str | None:
    found = _resting_words(table, relation, "dependents")
    return None if found is None else head_of(found)


def _single_relations(heads: pd.DataFrame) -> pd.DataFrame:
    found = rows(heads, variant="described", selection="same_data")
    return found[~found["relation"].isin([ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION])]


def _relation_found_best(heads: pd.DataFrame) -> str:
    relations = _single_relations(heads)
    if relations.empty:  # none is frequent enough
        return "none"
    best = highest(relations, "accuracy")
    return f"{best['relation']} (head {head_of(best)}, {share(best['accuracy'])})"


def _uas(probes: pd.DataFrame, probe: str) -> str:
    return accuracy(row(probes, probe=probe, variant="described"), "uas")


def _divergence_ratio(clusters: pd.DataFrame, weights: str) -> str | None:
    found = row(clusters, weights=weights, statistic="same_to_cross", layer=0)
    if pd.isna(found["value"]):  # of one layer, or of one head a layer
        return None
    value, low, high = (decimal(found[name], 2) for name in ("value", "low", "high"))
    return f"{value} ({bounds_text(low, high)}, {p_value(found['p'])})"


def _mixing_and_frequency(mixing: pd.DataFrame) -> str | None:
    found = row(mixing, text="whole", method="attn_res_ln_n", **_OVER_LAYERS)["spearman"]
    return None if pd.isna(found) else decimal(found, 2)  # of an encoder that mixes all tokens alike


def _frame_head(frames: pd.DataFrame) -> pd.Series:
    return highest(rows(frames, **_FRAMES), "attention")


def _learnt(scores: pd.DataFrame, initialisation: str) -> str:
    learnt = learnt_tasks(scores, initialisation)
    return ", ".join(name for task, name in TASK_LABELS.items() if task in learnt) or "none"


def _gain_of_finetuning(scores: pd.DataFrame, over: str) -> str:
    """Mean over tasks of the difference of two kinds of scores, by the metrics of table 1's note."""
    counted = scores[scores["metric"].isin(METRICS_OF_GAIN)]
    better, worse = (rows(counted, initialisation=kind).set_index("task")["value"] for kind in ("pretrained", over))
    return points((better - worse).mean())


def _change(change: pd.DataFrame, compared: str, place: int) -> str:
    return decimal(layer_means(change, "cosine", compared=compared, variant="cropped").iloc[place], 3)


def _received(features: pd.DataFrame, feature: str) -> str:
    return peak(layer_means(rows(features, model="finetuned", variant="described", feature=feature), "attention"))


def _cls_looks_at(of_cls: pd.DataFrame) -> str:
    found = rows(of_cls, model="finetuned", variant="described")
    means = found["attention"].groupby(found["feature"]).mean().dropna()  # a task may have no word with a feature
    if means.empty:
        raise MissingCellError("attention is empty for every feature")
    names = {"cls": "itself", "sep": "[SEP]"}
    return f"{names.get(means.idxmax(), means.idxmax())} ({share(means.max())})"


def _gains(gains: pd.DataFrame, selection: str) -> str:
    found = values(rows(gains, disabled="head", selection=selection), "gain")
    return f"{points(found.min())} to {points(found.max())}"


def _heads_that_help(gains: pd.DataFrame) -> str:
    found = rows(gains, disabled="head", selection="held_out")
    return f"{count((values(found, 'low') > 0).sum())} of {count(len(found))}"


def _most_harmful(disabled: pd.DataFrame, name: Callable[[pd.Series], str]) -> str:
    worst = disabled.loc[values(disabled, "difference").idxmin()]
    score = f"{TASK_LABELS[worst['task']]}, {METRIC_LABELS[worst['metric']]}"
    return f"{name(worst)} (on {score}: {points(-worst['difference'])} points)"


def _repeated_words_head(repeated: pd.DataFrame) -> str:
    means = rows(repeated, model="pretrained").groupby(["layer", "head"])["difference"].mean().reset_index()
    best = highest(means, "difference")
    return f"{head_of(best)} ({points(best['difference'])} points above other words)"


def _shared_heads(shared: pd.DataFrame) -> str | None:
    """A task on which the model is as good without any head correlates with none; None if all are of that kind."""
    found = shared[shared["task_a"] != shared["task_b"]]["spearman"].dropna()
    return None if found.empty else f"{decimal(found.min(), 2)} to {decimal(found.max(), 2)}"


def _peak_of_category(categories: pd.DataFrame, category: str, measure: str) -> str:
    """The highest mean over the heads of a layer, which rows without a head hold."""
    found = rows(categories, category=category, measure=measure, head=None)
    return peak(values(found, "value").set_axis(found["layer"]))


def _mixing_ratio(mixing: pd.DataFrame, method: str) -> str:
    return share(cell(mixing, "mixing_ratio", text="masked", layer=0, method=method))


def _spearman(table: pd.DataFrame, **where: object) -> str:
    return decimal(cell(table, "spearman", **where), 2)


def _best_layer(summary: pd.DataFrame, setting: str, method: str) -> str:
    where = {"statistic": "best_layer", "selection": "same_data", "setting": setting, "method": method}
    return shares(values(rows(summary, **where), "value"))


def _norm_minus_weight(summary: pd.DataFrame, setting: str) -> str:
    """By how many points the best layer's rate by norm is above that by weight, of each translation model."""
    found = rows(summary, statistic="best_layer_minus_weight", setting=setting, method="norm")
    return ", ".join(with_interval(points, *model) for model in found[["value", "low", "high"]].to_numpy())


def _worse_than_diagonal(summary: pd.DataFrame, setting: str) -> str | None:
    """The translation models whose best layer aligns no better than the diagonal does; None if there are none."""
    best = rows(summary, statistic="best_layer", selection="same_data", setting=setting).groupby("model")["value"].min()
    diagonal = rows(summary, statistic="diagonal").set_index("model")["value"]
    return ", ".join(best.index[best >= diagonal[best.index]]) or None


def _relation_told_best(relations: pd.DataFrame) -> str:
    best = highest(rows(relations, direction="dependent_to_head", **_ATTENTION), "f1")
    return f"{best['relation']} (F1 {share(best['f1'])})"


def _above_form(probes: pd.DataFrame) -> str:
    """How much better attention tells relations than the dependent's word form does, in points with an interval."""
    found = row(probes, **_ATTENTION, **_WHICH_RELATION)
    return with_interval(points, *found[["gain_over_form", "gain_over_form_low", "gain_over_form_high"]])


def _head_of_pattern(patterns: pd.DataFrame, pattern: str) -> str:
    """The head furthest above its baseline: one that looks at neighbours meets many words of any kind."""
    found = rows(patterns, pattern=pattern)
    best = found.loc[(values(found, "attention") - values(found, "baseline")).idxmax()]
    return f"{head_of(best)} ({share(best['attention'])} in place of {share(best['baseline'])})"


def _fewest_neurons(neurons: pd.DataFrame) -> str:
    fewest = neurons.loc[values(neurons, "neuron_concentration").idxmin()]
    return f"{share(fewest['neuron_concentration'])} (head {head_of(fewest)})"


def _next_without_positions(neurons: pd.DataFrame) -> str:
    best = highest(neurons, "next_token")
    return f"from {share(best['next_token'])} to {share(best['next_token_ablated'])} (head {head_of(best)})"


def _heads_owing_to_segments(neurons: pd.DataFrame) -> str:
    """How many heads owe a tenth of their attention inside the own part to segment ids."""
    loss = values(neurons, "same_segment") - values(neurons, "same_segment_ablated")
    return count((loss > 0.1).sum())


# By result table: what the template calls a number, and how it is taken from the table.
FACTS: dict[str, dict[str, Callable[[pd.DataFrame], str | None]]] = {
    "clark_entropy": {
        "clark_layers": lambda table: count(table["layer"].max()),
        "clark_heads_of_a_layer": lambda table: count(table["head"].max()),
        "clark_all_heads": lambda table: count(len(rows(table, source="all"))),
        "clark_broadest_layer": lambda table: _layer_by_entropy(table, pd.Series.idxmax),
        "clark_narrowest_layer": lambda table: _layer_by_entropy(table, pd.Series.idxmin),
        "clark_uniform_entropy": lambda table: f"{decimal(values(table, 'uniform').mean(), 2)} nats",
    },
    "clark_positions": {
        "clark_segments": lambda table: count(values(table, "n").max()),
        "clark_attention_to_cls": lambda table: peak(layer_means(table, "attention", target="cls")),
        "clark_attention_to_sep": lambda table: peak(layer_means(table, "attention", target="sep")),
        "clark_resting_token": lambda table: _resting_token(table)[0],
        "clark_attention_to_resting_token": lambda table: share(_resting_token(table)[1]),
        "clark_attention_to_punctuation": lambda table: peak(layer_means(table, "attention", target="punctuation")),
        "clark_previous_token_head": lambda table: _head_with_share(table, "previous"),
        "clark_next_token_head": lambda table: _head_with_share(table, "next"),
        # to the previous or to the next token, more than half of their attention
        "clark_heads_on_neighbours": _heads_on_neighbours,
        "clark_sep_from_sep": lambda table: peak(layer_means(table, "attention", target="sep_from_sep")),
    },
    "clark_importance": {
        # as a share of that to other tokens, over layers from low to high
        "clark_gradient_of_cls": lambda table: shares(_gradient_ratio(table, "cls")),
        "clark_gradient_of_cls_lowest_layer": lambda table: count(_gradient_ratio(table, "cls").idxmin()),
        "clark_gradient_of_sep": lambda table: shares(_gradient_ratio(table, "sep")),
        "clark_gradient_of_sep_lowest_layer": lambda table: count(_gradient_ratio(table, "sep").idxmin()),
    },
    "clark_dependency_heads": {
        "clark_all_relations_head": lambda table: head_of(row(table, **_ALL_RELATIONS)),
        "clark_all_relations_accuracy": lambda table: accuracy(row(table, **_ALL_RELATIONS)),
        "clark_all_relations_baseline": lambda table: share(cell(table, "baseline_accuracy", **_ALL_RELATIONS)),
        "clark_relations_of_the_treebank": lambda table: count(len(_single_relations(table))),
        # better than the best offset by more than the interval
        "clark_relations_found_better": lambda table: count((_single_relations(table)["gain_low"] > 0).sum()),
        "clark_relation_found_best": _relation_found_best,
    },
    # to the resting token, from words that a head's function applies to, and from others
    "clark_no_op": {
        "clark_no_op_object_head": lambda table: _resting_head(table, "dobj"),
        "clark_no_op_objects": lambda table: _rest(table, "dobj", "dependents"),
        "clark_no_op_not_objects": lambda table: _rest(table, "dobj", "others"),
        "clark_no_op_not_nouns": lambda table: _rest(table, "dobj", "non_nouns"),
        "clark_no_op_beyond_objects": lambda table: _rest_beyond_dependents(table, "dobj"),
        "clark_no_op_possessor_head": lambda table: _resting_head(table, "poss"),
        "clark_no_op_possessors": lambda table: _rest(table, "poss", "dependents"),
        "clark_no_op_not_possessors": lambda table: _rest(table, "poss", "others"),
        "clark_no_op_beyond_possessors": lambda table: _rest_beyond_dependents(table, "poss"),
    },
    "mlm_head": {
        "mlm_head_accuracy": lambda table: accuracy(row(table), bounds=("accuracy_low", "accuracy_high")),
        "mlm_head_loss": lambda table: with_interval(partial(decimal, places=2), *row(table)[["loss", "low", "high"]]),
        "mlm_head_loss_by_frequency": lambda table: decimal(cell(table, "unigram_loss"), 2),
    },
    "clark_split_words": {
        "clark_split_words": lambda table: share(cell(table, "share", corpus="treebank_dev")),
    },
    "clark_coreference": {
        "clark_antecedent_head": lambda table: head_of(row(table, **_ANTECEDENTS)),
        "clark_antecedent_accuracy": lambda table: accuracy(row(table, **_ANTECEDENTS)),
        "clark_antecedent_head_match": lambda table: share(
            cell(table, "accuracy", system="head_match", candidates="mentions", mention_type="all")
        ),
        "clark_antecedent_gain": lambda table: with_interval(
            points, *row(table, **_ANTECEDENTS)[["gain", "gain_low", "gain_high"]]
        ),
    },
    "clark_probes": {
        "clark_probe_attention": lambda table: _uas(table, "attention"),
        "clark_probe_attention_vectors": lambda table: _uas(table, "attention_glove"),
        "clark_probe_distances_vectors": lambda table: _uas(table, "distances_glove"),
        "clark_probe_random_vectors": lambda table: _uas(table, "random_init_glove"),
        "clark_probe_selectivity": lambda table: points(
            cell(table, "selectivity", probe="attention_glove", variant="described")
        ),
    },
    "clark_head_clusters": {
        "clark_divergence_ratio": lambda table: _divergence_ratio(table, "trained"),
        "clark_divergence_ratio_random": lambda table: _divergence_ratio(table, "random"),
    },
    "kovaleva_pattern_agreement": {
        "kovaleva_labelled_maps": lambda table: count(values(table, "n").max()),
        # from the lowest to the highest where there are several pairs of passes
        "kovaleva_kappa": lambda table: span(values(table, "kappa"), partial(decimal, places=2)),
    },
    "kovaleva_pattern_classifier": {
        "kovaleva_classifier_f1": lambda table: share_with_interval(
            partial(decimal, places=2), *row(table, fold=0, method="classifier", pattern="macro")[["f1", "low", "high"]]
        ),
    },
    "kovaleva_patterns": {
        "kovaleva_heterogeneous_maps": lambda table: shares(rows(table, model="finetuned", **_CLASSIFIED)["share"]),
        "kovaleva_heterogeneous_maps_before": lambda table: shares(
            rows(table, model="pretrained", **_CLASSIFIED)["share"]
        ),
    },
    "kovaleva_frame_selection": {
        "kovaleva_frames_found": lambda table: count(table["sentences"].sum()),
        "kovaleva_frames_chosen": lambda table: count(row(table, outcome="chosen")["sentences"]),
    },
    "kovaleva_frames": {
        "kovaleva_frame_sentences": lambda table: count(values(rows(table, **_FRAMES), "n").max()),
        "kovaleva_frame_head": lambda table: head_of(_frame_head(table)),
        "kovaleva_frame_attention": lambda table: decimal(_frame_head(table)["attention"], 3),
        # over other tokens that are as far apart
        "kovaleva_frame_gain": lambda table: with_interval(
            partial(decimal, places=3), *_frame_head(table)[["gain", "gain_low", "gain_high"]]
        ),
        "kovaleva_frame_gain_heads": lambda table: count((values(rows(table, **_FRAMES), "gain_low") > 0).sum()),
    },
    "kovaleva_finetuning": {
        "kovaleva_task_count": lambda table: count(table["task"].nunique()),
        "kovaleva_finetuning_gain": lambda table: _gain_of_finetuning(table, over="pretrained_untrained_head"),
        "kovaleva_learnt": lambda table: _learnt(table, "pretrained"),
        "kovaleva_learnt_from_random": lambda table: _learnt(table, "random"),
        "kovaleva_finetuning_gain_over_random": lambda table: _gain_of_finetuning(table, over="random"),
    },
    "kovaleva_change": {
        "kovaleva_change_last_layer": lambda table: _change(table, "finetuning", -1),
        "kovaleva_change_first_layer": lambda table: _change(table, "finetuning", 0),
        "kovaleva_change_between_seeds": lambda table: (
            _change(table, "seeds", -1) if "seeds" in set(table["compared"]) else None
        ),
    },
    "kovaleva_features": {
        "kovaleva_sep_after_finetuning": lambda table: _received(table, "sep"),
        "kovaleva_cls_after_finetuning": lambda table: _received(table, "cls"),
    },
    "kovaleva_cls": {"kovaleva_cls_looks_at": _cls_looks_at},
    "kovaleva_disabled_gains": {
        "kovaleva_best_disabled_head": lambda table: _gains(table, "same_data"),
        "kovaleva_best_disabled_head_held_out": lambda table: _gains(table, "held_out"),
        # chosen on one half of the examples, on the other by more than the interval
        "kovaleva_disabled_heads_that_help": _heads_that_help,
    },
    "kovaleva_disabled_heads": {
        "kovaleva_most_harmful_disabled_head": lambda table: _most_harmful(table, head_of),
    },
    "kovaleva_disabled_layers": {
        "kovaleva_most_harmful_disabled_layer": lambda table: _most_harmful(table, lambda worst: f"{worst['layer']}"),
    },
    "kovaleva_repeated_words": {"kovaleva_repeated_words_head": _repeated_words_head},
    "kovaleva_shared_heads": {"kovaleva_shared_heads": _shared_heads},
    "kobayashi_dispersion": {
        "kobayashi_spread_of_transformed": lambda table: decimal(cell(table, "cv", vector="transformed", layer=0), 2),
        "kobayashi_spread_of_input": lambda table: decimal(cell(table, "cv", vector="input", layer=0), 2),
    },
    "kobayashi_correlation": {
        "kobayashi_correlation_for_cls": lambda table: _spearman(table, category="cls"),
        "kobayashi_correlation_for_sep": lambda table: _spearman(table, category="sep"),
        "kobayashi_correlation_for_punctuation": lambda table: _spearman(table, category="punctuation"),
        "kobayashi_correlation_for_others": lambda table: _spearman(table, category="other"),
    },
    "kobayashi_categories": {
        "kobayashi_cls_by_weight": lambda table: _peak_of_category(table, "cls", "weight"),
        "kobayashi_cls_by_norm": lambda table: _peak_of_category(table, "cls", "share_of_norm"),
        "kobayashi_sep_by_weight": lambda table: _peak_of_category(table, "sep", "weight"),
        "kobayashi_sep_by_norm": lambda table: _peak_of_category(table, "sep", "share_of_norm"),
    },
    "kobayashi_frequency": {
        "kobayashi_frequency_and_norm": lambda table: _spearman(table, measure="norm", **_OVER_LAYERS),
        "kobayashi_frequency_and_weight": lambda table: _spearman(table, measure="weight", **_OVER_LAYERS),
    },
    "kobayashi_mixing": {
        "kobayashi_mixing_by_weight": lambda table: _mixing_ratio(table, "attn_w"),
        "kobayashi_mixing_by_norm": lambda table: _mixing_ratio(table, "attn_n"),
        "kobayashi_mixing_by_all": lambda table: _mixing_ratio(table, "attn_res_ln_n"),
    },
    "kobayashi_mixing_frequency": {
        "kobayashi_mixing_and_frequency": _mixing_and_frequency,
    },
    "kobayashi_expansion": {
        "kobayashi_expansion": lambda table: decimal(cell(table, "expansion_rate", layer=0, variant="released"), 2),
    },
    "kobayashi_alignment": {
        "kobayashi_aligned_pairs": lambda table: count(values(table, "n").max()),
    },
    # in the rows that are given the word, and in those that predict it, over translation models
    "kobayashi_alignment_summary": {
        "kobayashi_alignment_by_weight_in": lambda table: _best_layer(table, "awi", "weight"),
        "kobayashi_alignment_by_norm_in": lambda table: _best_layer(table, "awi", "norm"),
        "kobayashi_alignment_by_weight_out": lambda table: _best_layer(table, "awo", "weight"),
        "kobayashi_alignment_by_norm_out": lambda table: _best_layer(table, "awo", "norm"),
        "kobayashi_alignment_norm_minus_weight_in": lambda table: _norm_minus_weight(table, "awi"),
        "kobayashi_alignment_norm_minus_weight_out": lambda table: _norm_minus_weight(table, "awo"),
        "kobayashi_alignment_not_learnt_in": lambda table: _worse_than_diagonal(table, "awi"),
        "kobayashi_alignment_not_learnt_out": lambda table: _worse_than_diagonal(table, "awo"),
        "kobayashi_alignment_of_diagonal": lambda table: shares(values(rows(table, statistic="diagonal"), "value")),
    },
    "coenen_probes": {
        "coenen_related_or_not": lambda table: accuracy(row(table, **_ATTENTION, **_RELATED)),
        "coenen_related_or_not_by_sgd": lambda table: accuracy(row(table, **_ATTENTION_BY_SGD, **_RELATED)),
        "coenen_related_or_not_by_distance": lambda table: share(
            cell(table, "accuracy", features="distance_only", **_RELATED)
        ),
        "coenen_related_or_not_random": lambda table: share(
            cell(table, "accuracy", features="random_model", **_RELATED)
        ),
        "coenen_related_or_not_as_far": lambda table: accuracy(row(table, **_ATTENTION, **_RELATED_AS_FAR)),
        "coenen_which_relation": lambda table: accuracy(row(table, **_ATTENTION, **_WHICH_RELATION)),
        "coenen_which_relation_by_sgd": lambda table: accuracy(row(table, **_ATTENTION_BY_SGD, **_WHICH_RELATION)),
        "coenen_which_relation_by_form": lambda table: accuracy(
            row(table, features="dependent_form", **_WHICH_RELATION)
        ),
        "coenen_which_relation_above_form": _above_form,
        "coenen_which_relation_by_distance": lambda table: share(
            cell(table, "accuracy", features="distance_only", **_WHICH_RELATION)
        ),
        "coenen_which_relation_most_frequent": lambda table: share(
            cell(table, "majority", **_ATTENTION, **_WHICH_RELATION)
        ),
        "coenen_relation_count": lambda table: count(cell(table, "classes", **_ATTENTION, **_WHICH_RELATION)),
    },
    "coenen_relations": {"coenen_relation_told_best": _relation_told_best},
    "vig_patterns": {
        "vig_next_head": lambda table: _head_of_pattern(table, "next"),
        "vig_previous_head": lambda table: _head_of_pattern(table, "previous"),
        "vig_identical_head": lambda table: _head_of_pattern(table, "identical"),
        "vig_identical_other_head": lambda table: _head_of_pattern(table, "identical_other_sentence"),
        "vig_predictive_head": lambda table: _head_of_pattern(table, "predictive"),
        "vig_delimiter_head": lambda table: _head_of_pattern(table, "delimiter"),
    },
    "vig_neurons": {
        "vig_neuron_concentration": _fewest_neurons,
        "vig_next_without_positions": _next_without_positions,
        "vig_heads_owing_to_segments": _heads_owing_to_segments,
    },
}
