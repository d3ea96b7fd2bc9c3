"""Summaries of corpora for people: the size, what was left out, and one example as the analyses see it.

A job that reads a corpus writes its summaries and logs them. The results page and :meth:`bert_attention.Study.inputs`
show the same summaries, so that readers notice a corpus that was misread.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bert_attention.corpora.jsonlines import read_records
from bert_attention.corpora.task_names import task_label
from bert_attention.corpora.types import (
    AlignedPair,
    Article,
    Document,
    FramedSentence,
    Mention,
    PairTask,
    Segment,
    Sentence,
    TaskInput,
)
from bert_attention.files import REBUILD_REMEDY, replacing

# The meaning of the share that :func:`bert_attention.tokenization.wordpieces.unknown_share` returns.
UNKNOWN_TOKENS = "of the tokens are unknown"

_FEW, _MANY = 12, 40  # words of an example: with and without a remark on each word
_TELLING = 5  # words; shorter sentences, such as headings, show little

Example = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Summary:
    """Summary of a corpus as it was read, or as an encoder gets it.

    ``counts`` has the sizes by a plural noun (``sentences``), ``left_out`` the numbers of skipped parts by reason, and
    ``shares`` fractions by their meaning (``of the tokens are unknown``). ``example`` has a text for each label.
    ``encoder`` is empty if the corpus is as all encoders get it.
    """

    corpus: str
    counts: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    example: Example = ()
    encoder: str = ""

    @property
    def title(self) -> str:
        """Name of the corpus, with the encoder if there is one."""
        return f"{self.corpus}, for {self.encoder}" if self.encoder else self.corpus

    @property
    def size(self) -> str:
        """Counts and shares, such as ``500 segments; 0.2% of the tokens are unknown``."""
        counts = ", ".join(f"{count:,} {noun[:-1] if count == 1 else noun}" for noun, count in self.counts.items())
        return "; ".join([counts, *(f"{100 * share:.3g}% {meaning}" for meaning, share in self.shares.items())])

    @property
    def lines(self) -> Example:
        """Label and text of each further line: what was left out, the largest count first, and the example."""
        reasons = sorted(self.left_out.items(), key=lambda reason: -reason[1])
        counted = ", ".join(f"{reason} ({count:,})" for reason, count in reasons if count)
        return [*([("left out", counted)] if counted else []), *self.example]


def summary_lines(summaries: Iterable[Summary]) -> Iterator[str]:
    """Yield the lines of a text that shows summaries."""
    for summary in summaries:
        yield f"{summary.title}: {summary.size}"
        yield from (f"  {label}: {text}" for label, text in summary.lines)


def write_summaries(summaries: Iterable[Summary], path: Path | str) -> None:
    """Write summaries as JSON lines, whole or not at all."""
    with replacing(path) as partial:
        lines = (json.dumps(vars(summary), ensure_ascii=False) for summary in summaries)
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_summaries(path: Path | str) -> list[Summary]:
    """Read the summaries that a job wrote. Raise InputError, which names the line, if the file is damaged."""
    return read_records(path, _summary, REBUILD_REMEDY)[0]


def _summary(record: Mapping) -> Summary:
    return Summary(**{**record, "example": [(str(label), str(text)) for label, text in record["example"]]})


class ArticleCounter:
    """Counts and the beginning of running text that is read once, article by article."""

    def __init__(self) -> None:
        self.counts = Counter({"articles": 0, "paragraphs": 0, "sentences": 0})
        self._beginning: tuple[str, ...] = ()

    def counted(self, articles: Iterable[Article]) -> Iterator[Article]:
        """Yield the articles, and count them."""
        for article in articles:
            self._beginning = self._beginning or next(iter(article.paragraphs), ())
            self.counts["articles"] += 1
            self.counts["paragraphs"] += len(article.paragraphs)
            self.counts["sentences"] += sum(map(len, article.paragraphs))
            yield article

    def summary(self, left_out: Mapping[str, int]) -> Summary:
        """Return the summary of the articles: the example is the first paragraph, sentence by sentence."""
        sentences = [(f"sentence {number}", _shown(s.split())) for number, s in enumerate(self._beginning[:3], start=1)]
        return Summary("running text", self.counts, left_out, example=sentences)


def segments_summary(
    segments: Sequence[Segment], left_out: Mapping[str, int], shares: Mapping[str, float], encoder: str = ""
) -> Summary:
    """Return the summary of segments of running text: the example is the tokens of the first segment, by part."""
    counts = {"segments": len(segments)}
    articles = len({segment.article for segment in segments})
    counts |= {"articles": articles} if articles < len(segments) else {}  # a list of texts has no articles
    return Summary("running text", counts, left_out, shares, _parts(segments[0]), encoder)


def trees_summary(
    split: str,
    sentences: Sequence[Sentence],
    left_out: Mapping[str, int],
    shares: Mapping[str, float] | None = None,
    encoder: str = "",
) -> Summary:
    """Return the summary of a split of a treebank: the example is a sentence with the head of each word."""
    counts = {"sentences": len(sentences), "words": sum(len(sentence.words) for sentence in sentences)}
    documents = {sentence.document for sentence in sentences} - {0}
    counts |= {"documents": len(documents)} if documents else {}
    example = [] if encoder else _tree(_telling(sentences))  # an encoder gets the trees as they were read
    return Summary(f"treebank, {split}", counts, left_out, shares or {}, example, encoder)


def documents_summary(
    documents: Sequence[Document],
    left_out: Mapping[str, int],
    shares: Mapping[str, float] | None = None,
    encoder: str = "",
) -> Summary:
    """Return the summary of documents with coreference: the example is a sentence with its mentions in brackets."""
    mentions = [mention for document in documents for mention in document.mentions]
    chains = sum(len({mention.chain for mention in document.mentions}) for document in documents)
    counts = {"documents": len(documents), "mentions": len(mentions), "chains": chains}
    first = next((document for document in documents if document.mentions), None)
    example = [("mentions, numbered by chain", _with_mentions(first))] if first else []
    return Summary("coreference", counts, left_out, shares or {}, example, encoder)


def task_summary(task: PairTask, left_out: Mapping[str, int]) -> Summary:
    """Return the summary of a task: the example is the first to train on."""
    counts = {"training examples": len(task.train), "validation examples": len(task.validation)}
    first = (task.train or task.validation)[0]
    texts = [("first", first.first), *([] if first.second is None else [("second", first.second)])]
    example = [(part, _shown(text.split())) for part, text in texts]
    return Summary(f"task {task_label(task.name)}", counts, left_out, example=[*example, _label(task, first.label)])


def task_inputs_summary(
    task: PairTask, inputs: Sequence[TaskInput], shares: Mapping[str, float], encoder: str
) -> Summary:
    """Return the summary of a task's analyzed examples: the example is the tokens of the first, by part."""
    example = [*_parts(inputs[0]), _label(task, inputs[0].label)]
    return Summary(f"task {task_label(task.name)}", {"examples": len(inputs)}, {}, shares, example, encoder)


def frames_summary(sentences: Sequence[FramedSentence], left_out: Mapping[str, int]) -> Summary:
    """Return the summary of sentences with frames: the example is the first sentence, with its parts in brackets."""
    counts = {"sentences": len(sentences)}
    frames = {sentence.frame for sentence in sentences} - {""}
    counts |= {"frames": len(frames)} if frames else {}
    first = sentences[0]
    parts = [(*first.target, first.frame), *((each.start, each.end, each.name) for each in first.elements)]
    named = "; ".join(
        f"{first.text[start:end]} ({name})" if name else first.text[start:end] for start, end, name in parts
    )
    return Summary("frames", counts, left_out, example=[("sentence", first.text), ("predicate and elements", named)])


def pairs_summary(pairs: Sequence[AlignedPair], left_out: Mapping[str, int]) -> Summary:
    """Return the summary of aligned sentences: the example is the words that the links of a pair join."""
    counts = {"pairs": len(pairs), "links": sum(len(pair.possible) for pair in pairs)}
    counts["sure links"] = sum(len(pair.sure) for pair in pairs)
    pair = next((pair for pair in pairs if pair.possible and len(pair.source) >= _TELLING), pairs[0])
    joined = [f"{pair.source[here]} - {pair.target[there]}" for here, there in sorted(pair.possible)]
    sentences = [("source", _shown(pair.source)), ("target", _shown(pair.target))]
    return Summary("word alignment", counts, left_out, example=[*sentences, ("linked", _shown(joined, _FEW, "; "))])


def vectors_summary(words: Sequence[str], dimensions: int, known: float) -> Summary:
    """Return the summary of word vectors: the example is the first words.

    ``known`` is the share of a treebank's words that have a vector.
    """
    counts = {"words": len(words), "dimensions": dimensions}
    shares = {"of the treebank's words have a vector": known}
    return Summary("word vectors", counts, shares=shares, example=[("first words", _shown(words, _FEW))])


def _shown(words: Collection[str], most: int = _MANY, separator: str = " ") -> str:
    """Return the first words of an example, and the number of the others."""
    others = len(words) - most
    return separator.join(islice(words, most)) + (f" ... ({others:,} more)" if others > 0 else "")


def _telling(sentences: Sequence[Sentence]) -> Sentence:
    """Return the first sentence of several words, or else the first."""
    return next((sentence for sentence in sentences if len(sentence.words) >= _TELLING), sentences[0])


def _parts(segment: Segment) -> Example:
    parts = {"first part": segment.first, "second part": segment.second}
    return [(part, _shown(tokens)) for part, tokens in parts.items() if tokens]


def _label(task: PairTask, label: float) -> tuple[str, str]:
    return "label", task.classes[int(label)] if task.classes else f"{label:g}"


def _tree(sentence: Sentence) -> Example:
    forms = sentence.forms
    heads = [
        f"{word.form} is {word.relation}" + (f" of {forms[word.head - 1]}" if word.head else "")
        for word in sentence.words
    ]
    return [("words", _shown(forms)), ("heads", _shown(heads, _FEW, "; "))]


def _with_mentions(document: Document) -> str:
    """Return the words from the sentence of the first mention on, with mentions in brackets, numbered by chain."""
    words, first = document.forms, document.mentions[0].words[0]
    starts = [0]
    for sentence in document.sentences:
        starts.append(starts[-1] + len(sentence.words))
    start = max(start for start in starts if start <= first)
    stop = min(start + _MANY, len(words))
    numbers: dict[str, int] = {}
    opening: Counter[int] = Counter()
    closing: dict[int, list[int]] = {}
    # A mention that begins later ends first. The parts of a discontinuous mention have brackets of their own.
    runs = [(begin, end, mention.chain) for mention in document.mentions for begin, end in _runs(mention)]
    inside = [(begin, end, chain) for begin, end, chain in runs if start <= begin and end < stop]
    for begin, end, chain in sorted(inside, key=lambda run: (run[0], -run[1])):
        opening[begin] += 1
        closing.setdefault(end, []).insert(0, numbers.setdefault(chain, len(numbers) + 1))
    shown = (
        "[" * opening[index] + words[index] + "".join(f"]{number}" for number in closing.get(index, []))
        for index in range(start, stop)
    )
    return " ".join(shown) + (" ..." if stop < len(words) else "")


def _runs(mention: Mention) -> list[tuple[int, int]]:
    """Return the first and the last word of each run of consecutive words of a mention."""
    runs: list[tuple[int, int]] = []
    for word in mention.words:
        if runs and word == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], word)
        else:
            runs.append((word, word))
    return runs
