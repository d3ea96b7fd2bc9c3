"""What the columns of Vig's tables hold."""

from __future__ import annotations

# vig_patterns: the six patterns, with a short label
PATTERN_LABELS = {
    "next": "next word",
    "previous": "previous word",
    "identical": "same word",
    "identical_other_sentence": "same word, other sentence",
    "predictive": "predictive word",
    "delimiter": "delimiter",
}
# further rows: other places of the word alone, without itself; the two delimiters by themselves; where [SEP] attends
FURTHER_PATTERNS = ("identical_others", "delimiter_cls", "delimiter_sep", "cls_from_sep")

# vig_neuron_examples: what the shown heads have most of
BEHAVIOUR_LABELS = {"next": "next word", "delimiter": "delimiter", "sentence": "own sentence"}
LEAST_FALL = 0.1  # of attention inside the own sentence without segment ids, for a head of "sentence"
