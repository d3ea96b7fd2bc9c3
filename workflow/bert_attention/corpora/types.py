"""Types that all readers of corpora return. Most code needs these types, but no reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Wordpieces = tuple[str, ...]
# BERT's token for unknown words, for words that a corpus does not give. A tokenizer replaces it by its own token.
UNKNOWN_WORD = "[UNK]"
# BERT's mask, for words that a corpus hides. A tokenizer replaces it by its own mask.
MASKED_WORD = "[MASK]"
# Longer paragraphs and sentences are damaged, not text, or an attack. NLTK's patterns need seconds for them.
LONGEST_PARAGRAPH = 50_000  # characters

MentionType = Literal["pronoun", "proper", "nominal"]


@dataclass(frozen=True)
class Article:
    """Running text in paragraphs of sentences."""

    title: str
    paragraphs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Segment:
    """Wordpieces of one model input: two consecutive spans of one article, or one span (``second`` is empty).

    Segments of one article are not independent: they form a cluster (:mod:`bert_attention.statistics.sums`).
    ``first_begins`` and ``second_begins`` are True for each wordpiece that begins a word. Raise ValueError if the first
    part is empty, or if the numbers of wordpieces and of their ``begins`` differ.
    """

    article: str
    first: Wordpieces
    second: Wordpieces
    first_begins: tuple[bool, ...]
    second_begins: tuple[bool, ...]

    def __post_init__(self) -> None:
        if not self.first:
            raise ValueError("the first part is empty")
        for name, part, begins in (
            ("first", self.first, self.first_begins),
            ("second", self.second, self.second_begins),
        ):
            if len(part) != len(begins):
                raise ValueError(f"{name} has {len(part)} wordpieces, but {name}_begins has {len(begins)} values")


@dataclass(frozen=True)
class TaskInput(Segment):
    """A task's example as model input, truncated: a segment whose ``article`` is the example's number from 1.

    ``group`` is the cluster of the example (:func:`clusters_of_examples`): examples of one text are not independent.

    ``first_spans`` and ``second_spans`` are the characters of its sentence for which each wordpiece stands: start up
    to, not including, end.
    """

    first_spans: tuple[tuple[int, int], ...]
    second_spans: tuple[tuple[int, int], ...]
    label: float
    group: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a tree: the columns of its line as written, ``_`` included, except ``head``, which is an integer.

    ``head`` is the number of the word's head from 1, or 0 for the root.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str
    deps: str = "_"
    misc: str = "_"


@dataclass(frozen=True)
class Sentence:
    """A sentence with its tree.

    ``comments`` are whole lines with their ``#``. ``other_lines`` are the lines of multiword tokens and empty nodes,
    each with the number of words before it. ``document`` is the number of the sentence's document in the file, from 1,
    or 0 if the file does not mark where documents begin.
    """

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()
    other_lines: tuple[tuple[int, str], ...] = ()
    document: int = 0

    def comment(self, key: str) -> str | None:
        """Return the value of a comment ``# key = value``, or None."""
        for line in self.comments:
            name, separator, value = line[1:].partition("=")
            if separator and name.strip() == key:
                return value.strip()
        return None

    @property
    def id(self) -> str:
        """Id of the sentence; empty if it has none."""
        return self.comment("sent_id") or ""

    @property
    def forms(self) -> tuple[str, ...]:
        """Words of the sentence as written."""
        return tuple(word.form for word in self.words)


@dataclass(frozen=True)
class Mention:
    """A mention of an entity: the indexes of its words in the document, from 0 and in order, and the index of its head.

    The head is one of the words. The words of a discontinuous mention are not consecutive. Mentions with the same
    ``chain`` corefer.
    """

    chain: str
    words: tuple[int, ...]
    head: int
    type: MentionType


@dataclass(frozen=True)
class Document:
    """Sentences of one text with its coreferent mentions, in order of their first, then their last word.

    ``text`` is the id of the text of which the document is a part, or empty if the document is a whole text.
    """

    id: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    text: str = ""

    @property
    def text_id(self) -> str:
        """Id of the text of which the document is a part, or the document's own id if it is a whole text."""
        return self.text or self.id

    @property
    def forms(self) -> tuple[str, ...]:
        """Words of all sentences, as written."""
        return tuple(form for sentence in self.sentences for form in sentence.forms)


@dataclass(frozen=True)
class FrameElement:
    """Part of a sentence that fills a role of a frame: characters ``start`` up to, not including, ``end``.

    ``core`` is True if the frame calls the element core, and ``in_core_set`` if the element is in one of the frame's
    explicit core sets.
    """

    name: str
    start: int
    end: int
    core: bool = True
    in_core_set: bool = True


@dataclass(frozen=True)
class FramedSentence:
    """A sentence with the word that evokes a frame (characters ``start`` to ``end``) and the frame's elements.

    ``group`` names the text that contains the sentence, as in :class:`TaskExample`.
    """

    text: str
    frame: str
    target: tuple[int, int]
    elements: tuple[FrameElement, ...]
    group: str = ""


@dataclass(frozen=True)
class TaskExample:
    """A sentence (``second`` is None) or a sentence pair, with a class number or, for regression, a score.

    ``group`` names the text that contains the example: examples of one text are not independent. Without a group, an
    example is a text of its own.
    """

    first: str
    second: str | None
    label: float
    group: str = ""


def clusters_of_examples(examples: Iterable[TaskExample | FramedSentence]) -> list[int]:
    """Return the cluster of each example: a run of examples of one group, or a single example without a group."""
    clusters: list[int] = []
    before = ""
    for example in examples:
        is_same = example.group and example.group == before
        clusters.append(clusters[-1] if is_same else len(clusters))
        before = example.group
    return clusters


@dataclass(frozen=True)
class PairTask:
    """A task of sentence classification, or of regression (without ``classes``).

    ``name`` is a key of ``LAYOUTS``, or the name of a task of one's own.
    """

    name: str
    classes: tuple[str, ...]
    metrics: tuple[str, ...]
    train: tuple[TaskExample, ...]
    validation: tuple[TaskExample, ...]


METRICS_OF_CLASSES = ("accuracy",)  # metrics of most tasks of classes


@dataclass(frozen=True)
class Layout:
    """Kind of a task, and its columns in Parquet files."""

    sentences: tuple[str, ...]  # column of the sentence, or two columns for a pair
    classes: tuple[str, ...]  # names of the classes in the order of their numbers; empty for a task of scores
    metrics: tuple[str, ...] = METRICS_OF_CLASSES  # names in :data:`bert_attention.statistics.metrics.METRICS`
    validation: str = "validation"  # name of the split with the validation examples
    scores: tuple[float, float] = (0.0, 5.0)  # lowest and highest score of a task of scores


# The tasks by name: seven GLUE tasks as on the hub, and two tasks of this project.
LAYOUTS = {
    "mrpc": Layout(("sentence1", "sentence2"), ("not_equivalent", "equivalent"), ("accuracy", "f1")),
    "rte": Layout(("sentence1", "sentence2"), ("entailment", "not_entailment")),
    "stsb": Layout(("sentence1", "sentence2"), (), ("pearson",)),
    "sst2": Layout(("sentence",), ("negative", "positive")),
    "qnli": Layout(("question", "sentence"), ("entailment", "not_entailment")),
    "mnli": Layout(
        ("premise", "hypothesis"), ("entailment", "neutral", "contradiction"), validation="validation_matched"
    ),
    "qqp": Layout(("question1", "question2"), ("not_duplicate", "duplicate"), ("accuracy", "f1")),
    "tweets": Layout(("sentence",), (), ("pearson",), scores=(-4.0, 4.0)),
    "nsp": Layout(("sentence1", "sentence2"), ("not_next", "next")),
}


def metrics_of(task: str) -> tuple[str, ...]:
    """Return the metrics of a task; those of classes for a task of one's own."""
    return LAYOUTS[task].metrics if task in LAYOUTS else METRICS_OF_CLASSES


Link = tuple[int, int]


@dataclass(frozen=True)
class AlignedPair:
    """A sentence and its translation with links ``(source word, target word)`` from 0. Sure links are also possible."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]


# The five patterns of self-attention of Kovaleva et al. 2019, section 4.1, in the order of the paper's figure 1: names
# in files and tables, and labels for readers.
PATTERN_LABELS = {
    "vertical": "vertical",
    "diagonal": "diagonal",
    "vertical_diagonal": "vertical + diagonal",
    "block": "block",
    "heterogeneous": "heterogeneous",
}
PATTERNS = tuple(PATTERN_LABELS)


@dataclass(frozen=True, eq=False)
class PatternMap:
    """An attention map that annotators label with a pattern. Examples, layers and heads count from 1."""

    id: int  # number of the map, from 1
    model: str
    weights: str  # ``pretrained`` or ``finetuned``
    task: str
    example: int
    layer: int
    head: int
    separator: int  # index of the first [SEP], from 0; ``n - 1`` if the input is a single sentence
    attention: np.ndarray  # ``[query, key]`` float32
