"""What the paper says in its prose of the results of Kovaleva et al. 2019: a function for each number.

A function has the name that the number has in the template, and its arguments are named as the result tables it reads.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.kovaleva.column_values import METRIC_LABELS, TASK_LABELS
from bert_attention.paper.cells import (
    MissingCellError,
    count,
    head_name,
    highest,
    layer_means,
    peak,
    points,
    row,
    rows,
    share,
    shares,
    values,
)
from bert_attention.paper.kovaleva_table_1_finetuning import METRICS_OF_GAIN
from bert_attention.paper.layout import decimal


def labelled_maps(kovaleva_pattern_agreement: pd.DataFrame) -> str:
    """How many attention maps have labels."""
    return count(values(kovaleva_pattern_agreement, "n").max())


def kappa(kovaleva_pattern_agreement: pd.DataFrame) -> str:
    """Cohen's kappa of two passes of labels, from the lowest to the highest where there are several pairs."""
    found = values(kovaleva_pattern_agreement, "kappa")
    low, high = decimal(found.min(), 2), decimal(found.max(), 2)
    return low if low == high else f"{low} to {high}"


def classifier_f1(kovaleva_pattern_classifier: pd.DataFrame) -> str:
    """The macro-F1 of the classifier of patterns on heads that it has not seen, with its interval."""
    found = row(kovaleva_pattern_classifier, fold=0, method="classifier", pattern="macro")
    return f"{decimal(found['f1'], 2)} ({decimal(found['low'], 2)}\N{EN DASH}{decimal(found['high'], 2)})"


def heterogeneous_maps(kovaleva_patterns: pd.DataFrame) -> str:
    """The share of heterogeneous maps after fine-tuning, over tasks."""
    return shares(rows(kovaleva_patterns, model="finetuned", method="classifier", pattern="heterogeneous")["share"])


def heterogeneous_maps_before(kovaleva_patterns: pd.DataFrame) -> str:
    """The share of heterogeneous maps before fine-tuning, over tasks."""
    return shares(rows(kovaleva_patterns, model="pretrained", method="classifier", pattern="heterogeneous")["share"])


def frame_sentences(kovaleva_frames: pd.DataFrame) -> str:
    """How many sentences with a frame there are."""
    return count(values(rows(kovaleva_frames, variant="described", link="annotated"), "n").max())


def frame_head(kovaleva_frames: pd.DataFrame) -> str:
    """The head with most attention from frame elements to their predicate."""
    return head_name(_frame_head(kovaleva_frames))


def frame_attention(kovaleva_frames: pd.DataFrame) -> str:
    """How much that is."""
    return decimal(_frame_head(kovaleva_frames)["attention"], 3)


def frame_gain(kovaleva_frames: pd.DataFrame) -> str:
    """How much more that is than between other tokens that are as far apart, with its interval."""
    found = _frame_head(kovaleva_frames)
    low, high = decimal(found["gain_low"], 3), decimal(found["gain_high"], 3)
    return f"{decimal(found['gain'], 3)} ({low}\N{EN DASH}{high})"


def frame_gain_heads(kovaleva_frames: pd.DataFrame) -> str:
    """How many heads give frame elements more than other tokens that are as far apart, by more than the interval."""
    found = rows(kovaleva_frames, variant="described", link="annotated")
    return count((values(found, "gain_low") > 0).sum())


def task_count(kovaleva_finetuning: pd.DataFrame) -> str:
    """How many tasks there are."""
    return count(kovaleva_finetuning["task"].nunique())


def finetuning_gain(kovaleva_finetuning: pd.DataFrame) -> str:
    """By how much fine-tuning is better than an untrained head, in points, averaged over tasks."""
    return points(_mean_score(kovaleva_finetuning, "pretrained", "pretrained_untrained_head"))


def finetuning_gain_over_random(kovaleva_finetuning: pd.DataFrame) -> str:
    """By how much fine-tuning from the encoder's weights is better than from random ones, in points, on average."""
    return points(_mean_score(kovaleva_finetuning, "pretrained", "random"))


def change_last_layer(kovaleva_change: pd.DataFrame) -> str:
    """The mean cosine of attention before and after fine-tuning in the last layer, over tasks."""
    return decimal(layer_means(kovaleva_change, "cosine", compared="finetuning", variant="cropped").iloc[-1], 3)


def change_first_layer(kovaleva_change: pd.DataFrame) -> str:
    """The same in the first layer."""
    return decimal(layer_means(kovaleva_change, "cosine", compared="finetuning", variant="cropped").iloc[0], 3)


def change_between_seeds(kovaleva_change: pd.DataFrame) -> str | None:
    """The mean cosine of attention after fine-tuning from two seeds in the last layer, over tasks; None without two."""
    if "seeds" not in set(kovaleva_change["compared"]):
        return None
    return decimal(layer_means(kovaleva_change, "cosine", compared="seeds", variant="cropped").iloc[-1], 3)


def sep_after_finetuning(kovaleva_features: pd.DataFrame) -> str:
    """Where [SEP] receives most attention from an average token after fine-tuning."""
    return _received(kovaleva_features, "sep")


def cls_after_finetuning(kovaleva_features: pd.DataFrame) -> str:
    """Where [CLS] receives most attention from an average token after fine-tuning."""
    return _received(kovaleva_features, "cls")


def cls_looks_at(kovaleva_cls: pd.DataFrame) -> str:
    """What [CLS] attends to most in the last layer after fine-tuning, over tasks and heads, with how much."""
    found = rows(kovaleva_cls, model="finetuned", variant="described")
    means = found["attention"].groupby(found["feature"]).mean().dropna()  # a task may have no word with a feature
    if means.empty:
        raise MissingCellError("kovaleva_cls: attention is empty for every feature")
    names = {"cls": "itself", "sep": "[SEP]"}
    return f"{names.get(means.idxmax(), means.idxmax())} ({share(means.max())})"


def best_disabled_head(kovaleva_disabled_gains: pd.DataFrame) -> str:
    """The highest gain of disabling one head, chosen on the data that scores it, in points over tasks."""
    return _gains(kovaleva_disabled_gains, "same_data")


def best_disabled_head_held_out(kovaleva_disabled_gains: pd.DataFrame) -> str:
    """The same for a head chosen on the other half of the examples."""
    return _gains(kovaleva_disabled_gains, "held_out")


def disabled_heads_that_help(kovaleva_disabled_gains: pd.DataFrame) -> str:
    """For how many scores a head chosen on one half helps on the other by more than the interval."""
    found = rows(kovaleva_disabled_gains, disabled="head", selection="held_out")
    return f"{count((values(found, 'low') > 0).sum())} of {count(len(found))}"


def most_harmful_disabled_head(kovaleva_disabled_heads: pd.DataFrame) -> str:
    """The head whose disabling costs most, with the task, and how much in points."""
    loss = values(kovaleva_disabled_heads, "baseline") - values(kovaleva_disabled_heads, "value")
    worst = kovaleva_disabled_heads.loc[loss.idxmax()]
    return f"{head_name(worst)} ({_costs(worst, loss.max())})"


def most_harmful_disabled_layer(kovaleva_disabled_layers: pd.DataFrame) -> str:
    """The layer whose disabling costs most, with the task, and how much in points."""
    loss = values(kovaleva_disabled_layers, "baseline") - values(kovaleva_disabled_layers, "value")
    worst = kovaleva_disabled_layers.loc[loss.idxmax()]
    return f"{worst['layer']} ({_costs(worst, loss.max())})"


def repeated_words_head(kovaleva_repeated_words: pd.DataFrame) -> str:
    """The head that attends most to the same word in the other sentence before fine-tuning, over tasks."""
    before = rows(kovaleva_repeated_words, model="pretrained")
    means = before.groupby(["layer", "head"])["difference"].mean().reset_index()
    best = highest(means, "difference")
    return f"{head_name(best)} ({points(best['difference'])} points above other words)"


def shared_heads(kovaleva_shared_heads: pd.DataFrame) -> str | None:
    """The correlation of what heads matter between two tasks, from the lowest to the highest.

    A task on which the model is as good without any head correlates with none; None if all are of that kind.
    """
    others = kovaleva_shared_heads[kovaleva_shared_heads["task_a"] != kovaleva_shared_heads["task_b"]]
    found = others["spearman"].dropna()
    return None if found.empty else f"{decimal(found.min(), 2)} to {decimal(found.max(), 2)}"


def _costs(worst: pd.Series, loss: float) -> str:
    return f"on {TASK_LABELS[worst['task']]}, {METRIC_LABELS[worst['metric']]}: {points(loss)} points"


def _frame_head(kovaleva_frames: pd.DataFrame) -> pd.Series:
    return highest(rows(kovaleva_frames, variant="described", link="annotated"), "attention")


def _mean_score(kovaleva_finetuning: pd.DataFrame, better: str, worse: str) -> float:
    """Mean over tasks of the difference of two kinds of scores, by the metrics and seeds of table 1's note."""
    counted = kovaleva_finetuning[kovaleva_finetuning["metric"].isin(METRICS_OF_GAIN)]
    scores = [rows(counted, initialisation=kind).groupby("task")["value"].mean() for kind in (better, worse)]
    return (scores[0] - scores[1]).mean()


def _received(kovaleva_features: pd.DataFrame, feature: str) -> str:
    found = rows(kovaleva_features, model="finetuned", variant="described", feature=feature)
    return peak(layer_means(found, "attention"))


def _gains(kovaleva_disabled_gains: pd.DataFrame, selection: str) -> str:
    found = values(rows(kovaleva_disabled_gains, disabled="head", selection=selection), "gain")
    return f"{points(found.min())} to {points(found.max())}"
