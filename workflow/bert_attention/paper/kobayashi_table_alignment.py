"""Section 5 of Kobayashi et al. 2020: alignment error rates of what cross-attention links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.paper.layout import NO_VALUE, PrintedTable, decimal, percent, percent_with_interval
from bert_attention.paper.published_cells import note_on_recalled, published_cell

_SETTINGS = {"awi": "input word", "awo": "output word"}
_METHODS = ("weight", "norm")
_STATISTICS = {
    "layer_mean": "mean of the layers",
    "best_layer": "best layer",
    "best_head": "best head",
    "highest_norm_layer": "layer of the highest norm",
    "highest_norm_head": "head of the highest norm",
    "spearman": "Spearman, norm and rate of heads",
    "pearson": "Pearson, norm and rate of heads",
}
_CORRELATIONS = ("spearman", "pearson")
_DIAGONAL = "diagonal"
_CHOSEN = ("best_layer", "best_head")
_OURS = ("rate", "held out", "which")


def lay_out(
    kobayashi_alignment_summary: pd.DataFrame, published: pd.DataFrame, baselines: pd.DataFrame
) -> PrintedTable:
    """Alignment error rates by setting and method, of every model, beside what was published.

    Of a model trained from several seeds, the mean over seeds is printed with their standard deviation.

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
    nothing = [NO_VALUE] * len(_OURS) * len(by_model)
    others = [["diagonal", *diagonal, NO_VALUE]]
    others += [[row.system, *nothing, percent(row.aer)] for row in baselines.itertuples()]
    header = [("", "links with"), *((model, column) for model, _ in by_model for column in _OURS)]
    notes = [
        "Per cent, but for correlations; intervals cover 95 % of resampled pairs. which: layer, or layer-head. "
        "held out: chosen on one half of the pairs, scored on the other.",
        *_notes_on_seeds(by_model),
        *_notes_of_claims(published),
        *(f"{row.system}: {row.provenance}; {row.note}." for row in baselines.itertuples()),
        *note_on_recalled(published),
    ]
    return PrintedTable([*header, ("published", "rate")], [*groups, others], notes)


def _form(statistic: str) -> Callable[[float], str]:
    return partial(decimal, places=2) if statistic in _CORRELATIONS else percent


def _our_cells(summary: pd.DataFrame, statistic: str, **where: str) -> list[str]:
    """The cells of one model: a value, the held-out one, and the layers or heads that it is of."""
    rows = summary[summary["statistic"] == statistic]
    for key, value in where.items():
        rows = rows[rows[key] == value]
    if statistic == _DIAGONAL:
        rows = rows[:1]  # the same for all seeds
    same_data, held_out = rows[rows["selection"] != "held_out"], rows[rows["selection"] == "held_out"]
    return [
        _value(same_data, _form(statistic)),
        percent(held_out["value"].mean()) if statistic in _CHOSEN else NO_VALUE,
        _places(same_data),
    ]


def _value(rows: pd.DataFrame, form: Callable[[float], str]) -> str:
    """One value with its interval if it has one; the mean of several with their standard deviation."""
    if len(rows) > 1:
        return f"{form(rows['value'].mean())} \N{PLUS-MINUS SIGN} {form(rows['value'].std())}"
    (row,) = rows.itertuples()
    return form(row.value) if pd.isna(row.low) else percent_with_interval(row.value, row.low, row.high)


def _places(rows: pd.DataFrame) -> str:
    """The layer, or layer and head, of each seed, the same ones once; a dash where there is none."""
    names = [head_name(row.layer, row.head) for row in rows.itertuples() if pd.notna(row.layer)]
    return ", ".join(dict.fromkeys(names)) or NO_VALUE


def _notes_on_seeds(by_model: list[tuple[str, pd.DataFrame]]) -> list[str]:
    seeds = {model: summary["seed"].nunique() for model, summary in by_model}
    return [
        f"{model}: mean and standard deviation of {number} seeds, with each seed's own choice."
        for model, number in seeds.items()
        if number > 1
    ]


def _notes_of_claims(published: pd.DataFrame) -> list[str]:
    noted = published[published["note"].notna()]
    return [
        f"Published, {_SETTINGS[claim.setting]}, {claim.method}, {_STATISTICS[claim.statistic]}: {claim.note}."
        for claim in noted.itertuples()
    ]
