"""Section 5 of Kobayashi et al. 2020: alignment error rates of links made from cross-attention."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.printing.layout import PrintedTable, share_with_interval, with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import NO_VALUE, decimal, percent
from bert_attention.tables import select

_SETTINGS = {"awi": "input word", "awo": "output word"}
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
_CHOSEN = ("best_layer", "best_head")
_BY_WEIGHT = ("layer_mean", *_CHOSEN)
# Suffix of an aligner's name. Published rates are of source to target.
_DIRECTIONS = {"source_to_target": "", "target_to_source": ", target to source", "symmetrized": ", symmetrized"}


def format_table(
    kobayashi_alignment_summary: pd.DataFrame,
    kobayashi_aligners: pd.DataFrame,
    published: pd.DataFrame,
    baselines: pd.DataFrame,
) -> PrintedTable:
    """Format alignment error rates by setting and method, of all models and aligners, beside the published ones.

    ``baselines`` are rows ``alignment_baselines`` of the paper's claims.
    """
    by_model = dict(iter(kobayashi_alignment_summary.groupby("model", sort=False)))

    def row(name: str, **where: str) -> list[str]:
        cells = [cell for summary in by_model.values() for cell in _our_cells(summary, where)]
        return [name, *cells, published_cell(published, _form(where["statistic"]), **where, column="value")]

    groups = [
        [
            row(f"{setting_name}, {method}: {name}", statistic=statistic, setting=setting, method=method)
            for method in ("weight", "norm")
            for statistic, name in _STATISTICS.items()
            if method == "norm" or statistic in _BY_WEIGHT
        ]
        for setting, setting_name in _SETTINGS.items()
    ]
    rates = baselines.set_index("system")["aer"]
    others = [row("diagonal", statistic="diagonal")]
    for aligner in kobayashi_aligners.itertuples():
        name = aligner.aligner + _DIRECTIONS[aligner.direction]
        rate = share_with_interval(percent, aligner.aer, aligner.low, aligner.high)
        others.append([name, *[rate, NO_VALUE, NO_VALUE] * len(by_model), percent(rates.get(name, nan))])
    rest = rates.drop([name for name, *_ in others], errors="ignore")
    others += [[system, *[NO_VALUE] * 3 * len(by_model), percent(rate)] for system, rate in rest.items()]
    header = [("", ["links with"]), *((model, ["rate", "held out", "which"]) for model in by_model)]
    seeds = {model: summary["seeds"].iloc[0] for model, summary in by_model.items()}
    notes = [
        "Percent, except correlations, with 95% intervals over pairs. which: layer, or layer-head. "
        "held out: chosen on one half of the pairs, scored on the other. "
        "minus that by weight: if negative, norms align better; if the interval contains 0, that is inconclusive.",
        *(
            f"{model}: means of {number} seeds, each with its own choice, and of their layers; "
            "intervals cover seeds, too."
            for model, number in seeds.items()
            if number > 1
        ),
        *(
            f"{aligner}: trained on {rows['n_train'].iloc[0]:,} pairs of sentences, the {rows['n'].iloc[0]:,} aligned "
            "ones included; symmetrized by grow-diag-final-and."
            for aligner, rows in kobayashi_aligners.groupby("aligner", sort=False)
        ),
        *(
            f"Published, {_SETTINGS[claim.setting]}, {claim.method}, {_STATISTICS[claim.statistic]}: {claim.note}."
            for claim in published.dropna(subset="note").itertuples()
        ),
        *(f"{row.system}: {row.provenance}; {row.note}." for row in baselines.itertuples()),
        *note_on_recalled(published),
    ]
    return PrintedTable([*header, ("published", ["rate"])], [*groups, others], notes)


def _our_cells(summary: pd.DataFrame, where: dict[str, str]) -> list[str]:
    """Return the cells of one model: a value, the held-out value, and the layer or head of the value."""
    statistic, found = where["statistic"], select(summary, where)
    (row,) = found[found["selection"] != "held_out"].itertuples()
    held_out = found.loc[found["selection"] == "held_out", "value"]
    value_text = with_interval if statistic in _OF_ANY_SIGN else share_with_interval
    if row.seeds > 1:
        which = decimal(1)(row.layer)  # the mean over seeds
    else:
        which = NO_VALUE if pd.isna(row.layer) else head_name(row.layer, row.head)
    return [
        value_text(_form(statistic), row.value, row.low, row.high),
        percent(held_out.iloc[0]) if statistic in _CHOSEN else NO_VALUE,
        which,
    ]


def _form(statistic: str) -> Callable[[float], str]:
    return decimal(2) if statistic in _CORRELATIONS else percent
