"""The scoreboard in words: sentences on a run, a page in Markdown, and the texts of a row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial

import pandas as pd

from bert_attention.judging import encoders
from bert_attention.judging.evidence import MET
from bert_attention.judging.kinds import (
    MODEL_LABELED,
    REAL,
    SILVER,
    STAND_IN,
)
from bert_attention.judging.legend import NOTES, NUMBERS, STATEMENTS, Verdict
from bert_attention.judging.scoreboard import ON_STAND_IN, UNSURE
from bert_attention.judging.units import NO_VALUE, in_unit, scale_of, unit_of_differences
from bert_attention.judging.verdicts import CONFIRMED
from bert_attention.results import RANK_CORRELATION
from bert_attention.statistics.forms import decimal
from bert_attention.tables import RECALLED, bounds_text, with_interval

# A number nearer to 0 is the rounding noise of a difference of equal numbers.
_ROUNDING = 1e-12

# Names of the kinds of evidence in sentences.
EVIDENCE = {
    REAL: "real text",
    SILVER: "real text with automatic parses",
    MODEL_LABELED: "labels by a language model",
}
# Titles of the columns of the page, unless they are their names.
_TITLES = {
    "id": "claim",
    "statement": "what",
    "replicated": "here",
    "gain": "over control",
    "verdict_and_reason": "verdict",
}


def counts(board: pd.DataFrame) -> pd.DataFrame:
    """Count the facts with each verdict, by paper, work and kind of evidence; ``recalled`` counts recalled facts."""
    facts = board[board["counted"]]
    keys = ["paper", "work", "text"]
    found = facts.groupby([*keys, "finding"], sort=False, dropna=False).size().unstack(fill_value=0)
    recalled = is_recalled(facts).groupby([facts[key] for key in keys], dropna=False).sum()
    return found.reindex(columns=list(STATEMENTS), fill_value=0).assign(recalled=recalled)


def is_recalled(board: pd.DataFrame) -> pd.Series:
    """Return True for the claims that are cited from memory, not checked in the paper."""
    return board["provenance"].astype(str).str.startswith("recalled")


def numbers_judged(board: pd.DataFrame) -> dict[str, int]:
    """Return how many published numbers were compared, by verdict."""
    return {verdict: int((board["verdict"] == verdict).sum()) for verdict in NUMBERS}


def summary(board: pd.DataFrame) -> list[str]:
    """Return sentences on a run: numbers, findings by kind of evidence, recalled findings, statements on stand-ins."""
    numbers = numbers_judged(board)
    if any(numbers.values()):
        lines = [_count_sentence(numbers, NUMBERS, "published number", "can be compared")]
    else:
        lines = ["No published number is compared: the encoder or the corpora are not the papers'."]
    by_kind = counts(board).groupby("text").sum()
    models = board.loc[board["counted"], "model"].nunique()
    where = f"these {models} models" if models > 1 else "this encoder"
    for kind, title in EVIDENCE.items():
        if kind in by_kind.index:
            clause = f"can be tested on {where} and {title}"
            lines.append(_count_sentence(by_kind.loc[kind, [*STATEMENTS]], STATEMENTS, "finding", clause))
    if across := encoders.sentence(board):
        lines.append(across)
    if recalled := int(by_kind["recalled"].sum()):
        confirmed = int((is_recalled(board) & board["counted"] & (board["finding"] == CONFIRMED)).sum())
        states = "finding is" if recalled == 1 else "findings are"
        read = f"cited from memory, not checked in the paper ({RECALLED})"
        lines.append(f"{recalled} {states} {read}, {confirmed} of them confirmed.")
    if unjudged := int((board["text"] == STAND_IN).sum()):
        statements, get = ("statement is", "gets") if unjudged == 1 else ("statements are", "get")
        lines.append(f"{unjudged} {statements} only measured on stand-ins, and {get} no verdict.")
    return lines


def _count_sentence(numbers: Mapping, verdicts: Mapping[str, Verdict], noun: str, clause: str) -> str:
    """Return a sentence on numbers or findings, with the number of each verdict."""
    found = {verdict: number for verdict, number in numbers.items() if number}
    if sum(found.values()) == 1:
        return f"The one {noun} that {clause} is {verdicts[next(iter(found))].predicate}."
    counted = ", ".join(
        f"{number} {'is' if number == 1 else 'are'} {verdicts[name].predicate}" for name, number in found.items()
    )
    return f"Of {sum(found.values())} {noun}s that {clause}, {counted}."


def as_page(board: pd.DataFrame, edition: str) -> str:
    """Return the scoreboard in Markdown: a summary and the legend, then a table for each work."""
    columns = ["id", "statement", *(["model"] if board["model"].nunique() > 1 else [])]
    columns += ["published", "threshold", "replicated", "control", "gain", "verdict_and_reason"]
    header = [_TITLES.get(column, column) for column in columns]
    lines = [f"# Scoreboard of the edition `{edition}`", "", *summary(board), ""]
    for title, verdicts in (("statements", STATEMENTS), ("published numbers", NUMBERS)):
        lines += [f"Verdicts on {title}:", "", *(f"- *{name}*: {said.meaning}" for name, said in verdicts.items()), ""]
    lines += ["Notes:", "", *(f"- {note}" for note in NOTES), "- `scoreboard.csv` has all digits, margins and sources."]
    for work, rows in board.groupby("work", sort=False):
        lines += ["", f"## {work}", "", _line(header), _line(["---"] * len(header))]
        for _, row in rows.iterrows():
            texts = row_texts(row)
            lines.append(_line(texts[column] for column in columns))
    return "\n".join([*lines, ""])


def row_texts(row: Mapping) -> dict[str, str]:
    """Return a row of the scoreboard as readers see it, the same in scoreboard, results page and paper.

    The label and the statement have the marks of :func:`with_mark`, the statement also its place in the work. ``holds``
    is from :func:`bert_attention.judging.alternatives.with_choices`.
    """
    names = ("id", "paper", "work", "model", "text", "place", "finding")
    return {
        **{name: _text(row[name]) for name in names},
        "label": with_mark(row["label"], row),
        "statement": with_mark(row["statement"].removesuffix("."), row, row["place"]),
        **number_texts(row),
        "verdict": verdict_text({**row, "reason": None}),
        "verdict_and_reason": verdict_text(row),
        **_in_short(row),
        "holds": _text(row.get("holds")) or NO_VALUE,
    }


def _in_short(row: Mapping) -> dict[str, str]:
    """Return a short verdict, and notes. A number that is not compared has none if its statement is judged."""
    finding, number = _text(row["finding"]), _text(row["verdict"])
    is_met = finding and _text(row["control"]) == MET
    notes = (
        "random weights meet the threshold" if is_met else "",
        published_outside(row),
        f"restates {row['restates']}" if _text(row["restates"]) else "",
    )
    verdicts = (finding, number if number in NUMBERS or not finding else "")
    return {"in_short": "; ".join(filter(None, verdicts)), "notes": "; ".join(filter(None, notes))}


def number_texts(row: Mapping) -> dict[str, str]:
    """Return the texts of a row's numbers: published, threshold, replicated, of the control, and gain over the control.

    Shares are in percent and their differences in points. A statement on a correlation has r. Then means are shown
    only if the numbers are also compared one by one.
    """
    unit = _text(row["unit"])
    written = partial(in_unit, unit=unit)
    texts = {
        "published": _published_text(row, unit),
        "threshold": _threshold_text(row, unit),
        "replicated": _text(row["replicated_list"])
        or written(interval_text(row["replicated"], row["low"], row["high"], unit)),
        "control": written(number_text(row["control_value"], unit), short=True),
    }
    if pd.notna(row["correlation"]):
        is_compared = row["verdict"] in NUMBERS
        for name, text in _correlation_texts(row).items():
            texts[name] = f"{texts[name]}; {text}" if is_compared else text
        if not is_compared:
            texts["published"] = f"{row['cells']:.0f} numbers"
        unit = ""
    unit = unit_of_differences(unit)
    gain = interval_text(row["gain"], row["gain_low"], row["gain_high"], unit)
    return {**texts, "gain": in_unit(gain, unit)}


def difference_text(row: Mapping, claim: Mapping) -> str:
    """Return a row of ``comparison_differences`` as a text, in the unit of the claim's row of the scoreboard."""
    unit = "" if pd.notna(claim["correlation"]) else unit_of_differences(_text(claim["unit"]))
    return in_unit(interval_text(row["difference"], row["low"], row["high"], unit), unit)


def _correlation_texts(row: Mapping) -> dict[str, str]:
    """Return the texts of the correlation that a statement is about; none of random weights without a control."""
    texts = {"replicated": f"r = {interval_text(row['correlation'], row['correlation_low'], row['correlation_high'])}"}
    if pd.notna(row["control_correlation"]):
        texts["control"] = f"r = {number_text(row['control_correlation'])}"
    return texts


def _threshold_text(row: Mapping, unit: str) -> str:
    """Return the text of a statement's threshold, such as ``> 50%`` or ``r > 0.5``; a dash if it has no number."""
    if pd.notna(row["correlation_threshold"]):
        return f"r > {number_text(row['correlation_threshold'])}"
    low, high = (number_text(row[bound], unit) for bound in ("needed_low", "needed_high"))
    if NO_VALUE not in (low, high):
        return in_unit(low if low == high else bounds_text(low, high), unit, short=True)
    sign, bound = (">", low) if high == NO_VALUE else ("<", high)
    if bound == NO_VALUE:
        return NO_VALUE
    if unit == RANK_CORRELATION:
        return f"{unit} {sign} {bound}"
    return f"{sign} {in_unit(bound, unit, short=True)}"


def _published_text(row: Mapping, unit: str) -> str:
    """Return the text of a published number, range or list."""
    if _text(row["published_list"]):
        return row["published_list"]
    if pd.notna(row["published_low"]):
        bounds = (number_text(row[column], unit) for column in ("published_low", "published_high"))
        return in_unit(bounds_text(*bounds), unit, short=True)
    is_mean = row["cells"] > 1 and pd.notna(row["published"])
    mean_of = f" (mean of {row['cells']:.0f})" if is_mean else ""
    return in_unit(number_text(row["published"], unit), unit, short=True) + mean_of


def number_text(value: float, unit: str = "") -> str:
    """Return a number with three significant digits, or all digits of a larger whole number; a dash for NaN.

    The number is first rounded to the digits of ``scoreboard.csv``, from which the paper takes it. A number in percent
    or points is multiplied by a hundred.
    """
    if pd.isna(value):
        return NO_VALUE
    value = _as_written(value) * scale_of(unit)
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def _as_written(value: float) -> float:
    return float(f"{value:.6g}") if abs(value) > _ROUNDING else 0.0


def interval_text(value: float, low: float, high: float, unit: str = "") -> str:
    """Return a number with its interval, such as ``77.1 (75.1–79.0)``; the number alone if it has no interval.

    Counts have no decimals. Other numbers have the decimals that show two digits of the interval's half-width, but at
    most three digits of the largest of the three. A number in percent or points is multiplied by a hundred.
    """
    numbers = [math.nan if pd.isna(number) else _as_written(number) for number in (value, low, high)]
    half = (numbers[2] - numbers[1]) / 2
    if all(number.is_integer() for number in numbers) or not 0 < half < math.inf:  # without an interval, half is NaN
        return with_interval(partial(number_text, unit=unit), value, low, high)
    half, *numbers = (scale_of(unit) * number for number in (half, *numbers))
    largest = max(map(abs, numbers))
    places = min(1 - math.floor(math.log10(half)), 2 - math.floor(math.log10(largest)))
    return with_interval(decimal(max(places, 0)), *numbers)


def verdict_text(row: Mapping) -> str:
    """Return the verdict on a row's statement, with the verdict on the control, then the verdict on its number.

    A claim that is measured on a stand-in, or that nobody is sure of, is "not measured" in ``scoreboard.csv``. Readers
    see that it is not judged.
    """
    if row["reason"] in (ON_STAND_IN, UNSURE):
        return f"not judged: {row['reason']}"
    statement, number, control = (_text(row[name]) for name in ("finding", "verdict", "control"))
    if statement and control:
        statement += f" (control: {control})"
    restated = f"restates {row['restates']}" if _text(row["restates"]) else ""
    parts = [statement, published_outside(row), number, restated, _text(row["reason"])]
    return "; ".join(filter(None, parts))


def published_outside(row: Mapping) -> str:
    """Return the text that a row's interval excludes the published number, which is not compared; or an empty text."""
    if not _text(row["finding"]) or row["verdict"] in NUMBERS or row["cells"] != 1 or pd.notna(row["correlation"]):
        return ""
    bounds = ("published_low", "published_high")
    lowest, highest = (row["published"] if pd.isna(row[bound]) else row[bound] for bound in bounds)
    numbers = pd.array([lowest, highest, row["low"], row["high"]], dtype="Float64").to_numpy(float, na_value=math.nan)
    is_outside = numbers[2] > numbers[1] or numbers[3] < numbers[0]  # False without a published number or an interval
    return f"the interval excludes the published {_published_text(row, _text(row['unit']))}" if is_outside else ""


def with_mark(text: str, row: Mapping, place: str = "") -> str:
    """Return the label or the statement of a row, with what it is about here, and a dagger if the claim is recalled.

    With its place in the work, the text becomes a sentence.
    """
    about = "; ".join(filter(None, (place, f"here: {row['subject']}" if _text(row["subject"]) else "")))
    text += f" ({about})" if about else ""
    text += "." if place else ""
    return text + RECALLED if _text(row["provenance"]).startswith("recalled") else text


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_text(cell).replace('|', chr(92) + '|') for cell in cells)} |"
