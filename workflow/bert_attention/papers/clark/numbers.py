"""Numbers in prose about Clark et al. 2019, and about the masked-language-model head that its gradients need."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bert_attention.judging.claims import SMALLEST_EFFECTS
from bert_attention.papers.clark.claims import clark, named_resting_token, resting_token
from bert_attention.results import SHARE
from bert_attention.statistics.forms import (
    Text,
    count,
    decimal_form,
    head_name,
    head_or_none,
    if_any,
    p_value,
    points,
    share,
)
from bert_attention.statistics.measures import ResultTables, count_above

# Rows of clark_dependency_heads about all relations together.
_ALL_RELATIONS = ["all", "all_without_punctuation"]
# A head that gives less than this share of its attention to a target is not named for it.
_LEAST_NAMED = 0.1


def entropy_by_layer(t: ResultTables) -> pd.Series:
    """Return the mean entropy of attention by layer."""
    return t.clark_entropy(source="all").groupby("layer").entropy.mean()


def in_layer(curve: pd.Series, layer: int) -> str:
    """Return a layer and its entropy as text."""
    return f"layer {layer} ({decimal_form(2)(curve[layer])} nats)"


def attention_by_layer(t: ResultTables, target: str) -> pd.Series:
    """Return the mean attention to a target by layer."""
    return t.clark_positions(target=target).groupby("layer").attention.mean()


def most_of_a_layer(target: str) -> Text:
    """Return the function that says the largest mean attention of a layer to a target."""

    def text(t: ResultTables) -> str:
        curve = attention_by_layer(t, target)
        return f"{share(curve.max())} in layer {curve.idxmax()}"

    return text


def head_on(t: ResultTables, target: str) -> pd.Series:
    """Return the row of the head that attends to a target most, over all texts."""
    rows = t.reader.rows("clark_positions", {"target": target}).whole
    return rows.loc[rows.attention.idxmax()]


def attention_of_head_on(t: ResultTables, target: str) -> float:
    """Return the attention to a target of the head that attends to it most."""
    head = head_on(t, target)
    return t.clark_positions(target=target, layer=head.layer, head=head["head"]).attention.item()


def named_head_on(target: str) -> Text:
    """Return the function that names the head that attends to a target most, or says that no head does."""

    def text(t: ResultTables) -> str:
        attention = attention_of_head_on(t, target)
        return head_or_none(head_on(t, target), share(attention), attention >= _LEAST_NAMED)

    return text


def head_on_previous(t: ResultTables) -> str | None:
    """Return the head that attends to the previous token most, or None if no head does."""
    is_named = attention_of_head_on(t, "previous") >= _LEAST_NAMED
    return head_name(head_on(t, "previous")) if is_named else None


def heads_on_neighbors(t: ResultTables) -> float:
    """Return the number of times that a head gives most of its attention to the previous or the next token."""
    return count_above(t.clark_positions(target=["previous", "next"]).attention, 0.5)


def gradient(t: ResultTables, target: str) -> pd.Series:
    """Return the gradient of attention to a target by layer, as a share of that to other tokens."""
    by_target = (
        t.clark_importance(measure="gradient", target=[target, "other"]).groupby(["target", "layer"]).value.mean()
    )
    return by_target[target] / by_target["other"]


def relation(t: ResultTables, name: str, selection: str) -> pd.Series:
    """Return the row of a relation's best head."""
    return t.clark_dependency_heads(relation=name, variant="described", selection=selection).iloc[0]


def objects_found(t: ResultTables) -> str | None:
    """Return how often the head of direct objects finds their verbs, or None if a fixed offset does as well.

    This head is the one that is best on other sentences.
    """
    row = relation(t, "dobj", "held_out")
    is_better = row.accuracy - row.baseline_accuracy >= SMALLEST_EFFECTS[SHARE].size
    return share.interval(lambda t: relation(t, "dobj", "held_out").accuracy)(t) if is_better else None


def relations(t: ResultTables, selection: str) -> pd.DataFrame:
    """Return the rows of single relations, with the bounds of intervals."""
    rows = t.with_bounds("clark_dependency_heads", variant="described", selection=selection)
    return rows[~rows.relation.isin(_ALL_RELATIONS)]


def number_of(selection: str, chosen: Callable[[pd.DataFrame], pd.Series]) -> Text:
    """Return the function that says how many relations are chosen by their numbers."""
    return if_any(lambda t: count(chosen(relations(t, selection)).sum()), "0")


def relation_found_best(t: ResultTables) -> str:
    """Return the relation that a head finds best."""
    rows = relations(t, "same_data")
    if rows.empty:
        return "none"
    best = rows.loc[rows.accuracy.idxmax()]
    at_offset = f"best offset {share(best.baseline_accuracy)}"
    return f"{best.relation} (head {head_name(best)}, {share(best.accuracy)}; {at_offset})"


def no_op(t: ResultTables, of: str, words: str) -> pd.Series:
    """Return the row of attention to the resting token from words that a head's function applies to, or from others."""
    return t.clark_no_op(relation=of, words=words, selection="held_out", target=resting_token(t)).iloc[0]


def antecedents(t: ResultTables) -> pd.Series:
    """Return the row of the head that finds antecedents best."""
    best = {"system": "best_head", "candidates": "mentions", "direction": "mention_to_antecedent"}
    return t.clark_coreference(**best, mention_type="all", selection="same_data").iloc[0]


def head_match(t: ResultTables) -> float:
    """Return the share of antecedents that the rule on equal heads of mentions finds."""
    return t.clark_coreference(system="head_match", candidates="mentions", mention_type="all").accuracy.item()


def divergence_ratio(weights: str) -> Text:
    """Return the function that says how much closer heads of a layer are: undefined for one layer, or one head."""

    def row(t: ResultTables) -> pd.Series:
        return t.clark_head_clusters(weights=weights, statistic="same_to_cross", layer=0).iloc[0]

    def text(t: ResultTables) -> str:
        found = row(t)
        bounds = decimal_form(2).bounds(t, lambda t: row(t).value)
        return f"{decimal_form(2)(found.value)} ({bounds}, {p_value(found.p)})"

    return if_any(text)


clark.say(
    layers=count.of(lambda t: t.clark_entropy().layer.max()),
    heads_of_a_layer=count.of(lambda t: t.clark_entropy()["head"].max()),
    all_heads=count.of(lambda t: len(t.clark_entropy(source="all"))),
    broadest_layer=lambda t: in_layer(entropy_by_layer(t), entropy_by_layer(t).idxmax()),
    narrowest_layer=lambda t: in_layer(entropy_by_layer(t), entropy_by_layer(t).idxmin()),
    uniform_entropy=lambda t: f"{decimal_form(2)(t.clark_entropy().uniform.mean())} nats",
    layers_alike_from_cls=if_any(share.of(clark.number("layers_where_cls_is_as_broad_as_all"))),
    segments=count.of(lambda t: t.clark_positions().n.max()),
    attention_to_cls=most_of_a_layer("cls"),
    attention_to_sep=most_of_a_layer("sep"),
    attention_to_punctuation=most_of_a_layer("punctuation"),
    sep_from_sep=most_of_a_layer("sep_from_sep"),
    resting_token=named_resting_token,
    attention_to_resting_token=share.of(lambda t: attention_by_layer(t, resting_token(t)).mean()),
    previous_token_head=named_head_on("previous"),
    next_token_head=named_head_on("next"),
    head_on_previous=head_on_previous,
    attention_of_head_on_previous=share.interval(lambda t: attention_of_head_on(t, "previous")),
    heads_on_neighbors=count.of(heads_on_neighbors),
    gradient_of_cls=share.of(lambda t: gradient(t, "cls")),
    gradient_of_cls_lowest_layer=lambda t: str(gradient(t, "cls").idxmin()),
    gradient_of_sep=share.of(lambda t: gradient(t, "sep")),
    gradient_of_sep_lowest_layer=lambda t: str(gradient(t, "sep").idxmin()),
    all_relations_head=lambda t: head_name(relation(t, "all", "same_data")),
    all_relations_accuracy=share.interval(clark.number("accuracy_of_all_relations")),
    all_relations_baseline=share.of(clark.number("baseline_of_all_relations")),
    objects=if_any(objects_found),
    objects_baseline=if_any(share.of(lambda t: relation(t, "dobj", "held_out").baseline_accuracy)),
    relations_of_the_treebank=number_of("same_data", lambda rows: rows.accuracy.notna()),
    # These heads are better than the best offset by more than the interval.
    relations_found_better=number_of("held_out", lambda rows: rows.gain_low > 0),
    # Count likewise on words that are not adjacent to their syntactic heads, if the relation has enough of them.
    relations_found_better_apart=number_of("held_out", lambda rows: rows.apart_gain_low > 0),
    relations_found_worse_apart=number_of("held_out", lambda rows: rows.apart_gain_high < 0),
    relation_found_best=if_any(relation_found_best, "none"),
    no_op_object_head=if_any(lambda t: head_name(no_op(t, "dobj", "dependents"))),
    no_op_objects=if_any(share.interval(lambda t: no_op(t, "dobj", "dependents").attention)),
    no_op_not_objects=if_any(share.interval(lambda t: no_op(t, "dobj", "others").attention)),
    no_op_not_nouns=if_any(share.interval(clark.number("attention_of_non_nouns_to_resting_token"))),
    no_op_beyond_objects=if_any(points.interval(clark.number("gain_of_non_objects_on_resting_token"))),
    no_op_possessor_head=if_any(lambda t: head_name(no_op(t, "poss", "dependents"))),
    no_op_possessors=if_any(share.interval(lambda t: no_op(t, "poss", "dependents").attention)),
    no_op_not_possessors=if_any(share.interval(lambda t: no_op(t, "poss", "others").attention)),
    no_op_beyond_possessors=if_any(points.interval(clark.number("gain_of_non_possessors_on_resting_token"))),
    split_words=share.of(clark.number("split_words")),
    antecedent_head=lambda t: head_name(antecedents(t)),
    antecedent_accuracy=share.interval(lambda t: antecedents(t).accuracy),
    antecedent_gain=points.interval(clark.number("gain_over_head_match")),
    antecedent_head_match=share.of(head_match),
    probe_attention=share.interval(clark.number("attachment_score_of_attention")),
    probe_attention_vectors=share.interval(clark.number("attachment_score_of_attention_glove")),
    probe_distances_vectors=share.interval(clark.number("attachment_score_of_distances_glove")),
    probe_random_vectors=share.interval(clark.number("attachment_score_of_random_init_glove")),
    probe_selectivity=points.of(
        lambda t: t.clark_probes(probe="attention_glove", variant="described").selectivity.item()
    ),
    divergence_ratio=divergence_ratio("trained"),
    divergence_ratio_random=divergence_ratio("random"),
)
_HEADS = {
    "own": "The encoder's own head for masked language modeling is used.",
    "fitted": "The encoder has no working head for masked language modeling, so we fitted one to the frozen encoder.",
}
clark.numbers |= {
    "mlm_head_origin": lambda t: _HEADS[t.mlm_head()["head"].item()],
    "mlm_head_accuracy": share.interval(lambda t: t.mlm_head().accuracy.item()),
    "mlm_head_loss": decimal_form(2).interval(lambda t: t.mlm_head().loss.item()),
    "mlm_head_loss_by_frequency": decimal_form(2).of(lambda t: t.mlm_head().unigram_loss.item()),
}
clark.remark(
    "gives the most attention to {clark_resting_token} (of [CLS], [SEP], periods and commas): "
    "{clark_attention_to_resting_token}, averaged over layers. In the papers' BERT, it is [SEP]."
)
clark.headline(
    "Neighbors",
    "One head, {clark_head_on_previous} (its layer and its number in the layer), gives "
    "{clark_attention_of_head_on_previous} of its attention to the previous token.",
)
clark.headline(
    "Syntax",
    "A single head links direct objects to their verbs: {clark_objects} of them. The best fixed distance "
    "between the two words links {clark_objects_baseline}. The head is chosen on other sentences than it is "
    "scored on.",
)
