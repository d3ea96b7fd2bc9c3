"""The headline numbers of all models of an edition, on an axis that encoders of any depth share."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.comparison import column_values as names
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO
from bert_attention.heads import relative_depth

_STANDARD_ERRORS = 1.96  # on either side of a mean, for 95 %
# Rows of clark_dependency_heads that are not one relation of the treebank.
_NO_RELATION = (ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, MARK_WITHOUT_TO, AUX_WITH_TO)


def headlines(
    clark_positions: Mapping[str, pd.DataFrame],
    clark_dependency_heads: Mapping[str, pd.DataFrame],
    clark_probes: Mapping[str, pd.DataFrame],
    kobayashi_categories: Mapping[str, pd.DataFrame],
    kobayashi_correlation: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """Table ``comparison_headlines``: what each model says on the statements that the papers are known for.

    Every argument is a table of each model, by its name; models keep their order. A number that a model's tables do
    not have, or have as NaN, has no row. Nor has attention to [SEP], if no input of the model has one: its tables hold
    zeros there.

    Of each layer: attention to the previous token, as the mean over heads (``previous_token``) and of the head that
    has most (``previous_token_head``); attention to [SEP], as the mean over heads (``sep``), and as a share of the
    norms of what the heads together add up (``sep_by_norm``).

    Of each relation: the accuracy of its best dependency head (``relation_head``). The accuracy is held out; layer and
    head are those that are best on all sentences.

    Of the whole encoder, without a layer: the best head for all relations together, held out, and the best fixed offset
    (``dependency_head``, ``dependency_offset``); the share of the ``n`` relations that heads find better than offsets
    do, held out, by the interval of the paired difference (``relations_beyond_offset``); UAS of the probes of attention
    with word vectors, and of distances with word vectors (``probe``, ``probe_of_distances``); Spearman's correlation of
    weight and norm (``norm_against_weight_sep``, ``norm_against_weight_other``).

    ``low`` and ``high`` come from the tables. Those of attention are 1.96 standard errors over segments; for a mean
    over heads, the mean of the heads' standard errors, which is at least that of the mean.
    """
    tables = (clark_positions, clark_dependency_heads, clark_probes, kobayashi_categories, kobayashi_correlation)
    tables = [_of_one_model(*(table[model] for table in tables)).assign(model=model) for model in clark_positions]
    return pd.concat(tables, ignore_index=True).astype({"layer": "Int64", "head": "Int64", "n": "Int64"})


def _of_one_model(
    positions: pd.DataFrame,
    dependency_heads: pd.DataFrame,
    probes: pd.DataFrame,
    categories: pd.DataFrame,
    correlation: pd.DataFrame,
) -> pd.DataFrame:
    """The rows of one model, from its tables."""
    layers = int(positions["layer"].max())
    statistics = {
        names.PREVIOUS_TOKEN: _means_of_heads(positions, "previous"),
        names.PREVIOUS_TOKEN_HEAD: _highest_heads(positions, "previous"),
        names.SEP: _means_of_heads(positions, "sep"),
        names.SEP_BY_NORM: _shares_of_norm(categories, "sep"),
        names.RELATION_HEAD: _heads_of_relations(dependency_heads),
        **_of_all_relations(dependency_heads),
        names.PROBE: _probe(probes, "attention_glove"),
        names.PROBE_OF_DISTANCES: _probe(probes, "distances_glove"),
        names.NORM_AGAINST_WEIGHT_SEP: _correlation(correlation, "sep"),
        names.NORM_AGAINST_WEIGHT_OTHER: _correlation(correlation, "other"),
    }
    if not _has_separators(positions):
        statistics = {name: rows for name, rows in statistics.items() if name not in (names.SEP, names.SEP_BY_NORM)}
    columns = ["relation", "layer", "head", "value", "low", "high", "n"]
    parts = [rows.reindex(columns=columns).astype(_TYPES).assign(statistic=name) for name, rows in statistics.items()]
    table = pd.concat(parts, ignore_index=True).dropna(subset="value")
    return table.assign(layers=layers, depth=relative_depth(table["layer"].astype(float), layers))


# So that parts in which a column is empty can be joined with others.
_TYPES = {"relation": object, "layer": float, "head": float, "value": float, "low": float, "high": float, "n": float}


def _has_separators(positions: pd.DataFrame) -> bool:
    """Whether any input had a [SEP]: attention from [SEP] is NaN where there is none."""
    return bool(positions.loc[positions["target"] == "sep_from_sep", "attention"].notna().any())


def _means_of_heads(positions: pd.DataFrame, target: str) -> pd.DataFrame:
    """Attention to a target by layer, averaged over heads."""
    columns = ["attention", "standard_error", "n"]
    means = positions[positions["target"] == target].groupby("layer", as_index=False)[columns].mean()
    return _with_interval(means.rename(columns={"attention": "value"}))


def _highest_heads(positions: pd.DataFrame, target: str) -> pd.DataFrame:
    """Attention to a target of the head of each layer that has most of it."""
    rows = positions[(positions["target"] == target) & positions["attention"].notna()]
    highest = rows.loc[rows.groupby("layer")["attention"].idxmax()]
    return _with_interval(highest.rename(columns={"attention": "value"}))


def _shares_of_norm(categories: pd.DataFrame, category: str) -> pd.DataFrame:
    """A category's share of the norms of the heads' sum, by layer."""
    wanted = (categories["category"] == category) & (categories["measure"] == "share_of_norm_of_sum")
    return categories[wanted].sort_values("layer")


def _with_interval(rows: pd.DataFrame) -> pd.DataFrame:
    margin = _STANDARD_ERRORS * rows["standard_error"]
    return rows.assign(low=rows["value"] - margin, high=rows["value"] + margin).sort_values("layer")


def _heads_of_relations(dependency_heads: pd.DataFrame) -> pd.DataFrame:
    """For each relation of the treebank its best head on all sentences, with the held-out accuracy."""
    one_relation = dependency_heads[~dependency_heads["relation"].isin(_NO_RELATION)]
    places = _described(one_relation, "same_data")[["relation", "layer", "head"]]
    scores = _described(one_relation, "held_out")[["relation", "accuracy", "low", "high", "n"]]
    return places.merge(scores, on="relation", how="left", validate="one_to_one").rename(columns={"accuracy": "value"})


def _of_all_relations(dependency_heads: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What the whole encoder does on dependencies, by statistic; all held out."""
    held_out = _described(dependency_heads, "held_out")
    total = held_out[held_out["relation"] == ALL_RELATIONS]
    gains = held_out.loc[~held_out["relation"].isin(_NO_RELATION), "gain_low"]
    offset = total[["n"]].assign(
        value=total["baseline_accuracy"], low=total["baseline_low"], high=total["baseline_high"]
    )
    return {
        names.DEPENDENCY_HEAD: total[["low", "high", "n"]].assign(value=total["accuracy"]),
        names.DEPENDENCY_OFFSET: offset,
        # NaN of no relations
        names.RELATIONS_BEYOND_OFFSET: pd.DataFrame({"value": [(gains > 0).mean()], "n": [len(gains)]}),
    }


def _described(dependency_heads: pd.DataFrame, selection: str) -> pd.DataFrame:
    """The rows of a selection, as the paper's text describes the analysis."""
    wanted = (dependency_heads["variant"] == "described") & (dependency_heads["selection"] == selection)
    return dependency_heads[wanted]


def _probe(probes: pd.DataFrame, probe: str) -> pd.DataFrame:
    rows = probes[(probes["probe"] == probe) & (probes["variant"] == "described")]
    return rows.rename(columns={"uas": "value"})


def _correlation(correlation: pd.DataFrame, category: str) -> pd.DataFrame:
    return correlation[correlation["category"] == category].rename(columns={"spearman": "value"})
