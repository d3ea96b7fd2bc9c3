"""The types that all corpora are read into. Trees are :class:`bert_attention.corpora.conllu.Sentence`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bert_attention.corpora.conllu import Sentence

Wordpieces = tuple[str, ...]
# A word that a corpus of running text does not tell, as BERT writes it. A tokenizer has its own token for such words.
UNKNOWN_WORD = "[UNK]"

MentionType = Literal["pronoun", "proper", "nominal"]


@dataclass(frozen=True)
class Article:
    """A running text in paragraphs of sentences."""

    title: str
    paragraphs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Segment:
    """Wordpieces of one model input: of two consecutive spans of one article, or of one span (``second`` is empty).

    Raises
    ------
    ValueError
        If the first part is empty.
    """

    article: str
    first: Wordpieces
    second: Wordpieces

    def __post_init__(self) -> None:
        if not self.first:
            raise ValueError("the first part is empty")


@dataclass(frozen=True)
class TaskInput(Segment):
    """A task's example as a model takes it, cut to fit: a segment whose ``article`` is the example's number from 1.

    ``first_spans`` and ``second_spans`` say which characters of its sentence each wordpiece stands for: start up to,
    not including, end.
    """

    first_spans: tuple[tuple[int, int], ...]
    second_spans: tuple[tuple[int, int], ...]
    label: float


@dataclass(frozen=True)
class Mention:
    """A mention of an entity: the places of its words in the document, from 0 and in order, and that of its head.

    The head is one of the words; those of a discontinuous mention are not consecutive. Mentions with the same ``chain``
    corefer.
    """

    chain: str
    words: tuple[int, ...]
    head: int
    type: MentionType


@dataclass(frozen=True)
class Document:
    """Sentences of one text with its coreferent mentions, in order of their first, then their last word."""

    id: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class FrameElement:
    """A part of a sentence that fills a role of a frame: characters ``start`` up to, not including, ``end``."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class FramedSentence:
    """A sentence with the word that evokes a frame (characters ``start`` to ``end``) and the frame's core elements."""

    text: str
    frame: str
    target: tuple[int, int]
    elements: tuple[FrameElement, ...]


@dataclass(frozen=True)
class TaskExample:
    """One or two sentences (``second`` is None for one) with a class number or, for regression, a score."""

    first: str
    second: str | None
    label: float


@dataclass(frozen=True)
class PairTask:
    """A task of sentence classification or regression (no ``classes``), named as in GLUE."""

    name: str
    classes: tuple[str, ...]
    metrics: tuple[str, ...]
    train: tuple[TaskExample, ...]
    validation: tuple[TaskExample, ...]


@dataclass(frozen=True)
class AlignedPair:
    """A sentence and its translation with links ``(source word, target word)`` from 0; sure links are possible too."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]
