"""What the columns of Kovaleva et al.'s tables hold."""

from __future__ import annotations

import pandas as pd

# kovaleva_features, kovaleva_token_pairs, kovaleva_cls, kovaleva_repeated_words: whose attention
MODELS = ("pretrained", "finetuned")
# By the paper's text, or by its code: in most tables
VARIANTS = ("described", "released")

# kovaleva_features, kovaleva_cls: what is attended to, and what figures call it
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

# A mean of fewer examples is neither shown nor judged: some block of the jackknife would have none.
LEAST_EXAMPLES = 20
TAGGED_FEATURES = ("noun", "verb", "pronoun", "subject", "object")  # are told by tags and relations

# kovaleva_token_pairs: from which word to which
PAIRS = ("noun_pronoun", "pronoun_noun", "verb_subject", "subject_verb", "verb_object", "object_verb")

# kovaleva_change: the models compared, and the part of the attention map
COMPARED = ("finetuning", "seeds")
MAPS = ("cropped", "padded")

# Tasks of single sentences: no word can stand in another sentence, too.
SINGLE_SENTENCES = ("sst2", "tweets")
# What figures and tables call tasks: those of GLUE as the paper names them.
TASK_LABELS = {
    "mrpc": "MRPC",
    "stsb": "STS-B",
    "sst2": "SST-2",
    "qqp": "QQP",
    "rte": "RTE",
    "qnli": "QNLI",
    "mnli": "MNLI",
    "tweets": "tweets",
    "nsp": "next sentence",
}

# kovaleva_disabled_heads and its companions: the metric of each task that figures show, and what they call it
MAIN_METRICS = {
    "mrpc": "f1",
    "stsb": "pearson",
    "sst2": "accuracy",
    "qqp": "f1",
    "rte": "accuracy",
    "qnli": "accuracy",
    "mnli": "accuracy",
    "tweets": "pearson",
    "nsp": "accuracy",
}
# kovaleva_finetuning: the metric of each task by which the paper averages gains; accuracy where it has a choice
METRICS_OF_GAIN = ("accuracy", "pearson")
METRIC_LABELS = {"accuracy": "accuracy", "f1": "F1", "pearson": "Pearson"}

# kovaleva_disabled_gains: what is disabled
DISABLED = ("head", "layer", "random")

# kovaleva_frames: attention from a frame element to its predicate, the other way, and between other pairs as far apart
FRAME_LINKS = ("annotated", "reversed", "random_pair")

# kovaleva_patterns: how maps are labelled
PATTERN_METHODS = ("classifier", "corrected", "rules")
# kovaleva_patterns: two of the patterns together, in column pattern
BLOCK_OR_HETEROGENEOUS = "block_or_heterogeneous"
# kovaleva_pattern_classifier: scores over all maps, in column pattern: the share of maps that are labelled right, the
# mean of patterns weighted by their maps, and their plain mean
PATTERN_AVERAGES = ACCURACY, WEIGHTED, MACRO = ("accuracy", "weighted", "macro")


def learnt_tasks(kovaleva_finetuning: pd.DataFrame, initialisation: str = "pretrained") -> set[str]:
    """The tasks that models fine-tuned from the encoder's own weights, or from others, have learnt.

    Accuracy or correlation tells: F1 has a high score for the constant answer 1 where most examples are of class 1.
    """
    is_finetuned = kovaleva_finetuning["initialisation"] == initialisation
    decides = kovaleva_finetuning["metric"].isin(METRICS_OF_GAIN)
    return set(kovaleva_finetuning.loc[is_finetuned & decides & kovaleva_finetuning["learnt"], "task"])
