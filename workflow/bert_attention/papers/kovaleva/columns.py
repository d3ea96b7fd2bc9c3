"""Values of the columns of Kovaleva et al.'s tables."""

from __future__ import annotations

# kovaleva_features, kovaleva_token_pairs, kovaleva_cls, kovaleva_repeated_words: the model whose attention is measured
MODELS = ("pretrained", "finetuned")
# In most tables: the method of the paper's text, or of its released code
VARIANTS = ("described", "released")

# kovaleva_features, kovaleva_cls: the features that receive attention, with their labels in figures
FEATURE_LABELS = {
    "noun": "nouns",
    "verb": "verbs",
    "pronoun": "pronouns",
    "subject": "subjects",
    "object": "objects",
    "negation": "negation",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "punctuation": "punctuation",
}
FEATURES = tuple(FEATURE_LABELS)
SPECIAL_TOKENS = ("cls", "sep")
WORD_FEATURES = tuple(feature for feature in FEATURES if feature not in SPECIAL_TOKENS)

# Means over fewer examples are neither shown nor judged, because a block of the jackknife might have no example.
LEAST_EXAMPLES = 20

# kovaleva_token_pairs: the attending word, then the attended word
PAIRS = ("noun_pronoun", "pronoun_noun", "verb_subject", "subject_verb", "verb_object", "object_verb")

# kovaleva_change: the comparison, and the part of the attention map
COMPARED = ("finetuning", "seeds")
MAPS = ("cropped", "padded")

# kovaleva_disabled_gains: the disabled part of the model
DISABLED = ("head", "layer", "random")

# kovaleva_frames: attention from a frame element to its predicate, the reverse, and between other pairs as far apart
FRAME_LINKS = ("annotated", "reversed", "random_pair")

# kovaleva_patterns: the method that labels maps
PATTERN_METHODS = ("classifier", "corrected", "rules")
# kovaleva_patterns: value of column pattern for two patterns together
BLOCK_OR_HETEROGENEOUS = "block_or_heterogeneous"
# kovaleva_pattern_classifier: values of column pattern for scores over all maps: the share of correct labels, the mean
# over patterns weighted by their numbers of maps, and the unweighted mean
PATTERN_AVERAGES = ACCURACY, WEIGHTED, MACRO = ("accuracy", "weighted", "macro")
