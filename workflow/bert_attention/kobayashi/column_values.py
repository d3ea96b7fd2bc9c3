"""What the columns of Kobayashi et al.'s tables hold."""

from __future__ import annotations

# kobayashi_categories, kobayashi_correlation: the kinds of tokens
CATEGORIES = ("cls", "sep", "punctuation", "other")
