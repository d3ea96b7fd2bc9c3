"""Table 2 of Clark et al. 2019: heads and simple systems that find antecedents."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.clark.column_values import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.paper.layout import NO_VALUE, Cell, PrintedTable, percent, percent_with_interval

_SYSTEMS = {"nearest": "nearest", "head_match": "head match", "rule_based": "rule-based", "neural": "neural (quoted)"}
_CHOICES = {"mentions": "among mentions", "words": "among words before", "all": "among all words"}


def lay_out(clark_coreference: pd.DataFrame, published: pd.DataFrame | None) -> PrintedTable:
    """How often simple systems and the best heads find an antecedent, beside what was published.

    Parameters
    ----------
    clark_coreference
        The table.
    published
        Rows ``table_2`` of the paper's claims; None leaves out the published columns.
    """
    theirs = {} if published is None else {row["system"]: row for row in published.to_dict("records")}

    def row(label: str, ours: pd.DataFrame | None, system: str, held_out: float | None = None) -> tuple[Cell, ...]:
        cells = [NO_VALUE] * 6 if ours is None else _our_cells(ours.set_index("mention_type"), held_out)
        if published is None:
            return (Cell(label), *cells)
        return (Cell(label), *cells, *(_their_cells(theirs[system]) if system in theirs else [NO_VALUE] * 5))

    by_system = dict(iter(clark_coreference.groupby("system")))
    baselines = [row(_SYSTEMS[name], by_system[name], name) for name in BASELINES]
    baselines += [row(_SYSTEMS["neural"], None, "neural")] if "neural" in theirs else []
    of_heads = dict(iter(by_system["best_head"].groupby(["direction", "candidates", "selection"])))
    heads = []
    for direction, mark in zip(COREFERENCE_DIRECTIONS, ("", "*"), strict=True):
        for candidates in CANDIDATES:
            held_out = of_heads[direction, candidates, "held_out"].set_index("mention_type").loc["all", "accuracy"]
            # The paper does not say what its head chooses from. Its numbers stand where it chooses as the baselines do.
            system = "best_head" if not mark and candidates == CANDIDATES[0] else ""
            same_data = of_heads[direction, candidates, "same_data"]
            heads.append(row(f"best head{mark}, {_CHOICES[candidates]}", same_data, system, held_out))
    sizes = by_system["nearest"].set_index("mention_type")["n"]
    header = [("", "system"), ("replicated", "head"), *(("replicated", name) for name in MENTION_TYPES)]
    header += [("replicated", "held out")]
    header += [] if published is None else [("published", name) for name in ("head", *MENTION_TYPES)]
    best = of_heads[COREFERENCE_DIRECTIONS[0], CANDIDATES[0], "same_data"].set_index("mention_type").loc["all"]
    gain = percent_with_interval(best["gain"], best["gain_low"], best["gain_high"])
    notes = (
        "Per cent; intervals cover 95 % of resampled documents. held out: chosen on one half, scored on the other.",
        f"Mentions with an antecedent: {', '.join(f'{name} {sizes[name]:,}' for name in MENTION_TYPES)}.",
        "*: the word that attends to the mention most, not the one that it attends to most.",
        f"Best head among mentions minus head match, in points: {gain}{_their_gain(theirs)}.",
        "rule-based: our rules know no gender of names; the paper's may, and then ours are weaker.",
    )
    return PrintedTable(tuple(header), (tuple(baselines), tuple(heads)), notes)


def _our_cells(rows: pd.DataFrame, held_out: float | None) -> list[Cell]:
    every = rows.loc["all"]
    head = NO_VALUE if pd.isna(every["layer"]) else Cell(f"{int(every['layer'])}-{int(every['head'])}")
    by_type = [Cell(percent(rows.loc[name, "accuracy"])) for name in MENTION_TYPES[1:]]
    of_every = Cell(percent_with_interval(every["accuracy"], every["low"], every["high"]))
    return [head, of_every, *by_type, NO_VALUE if held_out is None else Cell(percent(held_out))]


def _their_gain(theirs: Mapping[str, Mapping[str, object]]) -> str:
    """What the paper's head gains over head match, as a part of a sentence; nothing without claims."""
    if not theirs:
        return ""
    return f"; in the paper {100 * (theirs['best_head']['all'] - theirs['head_match']['all']):.0f}"


def _their_cells(row: Mapping[str, object]) -> list[Cell]:
    head = Cell(row["head"]) if isinstance(row["head"], str) else NO_VALUE
    return [head, *(NO_VALUE if pd.isna(row[name]) else Cell(f"{100 * row[name]:.0f}") for name in MENTION_TYPES)]
