"""Attention between pairs of words (Kovaleva et al. 2019, section 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import MODELS, PAIRS
from bert_attention.kovaleva.feature_positions import same_tokens
from bert_attention.kovaleva.means import mean_with_interval
from bert_attention.kovaleva.word_features import feature_words, plain_subjects, verb_links
from bert_attention.kovaleva.word_positions import PlacedSentence, placed_sentences

# Pairs and what they are the other way round. The code has verbs and subjects alone.
_REVERSED = {"noun_pronoun": "pronoun_noun", "verb_subject": "subject_verb", "verb_object": "object_verb"}
_RELEASED = ("verb_subject", "subject_verb")
_ROWS = (*(("described", pair) for pair in PAIRS), *(("released", pair) for pair in _RELEASED))


def token_pairs(
    pretrained_sequences: Iterable[StoredSequence],
    finetuned_sequences: Iterable[StoredSequence],
    examples: Sequence[TaskInput],
    parses: Mapping[str, Sequence[Sentence]],
    task: str,
    seed: int,
) -> pd.DataFrame:
    """Table ``kovaleva_token_pairs``: each head's attention from the first to the second word of each kind of pair.

    In one example it is the highest among the pairs, from any token of the one word to any of the other; see
    :func:`paired_tokens`. As described, examples without a pair are left out; as released, they count as 0. ``low`` and
    ``high`` bound the mean over examples.

    ``previous`` and ``next`` are the head's mean attention to the token before and after, over the tokens that have
    one, whatever the pair: the paper finds that heads of pairs are those of neighbours.

    Parameters and errors are those of :func:`bert_attention.kovaleva.features.features`.
    """
    tables = []
    for model, sequences in zip(MODELS, (pretrained_sequences, finetuned_sequences), strict=True):
        scores, present, neighbours = [], [], []
        for sequence, example in zip(sequences, examples, strict=True):
            placed = placed_sentences(example, sequence.word_ids, parses)
            pairs = paired_tokens(sequence.token_ids, placed)
            attention = sequence.attention
            scores.append([_highest(attention, pairs[row]) for row in _ROWS])
            present.append([pairs[row].any() for row in _ROWS])
            neighbours.append([np.diagonal(attention, offset, 2, 3).mean(-1) for offset in (-1, 1)])
        scores, present = np.array(scores), np.array(present)
        previous, following = np.mean(neighbours, axis=0, dtype=np.float64)
        for place, (variant, pair) in enumerate(_ROWS):
            counted = present[:, place] | (variant == "released")
            columns = mean_with_interval(scores[:, place], counted, seed)
            labels = {"task": task, "model": model, "pair": pair, "variant": variant}
            columns |= {"previous": previous, "next": following}
            tables.append(head_table(attention=columns.pop("mean"), **columns, **labels))
    return pd.concat(tables, ignore_index=True)


def paired_tokens(token_ids: np.ndarray, placed: Sequence[PlacedSentence]) -> dict[tuple[str, str], np.ndarray]:
    """Which token is linked to which, ``[source, target]``, by variant and pair; a token is never linked to itself.

    Described: nouns and pronouns of one sentence, each with each; verbs and the subjects and objects that the parse
    links with them. Released: the tokens of all verbs that have a subject, and of all subjects, found by their
    wordpieces anywhere in the input, each in order; the first verb is paired with the first subject, and so on.

    Parameters
    ----------
    token_ids
        ``[token]``.
    """
    n = len(token_ids)
    described = {pair: np.zeros((n, n), dtype=bool) for pair in _REVERSED}
    verbs, subjects = np.zeros((2, n), dtype=bool)
    for of_sentence in placed:
        sentence, words = of_sentence.sentence, of_sentence.words
        has = feature_words(sentence)
        described["noun_pronoun"] |= np.outer(words[has["noun"]].any(0), words[has["pronoun"]].any(0))
        for feature in ("subject", "object"):
            for verb, word in verb_links(sentence, feature, has[feature]):
                described[f"verb_{feature}"] |= np.outer(words[verb], words[word])
        for verb, subject in plain_subjects(sentence):
            verbs |= words[verb]
            subjects |= words[subject]
    released = np.zeros((n, n), dtype=bool)
    released[_in_turn(same_tokens(token_ids, verbs), same_tokens(token_ids, subjects))] = True
    found = {("described", pair): cells for pair, cells in described.items()} | {("released", "verb_subject"): released}
    for cells in found.values():
        np.fill_diagonal(cells, val=False)
    return found | {(variant, _REVERSED[pair]): cells.T for (variant, pair), cells in found.items()}


def _in_turn(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of two masks ``[token]``, paired in order as far as both go."""
    places = np.flatnonzero(first), np.flatnonzero(second)
    both = min(map(len, places))
    return places[0][:both], places[1][:both]


def _highest(attention: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The highest attention among the pairs, ``[layer, head]``; 0 without any."""
    sources, targets = np.nonzero(pairs)
    if not len(sources):
        return np.zeros(attention.shape[:2], dtype=attention.dtype)
    return attention[:, :, sources, targets].max(-1)
