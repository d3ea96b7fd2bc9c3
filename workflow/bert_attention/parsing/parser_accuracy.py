"""Accuracy of a Stanza pipeline on a treebank, by the scorer of the CoNLL 2018 shared task that Stanza includes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import stanza
from stanza.models.common.utils import ud_scores
from stanza.utils.datasets.conllu_to_text import convert_text

from bert_attention.corpora.conllu import clusters_of_sentences, format_sentence, write_conllu
from bert_attention.corpora.types import Sentence
from bert_attention.parsing.pipeline import parse_texts
from bert_attention.parsing.training import check_sentences
from bert_attention.statistics.jackknife import Replicates, stacked, tabulated
from bert_attention.statistics.sums import Sums, ratio

# Our measures and their names in the scorer. On given words, tokens and sentences are always right and not scored.
_ON_WORDS = {"upos": "UPOS", "uas": "UAS", "las": "LAS"}
_ON_TEXT = {"tokens": "Tokens", "sentences": "Sentences", **_ON_WORDS}


def accuracy(
    pipeline: stanza.Pipeline,
    gold: Sequence[Sentence],
    *,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Replicates:
    """Score a pipeline with the scorer of the CoNLL 2018 shared task.

    The pipeline is scored on the words of the gold sentences, and again on their running text, where a word counts if
    it is found and right (F1). Punctuation counts. LAS ignores subtypes of relations. Units are sentences for words,
    and paragraphs for running text. Return a row for each ``measure`` (tokens, sentences, upos, uas, las) on each
    ``input`` (words, text). ``value`` is a fraction. ``n`` is the number of gold sentences, tokens or words that the
    measure counts.
    """
    check_sentences(gold, "gold")
    on_words = parse_texts(pipeline, [sentence.forms for sentence in gold], pretokenized=True, progress=progress)
    words = [[replace(sentence, comments=(), other_lines=())] for sentence in gold]
    on_text = parse_texts(pipeline, _running_texts(gold), progress=progress)
    scored_text = _scored("text", _paragraphs(gold), on_text, _ON_TEXT)
    return stacked([_scored("words", words, on_words, _ON_WORDS), scored_text])


def _scored(
    input_kind: str,
    gold: Sequence[Sequence[Sentence]],
    system: Sequence[Sequence[Sentence]],
    measures: Mapping[str, str],
) -> Replicates:
    """Return the measures for one kind of input, from the scorer's counts in each text."""

    def counted(pair: tuple[Sequence[Sentence], Sequence[Sentence]]) -> dict[str, np.ndarray]:
        scores = {measure: _scores(*pair)[name] for measure, name in measures.items()}
        return {
            name: np.array([2 * s.correct, s.gold_total + s.system_total, s.gold_total]) for name, s in scores.items()
        }

    def table(sums: Sums) -> pd.DataFrame:
        rows = [(input_kind, name, float(ratio(*sums[name][:2])), sums[name][2]) for name in measures]
        return pd.DataFrame(rows, columns=["input", "measure", "value", "n"])

    documents = clusters_of_sentences([paragraph[0] for paragraph in gold])
    return tabulated(table, Sums.of(map(counted, zip(gold, system, strict=True)), documents))


def _paragraphs(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """Group sentences by paragraph. Comments ``# newdoc`` and ``# newpar`` begin a paragraph."""
    found: list[list[Sentence]] = []
    for sentence in sentences:
        if not found or any(comment.startswith(("# newdoc", "# newpar")) for comment in sentence.comments):
            found.append([])
        found[-1].append(sentence)
    return found


def _running_texts(sentences: Sequence[Sentence]) -> list[str]:
    """Return the text of each paragraph, built from words and ``SpaceAfter=No``."""
    with TemporaryDirectory() as temporary:
        conllu, text = Path(temporary, "treebank.conllu"), Path(temporary, "treebank.txt")
        write_conllu(sentences, conllu)
        convert_text(conllu, text)
        return [paragraph for paragraph in text.read_text(encoding="utf-8").split("\n\n") if paragraph.strip()]


def _scores(gold: Iterable[Sentence], system: Iterable[Sentence]) -> dict:
    """Return the scores of the CoNLL 2018 scorer, which reads file objects."""
    gold_file, system_file = (io.StringIO("".join(map(format_sentence, sentences))) for sentences in (gold, system))
    return ud_scores(gold_file, system_file)
