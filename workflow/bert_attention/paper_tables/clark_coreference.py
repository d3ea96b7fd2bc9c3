"""Table 2 of Clark et al. 2019: finding antecedents."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.clark.coreference import BASELINES, CANDIDATES, DIRECTIONS, MENTION_TYPES
from bert_attention.paper_tables.layout import Cell, PrintedTable

_NONE = Cell("\N{EM DASH}")
_SYSTEMS = {"nearest": "nearest", "head_match": "head match", "rule_based": "rule-based", "neural": "neural (quoted)"}
_CHOICES = {"mentions": "among mentions", "words": "among words before", "all": "among all words"}


def table_2(clark_coreference: pd.DataFrame, published: pd.DataFrame | None) -> PrintedTable:
    """Table 2: how often simple systems and the best heads find an antecedent, beside what was published.

    Parameters
    ----------
    clark_coreference
        The table.
    published
        Rows ``table_2`` of the paper's claims; None to go without the published columns.
    """
    theirs = {} if published is None else {row["system"]: row for row in published.to_dict("records")}

    def row(label: str, ours: pd.DataFrame | None, system: str, held_out: float | None = None) -> tuple[Cell, ...]:
        cells = [_NONE] * 6 if ours is None else _our_cells(ours.set_index("mention_type"), held_out)
        if published is None:
            return (Cell(label), *cells)
        return (Cell(label), *cells, *(_their_cells(theirs[system]) if system in theirs else [_NONE] * 5))

    by_system = dict(iter(clark_coreference.groupby("system")))
    baselines = [row(_SYSTEMS[name], by_system[name], name) for name in BASELINES]
    baselines += [row(_SYSTEMS["neural"], None, "neural")] if "neural" in theirs else []
    of_heads = dict(iter(by_system["best_head"].groupby(["direction", "candidates", "selection"])))
    heads = []
    for direction, mark in zip(DIRECTIONS, ("", "*"), strict=True):
        for candidates in CANDIDATES:
            held_out = of_heads[direction, candidates, "held_out"].set_index("mention_type").loc["all", "accuracy"]
            # the paper does not say what its head chooses from; its numbers stand beside what is like the baselines
            system = "best_head" if not mark and candidates == CANDIDATES[0] else ""
            same_data = of_heads[direction, candidates, "same_data"]
            heads.append(row(f"best head{mark}, {_CHOICES[candidates]}", same_data, system, held_out))
    sizes = by_system["nearest"].set_index("mention_type")["n"]
    header = [("", "system"), ("replicated", "head"), *(("replicated", name) for name in MENTION_TYPES)]
    header += [("replicated", "held out")]
    header += [] if published is None else [("published", name) for name in ("head", *MENTION_TYPES)]
    return PrintedTable(
        tuple(header),
        (tuple(baselines), tuple(heads)),
        (
            "Per cent; intervals cover 95 % of resampled documents. held out: chosen on one half, scored on the other.",
            f"Mentions with an antecedent: {', '.join(f'{name} {sizes[name]:,}' for name in MENTION_TYPES)}.",
            "*: the word that attends to the mention most, not the one that it attends to most.",
        ),
    )


def _our_cells(rows: pd.DataFrame, held_out: float | None) -> list[Cell]:
    every = rows.loc["all"]
    head = _NONE if pd.isna(every["layer"]) else Cell(f"{int(every['layer'])}-{int(every['head'])}")
    interval = f"{_percent(every['low'])}\N{EN DASH}{_percent(every['high'])}"
    by_type = [Cell(_percent(rows.loc[name, "accuracy"])) for name in MENTION_TYPES[1:]]
    first = Cell(f"{_percent(every['accuracy'])} ({interval})")
    return [head, first, *by_type, _NONE if held_out is None else Cell(_percent(held_out))]


def _their_cells(row: Mapping[str, object]) -> list[Cell]:
    head = Cell(row["head"]) if isinstance(row["head"], str) else _NONE
    return [head, *(_NONE if pd.isna(row[name]) else Cell(f"{100 * row[name]:.0f}") for name in MENTION_TYPES)]


def _percent(fraction: float) -> str:
    return "\N{EM DASH}" if pd.isna(fraction) else f"{100 * fraction:.1f}"
