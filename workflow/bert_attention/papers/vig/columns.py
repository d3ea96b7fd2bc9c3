"""Values of the columns of Vig's tables."""

from __future__ import annotations

# vig_patterns: the six patterns, with their labels in figures
PATTERN_LABELS = {
    "next": "next word",
    "previous": "previous word",
    "identical": "same word",
    "identical_other_sentence": "same word, other sentence",
    "predictive": "predictive word",
    "delimiter": "delimiter",
}
# vig_patterns: further patterns: only other occurrences of the same word, each delimiter alone, and [SEP] to [CLS]
FURTHER_PATTERNS = ("identical_others", "delimiter_cls", "delimiter_sep", "cls_from_sep")

# vig_neuron_examples: the attention that is strongest in each shown head
BEHAVIOUR_LABELS = {"next": "next word", "delimiter": "delimiter", "sentence": "own sentence"}
LEAST_FALL = 0.1  # least loss of attention to the own part without segment ids, for a head of behaviour "sentence"
