"""Numbers in prose about Kovaleva et al. 2019. Those about fine-tuned models are of learned tasks."""

from __future__ import annotations

import pandas as pd

from bert_attention.corpora.task_names import METRIC_LABELS, in_order, task_label
from bert_attention.judging.claims import SMALLEST_EFFECTS
from bert_attention.papers.kovaleva.claims import frequent, kovaleva
from bert_attention.results import POINTS
from bert_attention.statistics.forms import (
    Text,
    count,
    decimal_form,
    head_name,
    head_or_none,
    if_any,
    lost_points,
    points,
    share,
)
from bert_attention.statistics.measures import EmptyCellError, NoneWithinLimitsError, ResultTables

_PLURALS = {
    **{"cls": "itself", "noun": "nouns", "verb": "verbs"},
    **{"pronoun": "pronouns", "subject": "subjects", "object": "objects", "sep": "[SEP]"},
}


def task_name(task: str) -> str:
    """Return the printed name of a task."""
    return task_label(task)


def pattern_share(t: ResultTables, model: str) -> pd.Series:
    """Return the share of heterogeneous maps by task."""
    rows = t.kovaleva_patterns(model=model, method="classifier", pattern="heterogeneous")
    return rows.set_index("task").share


def frame_heads(t: ResultTables) -> pd.DataFrame:
    """Return the rows of attention between predicates and their frame elements."""
    return t.kovaleva_frames(variant="described", link="annotated")


def frame_head(t: ResultTables) -> pd.Series:
    """Return the row of the head with most attention in frames, over all texts."""
    rows = frame_heads(ResultTables(t.reader))
    best = rows.loc[rows.attention.idxmax()]
    own = frame_heads(t)
    return own[(own["layer"] == best.layer) & (own["head"] == best["head"])].iloc[0]


def scores(t: ResultTables, initialisation: str) -> pd.DataFrame:
    """Return the rows of the score of each task: accuracy, or Pearson's correlation."""
    return t.kovaleva_finetuning(metric=["accuracy", "pearson"], initialisation=initialisation)


def gain(t: ResultTables, over: str) -> float:
    """Return the gain of fine-tuning over other models, averaged over tasks."""
    ours, theirs = (scores(t, name).set_index("task").value for name in ("pretrained", over))
    return (ours - theirs).dropna().mean()


def learned(initialisation: str) -> Text:
    """Return the function that names the learned tasks."""

    def text(t: ResultTables) -> str:
        rows = scores(t, initialisation)
        tasks = set(rows.task[rows.learned])
        return ", ".join(map(task_label, in_order(tasks))) or "none"

    return text


def cosine_by_layer(t: ResultTables, compared: str = "finetuning") -> pd.Series:
    """Return the mean cosine of maps before and after fine-tuning, by layer."""
    return t.kovaleva_change(compared=compared, variant="cropped").groupby("layer").cosine.mean()


def feature(t: ResultTables, name: str) -> pd.DataFrame:
    """Return the rows of attention to words with a feature, after fine-tuning."""
    return t.kovaleva_features(model="finetuned", variant="described", feature=name)


def most_of_a_layer(name: str) -> Text:
    """Return the function that says the largest mean attention of a layer to a feature."""

    def text(t: ResultTables) -> str:
        curve = feature(t, name).groupby("layer").attention.mean()
        return f"{share(curve.max())} in layer {curve.idxmax()}"

    return text


def most_of_a_task(name: str) -> Text:
    """Return the function that says the largest mean attention of a layer to a feature on a task."""

    def text(t: ResultTables) -> str:
        curve = feature(t, name).groupby(["task", "layer"]).attention.mean()
        task, layer = curve.idxmax()
        return f"{share(curve.max())} ({task_name(task)}, layer {layer})"

    return text


def cls_looks_at(t: ResultTables) -> str:
    """Return the feature that [CLS] attends to most. A task may have few words with a feature, or none."""
    rows = frequent(t, "kovaleva_cls", model="finetuned", variant="described")
    means = rows[rows.attention.notna()].groupby("feature").attention.mean()
    if means.empty:
        raise EmptyCellError("kovaleva_cls", "no task has enough words with a feature", "give more examples")
    return f"{_PLURALS.get(means.idxmax(), means.idxmax())} ({share(means.max())})"


def disabled_gain(t: ResultTables, selection: str) -> pd.Series:
    """Return the gain of disabling the best head by task, in the task's main metric."""
    rows = t.kovaleva_disabled_gains(disabled="head", selection=selection, main_metric=True)
    return rows.set_index("task").gain


def disabled_heads_that_help(t: ResultTables) -> str:
    """Return the number of tasks in which the best head helps on other examples, beyond the interval."""
    rows = t.with_bounds("kovaleva_disabled_gains", disabled="head", selection="held_out", main_metric=True)
    return f"{count((rows.low > 0).sum())} of {count(len(rows))}"


def most_harmful(table: str) -> Text:
    """Return the function that names the head or the layer whose disabling costs most."""

    def text(t: ResultTables) -> str:
        rows = t.rows(table)
        row = rows.loc[rows.difference.idxmin()]
        disabled = head_name(row) if "head" in rows else f"{row.layer:.0f}"
        metric = METRIC_LABELS.get(row.metric, row.metric)
        return f"{disabled} (on {task_name(row.task)}, {metric}: {lost_points(row.difference)} points)"

    return text


def repeated_words_head(t: ResultTables) -> str:
    """Return the head that attends to repeated words most, relative to other words, or that no head does."""
    means = t.kovaleva_repeated_words(model="pretrained").groupby(["layer", "head"]).difference.mean()
    best = means[[means.idxmax()]].index.to_frame().iloc[0]
    stands_out = means.max() >= SMALLEST_EFFECTS[POINTS].size
    return head_or_none(best, f"{points(means.max())} points above other words", stands_out)


def shared_heads(t: ResultTables) -> pd.Series:
    """Return the correlations of heads' scores between tasks.

    They are missing for a task whose score no head changes, because it correlates with no other task.
    """
    rows = t.kovaleva_shared_heads()
    rows = rows[(rows.task_a != rows.task_b) & rows.spearman.notna()]
    if rows.empty:
        raise NoneWithinLimitsError("kovaleva_shared_heads", "no two tasks correlate", "leave this out")
    return rows.set_index(["task_a", "task_b"]).spearman


kovaleva.say(
    labeled_maps=count.of(
        lambda t: t.kovaleva_pattern_classifier(fold=0, method="classifier", pattern="accuracy").n.item()
    ),
    kappa=if_any(decimal_form(2).of(lambda t: t.kovaleva_pattern_agreement().kappa)),
    classifier_f1=decimal_form(2, (0, 1)).interval(
        lambda t: t.kovaleva_pattern_classifier(fold=0, method="classifier", pattern="macro").f1.item()
    ),
    heterogeneous_maps=share.of(lambda t: pattern_share(t, "finetuned")),
    heterogeneous_maps_before=share.of(lambda t: pattern_share(t, "pretrained")),
    frames_found=count.of(lambda t: t.kovaleva_frame_selection().sentences.sum()),
    frames_chosen=count.of(lambda t: t.kovaleva_frame_selection(outcome="chosen").sentences.item()),
    frame_sentences=count.of(lambda t: frame_heads(t).n.max()),
    frame_head=lambda t: head_name(frame_head(t)),
    frame_attention=decimal_form(3).of(lambda t: frame_head(t).attention),
    # The gain is over other tokens at the same distance.
    frame_gain=decimal_form(3).interval(lambda t: frame_head(t).gain),
    frame_gain_heads=count.of(
        lambda t: (t.with_bounds("kovaleva_frames", variant="described", link="annotated").gain_low > 0).sum()
    ),
    task_count=count.of(lambda t: t.kovaleva_finetuning().task.nunique()),
    finetuning_gain=points.of(lambda t: gain(t, "pretrained_untrained_head")),
    finetuning_gain_over_random=points.of(lambda t: gain(t, "random")),
    learned=learned("pretrained"),
    learned_from_random=learned("random"),
    change_last_layer=decimal_form(3).of(lambda t: cosine_by_layer(t).iloc[-1]),
    change_first_layer=decimal_form(3).of(lambda t: cosine_by_layer(t).iloc[0]),
    change_between_seeds=if_any(decimal_form(3).of(lambda t: cosine_by_layer(t, "seeds").iloc[-1])),
    sep_after_finetuning=most_of_a_layer("sep"),
    cls_after_finetuning=most_of_a_layer("cls"),
    sep_after_finetuning_task=most_of_a_task("sep"),
    cls_after_finetuning_task=most_of_a_task("cls"),
    cls_looks_at=cls_looks_at,
    best_disabled_head=points.of(lambda t: disabled_gain(t, "same_data")),
    best_disabled_head_held_out=points.of(lambda t: disabled_gain(t, "held_out")),
    disabled_heads_that_help=disabled_heads_that_help,
    most_harmful_disabled_head=most_harmful("kovaleva_disabled_heads"),
    most_harmful_disabled_layer=most_harmful("kovaleva_disabled_layers"),
    repeated_words_head=repeated_words_head,
    shared_heads=if_any(decimal_form(2).of(shared_heads)),
)
kovaleva.headline(
    "Disabling heads",
    "In each task that the encoder learned, the best head to disable seems to gain {kovaleva_best_disabled_head} "
    "points. If it is chosen on other examples than it is scored on, it helps in {kovaleva_disabled_heads_that_help} "
    "tasks.",
)
