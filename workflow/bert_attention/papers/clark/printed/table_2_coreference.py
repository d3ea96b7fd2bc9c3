"""Table 2 of Clark et al. 2019: heads and simple systems that find antecedents."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.papers.clark.columns import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.printing.layout import PrintedTable, percent_with_interval, with_interval
from bert_attention.statistics.forms import NO_VALUE, decimal, percent

_SYSTEMS = {"nearest": "nearest", "head_match": "head match", "rule_based": "rule-based", "neural": "neural (quoted)"}
_CHOICES = {"mentions": "among mentions", "words": "among words before", "all": "among all words"}


def format_table(clark_coreference: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format how often simple systems and the best heads find an antecedent, beside rows ``table_2`` of the claims."""
    theirs = {row["system"]: _their_cells(row) for row in published.to_dict("records")}
    by_system = {name: rows.set_index("mention_type") for name, rows in clark_coreference.groupby("system")}
    baselines = [[_SYSTEMS[name], *_our_cells(by_system[name]), *theirs[name]] for name in BASELINES]
    baselines.append([_SYSTEMS["neural"], *[NO_VALUE] * 6, *theirs["neural"]])
    best_heads = dict(iter(by_system["best_head"].groupby(["direction", "candidates", "selection"])))
    heads = []
    for direction, mark in zip(COREFERENCE_DIRECTIONS, ("", "*"), strict=True):
        for candidates in CANDIDATES:
            held_out = percent(best_heads[direction, candidates, "held_out"].loc["all", "accuracy"])
            cells = _our_cells(best_heads[direction, candidates, "same_data"], held_out)
            # The paper does not name its head's candidates. Its numbers go to the head that chooses as baselines do.
            is_theirs = not mark and candidates == CANDIDATES[0]
            published_cells = theirs["best_head"] if is_theirs else [NO_VALUE] * 5
            heads.append([f"best head{mark}, {_CHOICES[candidates]}", *cells, *published_cells])
    sizes = by_system["nearest"]["n"]
    best = best_heads[COREFERENCE_DIRECTIONS[0], CANDIDATES[0], "same_data"].loc["all"]
    gain = with_interval(percent, *best[["gain", "gain_low", "gain_high"]])
    their_accuracy = published.set_index("system")["all"]
    their_gain = 100 * (their_accuracy["best_head"] - their_accuracy["head_match"])
    columns = ("head", *MENTION_TYPES)
    header = [("", ["system"]), ("replicated", (*columns, "held out")), ("published", columns)]
    notes = [
        "Percent, with 95% intervals over documents. held out: chosen on one half, scored on the other.",
        f"Mentions with an antecedent: {', '.join(f'{name} {sizes[name]:,}' for name in MENTION_TYPES)}.",
        "*: the word that attends to the mention most, not the one that it attends to most.",
        f"Best head among mentions minus head match, in points: {gain}; in the paper {their_gain:.0f}.",
        "rule-based: our rules do not know the gender of names; the paper's rules may know it.",
    ]
    return PrintedTable(header, [baselines, heads], notes)


def _our_cells(rows: pd.DataFrame, held_out: str = NO_VALUE) -> list[str]:
    total = rows.loc["all"]
    head = NO_VALUE if pd.isna(total["layer"]) else head_name(total["layer"], total["head"])
    accuracy = percent_with_interval(*total[["accuracy", "low", "high"]])
    return [head, accuracy, *(percent(rows.loc[name, "accuracy"]) for name in MENTION_TYPES[1:]), held_out]


def _their_cells(row: Mapping[str, object]) -> list[str]:
    head = row["head"] if isinstance(row["head"], str) else NO_VALUE
    return [head, *(decimal(0)(100 * row[name]) for name in MENTION_TYPES)]
