"""Tasks from texts that people rated, as Hutto and Gilbert 2014 publish their ratings of sentiment.

A line is an id, the mean rating from -4 (most negative) to 4 (most positive) and the text, separated by tabs. The files
are ``*_GroundTruth.txt`` in the sdist of vaderSentiment. Their ids are line numbers and do not show which sentences are
from the same review, so each text is a unit of its own.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

from bert_attention.corpora.bad_lines import ON_BAD_INPUT, BadLineError, stop_or_count
from bert_attention.corpora.glue import check_sentences, decoded_lines, layout_of, split_in_halves
from bert_attention.corpora.types import Layout, PairTask, TaskExample
from bert_attention.errors import InputError, check_choice

_HIGHEST_RATING = 4.0
_NEUTRAL_RATING = 0.5  # texts with smaller ratings are neither positive nor negative


def is_rated_texts(path: Path | str) -> bool:
    """Return True if the first line of a file has tabs, as lines of rated texts do."""
    return any("\t" in line for line in decoded_lines(Path(path))[:1])


def read_rated_texts(
    path: Path | str, name: str, seed: int, on_bad_input: str = "error"
) -> tuple[PairTask, Counter[str]]:
    """Read a task from a file of rated texts, and count the skipped texts, by reason.

    In a task of scores, the label is the rating. In a task of two classes, the label is 0 for a negative rating and 1
    for a positive rating, and texts with an absolute rating of at most 0.5 are skipped. A random half of the texts
    becomes the validation examples.

    Raise InputError, which names the line, if a line has no rating or no text. Raise InputError as well if the task is
    unknown, is a task of pairs, has more than two classes or other scores, or if fewer than four texts are left.
    """
    layout = layout_of(name)
    if len(layout.sentences) > 1 or len(layout.classes) > 2 or not (layout.classes or _has_ratings(layout)):
        raise InputError(
            path,
            f"holds single texts with ratings from -4 to 4, but {name} is another kind of task",
            "give a folder of Parquet files",
        )
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    examples = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(decoded_lines(Path(path)), start=1):
        try:
            rating, text = _rated(number, line)
        except BadLineError as error:
            stop_or_count(error, f"{path}, line {number}", "lines", on_bad_input, left_out)
            continue
        if layout.classes and abs(rating) <= _NEUTRAL_RATING:
            left_out[f"texts with a rating of at most {_NEUTRAL_RATING} in size"] += 1
            continue
        examples.append(TaskExample(text, None, float(rating > 0) if layout.classes else rating))
    return split_in_halves(path, name, layout.classes, layout.metrics, examples, seed), left_out


def _has_ratings(layout: Layout) -> bool:
    return layout.scores == (-_HIGHEST_RATING, _HIGHEST_RATING)


def _rated(number: int, line: str) -> tuple[float, str]:
    """Return the rating and the text of a line; raise BadLineError if a rating or a text is missing or invalid."""
    parts = line.split("\t", 2)
    if len(parts) < 3:
        problem = f"expected an id, a rating and a text, separated by tabs, found {line[:40]!r}"
        raise BadLineError(number, "lines without rating or text", problem)
    try:
        rating = float(parts[1])
    except ValueError:
        rating = math.nan
    if not abs(rating) <= _HIGHEST_RATING:
        raise BadLineError(number, "unknown ratings", f"the rating {parts[1][:40]!r} is not a number from -4 to 4")
    check_sentences(number, [parts[2]])
    return rating, parts[2].strip()
