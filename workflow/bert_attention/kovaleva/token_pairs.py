"""Attention between pairs of words (Kovaleva et al. 2019, section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import MODELS, PAIRS
from bert_attention.kovaleva.feature_positions import same_tokens
from bert_attention.kovaleva.means import counted, means
from bert_attention.kovaleva.word_features import feature_words, plain_subjects, verb_links
from bert_attention.kovaleva.word_positions import PlacedSentence, placed_sentences
from bert_attention.statistics.sums import Sums

# Variant and pair of each row. Every second row is the row before it in the other direction. The released code has only
# verbs and subjects.
ROWS = (*(("described", pair) for pair in PAIRS), ("released", "verb_subject"), ("released", "subject_verb"))


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray | int]:
    """Return an example's sums, ``[model, row, layer, head]``: attention from the first to the second word of a pair.

    The attention of a row is the highest over its pairs, from any token of one word to any token of the other (see
    :func:`paired_tokens`). As described, an example without a pair does not count; as released, it counts as 0. The
    sums also have the mean attention to the token before and after, over the tokens that have one.

    Parameters and errors are those of :func:`bert_attention.kovaleva.features.sums`.
    """
    placed = placed_sentences(example, pretrained_sequence.word_ids, parses)
    pairs = paired_tokens(pretrained_sequence.token_ids, placed)
    attention = [pretrained_sequence.attention, finetuned_sequence.attention]
    neighbors = [[np.diagonal(one, offset, 2, 3).mean(-1)[None] for one in attention] for offset in (-1, 1)]
    scores = [np.stack([one[:, :, *np.nonzero(linked)].max(-1, initial=0) for linked in pairs]) for one in attention]
    always = np.array([variant == "released" for variant, _ in ROWS])
    return counted(scores, always | pairs.any((1, 2))) | {"neighbors": np.array(neighbors), "examples": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_token_pairs``: each head's attention between the words of each kind of pair.

    ``previous`` and ``next`` are the head's mean attention to the token before and after, whatever the pair.
    ``neighbors`` is their sum, because the paper finds that heads that link pairs attend to neighbors.
    """
    previous, following = sums["neighbors"] / sums["examples"]  # [model, 1, layer, head]
    rows = pd.DataFrame(ROWS, columns=["variant", "pair"])
    labels = {"model": MODELS, "row": rows.index}
    table = head_table(labels, **means(sums), previous=previous, next=following, neighbors=previous + following)
    return table.join(rows, on="row").drop(columns="row")


def paired_tokens(token_ids: np.ndarray, placed: Sequence[PlacedSentence]) -> np.ndarray:
    """Return links of tokens, ``[row, source, target]``, rows as in ``ROWS``; a token is never linked to itself.

    Described: all nouns with all pronouns of a sentence, and verbs with the subjects and objects that the parse links
    with them. Released: the tokens of all verbs that have a subject, and of all subjects, found by their wordpieces
    anywhere in the input. The first verb token is paired with the first subject token, and so on.

    Parameters
    ----------
    token_ids
        ``[token]``.
    """
    n = len(token_ids)
    links = np.zeros((len(ROWS) // 2, n, n), dtype=bool)
    noun_pronoun, verb_subject, verb_object, released = links
    of_verbs = {"subject": verb_subject, "object": verb_object}
    verbs, subjects = np.zeros((2, n), dtype=bool)
    for of_sentence in placed:
        sentence, words = of_sentence.sentence, of_sentence.words
        has = feature_words(sentence)
        noun_pronoun |= np.outer(words[has["noun"]].any(0), words[has["pronoun"]].any(0))
        for feature in of_verbs:
            for verb, word in verb_links(sentence, feature, has[feature]):
                of_verbs[feature] |= np.outer(words[verb], words[word])
        for verb, subject in plain_subjects(sentence):
            verbs |= words[verb]
            subjects |= words[subject]
    in_order = (np.flatnonzero(same_tokens(token_ids, mask)) for mask in (verbs, subjects))
    for verb, subject in zip(*in_order, strict=False):
        released[verb, subject] = True
    links[:, range(n), range(n)] = False
    return np.stack([links, links.swapaxes(1, 2)], axis=1).reshape(len(ROWS), n, n)
