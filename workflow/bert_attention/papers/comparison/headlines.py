"""The headline numbers of all models of an edition, on an axis of relative depth that all encoders share."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import pandas as pd

from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO
from bert_attention.heads import relative_depth
from bert_attention.papers.clark.columns import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.papers.comparison import columns as names
from bert_attention.statistics.jackknife import Replicates, stacked
from bert_attention.statistics.measures import (
    Counted,
    NothingFoundError,
    ResultTables,
    TableReader,
    measure,
    share_above,
)

# Sums over relations, and variants of `mark` and `aux`. The other relations are single relations.
_NOT_SINGLE = [ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, MARK_WITHOUT_TO, AUX_WITH_TO]


@dataclass(frozen=True)
class Statistic:
    """A statistic of an encoder: the mean or the highest number of some rows, for the encoder or for each key."""

    table: str
    where: Mapping[str, object]
    column: str  # the column of the numbers
    by: str = ""  # the column that tells the numbers apart, layer or relation; empty for one number
    how: str = "mean"  # mean or max

    def rows(self, t: ResultTables) -> pd.DataFrame:
        """Return the statistic's rows; of all relations, only single ones."""
        rows = t.rows(self.table, **self.where)
        return rows[~rows["relation"].isin(_NOT_SINGLE)] if self.by == "relation" else rows

    def numbers(self, t: ResultTables) -> pd.Series | float:
        """Return the statistic."""
        rows = self.rows(t)
        return rows.groupby(self.by)[self.column].agg(self.how) if self.by else rows[self.column].mean()

    def units(self, t: ResultTables) -> pd.Series:
        """Return the mean number of units behind each number."""
        rows = self.rows(t)
        return rows.groupby(self.by)["n"].mean() if self.by else pd.Series([rows["n"].mean()])


@dataclass(frozen=True)
class ShareBeyondOffset(Statistic):
    """The share of relations whose best head finds more syntactic heads than the best fixed offset does."""

    def numbers(self, t: ResultTables) -> Counted:
        """Return the share."""
        rows = self.rows(t)
        return share_above(rows["accuracy"] - rows["baseline_accuracy"], 0)

    def units(self, t: ResultTables) -> pd.Series:
        """Return the number of relations."""
        return pd.Series([float(self.rows(t)["relation"].nunique())])


_HELD_OUT = {"variant": "described", "selection": "held_out"}
_ALL = {**_HELD_OUT, "relation": ALL_RELATIONS}
_BY_NORM = {"category": "sep", "measure": "share_of_norm_of_sum"}
_PROBE = {"variant": "described"}

STATISTICS: dict[str, Statistic] = {
    names.PREVIOUS_TOKEN: Statistic("clark_positions", {"target": "previous"}, "attention", "layer"),
    names.PREVIOUS_TOKEN_HEAD: Statistic("clark_positions", {"target": "previous"}, "attention", "layer", "max"),
    names.SEP: Statistic("clark_positions", {"target": "sep"}, "attention", "layer"),
    names.CLS: Statistic("clark_positions", {"target": "cls"}, "attention", "layer"),
    names.PUNCTUATION: Statistic("clark_positions", {"target": "punctuation"}, "attention", "layer"),
    names.SEP_FROM_SEP: Statistic("clark_positions", {"target": "sep_from_sep"}, "attention", "layer"),
    names.ENTROPY: Statistic("clark_entropy", {"source": "all"}, "entropy", "layer"),
    names.ENTROPY_OF_CLS: Statistic("clark_entropy", {"source": "cls"}, "entropy", "layer"),
    names.SEP_BY_NORM: Statistic("kobayashi_categories", _BY_NORM, "value", "layer"),
    names.RELATION_HEAD: Statistic("clark_dependency_heads", _HELD_OUT, "accuracy", "relation"),
    names.DEPENDENCY_HEAD: Statistic("clark_dependency_heads", _ALL, "accuracy"),
    names.DEPENDENCY_OFFSET: Statistic("clark_dependency_heads", _ALL, "baseline_accuracy"),
    names.RELATIONS_BEYOND_OFFSET: ShareBeyondOffset("clark_dependency_heads", _HELD_OUT, "accuracy", "relation"),
    names.PROBE: Statistic("clark_probes", {**_PROBE, "probe": "attention_glove"}, "uas"),
    names.PROBE_OF_DISTANCES: Statistic("clark_probes", {**_PROBE, "probe": "distances_glove"}, "uas"),
    names.NORM_AGAINST_WEIGHT_SEP: Statistic("kobayashi_correlation", {"category": "sep"}, "spearman"),
    names.NORM_AGAINST_WEIGHT_OTHER: Statistic("kobayashi_correlation", {"category": "other"}, "spearman"),
}
# If no input has a [SEP], the tables have zeros for attention to [SEP], and no value for attention from [SEP].
_NEEDS_SEPARATORS = (names.SEP, names.SEP_BY_NORM, names.SEP_FROM_SEP)
# Fixed types, so that parts with empty columns can be stacked with others.
_KEYS = {"relation": object, "layer": float, "head": float}
_WHOLE_NUMBERS = {"layer": "Int64", "head": "Int64", "n": "Int64"}


def side_by_side(models: Mapping[str, Mapping[str, Replicates]]) -> Replicates:
    """Return table ``comparison_headlines``: each model's numbers on the statements that the papers are known for.

    A relation's accuracy is held out. Its layer and head are the best ones on all sentences. Numbers that a model does
    not have are left out. Models keep their order.
    """
    return stacked([_model_rows(name, tables) for name, tables in models.items()])


def _model_rows(model: str, tables: Mapping[str, Replicates]) -> Replicates:
    positions = tables["clark_positions"].whole
    layers = int(positions["layer"].max())
    has_separators = (positions["target"].eq("sep_from_sep") & positions["attention"].notna()).any()
    reader, parts = TableReader(tables.__getitem__), []
    for name, statistic in STATISTICS.items():
        if has_separators or name not in _NEEDS_SEPARATORS:
            with suppress(NothingFoundError):
                parts.append(_statistic_rows(name, statistic, ResultTables(reader)))
    found = stacked(parts).with_rows(lambda rows: rows.assign(model=model, layers=layers))
    return found.with_rows(lambda rows: rows.assign(depth=relative_depth(rows["layer"], layers)).astype(_WHOLE_NUMBERS))


def _statistic_rows(name: str, statistic: Statistic, t: ResultTables) -> Replicates:
    """Return the rows of a statistic, with its ``value``, ``relation``, ``layer``, ``head`` and ``n``."""
    found, units = measure(statistic.numbers, t), statistic.units(t)
    numbers = found.replicates
    if name == names.RELATION_HEAD:
        keys = t.clark_dependency_heads(variant="described", selection="same_data")
        keys = keys[keys["relation"].isin(units.index)]
        order = pd.MultiIndex.from_frame(keys[["relation"]])
        numbers, units = found.at(order).replicates, units[keys["relation"]]
    elif name == names.PREVIOUS_TOKEN_HEAD:
        rows = statistic.rows(t)
        keys = rows.loc[rows.groupby("layer")["attention"].idxmax()]
    else:
        keys = pd.DataFrame(index=[0]) if found.is_single else found.numbers.index.to_frame()
    keys = keys.reindex(columns=list(_KEYS)).astype(_KEYS).assign(statistic=name, n=units.to_numpy(float))
    return numbers.map(lambda values: keys.assign(value=values.to_numpy()))
