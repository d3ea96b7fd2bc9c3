"""What the columns of Kobayashi et al.'s tables hold."""

from __future__ import annotations

# kobayashi_categories, kobayashi_correlation: the kinds of tokens
CATEGORIES = ("cls", "sep", "punctuation", "other")

# kobayashi_mixing and its companions: the text, as it is or with some tokens replaced by [MASK]
TEXTS = ("whole", "masked")
# kobayashi_mixing_categories: masked text has [MASK], too
MIXING_CATEGORIES = (*CATEGORIES, "mask")
# kobayashi_mixing and its companions: the methods, and what figures and printed tables call them
MIXING_LABELS = {
    "attn_w": "weights",
    "attn_n": "norms",
    "attn_res_w": "weights, residual",
    "attn_res_n": "norms, residual",
    "attn_res_ln_n": "norms, residual, layer norm",
}

# kobayashi_frequency, kobayashi_mixing_frequency: the tokens that a correlation is over
TOKENS = ("without_specials", "all")
