"""Values of the columns of Kovaleva et al.'s tables."""

from __future__ import annotations

import pandas as pd

# kovaleva_features, kovaleva_token_pairs, kovaleva_cls, kovaleva_repeated_words: the model whose attention it is
MODELS = ("pretrained", "finetuned")
# In most tables: by the paper's text, or by its code
VARIANTS = ("described", "released")

# kovaleva_features, kovaleva_cls: the features that receive attention, and their labels in figures
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

# A mean over fewer examples is neither shown nor judged, because some block of the jackknife could have no example.
LEAST_EXAMPLES = 20
TAGGED_FEATURES = ("noun", "verb", "pronoun", "subject", "object")  # need tags and relations

# kovaleva_token_pairs: the word that attends, and the word that it attends to
PAIRS = ("noun_pronoun", "pronoun_noun", "verb_subject", "subject_verb", "verb_object", "object_verb")

# kovaleva_change: the models compared, and the part of the attention map
COMPARED = ("finetuning", "seeds")
MAPS = ("cropped", "padded")

# Tasks of single sentences, where no word can be repeated in another sentence.
SINGLE_SENTENCES = ("sst2", "tweets")
# Labels of tasks in figures and tables; the tasks of GLUE have the paper's names.
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

# kovaleva_disabled_heads and its companions: the metric of each task in figures, and the labels of metrics
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
# kovaleva_finetuning: the metrics by which the paper averages gains; accuracy if a task has several
METRICS_OF_GAIN = ("accuracy", "pearson")
METRIC_LABELS = {"accuracy": "accuracy", "f1": "F1", "pearson": "Pearson"}

# kovaleva_disabled_gains: the part of the model that is disabled
DISABLED = ("head", "layer", "random")

# kovaleva_frames: attention from a frame element to its predicate, the other way, and between other pairs as far apart
FRAME_LINKS = ("annotated", "reversed", "random_pair")

# kovaleva_patterns: the method that labels maps
PATTERN_METHODS = ("classifier", "corrected", "rules")
# kovaleva_patterns: two of the patterns together, in column pattern
BLOCK_OR_HETEROGENEOUS = "block_or_heterogeneous"
# kovaleva_pattern_classifier: scores over all maps, in column pattern: the share of maps that are labeled right, the
# mean over patterns weighted by their maps, and their plain mean
PATTERN_AVERAGES = ACCURACY, WEIGHTED, MACRO = ("accuracy", "weighted", "macro")


def learned_tasks(kovaleva_finetuning: pd.DataFrame, initialisation: str = "pretrained") -> set[str]:
    """Return the tasks that models fine-tuned from an initialization have learned.

    Only accuracy or a correlation decides: if most examples are of class 1, the constant answer 1 has a high F1.
    """
    is_finetuned = kovaleva_finetuning["initialisation"] == initialisation
    decides = kovaleva_finetuning["metric"].isin(METRICS_OF_GAIN)
    return set(kovaleva_finetuning.loc[is_finetuned & decides & kovaleva_finetuning["learned"], "task"])
