"""Sentences that the best head of a relation gets right, and wrong (Clark et al. 2019, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import possessive_markers, predicted_words
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError

SENTENCES = 2  # for each relation and outcome
_WORDS = range(5, 19)  # number of words of a sentence that can be read at a glance


def evidence(
    sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], clark_dependency_heads: pd.DataFrame
) -> pd.DataFrame:
    """Return table ``clark_evidence``: the first two sentences that each relation's best head gets right, and wrong.

    Sentences have 5 to 18 words, unless no such sentence has the relation. In each sentence, only the first dependent
    of the relation counts. ``clark_dependency_heads`` gives the best heads, chosen on the same data, in the variant
    that the paper describes. If the table has no single relation, its best head for all relations is shown.

    Parameters
    ----------
    sequences
        Attention between words, [CLS] first and [SEP] last, in the order of ``treebank``.

    Returns
    -------
    A row for each word of a sentence: ``relation``, ``layer``, ``head``, ``right``, ``sentence`` (from 1), ``place`` of
    the word (from 1), ``word``, ``weight`` between the word and the dependent in the head's direction, and ``role``:
    ``dependent``, ``head`` (the gold head), ``predicted`` (a wrong prediction), or empty.

    Raises
    ------
    InputError
        If no word of the treebank depends on another.
    """
    best = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    relations = [name for name in best.index if name not in (ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION)] or [ALL_RELATIONS]
    heads = {row.Index: row for row in best.loc[relations].itertuples()}
    readable = {name for sentence in treebank if len(sentence.words) in _WORDS for name in _first_dependents(sentence)}
    found: dict[tuple[str, bool], list[pd.DataFrame]] = {(name, right): [] for name in heads for right in (True, False)}
    for number, (sequence, sentence) in enumerate(zip(sequences, treebank, strict=True), start=1):
        wanted = {
            name: place
            for name, place in _first_dependents(sentence).items()
            if name in heads
            and (len(sentence.words) in _WORDS or name not in readable)
            and any(len(found[name, right]) < SENTENCES for right in (True, False))
        }
        attention = sequence.attention if wanted else None
        for relation, dependent in wanted.items():
            row = heads[relation]
            words = _words(attention[row.layer - 1, row.head - 1], sentence, dependent, row.direction)
            right = not (words["role"] == "predicted").any()
            if len(found[relation, right]) < SENTENCES:
                of_head = {"relation": relation, "layer": row.layer, "head": row.head}
                found[relation, right].append(words.assign(**of_head, right=right, sentence=number))
    pieces = [piece for of_kind in found.values() for piece in of_kind]
    if not pieces:
        raise InputError("treebank", "no sentence has a word that depends on another", "give longer sentences")
    return pd.concat(pieces, ignore_index=True)


def _first_dependents(sentence: Sentence) -> dict[str, int]:
    """Return the index, from 0, of a sentence's first dependent of each relation, and of all relations."""
    first: dict[str, int] = {}
    for place, word in enumerate(sentence.words):
        for relation in (word.relation, ALL_RELATIONS) if word.head else ():
            first.setdefault(relation, place)
    return first


def _words(attention: np.ndarray, sentence: Sentence, dependent: int, direction: str) -> pd.DataFrame:
    """Return the words of a sentence, with a head's ``[query, key]`` weight between each word and a dependent."""
    marked = possessive_markers(sentence).get(dependent, dependent)  # 's stands for its possessor
    kind = DEPENDENCY_DIRECTIONS.index(direction)
    predicted = predicted_words(attention[None, None])[kind, 0, 0, marked]
    between_words = attention[1:-1, 1:-1]
    weights = between_words[marked] if kind == 0 else between_words[:, marked]
    roles = np.full(len(sentence.words), "", dtype=object)
    roles[predicted] = "predicted"
    roles[dependent] = "dependent"
    roles[sentence.words[dependent].head - 1] = "head"
    return pd.DataFrame(
        {
            "place": np.arange(1, len(sentence.words) + 1),
            "word": list(sentence.forms),
            "weight": np.asarray(weights, np.float64),
            "role": roles,
        }
    )
