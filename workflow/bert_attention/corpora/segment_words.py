"""The words of segments of running text as JSON lines, one segment a line.

``{"forms": [word, ...], "predicted": [word, ...], "longest": number}``
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bert_attention.corpora.jsonlines import as_text, read_records

_REMEDY = "delete the file and run again"


@dataclass(frozen=True)
class SegmentWords:
    """The words of a segment, for each wordpiece: its word, and the word of the segment that its word predicts best.

    Words are lowercased. An empty text stands for wordpieces without a word, and for words that predict no other.
    ``longest`` is the number of tokens in the longest segment of the corpus. Raise ValueError if there is not one
    predicted word for each wordpiece.
    """

    forms: tuple[str, ...]
    predicted: tuple[str, ...]
    longest: int

    def __post_init__(self) -> None:
        if len(self.forms) != len(self.predicted):
            raise ValueError(f"{len(self.forms)} wordpieces have {len(self.predicted)} predicted words")


def read_words(path: Path | str, part: Sequence[int] | None = None) -> list[SegmentWords]:
    """Read the words of all segments, or only of those in ``part``; errors are as in :func:`.read_records`."""
    return read_records(path, _segment_words, _REMEDY, part=part)[0]


def _segment_words(record: dict) -> SegmentWords:
    forms, predicted = (tuple(map(as_text, record[key])) for key in ("forms", "predicted"))
    return SegmentWords(forms, predicted, int(record["longest"]))
