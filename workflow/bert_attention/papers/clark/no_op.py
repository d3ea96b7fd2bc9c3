"""Attention to the resting token from words to which a head's function does not apply (Clark et al. 2019, section 3.2).

The resting token of an encoder is chosen on running text (:mod:`bert_attention.papers.clark.positions`). Here,
attention to each token that can be the resting token is measured.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.relations import clark_name
from bert_attention.corpora.tags import has_tag, is_tagged
from bert_attention.corpora.types import Sentence
from bert_attention.heads import cell_table
from bert_attention.papers.clark.dependency_heads import possessive_markers, predicted_words, right_predictions
from bert_attention.papers.clark.positions import RESTING
from bert_attention.statistics.held_out import Choice, best
from bert_attention.statistics.sums import Sums, ratio

_POSSESSIVE = "poss"
# The functions of the paper's heads 8-10 and 7-6, as table 1 of the paper names them.
RELATIONS = ("dobj", _POSSESSIVE)
_PUNCTUATION = (".", ",")
WORDS = ("dependents", "others", "non_nouns")


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray]:
    """Return a sentence's sums: for each relation, attention to each target from each kind of word.

    The targets are [CLS], [SEP], and the periods and commas of the sentence, to which a period or comma does not count
    its attention to itself.

    Each relation has three sums: ``attention`` over words, ``[target, words, layer, head]``; ``n``, the number of words
    ``[words]``; and ``right``, the number of dependents that attend most to their syntactic head, ``[layer, head]``.
    The sequence is the attention between words, [CLS] first and [SEP] last.
    """
    to_target = _attention_to_targets(sequence.attention, sentence)
    right = right_predictions(predicted_words(sequence.attention)[0], sentence, "described")
    found = {}
    for relation in RELATIONS:
        masks = _words_by_kind(sentence, relation)
        is_dependent = [clark_name(word.relation) == relation for word in sentence.words]
        found |= {
            f"{relation}/attention": np.stack([to_target[..., mask].sum(-1) for mask in masks], axis=1),
            f"{relation}/n": masks.sum(1),
            f"{relation}/right": right[..., is_dependent].sum(-1),
        }
    return found


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_no_op``: attention to possible resting tokens, where a head's function applies or not.

    The paper takes attention to [SEP] for a no-op: in the head where direct objects attend to their verbs, words that
    are not nouns attend mostly to [SEP]. Here ``relation`` is ``dobj`` or ``poss`` (``obj`` and ``nmod:poss`` in
    Universal Dependencies). The attention head of a row predicts the most syntactic heads of the relation's dependents,
    by variant ``described`` of :mod:`bert_attention.papers.clark.dependency_heads`. The attending ``words`` are the
    relation's ``dependents``, the ``others``, or the ``non_nouns`` among the others, by their tags. If a possessor has
    a marker ('s), the marker stands for the possessor, as in the paper.

    ``attention`` is the average word's attention to the ``target``: [CLS], [SEP], or all periods and commas of the
    sentence (without the word itself). ``difference`` is this attention minus the attention of the dependents.
    ``selection`` names the sentences on which the head is chosen. ``chosen`` is the share of choices that fall on this
    head (see :mod:`bert_attention.statistics.held_out`). ``n`` counts the attending words. If ``n`` is 0, ``attention``
    is empty. Without dependents, ``head`` is empty, too.
    """
    rows = [
        _cells(choice, sums, relation).assign(relation=relation, selection=selection)
        for relation in RELATIONS
        for selection, choice in best(sums, partial(_scores, relation=relation)).items()
    ]
    return pd.concat(rows, ignore_index=True).astype({"layer": "Int64", "head": "Int64"})


def _attention_to_targets(attention: np.ndarray, sentence: Sentence) -> np.ndarray:
    """Return the attention of each word to each target, ``[target, layer, head, word]`` float64."""
    attention = attention[..., 1:-1, :].astype(np.float64)
    between = attention[..., 1:-1]
    own = np.diagonal(between, axis1=-2, axis2=-1)
    is_punctuation = np.isin(sentence.forms, _PUNCTUATION)
    to_punctuation = between[..., is_punctuation].sum(-1) - np.where(is_punctuation, own, 0)
    return np.stack([attention[..., 0], attention[..., -1], to_punctuation])


def _words_by_kind(sentence: Sentence, relation: str) -> np.ndarray:
    """Return a mask of the words of each kind, ``[words, word]``; a sentence without tags has no non-nouns."""
    markers = possessive_markers(sentence) if relation == _POSSESSIVE else {}
    dependents = {index for index, word in enumerate(sentence.words) if clark_name(word.relation) == relation}
    attending = {markers.get(index, index) for index in dependents}
    indices = np.arange(len(sentence.words))
    others = ~np.isin(indices, [*dependents, *attending])
    nouns = np.array([has_tag(word, "noun") for word in sentence.words])
    return np.stack([np.isin(indices, [*attending]), others, others & ~nouns & is_tagged(sentence)])


def _scores(sums: Sums, relation: str) -> np.ndarray:
    """Return the accuracy, attention and difference of each head, ``[split, head, 1 + 2 * targets * words]``."""
    right, attention, n = (sums[f"{relation}/{name}"] for name in ("right", "attention", "n"))
    shares = ratio(attention, n[:, None, :, None, None])
    numbers = np.stack([shares, shares - shares[:, :, :1]], axis=1)  # [split, number, target, words, layer, head]
    accuracy = ratio(right, n[:, :1, None])
    flat = numbers.reshape(len(n), -1, accuracy[0].size).swapaxes(1, 2)
    return np.concatenate([accuracy.reshape(len(n), -1, 1), flat], axis=2)


def _cells(choice: Choice, sums: Sums, relation: str) -> pd.DataFrame:
    """Return a row of the chosen head for each target and kind of word; without numbers if the relation is absent."""
    heads = sums[f"{relation}/right"].shape[-1]
    has_head = sums.of_all[f"{relation}/n"][0] > 0
    numbers = choice.score[1:] if has_head else choice.score[1:] * np.nan
    attention, difference = np.reshape(numbers, (2, len(RESTING), len(WORDS)))
    difference[:, 0] = np.nan  # dependents have no difference from themselves
    return cell_table(
        {"target": RESTING, "words": WORDS}, attention=attention, difference=difference, n=sums[f"{relation}/n"][None]
    ).assign(
        layer=choice.system // heads + 1 if has_head else pd.NA,
        head=choice.system % heads + 1 if has_head else pd.NA,
        chosen=choice.share if has_head else np.nan,
    )
