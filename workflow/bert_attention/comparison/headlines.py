"""The headline numbers of all models of an edition, on an axis of relative depth that all encoders share."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.comparison import column_values as names
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO
from bert_attention.heads import relative_depth
from bert_attention.statistics.jackknife import Replicates, stacked
from bert_attention.statistics.queries import NothingFoundError, measure, select

_POSITIONS = {"table": "clark_positions", "column": "attention", "by": ["layer"]}
_TREES = {"table": "clark_dependency_heads", "column": "accuracy"}
_PROBES = {"table": "clark_probes", "column": "uas"}
_CORRELATIONS = {"table": "kobayashi_correlation", "column": "spearman"}
_ALL = {"relation": ALL_RELATIONS, "variant": "described", "selection": "held_out"}
# Single relations, without sums over relations and without variants of `mark` and `aux`.
_EACH = _ALL | {"relation": {"not": [ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, MARK_WITHOUT_TO, AUX_WITH_TO]}}
_BY_NORM = {"category": "sep", "measure": "share_of_norm_of_sum"}

# Queries by statistic. They return numbers per layer or per relation (`by`), or one number for the whole encoder.
QUERIES: dict[str, dict] = {
    names.PREVIOUS_TOKEN: {**_POSITIONS, "where": {"target": "previous"}, "take": "mean"},
    names.PREVIOUS_TOKEN_HEAD: {**_POSITIONS, "where": {"target": "previous"}, "take": "largest"},
    names.SEP: {**_POSITIONS, "where": {"target": "sep"}, "take": "mean"},
    names.SEP_BY_NORM: {"table": "kobayashi_categories", "where": _BY_NORM, "column": "value", "by": ["layer"]},
    names.RELATION_HEAD: {**_TREES, "where": _EACH, "by": ["relation"]},
    names.DEPENDENCY_HEAD: {**_TREES, "where": _ALL},
    names.DEPENDENCY_OFFSET: {**_TREES, "where": _ALL, "column": "baseline_accuracy"},
    names.RELATIONS_BEYOND_OFFSET: {
        **_TREES,
        "where": _EACH,
        "by": ["relation"],
        "minus": {"column": "baseline_accuracy"},
        "over": {"share_above": 0},
    },
    names.PROBE: {**_PROBES, "where": {"probe": "attention_glove", "variant": "described"}},
    names.PROBE_OF_DISTANCES: {**_PROBES, "where": {"probe": "distances_glove", "variant": "described"}},
    names.NORM_AGAINST_WEIGHT_SEP: {**_CORRELATIONS, "where": {"category": "sep"}},
    names.NORM_AGAINST_WEIGHT_OTHER: {**_CORRELATIONS, "where": {"category": "other"}},
}
# If no input has a [SEP], the tables have zeros for attention to [SEP], and no value for attention from [SEP].
_NEEDS_SEPARATORS = (names.SEP, names.SEP_BY_NORM)
_FROM_SEPARATORS = {"target": "sep_from_sep", "attention": {"not": None}}
# Fixed types, so that parts with empty columns can be stacked with others.
_KEYS = {"relation": object, "layer": float, "head": float}
_WHOLE_NUMBERS = {"layer": "Int64", "head": "Int64", "n": "Int64"}


def side_by_side(models: Mapping[str, Mapping[str, Replicates]]) -> Replicates:
    """Return table ``comparison_headlines``: each model's numbers on the statements that the papers are known for.

    A relation's accuracy is held out. Its layer and head are the best ones on all sentences. Numbers that a model does
    not have are left out.

    Parameters
    ----------
    models
        The tables that :data:`QUERIES` name, for each model, by the model's name. The models keep their order.
    """
    return stacked([_model_rows(name, tables) for name, tables in models.items()])


def _model_rows(model: str, tables: Mapping[str, Replicates]) -> Replicates:
    layers = int(tables["clark_positions"].whole["layer"].max())
    has_separators = len(select(tables["clark_positions"].whole, _FROM_SEPARATORS)) > 0
    parts = []
    for statistic in QUERIES:
        if has_separators or statistic not in _NEEDS_SEPARATORS:
            with suppress(NothingFoundError):
                parts.append(_statistic_rows(statistic, tables))
    found = stacked(parts).map(lambda rows: rows.assign(model=model, layers=layers))
    return found.map(lambda rows: rows.assign(depth=relative_depth(rows["layer"], layers)).astype(_WHOLE_NUMBERS))


def _statistic_rows(statistic: str, tables: Mapping[str, Replicates]) -> Replicates:
    """Return the rows of a statistic, with its ``value``, ``relation``, ``layer``, ``head`` and ``n``."""
    query = QUERIES[statistic]
    found = measure(query, tables.__getitem__, 0, f"comparison_headlines, {statistic}")
    cells = {key: value for key, value in query.items() if key not in ("minus", "over")}
    n = measure({**cells, "column": "n", "take": "mean"}, tables.__getitem__, 0, statistic).numbers
    rows = tables[query["table"]].whole
    if statistic == names.RELATION_HEAD:
        keys = select(rows, query["where"] | {"selection": "same_data"})
        keys = keys[keys["relation"].isin(n.index.get_level_values("relation"))]
        order = pd.MultiIndex.from_frame(keys[["relation"]])
        found, n = found.at(order), n[order]
    elif statistic == names.PREVIOUS_TOKEN_HEAD:
        rows = select(rows, query["where"])
        keys = rows.loc[rows.groupby("layer")["attention"].idxmax()]
    else:
        keys = pd.DataFrame(index=[0]) if found.is_single else found.numbers.index.to_frame()
    keys = keys.reindex(columns=list(_KEYS)).astype(_KEYS)
    keys = keys.assign(statistic=statistic, n=float(len(n)) if "over" in query else n.to_numpy(float))
    return found.replicates.map(lambda numbers: keys.assign(value=numbers.to_numpy()))
