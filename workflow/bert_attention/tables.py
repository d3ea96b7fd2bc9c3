"""The result tables: which there are, the columns that readers count on, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bert_attention.checks import InputError
from bert_attention.files import replacing

# Six significant digits: more than the float16 attention maps carry, few enough to hide the order of summation.
FLOAT_FORMAT = "%.6g"


@dataclass(frozen=True)
class ResultTable:
    """What a result table holds, and the columns that it has at least, in this order."""

    description: str
    columns: tuple[str, ...]


RESULT_TABLES = {
    "clark_positions": ResultTable(
        "Clark et al. 2019, sections 3.1-3.2: mean attention of every head to positions and token types.",
        ("layer", "head", "target", "attention", "n"),
    ),
    "clark_entropy": ResultTable(
        "Clark et al. 2019, section 3.3: mean entropy (nats) of each head's attention, from all tokens and from [CLS].",
        ("layer", "head", "source", "entropy", "uniform", "n"),
    ),
    "mlm_head": ResultTable(
        "How well the masked-language-model head fitted to the encoder predicts masked tokens of held-out text: loss "
        "(nats), that of the tokens' frequencies, and accuracy.",
        ("loss", "unigram_loss", "accuracy", "n"),
    ),
    "parser_accuracy": ResultTable(
        "How well the Stanza pipeline parses the treebank's dev part, from its words and from its raw text: F1 as in "
        "the CoNLL 2018 shared task.",
        ("input", "measure", "value", "n"),
    ),
    "translation_accuracy": ResultTable(
        "How often each translation model ranks the next token of the gold translation first, given those before.",
        ("model", "accuracy", "n"),
    ),
}


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a result table as CSV, whole or not at all; the file's stem names it in ``RESULT_TABLES``.

    Raises
    ------
    KeyError
        If the table is unknown or lacks a column of its contract.
    ValueError
        If the table has no rows.
    """
    contract = RESULT_TABLES[Path(path).stem]
    further = [column for column in table.columns if column not in contract.columns]
    if table.empty:
        raise ValueError(f"{path}: the table has no rows")
    with replacing(path) as partial:
        table[[*contract.columns, *further]].to_csv(
            partial, index=False, float_format=FLOAT_FORMAT, lineterminator="\n"
        )


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a result table back, checking the columns of its contract.

    Raises
    ------
    InputError
        If the file is not a table or lacks a column.
    """
    remedy = "delete the file and run again: Snakemake makes it anew"
    try:
        table = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not a CSV table ({error})", remedy) from None
    missing = set(RESULT_TABLES[Path(path).stem].columns) - set(table.columns)
    if missing:
        raise InputError(path, f"lacks the columns {', '.join(sorted(missing))}", remedy)
    return table
