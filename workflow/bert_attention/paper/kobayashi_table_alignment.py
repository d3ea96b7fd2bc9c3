"""Section 5 of Kobayashi et al. 2020: alignment error rates of links made from cross-attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.paper.layout import NO_VALUE, PrintedTable, decimal, percent, share_with_interval, with_interval
from bert_attention.paper.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.queries import select

_SETTINGS = {"awi": "input word", "awo": "output word"}
_METHODS = ("weight", "norm")
_STATISTICS = {
    "layer_mean": "mean of the layers",
    "best_layer": "best layer",
    "best_head": "best head",
    "layer_mean_minus_weight": "mean of the layers, minus that by weight",
    "best_layer_minus_weight": "best layer, minus that by weight",
    "highest_norm_layer": "layer of the highest norm",
    "highest_norm_head": "head of the highest norm",
    "spearman": "Spearman, norm and rate of heads",
    "pearson": "Pearson, norm and rate of heads",
}
_CORRELATIONS = ("spearman", "pearson")
_OF_ANY_SIGN = (*_CORRELATIONS, "layer_mean_minus_weight", "best_layer_minus_weight")
_DIAGONAL = "diagonal"
# Suffix of an aligner's name. Published rates are of source to target.
_DIRECTIONS = {
    "source_to_target": "",
    "target_to_source": ", target to source",
    "symmetrised": ", symmetrised",
}
_CHOSEN = ("best_layer", "best_head")
_OURS = ("rate", "held out", "which")


def format_table(
    kobayashi_alignment_summary: pd.DataFrame,
    kobayashi_aligners: pd.DataFrame,
    published: pd.DataFrame,
    baselines: pd.DataFrame,
) -> PrintedTable:
    """Format alignment error rates by setting and method, of all models and aligners, beside the published ones.

    ``baselines`` are rows ``alignment_baselines`` of the paper's claims.
    """
    by_model = list(kobayashi_alignment_summary.groupby("model", sort=False))

    def row(setting: str, method: str, statistic: str) -> list[str]:
        cells = [f"{_SETTINGS[setting]}, {method}: {_STATISTICS[statistic]}"]
        for _, summary in by_model:
            cells += _our_cells(summary, statistic=statistic, setting=setting, method=method)
        where = {"statistic": statistic, "setting": setting, "method": method, "column": "value"}
        return [*cells, published_cell(published, _form(statistic), **where)]

    def printed(method: str) -> list[str]:
        return [name for name in _STATISTICS if method == "norm" or name in ("layer_mean", *_CHOSEN)]

    groups = [
        [row(setting, method, statistic) for method in _METHODS for statistic in printed(method)]
        for setting in _SETTINGS
    ]
    diagonal = [cell for _, summary in by_model for cell in _our_cells(summary, statistic=_DIAGONAL)]
    others = [
        ["diagonal", *diagonal, NO_VALUE],
        *_rows_of_aligners(kobayashi_aligners, baselines, len(by_model)),
    ]
    header = [("", "links with"), *((model, column) for model, _ in by_model for column in _OURS)]
    notes = [
        "Per cent, but for correlations, with 95% intervals over pairs. which: layer, or layer-head. "
        "held out: chosen on one half of the pairs, scored on the other. "
        "Minus that by weight: norms align better where it is negative; "
        "an interval with 0 in it leaves that inconclusive.",
        *_notes_on_seeds(by_model),
        *_notes_on_aligners(kobayashi_aligners),
        *_notes_of_claims(published),
        *(f"{row.system}: {row.provenance}; {row.note}." for row in baselines.itertuples()),
        *note_on_recalled(published),
    ]
    return PrintedTable([*header, ("published", "rate")], [*groups, others], notes)


def _rows_of_aligners(aligners: pd.DataFrame, baselines: pd.DataFrame, models: int) -> Iterator[list[str]]:
    """Yield a row for each published aligner and for each direction of ours. Our cells are repeated for every model."""
    published = dict(zip(baselines["system"], map(percent, baselines["aer"]), strict=True))
    for row in aligners.itertuples():
        named = row.aligner + _DIRECTIONS[row.direction]
        rate = NO_VALUE if pd.isna(row.aer) else share_with_interval(percent, row.aer, row.low, row.high)
        yield [named, *[rate, NO_VALUE, NO_VALUE] * models, published.pop(named, NO_VALUE)]
    for system, rate in published.items():
        yield [system, *[NO_VALUE] * len(_OURS) * models, rate]


def _notes_on_aligners(aligners: pd.DataFrame) -> list[str]:
    return [
        f"{aligner}: trained on {rows['n_train'].iloc[0]:,} pairs of sentences, the {rows['n'].iloc[0]:,} aligned ones "
        "included; symmetrised by grow-diag-final-and."
        for aligner, rows in aligners.groupby("aligner", sort=False)
    ]


def _form(statistic: str) -> Callable[[float], str]:
    return partial(decimal, places=2) if statistic in _CORRELATIONS else percent


def _our_cells(summary: pd.DataFrame, statistic: str, **where: str) -> list[str]:
    """Return the cells of one model: a value, the held-out value, and the layer or head of the value."""
    found = select(summary, {"statistic": statistic, **where})
    (row,) = found[found["selection"] != "held_out"].itertuples()
    held_out = found.loc[found["selection"] == "held_out", "value"]
    printed = with_interval if statistic in _OF_ANY_SIGN else share_with_interval
    return [
        printed(_form(statistic), row.value, row.low, row.high),
        percent(held_out.iloc[0]) if statistic in _CHOSEN else NO_VALUE,
        _place(row),
    ]


def _place(row: NamedTuple) -> str:
    """Return the layer, or layer and head; for several seeds the mean layer; a dash if there is none."""
    if pd.isna(row.layer):
        return NO_VALUE
    return head_name(row.layer, row.head) if row.seeds == 1 else f"{row.layer:.1f}"


def _notes_on_seeds(by_model: list[tuple[str, pd.DataFrame]]) -> list[str]:
    return [
        f"{model}: means of {seeds} seeds, each with its own choice, and of their layers; intervals cover seeds, too."
        for model, summary in by_model
        if (seeds := summary["seeds"].iloc[0]) > 1
    ]


def _notes_of_claims(published: pd.DataFrame) -> list[str]:
    noted = published[published["note"].notna()]
    return [
        f"Published, {_SETTINGS[claim.setting]}, {claim.method}, {_STATISTICS[claim.statistic]}: {claim.note}."
        for claim in noted.itertuples()
    ]
