"""Values of the columns of Kobayashi et al.'s tables."""

from __future__ import annotations

# kobayashi_categories, kobayashi_correlation: the kinds of tokens
CATEGORIES = ("cls", "sep", "punctuation", "other")

# kobayashi_mixing and its companions: the text, whole or with some tokens replaced by [MASK]
TEXTS = ("whole", "masked")
# kobayashi_mixing_categories: masked text also has [MASK]
MIXING_CATEGORIES = (*CATEGORIES, "mask")
# kobayashi_mixing and its companions: the methods, and their labels in figures and printed tables
MIXING_LABELS = {
    "attn_w": "weights",
    "attn_n": "norms",
    "attn_res_w": "weights, residual",
    "attn_res_n": "norms, residual",
    "attn_res_ln_n": "norms, residual, layer norm",
}

# kobayashi_frequency, kobayashi_mixing_frequency: the tokens that are correlated
TOKENS = ("without_specials", "all")
