"""Result tables with intervals, and the replicates from which the intervals are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from warnings import warn

import numpy as np
import pandas as pd

from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY, replacing
from bert_attention.results import results
from bert_attention.statistics.jackknife import Replicates, interval
from bert_attention.statistics.sums import FEWEST_BLOCKS
from bert_attention.tables import LEFT_OUT, bounds_of, columns_of, read_table

# Six significant digits are more than float16 attention maps have, but few enough to hide the order of summation.
FLOAT_FORMAT = "%.6g"
# The other columns of a file of replicates.
_SEED = "of_seed"
_BLOCKS = "blocks"


def with_intervals(table: Replicates, name: str) -> pd.DataFrame:
    """Return the table of all units, with the bounds of each statistic that ``results.yaml`` names.

    Bounds of fractions and correlations are clipped to the statistic's range. If the table has fewer than 8 blocks, a
    warning says so and the bounds are NaN.
    """
    columns = table.whole
    if 0 < len(table.left_out) < FEWEST_BLOCKS:
        problem = f"too few independent texts for intervals, which need {FEWEST_BLOCKS} of similar size"
        warn(f"{name}: {problem}. Give a corpus of more articles or documents.", stacklevel=2)
    parts = list(_of_equal_blocks(table))
    for statistic in results().tables[name].statistics:
        bounds = np.full((2, len(columns)), np.nan)
        for rows, part in parts:
            found = interval(lambda t, column=statistic: t[column].to_numpy(dtype=float, na_value=np.nan), part)
            bounds[:, rows] = found.low, found.high
        low, high = np.clip(bounds, *results().limits(name, statistic))
        columns = columns.assign(**dict(zip(bounds_of(name, statistic), (low, high), strict=True)))
    return columns


def _of_equal_blocks(table: Replicates) -> Iterator[tuple[np.ndarray, Replicates]]:
    """Yield the rows whose corpora have equal numbers of blocks, as a mask ``[row]`` and as a table of their own."""
    blocks = np.broadcast_to(len(table.left_out) if table.blocks is None else table.blocks, len(table.whole))
    for number in np.unique(blocks):
        rows = blocks == number
        yield rows, table.split(table.all_rows[np.resize(rows, len(table.all_rows))])


def as_written(table: pd.DataFrame | Replicates, name: str) -> pd.DataFrame:
    """Return a result table in the form of its file: with intervals, the contract's columns first. Nothing is rounded.

    The column ``seed`` of a control, which the contract lacks, comes before the contract's columns. Raise KeyError if
    the table is unknown or lacks a column of its contract, ValueError if the table has no rows, and TypeError if the
    table has statistics, but no replicates.
    """
    if results().tables[name].statistics:
        if not isinstance(table, Replicates):
            raise TypeError(f"table {name} has statistics, but no replicates")
        rows = with_intervals(table, name)
    else:
        rows = table.whole if isinstance(table, Replicates) else table
    if rows.empty:
        raise ValueError(f"table {name} has no rows")
    contract = columns_of(name)
    if "seed" in rows and "seed" not in contract:
        contract = ["seed", *contract]
    return rows[[*contract, *(column for column in rows.columns if column not in contract)]]


def write_table(table: pd.DataFrame | Replicates, path: Path | str) -> None:
    """Write a result table as CSV, atomically; the file's stem is the table's name in ``results.yaml``.

    For a table with statistics, a Parquet file of the same stem holds the replicates. It has all rows of the table
    (``left_out`` 0), of the table without each block (``left_out`` from 1), and of the table of each seed of training
    (``of_seed``, from 1). ``blocks`` is the number of blocks of a row's corpus. The errors are those of
    :func:`as_written`.
    """
    path = Path(path)
    rows = as_written(table, path.stem)
    if results().tables[path.stem].statistics:
        with replacing(path.with_suffix(".parquet")) as partial:
            _stacked(table).to_parquet(partial, index=False, compression="zstd")
    with replacing(path) as partial:
        rows.to_csv(partial, index=False, float_format=FLOAT_FORMAT, lineterminator="\n")


def write_tables(
    tables: pd.DataFrame | Replicates | Mapping[str, pd.DataFrame | Replicates], paths: Sequence[Path | str]
) -> None:
    """Write the tables that an analysis returns, one or several by name, each to the path whose stem is its name.

    Raise ValueError if tables and paths have different names. Other errors are those of :func:`as_written`.
    """
    by_stem = {Path(path).stem: path for path in paths if Path(path).suffix == ".csv"}
    by_name = tables if isinstance(tables, Mapping) else {next(iter(by_stem)): tables}
    if sorted(by_name) != sorted(by_stem):
        raise ValueError(f"the analysis returns the tables {', '.join(by_name)}, the rule expects {', '.join(by_stem)}")
    for name, path in by_stem.items():
        write_table(by_name[name], path)


def read_replicates(path: Path | str) -> Replicates:
    """Read a result table with its replicates, if it has statistics.

    With replicates, numbers have all digits, while the CSV file has six. Raise InputError if a file is not in the
    format of :func:`write_table`.
    """
    path = Path(path)
    if not results().tables[path.stem].statistics:
        return Replicates(read_table(path))
    file = path.with_suffix(".parquet")
    try:
        stacked = pd.read_parquet(file)
        parts = {key: rows.drop(columns=[LEFT_OUT, _SEED, _BLOCKS]) for key, rows in stacked.groupby([_SEED, LEFT_OUT])}
        whole = parts.pop((0, 0)).reset_index(drop=True)
        blocks = stacked[_BLOCKS].to_numpy()[: len(whole)]
    except Exception as error:  # pandas and pyarrow raise many exceptions for a damaged file
        raise InputError(file, f"is not a table with replicates ({error})", REBUILD_REMEDY) from None
    tables = {key: rows.reset_index(drop=True) for key, rows in parts.items()}
    return Replicates(
        whole,
        [table for (seed, _), table in tables.items() if not seed],
        [table for (seed, _), table in tables.items() if seed],
        blocks,
    )


def _stacked(table: Replicates) -> pd.DataFrame:
    """Stack a table and its replicates, with the columns that tell them apart."""
    labels = {LEFT_OUT, _SEED, _BLOCKS}
    if labels & set(table.whole.columns):
        raise ValueError(f"a table has a column {' or '.join(labels)}, which its file of replicates needs")
    labeled = [table.whole.assign(**{LEFT_OUT: 0, _SEED: 0})]
    labeled += [rows.assign(**{LEFT_OUT: block, _SEED: 0}) for block, rows in enumerate(table.left_out, start=1)]
    labeled += [rows.assign(**{LEFT_OUT: 0, _SEED: seed}) for seed, rows in enumerate(table.of_seeds, start=1)]
    blocks = np.broadcast_to(len(table.left_out) if table.blocks is None else table.blocks, len(table.whole))
    return pd.concat(labeled, ignore_index=True).assign(**{_BLOCKS: np.tile(blocks, len(labeled))})
