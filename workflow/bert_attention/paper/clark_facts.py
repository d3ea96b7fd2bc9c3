"""What the paper says in its prose of the results of Clark et al. 2019: a function for each number.

A function has the name that the number has in the template, and its arguments are named as the result tables it reads.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.paper.cells import (
    accuracy,
    cell,
    count,
    head_name,
    highest,
    layer_means,
    p_value,
    peak,
    points,
    row,
    rows,
    share,
    shares,
    values,
)
from bert_attention.paper.layout import decimal

_DESCRIBED = {"variant": "described", "selection": "same_data"}
_AMONG_MENTIONS = {
    "system": "best_head",
    "candidates": "mentions",
    "direction": "mention_to_antecedent",
    "mention_type": "all",
}


def layers(clark_entropy: pd.DataFrame) -> str:
    """How many layers the encoder has."""
    return count(clark_entropy["layer"].max())


def heads_of_a_layer(clark_entropy: pd.DataFrame) -> str:
    """How many heads a layer has."""
    return count(clark_entropy["head"].max())


def all_heads(clark_entropy: pd.DataFrame) -> str:
    """How many heads the encoder has."""
    return count(len(rows(clark_entropy, source="all")))


def segments(clark_positions: pd.DataFrame) -> str:
    """How many segments of running text there are."""
    return count(values(clark_positions, "n").max())


def attention_to_cls(clark_positions: pd.DataFrame) -> str:
    """Where [CLS] gets most attention."""
    return peak(layer_means(clark_positions, "attention", target="cls"))


def attention_to_sep(clark_positions: pd.DataFrame) -> str:
    """Where [SEP] gets most attention."""
    return peak(layer_means(clark_positions, "attention", target="sep"))


def attention_to_punctuation(clark_positions: pd.DataFrame) -> str:
    """Where periods and commas get most attention."""
    return peak(layer_means(clark_positions, "attention", target="punctuation"))


def previous_token_head(clark_positions: pd.DataFrame) -> str:
    """The head that attends most to the previous token."""
    return _head_with_share(clark_positions, "previous")


def next_token_head(clark_positions: pd.DataFrame) -> str:
    """The head that attends most to the next token."""
    return _head_with_share(clark_positions, "next")


def heads_on_neighbours(clark_positions: pd.DataFrame) -> str:
    """How many heads give more than half of their attention to the previous or to the next token."""
    neighbours = clark_positions[clark_positions["target"].isin(["previous", "next"])]
    return count((values(neighbours, "attention") > 0.5).sum())


def sep_from_sep(clark_positions: pd.DataFrame) -> str:
    """Where [SEP] attends most to a [SEP]."""
    return peak(layer_means(clark_positions, "attention", target="sep_from_sep"))


def gradient_of_sep(clark_importance: pd.DataFrame) -> str:
    """The mean gradient of attention to [SEP], as a share of that to other tokens, over layers from low to high."""
    return shares(_gradient_ratio(clark_importance))


def gradient_of_sep_lowest_layer(clark_importance: pd.DataFrame) -> str:
    """The layer in which the gradient of attention to [SEP] is smallest beside that to other tokens."""
    return count(_gradient_ratio(clark_importance).idxmin())


def broadest_layer(clark_entropy: pd.DataFrame) -> str:
    """The layer whose heads have the highest entropy, with it."""
    means = layer_means(clark_entropy, "entropy", source="all")
    return f"layer {means.idxmax()} ({decimal(means.max(), 2)} nats)"


def narrowest_layer(clark_entropy: pd.DataFrame) -> str:
    """The layer whose heads have the lowest entropy, with it."""
    means = layer_means(clark_entropy, "entropy", source="all")
    return f"layer {means.idxmin()} ({decimal(means.min(), 2)} nats)"


def uniform_entropy(clark_entropy: pd.DataFrame) -> str:
    """The entropy of attending to all tokens alike."""
    return f"{decimal(values(clark_entropy, 'uniform').mean(), 2)} nats"


def all_relations_head(clark_dependency_heads: pd.DataFrame) -> str:
    """The head that finds heads of words best, over all relations."""
    return head_name(row(clark_dependency_heads, relation=ALL_RELATIONS, **_DESCRIBED))


def all_relations_accuracy(clark_dependency_heads: pd.DataFrame) -> str:
    """How often that head is right."""
    return accuracy(row(clark_dependency_heads, relation=ALL_RELATIONS, **_DESCRIBED))


def all_relations_baseline(clark_dependency_heads: pd.DataFrame) -> str:
    """How often the best fixed offset is right."""
    return share(cell(clark_dependency_heads, "baseline_accuracy", relation=ALL_RELATIONS, **_DESCRIBED))


def relations_of_the_treebank(clark_dependency_heads: pd.DataFrame) -> str:
    """How many relations are scored."""
    return count(len(_single_relations(clark_dependency_heads)))


def relations_found_better(clark_dependency_heads: pd.DataFrame) -> str:
    """For how many relations a head is better than the best offset by more than its interval."""
    return count((_single_relations(clark_dependency_heads)["gain_low"] > 0).sum())


def relation_found_best(clark_dependency_heads: pd.DataFrame) -> str:
    """The relation that a head finds most often, with the head and how often."""
    relations = _single_relations(clark_dependency_heads)
    if relations.empty:  # none is frequent enough
        return "none"
    best = highest(relations, "accuracy")
    return f"{best['relation']} (head {head_name(best)}, {share(best['accuracy'])})"


def split_words(clark_split_words: pd.DataFrame) -> str:
    """The share of the treebank's words that the tokenizer splits."""
    return share(cell(clark_split_words, "share", corpus="treebank_dev"))


def antecedent_head(clark_coreference: pd.DataFrame) -> str:
    """The head that finds antecedents best among earlier mentions."""
    return head_name(row(clark_coreference, selection="same_data", **_AMONG_MENTIONS))


def antecedent_accuracy(clark_coreference: pd.DataFrame) -> str:
    """How often that head is right."""
    return accuracy(row(clark_coreference, selection="same_data", **_AMONG_MENTIONS))


def antecedent_head_match(clark_coreference: pd.DataFrame) -> str:
    """How often the nearest mention with the same head word is right."""
    return share(cell(clark_coreference, "accuracy", system="head_match", candidates="mentions", mention_type="all"))


def antecedent_gain(clark_coreference: pd.DataFrame) -> str:
    """By how much the head is better than matching head words, in points, with its interval."""
    found = row(clark_coreference, selection="same_data", **_AMONG_MENTIONS)
    return f"{points(found['gain'])} ({points(found['gain_low'])}\N{EN DASH}{points(found['gain_high'])})"


def probe_attention(clark_probes: pd.DataFrame) -> str:
    """The score of the probe that sees attention alone."""
    return _uas(clark_probes, "attention")


def probe_attention_vectors(clark_probes: pd.DataFrame) -> str:
    """The score of the probe that sees attention and word vectors."""
    return _uas(clark_probes, "attention_glove")


def probe_distances_vectors(clark_probes: pd.DataFrame) -> str:
    """The score of the probe that sees distances and word vectors."""
    return _uas(clark_probes, "distances_glove")


def probe_random_vectors(clark_probes: pd.DataFrame) -> str:
    """The score of the probe that sees the attention of random weights, and word vectors."""
    return _uas(clark_probes, "random_init_glove")


def probe_selectivity(clark_probes: pd.DataFrame) -> str:
    """By how much the probe of attention and word vectors does better than on its control task, in points."""
    return points(cell(clark_probes, "selectivity", probe="attention_glove", variant="described"))


def divergence_ratio(clark_head_clusters: pd.DataFrame) -> str:
    """The divergence of heads of one layer as a ratio to that of others, with its p value."""
    return _ratio(clark_head_clusters, "trained")


def divergence_ratio_random(clark_head_clusters: pd.DataFrame) -> str:
    """The same in random weights."""
    return _ratio(clark_head_clusters, "random")


def _head_with_share(clark_positions: pd.DataFrame, target: str) -> str:
    best = highest(rows(clark_positions, target=target), "attention")
    return f"{head_name(best)} ({share(best['attention'])})"


def _gradient_ratio(clark_importance: pd.DataFrame) -> pd.Series:
    """Mean gradient of attention to [SEP] divided by that to other tokens, by layer."""
    sep = layer_means(clark_importance, "value", target="sep", measure="gradient")
    return sep / layer_means(clark_importance, "value", target="other", measure="gradient")


def _single_relations(clark_dependency_heads: pd.DataFrame) -> pd.DataFrame:
    found = rows(clark_dependency_heads, **_DESCRIBED)
    return found[~found["relation"].isin([ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION])]


def _uas(clark_probes: pd.DataFrame, probe: str) -> str:
    return accuracy(row(clark_probes, probe=probe, variant="described"), "uas")


def _ratio(clark_head_clusters: pd.DataFrame, weights: str) -> str | None:
    found = row(clark_head_clusters, weights=weights, statistic="same_to_cross", layer=0)
    if pd.isna(found["value"]):  # of one layer, or of one head a layer
        return None
    return f"{decimal(found['value'], 2)} ({p_value(found['p'])})"
