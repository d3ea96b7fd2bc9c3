"""What a run says of a claim: judged by rule, from what was published, and what was measured with its interval.

A number is judged by equivalence (two one-sided tests; Schuirmann 1987, Journal of Pharmacokinetics and
Biopharmaceutics 15): it is *reproduced* if the 95 % interval lies within the margin around the published number, *not
reproduced* if it lies outside, else *undecided*. So few units cannot reproduce anything. A statement *holds* if the
interval lies on the right side of its threshold, *fails* if it lies on the other, else it is *undecided*. What a query
finds has no interval if it does not vary with units, as the number of labelled maps: it is taken as exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bert_attention.claims.publications import Publication
from bert_attention.claims.queries import Measured, NothingFoundError
from bert_attention.downloads.sources import entries_with_sources
from bert_attention.errors import InputError
from bert_attention.heads import relative_depth
from bert_attention.statistics.jackknife import Interval, Replicates, interval

# Of a published number.
REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
# Of a statement.
HOLDS, FAILS = "holds", "fails"
# Of either.
UNDECIDED, NOT_COMPARABLE, NOT_MEASURED = "undecided", "not comparable", "not measured"

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

# Text that the workflow generates: it says nothing of a language, and no corpus of a paper's is like it.
_GENERATED = ("miniature:", "trained:miniature")

# No margin is a larger part of the published number.
_LARGEST_MARGIN = 0.2
# Fewer points always lie on a line, and say nothing of a curve's shape.
_POINTS_OF_A_CURVE = 3
_PERMUTATIONS = 2000
# Half an interval that is narrower than this is what floats leave of none.
_ROUNDING = 1e-12
_BY_CHANCE = 0.95


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
        Whether what the statement says holds here; empty if it has no threshold.
    control
        Whether it holds of the same encoder with random weights; empty if that is not known.
    reason
        Why a claim is not comparable or not measured.
    margin
        How far a replicated number may be from the published one.
    control_value
        The replicated number of random weights; NaN where there is none.
    lead, control_lead
        How far the numbers, or those of random weights, are beyond the statement's threshold, in half-widths of their
        intervals, the least of several: above 1 it holds, below -1 it fails; NaN where there is none.
    """

    verdict: str
    direction: str = ""
    control: str = ""
    reason: str = ""
    margin: float = np.nan
    control_value: float = np.nan
    lead: float = np.nan
    control_lead: float = np.nan
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


def is_model(entry: Mapping, digests: Iterable[str]) -> bool:
    """Whether the weights of a model of the edition are those of these digests; a name proves nothing."""
    return entry["sha256"] in digests


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
    digests = publication.weights.get(wanted, ())
    is_other = model and wanted and not is_model(model, digests)
    unknown = "" if digests else f", whose weights {publication.path.name} does not know"
    found = [f"other model than {wanted}{unknown}"] if is_other else []
    return found + [f"other {CORPORA[name]}" for name in needs.get("corpora", ()) if name not in papers_corpora]


def is_generated(claim: Mapping, corpora: Mapping) -> bool:
    """Whether a claim is measured on text that the workflow generates, be it a part.

    Parameters
    ----------
    corpora
        Those of the edition.
    """
    asked = {name: corpora.get(name) for name in claim.get("needs", {}).get("corpora", ())}
    task = claim.get("measured", {}).get("where", {}).get("task")
    if isinstance(task, str):
        asked = {task: corpora["tasks"].get(task)}
    return any(entry["source"].startswith(_GENERATED) for _, entry in entries_with_sources(asked))


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
    if "keys" not in asked:  # the only number that is left
        numbers = rows[asked["column"]].dropna()
        if len(numbers) != 1:
            problem = f"{len(numbers)} numbers of {asked['table']} match"
            raise InputError(place, problem, "mend `where`, or name `keys`")
        return pd.Series({"value": float(numbers.iloc[0])})
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


def not_measured(claim: Mapping, publication: Publication, reason: str) -> Judgement:
    """The judgement on a claim that is not measured, with what was published if it is one number, range or list."""
    result = Judgement(NOT_MEASURED, reason=reason)
    published = published_numbers(claim, publication)
    if published is not None and len(published) == 1:
        result = replace(result, published=float(published.iloc[0]))
    return _with_list(_with_range(result, claim), claim)


def judge(claim: Mapping, publication: Publication, measured: Measured, reasons: list[str]) -> Judgement:
    """The verdict on a claim, as the head of this module says.

    Of several numbers, each has to lie within the margin; one outside of it is enough against them. A number whose own
    statement fails is not reproduced. Where ``reasons`` keep numbers from being compared, only statements are judged.

    Raises
    ------
    InputError
        If the published and the replicated numbers have no key in common.
    """
    found = _Compared(claim, publication, measured)
    lead = found.lead()
    mean = found.interval(lambda numbers: np.nan if measured.is_list else numbers.mean())
    bounds = np.array([mean.low, mean.high] if measured.varies else [np.nan, np.nan], dtype=float)
    low, high = map(float, bounds.clip(*measured.limits))
    result = Judgement(
        NOT_COMPARABLE,
        direction=_direction(lead),
        lead=np.nan if lead is None else lead,
        reason="; ".join(reasons),
        replicated=float(mean.value),
        low=low,
        high=high,
        cells=len(found.numbers),
    )
    if found.published is not None:
        gap = found.numbers - found.published
        difference = float(gap[0]) if measured.is_single else float(np.abs(gap).mean())
        margin = margin_of(claim, found.published)
        result = replace(result, published=float(found.published.mean()), difference=difference, margin=margin)
    if measured.is_list:
        result = replace(_with_list(result, claim), replicated_list=_as_text(found.numbers))
    if "range" in claim:
        result = replace(_with_range(result, claim), difference=_distance(result.replicated, *claim["range"]))
        result = replace(result, margin=claim.get("margin", 0))
    return result if reasons else replace(result, verdict=_verdict(claim, result, found))


def with_control(judgement: Judgement, claim: Mapping, publication: Publication, measured: Measured) -> Judgement:
    """The judgement with what the same query finds of the encoder with random weights."""
    found = _Compared(claim, publication, measured)
    value = np.nan if measured.is_list else float(found.numbers.mean())
    lead = found.lead()
    return replace(judgement, control=_direction(lead), control_lead=lead, control_value=value)


def margin_of(claim: Mapping, published: np.ndarray) -> float:
    """How far a replicated number may be from the published one.

    That is the claim's own margin, but at most a fifth of the published number (of several, of their mean size), and
    never so much that a number within it could turn the statement.
    """
    limits = [claim["margin"], _LARGEST_MARGIN * float(np.abs(published).mean())]
    holds = claim.get("holds", {})
    threshold = holds.get("above", holds.get("below"))
    if "value" in claim and threshold is not None:
        limits.append(abs(claim["value"] - threshold))
    return min(limits)


def _verdict(claim: Mapping, result: Judgement, found: _Compared) -> str:
    if np.isnan(result.published):
        return result.direction
    if result.direction == FAILS:
        return NOT_REPRODUCED
    lowest, highest = claim.get("range", (found.published, found.published))
    # A published number has few digits: what is exactly at the edge of the margin belongs to it.
    margin = result.margin + 1e-9
    each = found.interval()
    if (each.low >= lowest - margin).all() and (each.high <= highest + margin).all():
        return REPRODUCED
    return NOT_REPRODUCED if ((each.high < lowest - margin) | (each.low > highest + margin)).any() else UNDECIDED


class _Compared:
    """What a query found, beside what was published of the same keys."""

    def __init__(self, claim: Mapping, publication: Publication, measured: Measured):
        self._claim, self._measured = claim, measured
        self._all_published = published_numbers(claim, publication)
        self._place = f"{publication.path}, claim {claim['id']}"
        self.published, self.numbers = self._pair(measured.numbers)
        left_out, of_seeds = (
            [self._pair(numbers)[1] for numbers in each] for each in (measured.left_out, measured.of_seeds)
        )
        self._replicates = Replicates(self.numbers, left_out, of_seeds)

    def _pair(self, numbers: pd.Series) -> tuple[np.ndarray | None, np.ndarray]:
        published = self._all_published
        if published is not None and not self._measured.is_single:
            published, numbers = _paired(published, numbers, self._place)
        return None if published is None else published.to_numpy(float), numbers.to_numpy(float)

    def interval(self, function: Callable[[np.ndarray], np.ndarray | float] = np.asarray) -> Interval:
        """A function of the numbers with its interval; the value itself where nothing varies."""
        found = interval(function, self._replicates)
        return found if self._measured.varies else Interval(found.value, found.value, found.value)

    def lead(self) -> float | None:
        """How far the numbers are beyond the claim's threshold, in half-widths of intervals: of several, the least.

        Above 1 the statement holds, below -1 it fails. NaN where an interval is not known; None without a threshold, or
        with too few points for one.
        """
        ((name, wanted),) = self._claim.get("holds", {"": None}).items()
        match name:
            case "above":
                return _lead(self.interval(), wanted, np.inf)
            case "below":
                return _lead(self.interval(), -np.inf, wanted)
            case "between":
                return _lead(self.interval(), *np.nextafter(wanted, (-np.inf, np.inf)))
            case "equals":
                return self._lead_of_equals(wanted if isinstance(wanted, list) else [wanted])
            case "correlation_above" if len(self.numbers) >= _POINTS_OF_A_CURVE:
                return self._lead_of_correlation(wanted)
        return None

    def _lead_of_equals(self, wanted: list[float]) -> float:
        """Decided if all replicates say the same."""
        said = {list(numbers) == wanted for numbers in self._measured.all_numbers}
        return 0.0 if len(said) > 1 else np.inf if said == {True} else -np.inf

    def _lead_of_correlation(self, wanted: float) -> float:
        """Beyond what is wanted, and beyond what the same numbers have in another order.

        What is beyond the one, but not beyond the other, is undecided.
        """
        found = self.interval(self._correlation)
        orders = np.random.default_rng(0).permuted(np.tile(self.numbers, (_PERMUTATIONS, 1)), axis=1)
        shuffled = self._correlation(orders)
        beyond_chance = _lead(found, max(wanted, np.quantile(shuffled, _BY_CHANCE)), np.inf)
        return beyond_chance if beyond_chance > 1 else min(_lead(found, wanted, np.inf), 0.0)

    def _correlation(self, numbers: np.ndarray) -> np.ndarray:
        """Pearson's correlation of ``[..., number]`` with what was published; 0 where either does not vary."""
        ours, theirs = (values - values.mean(-1, keepdims=True) for values in (numbers, self.published))
        size = np.sqrt((ours**2).sum(-1) * (theirs**2).sum())
        return np.divide((ours * theirs).sum(-1), size, out=np.zeros_like(size), where=size > 1e-12)


def _lead(found: Interval, above: float, below: float) -> float:
    """How far intervals lie within two limits, in their half-widths: the least of all numbers."""
    distance = np.minimum(found.value - above, below - found.value)
    half = (found.high - found.low) / 2
    exact = np.where(distance > 0, np.inf, -np.inf)
    return float(np.min(np.divide(distance, half, out=exact, where=~(half < _ROUNDING))))  # NaN stays NaN


def _direction(lead: float | None) -> str:
    if lead is None:
        return ""
    return HOLDS if lead > 1 else FAILS if lead <= -1 else UNDECIDED


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
