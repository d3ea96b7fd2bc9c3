"""What the paper says in its prose of the results of Kobayashi et al. 2020 and 2021: a function for each number.

A function has the name that the number has in the template, and its arguments are named as the result tables it reads.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.paper.cells import cell, count, peak, rows, share, shares, values
from bert_attention.paper.layout import decimal


def spread_of_transformed(kobayashi_dispersion: pd.DataFrame) -> str:
    """Standard deviation over mean of the lengths of transformed vectors."""
    return decimal(cell(kobayashi_dispersion, "cv", vector="transformed", layer=0), 2)


def spread_of_input(kobayashi_dispersion: pd.DataFrame) -> str:
    """Standard deviation over mean of the lengths of a layer's input vectors."""
    return decimal(cell(kobayashi_dispersion, "cv", vector="input", layer=0), 2)


def correlation_for_cls(kobayashi_correlation: pd.DataFrame) -> str:
    """Spearman's correlation of weight and norm for pairs that end in [CLS]."""
    return decimal(cell(kobayashi_correlation, "spearman", category="cls"), 2)


def correlation_for_sep(kobayashi_correlation: pd.DataFrame) -> str:
    """The same for [SEP]."""
    return decimal(cell(kobayashi_correlation, "spearman", category="sep"), 2)


def correlation_for_punctuation(kobayashi_correlation: pd.DataFrame) -> str:
    """The same for periods and commas."""
    return decimal(cell(kobayashi_correlation, "spearman", category="punctuation"), 2)


def correlation_for_others(kobayashi_correlation: pd.DataFrame) -> str:
    """The same for all other tokens."""
    return decimal(cell(kobayashi_correlation, "spearman", category="other"), 2)


def cls_by_weight(kobayashi_categories: pd.DataFrame) -> str:
    """Where [CLS] gets most by weight."""
    return _of_category(kobayashi_categories, "cls", "weight")


def cls_by_norm(kobayashi_categories: pd.DataFrame) -> str:
    """Where [CLS] gets most by norm, as a share."""
    return _of_category(kobayashi_categories, "cls", "share_of_norm")


def sep_by_weight(kobayashi_categories: pd.DataFrame) -> str:
    """Where [SEP] gets most by weight."""
    return _of_category(kobayashi_categories, "sep", "weight")


def sep_by_norm(kobayashi_categories: pd.DataFrame) -> str:
    """Where [SEP] gets most by norm, as a share."""
    return _of_category(kobayashi_categories, "sep", "share_of_norm")


def frequency_and_norm(kobayashi_frequency: pd.DataFrame) -> str:
    """Spearman's correlation of a token's frequency rank with its norm, over all layers."""
    return decimal(cell(kobayashi_frequency, "spearman", layer=0, measure="norm", tokens="without_specials"), 2)


def frequency_and_weight(kobayashi_frequency: pd.DataFrame) -> str:
    """Spearman's correlation of a token's frequency rank with the weight that it gets, over all layers."""
    return decimal(cell(kobayashi_frequency, "spearman", layer=0, measure="weight", tokens="without_specials"), 2)


def mixing_by_weight(kobayashi_mixing: pd.DataFrame) -> str:
    """The mixing ratio by attention weights, over all layers."""
    return share(cell(kobayashi_mixing, "mixing_ratio", text="masked", layer=0, method="attn_w"))


def mixing_by_norm(kobayashi_mixing: pd.DataFrame) -> str:
    """The mixing ratio by norms, over all layers."""
    return share(cell(kobayashi_mixing, "mixing_ratio", text="masked", layer=0, method="attn_n"))


def mixing_by_all(kobayashi_mixing: pd.DataFrame) -> str:
    """The mixing ratio by norms with residual connection and layer norm, over all layers."""
    return share(cell(kobayashi_mixing, "mixing_ratio", text="masked", layer=0, method="attn_res_ln_n"))


def mixing_and_frequency(kobayashi_mixing_frequency: pd.DataFrame) -> str:
    """Spearman's correlation of frequency rank with the mixing ratio by all, over all layers."""
    where = {"text": "whole", "layer": 0, "method": "attn_res_ln_n", "tokens": "without_specials"}
    return decimal(cell(kobayashi_mixing_frequency, "spearman", **where), 2)


def expansion(kobayashi_expansion: pd.DataFrame) -> str:
    """By how much value and output projection lengthen a vector, over layers."""
    return decimal(cell(kobayashi_expansion, "expansion_rate", layer=0, variant="released"), 2)


def aligned_pairs(kobayashi_alignment: pd.DataFrame) -> str:
    """How many pairs of sentences with gold links there are."""
    return count(values(kobayashi_alignment, "n").max())


def alignment_by_weight_in(kobayashi_alignment_summary: pd.DataFrame) -> str:
    """The error rate of the best layer by weight, in the rows that are given the word, over translation models."""
    return _best_layer(kobayashi_alignment_summary, "awi", "weight")


def alignment_by_norm_in(kobayashi_alignment_summary: pd.DataFrame) -> str:
    """The same by norm."""
    return _best_layer(kobayashi_alignment_summary, "awi", "norm")


def alignment_by_weight_out(kobayashi_alignment_summary: pd.DataFrame) -> str:
    """The error rate of the best layer by weight, in the rows that predict the word, over translation models."""
    return _best_layer(kobayashi_alignment_summary, "awo", "weight")


def alignment_by_norm_out(kobayashi_alignment_summary: pd.DataFrame) -> str:
    """The same by norm."""
    return _best_layer(kobayashi_alignment_summary, "awo", "norm")


def alignment_of_diagonal(kobayashi_alignment_summary: pd.DataFrame) -> str:
    """The error rate of linking words in proportion to their places."""
    return shares(values(rows(kobayashi_alignment_summary, statistic="diagonal"), "value"))


def _of_category(kobayashi_categories: pd.DataFrame, category: str, measure: str) -> str:
    """The highest mean over the heads of a layer, which rows without a head hold."""
    found = rows(kobayashi_categories, category=category, measure=measure, head=None)
    return peak(values(found, "value").set_axis(found["layer"]))


def _best_layer(kobayashi_alignment_summary: pd.DataFrame, setting: str, method: str) -> str:
    where = {"statistic": "best_layer", "selection": "same_data", "setting": setting, "method": method}
    return shares(values(rows(kobayashi_alignment_summary, **where), "value"))
