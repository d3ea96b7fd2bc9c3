"""The rows of result tables that are about tasks which a model has learned.

Nothing is concluded from attention after fine-tuning on other tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bert_attention.corpora.task_names import learned_tasks
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates

# Function from the name of a table to a model's result table, or to None if there is no such table.
TablesOfModel = Callable[[str], Replicates | None]

_TASK_COLUMNS = ("task", "task_a", "task_b")


def learned(tables: TablesOfModel, scores: str, tasks: Iterable[str]) -> set[str]:
    """Return the tasks that a model has learned by a table of scores, or all tasks if it was not scored."""
    found = tables(scores)
    return {*tasks} if found is None else {*tasks} & learned_tasks(found.whole)


def learned_rows(tables: TablesOfModel, name: str) -> Replicates | None:
    """Return a result table or a control. A table of fine-tuned models has only the rows of learned tasks."""
    found = tables(name)
    scores = results().table(name).finetuned
    if found is None or not scores:
        return found
    columns = [column for column in _TASK_COLUMNS if column in found.whole]
    tasks = learned(tables, scores, found.whole[columns].stack())
    return found.where(lambda rows: rows[columns].isin(tasks).all(axis=1))
