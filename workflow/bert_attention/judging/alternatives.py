"""Statements under reasonable alternatives: which remain true or false if one choice of the analysis is another.

A statement is read as a truth about the encoder, as in :mod:`bert_attention.judging.encoders`: the control does not
matter. The level of its test is that of the edition itself, so that a verdict cannot change with the number of
statements. Simonsohn et al. 2020 (Nature Human Behaviour 4) show such results as a specification curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from bert_attention.judging.claims import Paper
from bert_attention.judging.encoders import FALSE, TRUE, truth
from bert_attention.statistics.measures import Choices
from bert_attention.yaml_files import read_yaml

_FILE = Path(__file__).with_name("alternatives.yaml")
_ABOUT = (
    "One setting at a time is another. A statement is true or false if its interval lies on one side of the threshold, "
    "at the limit for so many statements; otherwise it is open. Only choices that change the statement's number count."
)
_KEYS = ["paper", "id", "model"]
_WRITTEN = 1e-5  # scoreboards are written with six digits, so numbers that differ by less are the same
_KEPT = ["work", "label", "text", "unit", "smallest"]


@dataclass(frozen=True)
class Alternative:
    """A choice other than the edition's: ``label`` and ``because`` are for readers.

    It has ``settings``, the keys of an edition to be made, which change what is measured on some corpora (``changes``).
    Or it has ``judged``, choices that claims make in the tables of the edition itself (:meth:`.ResultTables.chosen`).
    """

    name: str
    label: str
    because: str
    papers: tuple[str, ...]
    settings: Mapping = field(default_factory=dict)
    changes: Sequence[str] = ()
    judged: Choices = field(default_factory=dict)


def alternatives() -> list[Alternative]:
    """Return the alternatives that ``alternatives.yaml`` lists."""
    entries = read_yaml(_FILE)
    return [Alternative(name, papers=tuple(entry.pop("papers")), **entry) for name, entry in entries.items()]


def tables_changed(choice: Alternative, board: pd.DataFrame, papers: Mapping[str, Paper]) -> set[str]:
    """Return the tables that other settings change, of those that the claims on a scoreboard asked for.

    These are the tables of claims about the changed corpora. A claim can ask for several tables, and some of these can
    be about other corpora. Such a table stays the same: another claim, which is not about a changed corpus, asks for it
    alone.
    """
    corpora = {(name, claim.name): {*claim.needs} or {"wikipedia"} for name in papers for claim in papers[name].claims}
    changed, same = set(), set()
    for row in board[board["paper"].isin(papers)].dropna(subset=["table"]).itertuples():
        tables = row.table.split(", ")
        if corpora.get((row.paper, row.id), set()) & {*choice.changes}:
            changed.update(tables)
        elif len(tables) == 1:
            same.update(tables)
    return changed - same


def under_alternatives(board: pd.DataFrame, boards: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return a row for each counted statement and each alternative that changes its number.

    ``board`` is the scoreboard of the edition, and ``boards`` are those of its alternatives by name. The columns are
    those that name the statement, ``choice``, ``truth`` and ``before`` (true, false or open; ``before`` in the edition)
    and ``effect``, ``effect_low``, ``effect_high`` and ``effect_before``: the distances beyond the threshold.
    """
    counted = board[(board["counted"] == True) & board["finding"].notna() & board["effect"].notna()]  # noqa: E712
    counted = counted.assign(before=_truths(counted, counted["level"])).set_index(_KEYS)
    found = [_changed(counted, other, choice) for choice, other in boards.items()]
    columns = [*_KEYS, *_KEPT, "choice", "before", "truth", "effect_before", "effect", "effect_low", "effect_high"]
    return pd.concat(found, ignore_index=True)[columns] if found else pd.DataFrame(columns=columns)


def _changed(counted: pd.DataFrame, other: pd.DataFrame, choice: str) -> pd.DataFrame:
    """Return the statements whose number an alternative changes."""
    numbers = ["distance", "p", "effect", "effect_low", "effect_high"]
    joined = counted[[*_KEPT, "before", "level", "effect"]].rename(columns={"effect": "effect_before"})
    joined = joined.join(other.set_index(_KEYS)[numbers], how="inner").dropna(subset=["effect"]).reset_index()
    same = np.isclose(joined["effect"].astype(float), joined["effect_before"].astype(float), rtol=_WRITTEN, atol=0)
    joined = joined[~same]
    return joined.assign(choice=choice, truth=_truths(joined, joined["level"]))


def _truths(rows: pd.DataFrame, levels: pd.Series) -> list[str]:
    numbers = rows[["distance", "p"]].assign(level=levels).to_numpy(float)
    return [truth(*row) for row in numbers]


def held(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each statement, with numbers of alternatives.

    ``asked`` alternatives change its number. Of these, ``holds`` leave its truth as it is, and ``turns`` turn it round:
    true where it was false, or false where it was true. The others leave it open, or decide what was open.
    """
    turned = table["truth"].isin([TRUE, FALSE]) & table["before"].isin([TRUE, FALSE])
    marked = table.assign(same=table["truth"] == table["before"], turned=turned & (table["truth"] != table["before"]))
    groups = marked.groupby([*_KEYS, "label", "before"], sort=False)
    return groups.agg(asked=("same", "size"), holds=("same", "sum"), turns=("turned", "sum")).reset_index()


def with_choices(board: pd.DataFrame, table: pd.DataFrame | None) -> pd.DataFrame:
    """Return a scoreboard with the column ``holds``: under how many alternatives a statement holds, as a text.

    ``table`` is that of :func:`under_alternatives`, or None. The text is empty for statements that the table lacks,
    and for those whose truth or effect was another when it was made, because the edition has changed since.
    """
    if table is None:
        return board.assign(holds="")
    before = table.drop_duplicates(_KEYS).set_index(_KEYS)["effect_before"]
    counts = {(*row[:3], row.before): f"{row.holds} of {row.asked}" for row in held(table).itertuples(index=False)}
    keys = zip(*(board[key] for key in _KEYS), _truths(board, board["level"]), strict=True)
    effects = board.set_index(_KEYS)["effect"].astype(float)
    is_same = np.isclose(effects, before.reindex(effects.index).astype(float), rtol=_WRITTEN, atol=0)
    return board.assign(holds=[counts.get(key, "") if same else "" for key, same in zip(keys, is_same, strict=True)])


def as_page(table: pd.DataFrame, choices: Iterable[Alternative]) -> str:
    """Return a page in Markdown: each statement, under how many alternatives it holds, and under which it does not."""
    labels = {choice.name: choice.label for choice in choices}
    lines = ["# Statements under other choices of the analysis", "", sentence(table), "", _ABOUT, ""]
    lines += [f"- **{choice.label}**: {choice.because}" for choice in choices if choice.name in set(table["choice"])]
    other = table[table["truth"] != table["before"]].groupby(_KEYS, sort=False)
    others = {key: ", ".join(f"{labels[row.choice]}: {row.truth}" for row in rows.itertuples()) for key, rows in other}
    counts = held(table).merge(table.drop_duplicates(_KEYS)[[*_KEYS, "work"]], on=_KEYS)
    several = counts["model"].nunique() > 1
    for (work, model), rows in counts.groupby(["work", "model"], sort=False):
        heading = f"## {work}, {model}" if several else f"## {work}"
        lines += ["", heading, "", "| statement | here | holds under | otherwise |", "|---|---|---|---|"]
        for row in rows.itertuples():
            otherwise = others.get((row.paper, row.id, row.model), "")
            lines.append(f"| {row.label} | {row.before} | {row.holds} of {row.asked} | {otherwise} |")
    return "\n".join([*lines, ""])


def sentence(table: pd.DataFrame) -> str:
    """Return how many statements hold under all alternatives, as a sentence."""
    counts = held(table)
    decided = counts[counts["before"].isin([TRUE, FALSE])]
    always, turned = (decided["holds"] == decided["asked"]).sum(), (decided["turns"] > 0).sum()
    left_open = len(decided) - always - turned
    stay = "1 stays" if always == 1 else f"{always} stay"
    turn = "1 turns" if turned == 1 else f"{turned} turn"
    are = "1 is" if left_open == 1 else f"{left_open} are"
    return (
        f"Of {len(decided)} statements that are true or false of the encoder and whose number some alternative "
        f"changes, {stay} so under all of them, {turn} round under at least one, and {are} open under at least one."
    )
