"""Numbers in prose about Kobayashi et al. 2020 and 2021. Layer 0 of a table stands for all layers."""

from __future__ import annotations

import pandas as pd

from bert_attention.papers.kobayashi.claims import kobayashi
from bert_attention.statistics.forms import Text, count, decimal_form, if_any, points, share
from bert_attention.statistics.measures import NoneWithinLimitsError, ResultTables


def by_layer(t: ResultTables, category: str, measure: str) -> pd.Series:
    """Return the share of a kind of token by layer: the mean over heads, in a row without a head."""
    return t.kobayashi_categories(category=category, measure=measure, head=None).set_index("layer").value


def most_of_a_layer(category: str, measure: str) -> Text:
    """Return the function that says a kind of token's largest share in a layer, with the layer."""

    def text(t: ResultTables) -> str:
        curve = by_layer(t, category, measure)
        return f"{share(curve.max())} in layer {curve.idxmax()}"

    return text


def at_its_highest(t: ResultTables, category: str, measure: str) -> float:
    """Return the share of a kind of token in the layer where it is highest over all texts."""
    whole = by_layer(ResultTables(t.reader), category, measure)
    return by_layer(t, category, measure)[whole.idxmax()]


def error_rate(t: ResultTables, setting: str, method: str) -> pd.Series:
    """Return the alignment error rate of each translation model's best layer."""
    best = {"statistic": "best_layer", "selection": "same_data"}
    return t.kobayashi_alignment_summary(**best, setting=setting, method=method).set_index("model").value


def norm_minus_weight(t: ResultTables, setting: str) -> pd.Series:
    """Return how much higher the error rate by norm is than that by weight, for each translation model."""
    of_norm = {"statistic": "best_layer_minus_weight", "method": "norm"}
    return t.kobayashi_alignment_summary(**of_norm, setting=setting).set_index("model").value.sort_index()


def diagonal(t: ResultTables) -> pd.Series:
    """Return the error rate of the diagonal on the pairs of each translation model."""
    return t.kobayashi_alignment_summary(statistic="diagonal").set_index("model").value


def not_learned(setting: str) -> Text:
    """Return the function that names the models whose best layer aligns no better than the diagonal does."""

    def text(t: ResultTables) -> str:
        rows = t.kobayashi_alignment_summary(statistic="best_layer", selection="same_data", setting=setting)
        lead = rows.groupby("model").value.min() - diagonal(t)
        if not (lead >= 0).any():
            raise NoneWithinLimitsError("kobayashi_alignment_summary", "all models align better", "leave this out")
        return ", ".join(lead.index[lead >= 0])

    return text


kobayashi.say(
    spread_of_transformed=decimal_form(2).of(kobayashi.number("spread_of_transformed_lengths")),
    spread_of_input=decimal_form(2).of(kobayashi.number("spread_of_input_lengths")),
    correlation_for_cls=decimal_form(2).of(kobayashi.number("weight_and_length_of_cls")),
    correlation_for_sep=decimal_form(2).of(kobayashi.number("weight_and_length_of_sep")),
    correlation_for_punctuation=decimal_form(2).of(kobayashi.number("weight_and_length_of_punctuation")),
    correlation_for_others=decimal_form(2).of(kobayashi.number("weight_and_length_of_other")),
    cls_by_weight=most_of_a_layer("cls", "weight"),
    cls_by_norm=most_of_a_layer("cls", "share_of_norm"),
    cls_weight=share.interval(lambda t: at_its_highest(t, "cls", "weight")),
    cls_norm=share.interval(lambda t: at_its_highest(t, "cls", "share_of_norm")),
    sep_by_weight=most_of_a_layer("sep", "weight"),
    sep_by_norm=most_of_a_layer("sep", "share_of_norm"),
    frequency_and_norm=decimal_form(2).of(kobayashi.number("rarity_and_length")),
    frequency_and_weight=decimal_form(2).of(kobayashi.number("rarity_and_weight")),
    mixing_by_weight=share.of(kobayashi.number("mixing_by_attn_w")),
    mixing_by_norm=share.of(kobayashi.number("mixing_by_attn_n")),
    mixing_by_all=share.of(kobayashi.number("mixing_by_attn_res_ln_n")),
    # An encoder that mixes all tokens alike has no correlation.
    mixing_and_frequency=if_any(
        decimal_form(2).of(kobayashi.number("rank_and_mixing_by_attn_res_ln_n_without_specials"))
    ),
    expansion=decimal_form(2).of(lambda t: t.kobayashi_expansion(layer=0, variant="described").expansion_rate.item()),
    aligned_pairs=count.of(lambda t: t.kobayashi_alignment().n.max()),
    # In setting awi, a row is given the word. In awo, it predicts the word.
    alignment_by_weight_in=share.of(lambda t: error_rate(t, "awi", "weight")),
    alignment_by_norm_in=share.of(lambda t: error_rate(t, "awi", "norm")),
    alignment_by_weight_out=share.of(lambda t: error_rate(t, "awo", "weight")),
    alignment_by_norm_out=share.of(lambda t: error_rate(t, "awo", "norm")),
    alignment_of_diagonal=share.of(diagonal),
    alignment_norm_minus_weight_in=points.interval(lambda t: norm_minus_weight(t, "awi")),
    alignment_norm_minus_weight_out=points.interval(lambda t: norm_minus_weight(t, "awo")),
    alignment_not_learned_in=if_any(not_learned("awi")),
    alignment_not_learned_out=if_any(not_learned("awo")),
)
kobayashi.headline(
    "Weight and norm",
    "Tokens give [CLS] up to {kobayashi_cls_weight} of their attention in a layer. Measured by the norm of the "
    "weighted value vectors, its share is at most {kobayashi_cls_norm}.",
)
