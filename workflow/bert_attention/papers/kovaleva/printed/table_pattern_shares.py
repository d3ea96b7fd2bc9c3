"""Figure 2 of Kovaleva et al. 2019 as numbers: shares of patterns by task."""

from __future__ import annotations

import pandas as pd

from bert_attention.corpora.task_names import in_order, learned_tasks, task_label
from bert_attention.corpora.types import PATTERN_LABELS
from bert_attention.papers.kovaleva.columns import BLOCK_OR_HETEROGENEOUS, PATTERN_METHODS
from bert_attention.printing.layout import NOT_LEARNED, PrintedTable, percent_with_interval
from bert_attention.statistics.forms import percent

_COLUMNS = {**PATTERN_LABELS, BLOCK_OR_HETEROGENEOUS: "block or heterogeneous"}
_WEIGHTS = {"finetuned": "fine-tuned", "pretrained": "pre-trained"}


def format_table(
    kovaleva_patterns: pd.DataFrame, kovaleva_finetuning: pd.DataFrame, figure_2: pd.DataFrame
) -> PrintedTable:
    """Format the shares of patterns by each method, in fine-tuned and pre-trained models, beside the published ones.

    The last column is block and heterogeneous together. Only the sum matches the paper's text on heterogeneous maps,
    32 to 61%, and only the sum is corrected. ``figure_2`` has a row for each task and a column for each pattern.
    """
    ours = kovaleva_patterns.set_index(["task", "model", "method", "pattern"]).sort_index()
    theirs = figure_2.set_index("task")
    learned = learned_tasks(kovaleva_finetuning)
    groups = []
    for task in in_order(set(kovaleva_patterns["task"])):
        names = _WEIGHTS if task in learned else _WEIGHTS | {"finetuned": f"fine-tuned{NOT_LEARNED}"}
        rows = [
            _row(f"{task_label(task)}, {name}, {method}", ours.loc[(task, weights, method)])
            for weights, name in names.items()
            for method in PATTERN_METHODS
        ]
        if task in theirs.index:
            shares = theirs.loc[task]
            both = shares["block"] + shares["heterogeneous"]
            rows.append([f"{task_label(task)}, published", *map(percent, [*shares[[*PATTERN_LABELS]], both])])
        groups.append(rows)
    notes = (
        "Percent of the maps of all heads, with 95% intervals over examples. corrected: the classifier's shares,"
        " corrected for its errors in cross-validation, with intervals over examples and labeled maps. It joins block"
        " and heterogeneous, because too few blocks were labeled to know how often the classifier errs on them.",
        f"{NOT_LEARNED}: the model has not learned the task.",
        "Published shares are read off figure 2, of fine-tuned bert-base on GLUE.",
    )
    return PrintedTable([("", ["maps", *_COLUMNS.values()])], groups, notes)


def _row(name: str, shares: pd.DataFrame) -> list[str]:
    by_column = shares[["share", "low", "high"]].reindex([*_COLUMNS])  # some patterns have no corrected share
    return [name, *(percent_with_interval(*of_column) for of_column in by_column.itertuples(index=False))]
