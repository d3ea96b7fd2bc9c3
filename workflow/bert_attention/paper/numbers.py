"""The numbers in prose: of the paper of a run, the results page and the documentation.

``papers/<paper>/numbers.py`` has a function for each. It gets the result tables and returns a text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bert_attention.errors import InputError
from bert_attention.judging.claims import Paper
from bert_attention.judging.learned import TablesOfModel, learned_rows
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.measures import NothingFoundError, NotMadeError, ResultTables, TableReader


def number_texts(
    papers: Iterable[Paper], tables: TablesOfModel, names: Collection[str] | None = None
) -> dict[str, str]:
    """Return the texts of the numbers of papers by name, without those whose tables are not there.

    Numbers about fine-tuned models are of the tasks that the model has learned. They are missing, too, if it has
    learned none. ``tables`` returns a result table, or None if it is not there. ``names`` are the wanted numbers, by
    default all. Raise InputError if a table lacks a row, a column or a number, and the number has no text for this
    case.
    """

    def read(name: str) -> Replicates:
        if (table := tables(name)) is None:
            raise NotMadeError("numbers in prose", f"there is no table {name}", "make it")
        rows = learned_rows(tables, name)
        if rows.whole.empty and not table.whole.empty:
            raise NotMadeError("numbers in prose", f"no task of the table {name} was learned", "fine-tune for longer")
        return rows

    reader, found = TableReader(read), {}
    for paper in papers:
        for name, number in paper.numbers.items():
            if names is not None and name not in names:
                continue
            try:
                text = number(ResultTables(reader, paper.depth))
            except NotMadeError:
                continue
            except NothingFoundError as error:
                raise InputError(f"{paper.folder / 'numbers.py'}, {name}", error.problem, error.remedy) from None
            if text is not None:
                found[name] = text
    return found
