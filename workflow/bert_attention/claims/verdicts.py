"""Whether a claim is reproduced: judged by rule, from what was published, what was measured, and on what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bert_attention.claims.publications import Publication
from bert_attention.claims.queries import Measured, NothingFoundError
from bert_attention.errors import InputError
from bert_attention.heads import relative_depth

REPRODUCED = "reproduced"
DIRECTION_ONLY = "direction only"
NOT_REPRODUCED = "not reproduced"
NOT_COMPARABLE = "not comparable"
NOT_MEASURED = "not measured"
VERDICTS = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, NOT_COMPARABLE, NOT_MEASURED)

# What a reason calls corpora of the edition.
CORPORA = {
    "wikipedia": "running text",
    "treebank": "treebank",
    "coreference": "documents with coreference",
    "tasks": "examples of the tasks",
    "frames": "sentences with frames",
    "alignment": "aligned sentences",
    "token_frequency": "token counts",
    "vectors": "word vectors",
    "labelled_maps": "labelled maps",
}

HOLDS, DOES_NOT_HOLD = "holds", "does not hold"

# Fewer points always lie on a line, and say nothing of a curve's shape.
_POINTS_OF_A_CURVE = 3


@dataclass(frozen=True)
class Judgement:
    """What is known of a claim after a run.

    Attributes
    ----------
    published, replicated
        Numbers; of several, their means over what both have. NaN where there is none.
    published_low, published_high
        A published range; NaN for a single number.
    low, high
        The 95 % interval of ``replicated``; NaN where there is none.
    difference
        Replicated less published; of several numbers, the mean absolute difference.
    published_list, replicated_list
        Numbers that are a list, such as layers, as a text; empty otherwise.
    cells
        How many replicated numbers were compared or judged.
    direction
        Whether what the statement says holds here; empty if that cannot be said.
    reason
        Why a claim is not comparable or not measured.
    """

    verdict: str
    direction: str = ""
    reason: str = ""
    published: float = np.nan
    published_low: float = np.nan
    published_high: float = np.nan
    replicated: float = np.nan
    low: float = np.nan
    high: float = np.nan
    difference: float = np.nan
    published_list: str = ""
    replicated_list: str = ""
    cells: int = 0


def is_model(entry: Mapping, name: str) -> bool:
    """Whether a model of the edition is the one of this name: by its source on the hub, or by its own name."""
    return entry["source"].startswith(f"hub:{name}@") or entry["name"] == name.rpartition("/")[2]


def differences(
    claim: Mapping, publication: Publication, model: Mapping | None, papers_corpora: Iterable[str]
) -> list[str]:
    """What keeps a claim's numbers from being compared: another model, other corpora; empty if nothing does.

    Parameters
    ----------
    model
        The edition's model that is measured; None where no model is.
    papers_corpora
        The edition's corpora that are the papers' own.
    """
    needs = claim.get("needs", {})
    wanted = needs.get("translation_model") or needs.get("model", publication.model)
    found = [f"other model than {wanted}"] if model and wanted and not is_model(model, wanted) else []
    return found + [f"other {CORPORA[name]}" for name in needs.get("corpora", ()) if name not in papers_corpora]


def published_numbers(claim: Mapping, publication: Publication) -> pd.Series | None:
    """The numbers of a claim, with the index that a query has (see ``Measured``); None if it states none.

    Raises
    ------
    InputError
        If the file has no such curve, table or column.
    """
    if "value" in claim:
        return pd.Series({"value": float(claim["value"])})
    if "values" not in claim:
        return None
    place, asked = f"{publication.path}, claim {claim['id']}", claim["values"]
    if "figure" in asked:
        found = [
            curve["by_layer"]
            for curve in publication.curves
            if (curve["figure"], curve["series"]) == (asked["figure"], asked["series"])
        ]
        if len(found) != 1:
            raise InputError(place, f"there is no curve {asked['series']} of {asked['figure']}", "see curves")
        index = pd.MultiIndex.from_tuples([(layer,) for layer in range(1, len(found[0]) + 1)], names=["layer"])
        return pd.Series(found[0], index=index, dtype=float)
    if asked["table"] not in publication.tables:
        raise InputError(place, f"there is no table {asked['table']}", f"it has {', '.join(publication.tables)}")
    return _of_table(pd.DataFrame(publication.tables[asked["table"]]["rows"]), asked, place)


def _of_table(rows: pd.DataFrame, asked: Mapping, place: str) -> pd.Series:
    """The numbers of a published table, by its keys."""
    where = asked.get("where", {})
    named = [*asked.get("keys", ()), *where, *[asked[k] for k in ("column",) if k in asked]]
    unknown = [name for name in named if name not in rows]
    if unknown:
        raise InputError(place, f"{asked['table']} has no column {unknown[0]}", f"its columns are {', '.join(rows)}")
    for column, value in where.items():
        rows = rows[rows[column] == value]
    if "keys" not in asked:
        return _only_number(rows, asked, place)
    keys = list(asked["keys"])
    if "column" in asked:
        columns = [asked["column"]]
    else:
        columns = [column for column in rows if column not in keys and column not in where]
    lists = [column for column in columns if column.startswith("by_")]
    if lists:
        (column,) = lists
        key = column.removeprefix("by_")
        rows = rows[[*keys, column]].assign(**{key: [range(1, len(cell) + 1) for cell in rows[column]]})
        rows = rows.explode([column, key])
        found = rows.set_index([*keys, key])[column]
    elif "columns_are" in asked:
        found = rows.melt(id_vars=keys, value_vars=columns, var_name=asked["columns_are"])
        found = found.set_index([*keys, asked["columns_are"]])["value"]
    else:
        found = rows.set_index(keys)[columns[0]]
    found = found.dropna().astype(float)
    if not isinstance(found.index, pd.MultiIndex):
        found.index = pd.MultiIndex.from_arrays([found.index], names=keys)
    return found


def _only_number(rows: pd.DataFrame, asked: Mapping, place: str) -> pd.Series:
    """The number of the only row that ``where`` leaves."""
    numbers = rows[asked["column"]].dropna()
    if len(numbers) != 1:
        problem = f"{len(numbers)} numbers of {asked['table']} match"
        raise InputError(place, problem, "mend `where`, or name `keys`")
    return pd.Series({"value": float(numbers.iloc[0])})


def not_measured(claim: Mapping, publication: Publication, reason: str) -> Judgement:
    """The judgement on a claim that is not measured, with what was published if it is one number, range or list."""
    result = Judgement(NOT_MEASURED, reason=reason)
    published = published_numbers(claim, publication)
    if published is not None and len(published) == 1:
        result = replace(result, published=float(published.iloc[0]))
    return _with_list(_with_range(result, claim), claim)


def judge(claim: Mapping, publication: Publication, measured: Measured, reasons: list[str]) -> Judgement:
    """The verdict on a claim.

    A claim with numbers is reproduced if they agree: if the replicated number is within ``tolerance`` of the
    published one, or the published one within its 95 % interval; of several numbers, if their mean absolute
    difference is within ``tolerance``. If they do not agree, but what ``holds`` says is true, only the direction
    is reproduced. A claim without numbers is reproduced if what ``holds`` says is true. Where ``reasons`` keep
    numbers from being compared, only the direction is judged.

    Raises
    ------
    InputError
        If the published and the replicated numbers have no key in common.
    """
    published, place = published_numbers(claim, publication), f"{publication.path}, claim {claim['id']}"

    def compared(numbers: pd.Series) -> tuple[pd.Series | None, pd.Series]:
        several = published is not None and not measured.is_single
        return _paired(published, numbers, place) if several else (published, numbers)

    mean = measured.interval(lambda numbers: np.nan if measured.is_list else compared(numbers)[1].to_numpy().mean())
    published, numbers = compared(measured.numbers)
    result = Judgement(
        NOT_COMPARABLE,
        direction=_direction(claim, numbers, published),
        reason="; ".join(reasons),
        replicated=float(mean.value),
        low=float(mean.low),
        high=float(mean.high),
        cells=len(numbers),
    )
    if published is not None:
        gap = numbers.to_numpy() - published.to_numpy()
        difference = float(gap[0]) if measured.is_single else float(np.abs(gap).mean())
        result = replace(result, published=float(published.mean()), difference=difference)
    if measured.is_list:
        result = replace(_with_list(result, claim), replicated_list=_as_text(numbers))
    if "range" in claim:
        result = replace(_with_range(result, claim), difference=_distance(result.replicated, *claim["range"]))
    return result if reasons else replace(result, verdict=_verdict(claim, result))


def _verdict(claim: Mapping, result: Judgement) -> str:
    if np.isnan(result.published):
        return REPRODUCED if result.direction == HOLDS else NOT_REPRODUCED
    # A published number has few digits: what is exactly at the edge of the tolerance belongs to it.
    agrees = abs(result.difference) <= claim.get("tolerance", 0) + 1e-9
    if agrees or (result.cells == 1 and result.low <= result.published <= result.high):
        return REPRODUCED
    return DIRECTION_ONLY if result.direction == HOLDS else NOT_REPRODUCED


def _with_range(result: Judgement, claim: Mapping) -> Judgement:
    if "range" not in claim:
        return result
    low, high = claim["range"]
    return replace(result, published=(low + high) / 2, published_low=low, published_high=high)


def _with_list(result: Judgement, claim: Mapping) -> Judgement:
    wanted = claim.get("holds", {}).get("equals")
    return replace(result, published_list=_as_text(wanted)) if isinstance(wanted, list) else result


def _as_text(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers) or "none"


def _distance(value: float, low: float, high: float) -> float:
    """How far a number lies outside a range; 0 within."""
    return value - min(max(value, low), high)


def _paired(published: pd.Series, numbers: pd.Series, place: str) -> tuple[pd.Series, pd.Series]:
    """Published and replicated numbers of the same keys, in one order.

    A curve by layer is read at the relative depths of our layers, between its points in straight lines; for an encoder
    of the same depth, that is at its points.
    """
    names = list(published.index.names)
    if names == ["layer"] == list(numbers.index.names):
        layers = numbers.index.get_level_values("layer").to_numpy()
        points = relative_depth(published.index.get_level_values("layer").to_numpy(), len(published))
        read = np.interp(relative_depth(layers, layers.max()), points, published.to_numpy())
        return pd.Series(read, index=numbers.index), numbers
    if set(names) != set(numbers.index.names):
        raise InputError(place, f"has numbers by {', '.join(map(str, names))}", "let `by` name the same keys")
    numbers = numbers.reorder_levels(names) if len(names) > 1 else numbers
    shared = published.index.intersection(numbers.index)
    if shared.empty:
        raise NothingFoundError(
            place, f"shares no {', '.join(names)} with what was measured", "compare `values` with the table"
        )
    return published[shared], numbers[shared]


def _direction(claim: Mapping, numbers: pd.Series, published: pd.Series | None) -> str:
    if "holds" not in claim or ("correlation_above" in claim["holds"] and len(numbers) < _POINTS_OF_A_CURVE):
        return ""
    return HOLDS if _satisfied(claim["holds"], numbers, published) else DOES_NOT_HOLD


def _satisfied(condition: Mapping, numbers: pd.Series, published: pd.Series | None) -> bool:
    """Whether all numbers meet a condition."""
    ((name, wanted),) = condition.items()
    match name:
        case "above":
            return bool((numbers > wanted).all())
        case "below":
            return bool((numbers < wanted).all())
        case "between":
            return bool(numbers.between(*wanted).all())
        case "equals":
            return list(numbers) == (wanted if isinstance(wanted, list) else [wanted])
        case "correlation_above":
            if numbers.nunique() == 1 or published.nunique() == 1:
                return False
            return float(np.corrcoef(numbers, published)[0, 1]) > wanted
