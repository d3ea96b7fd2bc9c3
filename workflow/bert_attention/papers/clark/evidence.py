"""Sentences in which the best head of a relation is right or wrong (Clark et al. 2019, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError
from bert_attention.papers.clark.columns import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.papers.clark.dependency_heads import possessive_markers, predicted_words

SENTENCES = 2  # number for each relation and outcome
_READABLE_LENGTHS = range(5, 19)  # number of words of a sentence that is read at a glance


def evidence(
    sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], clark_dependency_heads: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_evidence``: the first two sentences that each relation's best head gets right, and wrong.

    Sentences have 5 to 18 words, unless no such sentence has the relation. In each sentence, only the first dependent
    of the relation counts. ``clark_dependency_heads`` gives the best heads, chosen on the same data, in the variant
    that the paper describes. If the table has no single relation, its best head for all relations is shown. Raise
    InputError if no word of the treebank depends on another.

    The attention is between words, [CLS] first and [SEP] last, in the order of ``treebank``. Each row is a word of a
    sentence; ``sentence`` and ``index`` count from 1. ``weight`` is the attention between the word and the dependent in
    the head's direction. ``role`` is ``dependent``, ``head`` (the gold head), ``predicted`` (a wrong prediction, unless
    it is the dependent itself, which a possessive marker can attend to most), or empty.
    """
    best = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    relations = [name for name in best.index if name not in (ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION)] or [ALL_RELATIONS]
    heads = {row.Index: row for row in best.loc[relations].itertuples()}
    readable = {
        name
        for sentence in treebank
        if len(sentence.words) in _READABLE_LENGTHS
        for name in _first_dependents(sentence)
    }
    found: dict[tuple[str, bool], list[pd.DataFrame]] = {(name, right): [] for name in heads for right in (True, False)}
    for sentence_number, (sequence, sentence) in enumerate(zip(sequences, treebank, strict=True), start=1):
        wanted = {
            name: dependent
            for name, dependent in _first_dependents(sentence).items()
            if name in heads
            and (len(sentence.words) in _READABLE_LENGTHS or name not in readable)
            and any(len(found[name, right]) < SENTENCES for right in (True, False))
        }
        attention = sequence.attention if wanted else None
        for relation, dependent in wanted.items():
            row = heads[relation]
            words, predicted = _word_rows(attention[row.layer - 1, row.head - 1], sentence, dependent, row.direction)
            right = predicted == sentence.words[dependent].head - 1
            if len(found[relation, right]) < SENTENCES:
                columns = {"relation": relation, "layer": row.layer, "head": row.head, "right": right}
                found[relation, right].append(words.assign(**columns, sentence=sentence_number))
    tables = [table for tables_of_outcome in found.values() for table in tables_of_outcome]
    if not tables:
        raise InputError("treebank", "no sentence has a word that depends on another", "give longer sentences")
    return pd.concat(tables, ignore_index=True)


def _first_dependents(sentence: Sentence) -> dict[str, int]:
    """Return the index, from 0, of a sentence's first dependent of each relation, and of all relations."""
    first: dict[str, int] = {}
    for index, word in enumerate(sentence.words):
        for relation in (word.relation, ALL_RELATIONS) if word.head else ():
            first.setdefault(relation, index)
    return first


def _word_rows(attention: np.ndarray, sentence: Sentence, dependent: int, direction: str) -> tuple[pd.DataFrame, int]:
    """Return a row for each word of a sentence, with one head's attention ``[query, key]`` to or from a dependent.

    Also return the index, from 0, of the word that the attention predicts as the dependent's head.
    """
    marker = possessive_markers(sentence).get(dependent, dependent)  # 's stands for its possessor
    direction_index = DEPENDENCY_DIRECTIONS.index(direction)
    predicted = int(predicted_words(attention[None, None])[direction_index, 0, 0, marker])
    between_words = attention[1:-1, 1:-1]
    weights = between_words[marker] if direction_index == 0 else between_words[:, marker]
    roles = np.full(len(sentence.words), "", dtype=object)
    roles[predicted] = "predicted"
    roles[dependent] = "dependent"
    roles[sentence.words[dependent].head - 1] = "head"
    rows = pd.DataFrame(
        {
            "index": np.arange(1, len(sentence.words) + 1),
            "word": list(sentence.forms),
            "weight": np.asarray(weights, np.float64),
            "role": roles,
        }
    )
    return rows, predicted
