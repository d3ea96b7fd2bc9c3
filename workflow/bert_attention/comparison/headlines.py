"""The headline numbers of all models of an edition, on an axis that encoders of any depth share."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION
from bert_attention.comparison import column_values as names
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO
from bert_attention.heads import relative_depth
from bert_attention.statistics.jackknife import Replicates, of_tables, stacked

# Rows of clark_dependency_heads that are not one relation of the treebank.
_NO_RELATION = (ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, MARK_WITHOUT_TO, AUX_WITH_TO)


def side_by_side(models: Mapping[str, Mapping[str, Replicates]]) -> Replicates:
    """Table ``comparison_headlines``: what each model says on the statements that the papers are known for.

    Parameters
    ----------
    models
        The tables of each model, as :func:`headlines` takes them, by its name; models keep their order.
    """
    return stacked([_of_one_model(name, tables) for name, tables in models.items()])


def _of_one_model(name: str, tables: Mapping[str, Replicates]) -> Replicates:
    """Its rows, but for those of numbers that it does not have."""
    table = of_tables(headlines, replicated=True, **tables)
    known = table.whole["value"].notna().to_numpy()
    return table.made_into(lambda rows: rows[known].assign(model=name))


def headlines(
    clark_positions: pd.DataFrame,
    clark_dependency_heads: pd.DataFrame,
    clark_probes: pd.DataFrame,
    kobayashi_categories: pd.DataFrame,
    kobayashi_correlation: pd.DataFrame,
) -> pd.DataFrame:
    """The headline numbers of one model, from its tables; NaN, or no row, for what they do not have.

    There is no attention to [SEP] if no input of the model has one: its tables hold zeros there.

    Of each layer: attention to the previous token, as the mean over heads (``previous_token``) and of the head that
    has most (``previous_token_head``); attention to [SEP], as the mean over heads (``sep``), and as a share of the
    norms of what the heads together add up (``sep_by_norm``).

    Of each relation: the accuracy of its best dependency head (``relation_head``). The accuracy is held out; layer and
    head are those that are best on all sentences.

    Of the whole encoder, without a layer: the best head for all relations together, held out, and the best fixed offset
    (``dependency_head``, ``dependency_offset``); the share of the ``n`` relations that heads find better than offsets
    do, held out (``relations_beyond_offset``); UAS of the probes of attention with word vectors, and of distances with
    word vectors (``probe``, ``probe_of_distances``); Spearman's correlation of weight and norm
    (``norm_against_weight_sep``, ``norm_against_weight_other``).
    """
    layers = int(clark_positions["layer"].max())
    by_norm = _rows(kobayashi_categories, "value", category="sep", measure="share_of_norm_of_sum")
    statistics = {
        names.PREVIOUS_TOKEN: _means_of_heads(clark_positions, "previous"),
        names.PREVIOUS_TOKEN_HEAD: _highest_heads(clark_positions, "previous"),
        names.SEP: _means_of_heads(clark_positions, "sep"),
        names.SEP_BY_NORM: by_norm.sort_values("layer"),
        names.RELATION_HEAD: _heads_of_relations(clark_dependency_heads),
        **_of_all_relations(clark_dependency_heads),
        names.PROBE: _rows(clark_probes, "uas", probe="attention_glove", variant="described"),
        names.PROBE_OF_DISTANCES: _rows(clark_probes, "uas", probe="distances_glove", variant="described"),
        names.NORM_AGAINST_WEIGHT_SEP: _rows(kobayashi_correlation, "spearman", category="sep"),
        names.NORM_AGAINST_WEIGHT_OTHER: _rows(kobayashi_correlation, "spearman", category="other"),
    }
    if not _has_separators(clark_positions):
        statistics = {name: rows for name, rows in statistics.items() if name not in (names.SEP, names.SEP_BY_NORM)}
    parts = [rows.reindex(columns=_TYPES).astype(_TYPES).assign(statistic=name) for name, rows in statistics.items()]
    table = pd.concat(parts, ignore_index=True)
    table = table.assign(layers=layers, depth=relative_depth(table["layer"], layers))
    return table.astype({"layer": "Int64", "head": "Int64", "n": "Int64"})


# So that parts in which a column is empty can be joined with others.
_TYPES = {"relation": object, "layer": float, "head": float, "value": float, "n": float}


def _has_separators(positions: pd.DataFrame) -> bool:
    """Whether any input had a [SEP]: attention from [SEP] is NaN where there is none."""
    return bool(positions.loc[positions["target"] == "sep_from_sep", "attention"].notna().any())


def _rows(table: pd.DataFrame, statistic: str, **of: str) -> pd.DataFrame:
    """The rows of a table that have these values in these columns; the statistic is their ``value``."""
    wanted = (table[[*of]] == pd.Series(of)).all(axis=1)
    return table[wanted].rename(columns={statistic: "value"})


def _means_of_heads(positions: pd.DataFrame, target: str) -> pd.DataFrame:
    """Attention to a target by layer, averaged over heads."""
    return _rows(positions, "attention", target=target).groupby("layer", as_index=False)[["value", "n"]].mean()


def _highest_heads(positions: pd.DataFrame, target: str) -> pd.DataFrame:
    """Attention to a target of the head of each layer that has most of it."""
    rows = _rows(positions, "attention", target=target)
    return rows.loc[rows["value"].fillna(-1.0).groupby(rows["layer"]).idxmax()]


def _heads_of_relations(dependency_heads: pd.DataFrame) -> pd.DataFrame:
    """For each relation of the treebank its best head on all sentences, with the held-out accuracy."""
    one_relation = dependency_heads[~dependency_heads["relation"].isin(_NO_RELATION)]
    places, scores = (
        _rows(one_relation, "accuracy", variant="described", selection=selection)
        for selection in ("same_data", "held_out")
    )
    return places[["relation", "layer", "head"]].merge(
        scores[["relation", "value", "n"]], on="relation", how="left", validate="one_to_one"
    )


def _of_all_relations(dependency_heads: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What the whole encoder does on dependencies, by statistic; all held out."""
    held_out = _rows(dependency_heads, "accuracy", variant="described", selection="held_out")
    total = held_out[held_out["relation"] == ALL_RELATIONS]
    of_relations = held_out[~held_out["relation"].isin(_NO_RELATION)]
    gains = of_relations["value"] - of_relations["baseline_accuracy"]
    return {
        names.DEPENDENCY_HEAD: total[["n", "value"]],
        names.DEPENDENCY_OFFSET: total[["n"]].assign(value=total["baseline_accuracy"]),
        # NaN of no relations
        names.RELATIONS_BEYOND_OFFSET: pd.DataFrame({"value": [(gains > 0).mean()], "n": [len(gains)]}),
    }
