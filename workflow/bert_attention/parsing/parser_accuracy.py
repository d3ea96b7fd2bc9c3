"""How well a Stanza pipeline parses a treebank, by the scorer of the CoNLL 2018 shared task, which Stanza brings."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import stanza
from stanza.models.common.utils import ud_scores
from stanza.utils.datasets.conllu_to_text import convert_text

from bert_attention.corpora.conllu import format_sentence, write_conllu
from bert_attention.corpora.types import Sentence
from bert_attention.parsing.pipeline import parse_texts
from bert_attention.parsing.training import check_sentences
from bert_attention.statistics.jackknife import Replicates, stacked, tabulated
from bert_attention.statistics.sums import Sums, ratio

_ON_WORDS = {"upos": "UPOS", "uas": "UAS", "las": "LAS"}
_ON_TEXT = {"tokens": "Tokens", "sentences": "Sentences", **_ON_WORDS}


def accuracy(
    pipeline: stanza.Pipeline,
    gold: Sequence[Sentence],
    *,
    batch_size: int = 100,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Replicates:
    """Score a pipeline as the CoNLL 2018 shared task did (its scorer, as Stanza uses it).

    The pipeline is scored on the words of the gold sentences, and again on their running text, where a word counts if
    it is found and right (F1). Punctuation counts; for LAS, subtypes of relations do not. Units of the first are
    sentences, of the second paragraphs.

    Returns
    -------
    A row for each ``measure`` (tokens, sentences, upos, uas, las) on each ``input`` (words, text) with ``value``, a
    fraction, and ``n``, the number of gold sentences, tokens or words that the measure counts.
    """
    check_sentences(gold, "gold")
    options = {"batch_size": batch_size, "progress": progress}
    given = parse_texts(pipeline, [sentence.forms for sentence in gold], pretokenized=True, **options)
    words = [[replace(sentence, comments=(), other_lines=())] for sentence in gold]
    paragraphs = _paragraphs(gold)
    raw = parse_texts(pipeline, _running_texts(gold), **options)
    scored = {"words": (words, given, _ON_WORDS), "text": (paragraphs, raw, _ON_TEXT)}
    return stacked([_scored(*each).made_into(partial(_of_input, name)) for name, each in scored.items()])


def _scored(
    gold: Sequence[Sequence[Sentence]], system: Sequence[Sequence[Sentence]], measures: Mapping[str, str]
) -> Replicates:
    """The measures, from what the scorer counts in each text."""

    def counted(pair: tuple[Sequence[Sentence], Sequence[Sentence]]) -> dict[str, np.ndarray]:
        scores = {measure: _scores(*pair)[name] for measure, name in measures.items()}
        return {
            name: np.array([2 * s.correct, s.gold_total + s.system_total, s.gold_total]) for name, s in scores.items()
        }

    def table(sums: Sums) -> pd.DataFrame:
        rows = [(name, float(ratio(*sums[name][:2])), sums[name][2]) for name in measures]
        return pd.DataFrame(rows, columns=["measure", "value", "n"])

    return tabulated(table, Sums.of(map(counted, zip(gold, system, strict=True)), len(gold)))


def _of_input(name: str, table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(input=name)[["input", "measure", "value", "n"]]


def _paragraphs(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Sentences by paragraph: comments ``# newdoc`` and ``# newpar`` begin one."""
    found: list[list[Sentence]] = []
    for sentence in sentences:
        if not found or any(comment.startswith(("# newdoc", "# newpar")) for comment in sentence.comments):
            found.append([])
        found[-1].append(sentence)
    return found


def _running_texts(sentences: Sequence[Sentence]) -> list[str]:
    """The text of each paragraph of a treebank, built from words and ``SpaceAfter=No``.

    Comments ``# newdoc`` and ``# newpar`` begin a paragraph.
    """
    with TemporaryDirectory() as temporary:
        conllu, text = Path(temporary, "treebank.conllu"), Path(temporary, "treebank.txt")
        write_conllu(sentences, conllu)
        convert_text(conllu, text)
        return [paragraph for paragraph in text.read_text(encoding="utf-8").split("\n\n") if paragraph.strip()]


def _scores(gold: Iterable[Sentence], system: Iterable[Sentence]) -> dict:
    """The scores of the CoNLL 2018 scorer, which takes files."""
    gold_file, system_file = (io.StringIO("".join(map(format_sentence, sentences))) for sentences in (gold, system))
    return ud_scores(gold_file, system_file)
