"""Table 1 of Kovaleva et al. 2019: scores on tasks before and after fine-tuning."""

from __future__ import annotations

import pandas as pd

from bert_attention.corpora.task_names import METRIC_LABELS, METRICS_OF_GAIN, task_label
from bert_attention.printing.layout import NOT_LEARNED, PrintedTable, share_with_interval, with_interval
from bert_attention.statistics.forms import NO_VALUE, percent

_OURS = {
    "pretrained_untrained_head": "untrained head",
    "pretrained_frozen": "frozen",
    "random": "from random",
    "pretrained": "fine-tuned",
}
_BASELINES = {"constant": "one answer", "bag_of_words": "bag of words", "overlap": "overlap"}
# The paper's column beside each of ours. It does not say which of two readings its "pre-trained" has.
_THEIRS = dict(zip(_OURS, ("pretrained", "pretrained", "random", "finetuned"), strict=True))


def format_table(kovaleva_finetuning: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format scores by task and metric, averaged over seeds, above rows ``table_1`` of the paper's claims."""
    theirs = published.set_index(["task", "metric"])
    rows = []
    for (task, metric), scores in kovaleva_finetuning.groupby(["task", "metric"], sort=False):
        found = scores.set_index("initialisation")
        ours = [_score(found.loc[name]) if name in found.index else NO_VALUE for name in _OURS]
        name = f"{task_label(task)}, {METRIC_LABELS[metric]}"
        rows.append([name, *map(percent, scores[[*_BASELINES]].iloc[0]), *ours])
        if (task, metric) in theirs.index:
            numbers = map(percent, theirs.loc[(task, metric), [*_THEIRS.values()]])
            rows.append(["published", *[NO_VALUE] * len(_BASELINES), *numbers])
    sides = {"": {"": "task"}, "baselines": _BASELINES, "scores": _OURS}
    header = [(side, [*names.values()]) for side, names in sides.items()]
    return PrintedTable(header, [rows], _notes(kovaleva_finetuning, published))


def _score(row: pd.Series) -> str:
    printed = with_interval if row["metric"] == "pearson" else share_with_interval
    return printed(percent, row["value"], row["low"], row["high"]) + ("" if row["learned"] else NOT_LEARNED)


def _notes(table: pd.DataFrame, published: pd.DataFrame) -> tuple[str, ...]:
    sizes = table.groupby("task", sort=False)["n"].first()
    of_gain = table[table["metric"].isin(METRICS_OF_GAIN)].pivot(index="task", columns="initialisation", values="value")
    ours = (of_gain["pretrained"] - of_gain["pretrained_untrained_head"]).mean()
    seeds = table.groupby("initialisation")["seeds"].max()
    counts = [f"{label} {seeds[name]}" for name, label in _OURS.items() if seeds.get(name, 0)]
    by_metric = published[published["metric"].isin(METRICS_OF_GAIN)]
    theirs = (by_metric["finetuned"] - by_metric["pretrained"]).mean()
    return (
        "Percent, means over seeds, with the 95% interval.",
        "Baselines use no encoder. one answer: the best score of a constant answer. bag of words: a regression on"
        " counts of words. overlap: a regression on the share of words in both sentences.",
        f"{NOT_LEARNED}: not learned: the interval of the paired difference from the best baseline is not all above 0.",
        "untrained head, frozen: two readings of the paper's pre-trained, which stands below both; frozen: a linear"
        " classifier on [CLS].",
        f"Seeds: {', '.join(counts)}; with a single seed, the interval is over examples alone.",
        f"Examples: {', '.join(f'{task_label(task)} {n:,}' for task, n in sizes.items())}.",
        f"Mean gain of fine-tuning over the untrained head: {percent(ours)} points; published: {percent(theirs)}.",
    )
