"""Attention between pairs of words (Kovaleva et al. 2019, section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.papers.kovaleva.columns import MODELS, PAIRS
from bert_attention.papers.kovaleva.feature_positions import same_tokens
from bert_attention.papers.kovaleva.means import mean_terms, means
from bert_attention.papers.kovaleva.word_features import feature_words, plain_subjects, verb_links
from bert_attention.papers.kovaleva.word_positions import PlacedSentence, placed_sentences
from bert_attention.statistics.sums import Sums

# Variant and pair of each row. Every second row reverses the row before it. The released code has only verbs and
# subjects.
ROWS = (*(("described", pair) for pair in PAIRS), ("released", "verb_subject"), ("released", "subject_verb"))


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray | int]:
    """Return an example's sums, ``[model, row, layer, head]``: attention from the first to the second word of a pair.

    The attention of a row is the highest over its pairs of tokens (see :func:`paired_tokens`). Without a pair, an
    example does not count in variant ``described``, and counts as 0 in variant ``released``. The sums also have the
    mean attention to the previous and to the next token.

    Parameters and errors are those of :func:`bert_attention.papers.kovaleva.features.sums`.
    """
    placed = placed_sentences(example, pretrained_sequence.word_ids, parses)
    pairs = paired_tokens(pretrained_sequence.token_ids, placed)
    maps = [pretrained_sequence.attention, finetuned_sequence.attention]
    neighbors = [[np.diagonal(attention, offset, 2, 3).mean(-1)[None] for attention in maps] for offset in (-1, 1)]
    scores = [
        np.stack([attention[:, :, *np.nonzero(linked)].max(-1, initial=0) for linked in pairs]) for attention in maps
    ]
    is_released = np.array([variant == "released" for variant, _ in ROWS])
    return mean_terms(scores, is_released | pairs.any((1, 2))) | {"neighbors": np.array(neighbors), "examples": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_token_pairs``: each head's attention between the words of each kind of pair.

    ``previous`` and ``next`` are the head's mean attention to the previous and to the next token, the same for all
    pairs. ``neighbors`` is their sum. The paper finds that heads that link pairs attend to neighbors.
    """
    previous, following = sums["neighbors"] / sums["examples"]  # [model, 1, layer, head]
    rows = pd.DataFrame(ROWS, columns=["variant", "pair"])
    labels = {"model": MODELS, "row": rows.index}
    table = head_table(labels, **means(sums), previous=previous, next=following, neighbors=previous + following)
    return table.join(rows, on="row").drop(columns="row")


def paired_tokens(token_ids: np.ndarray, placed: Sequence[PlacedSentence]) -> np.ndarray:
    """Return links of tokens, ``[row, source, target]``, with the rows of ``ROWS``; no token is linked to itself.

    Variant ``described`` links all nouns with all pronouns of a sentence, and verbs with their subjects and objects in
    the parse. Variant ``released`` takes all verbs that have a subject, all subjects, and all tokens of the input that
    are the same wordpieces. The first verb token is linked with the first subject token, the second with the second,
    and so on. ``token_ids`` is ``[token]``.
    """
    n = len(token_ids)
    links = np.zeros((len(ROWS) // 2, n, n), dtype=bool)
    noun_pronoun, verb_subject, verb_object, released = links  # views of the array, which are filled below
    verb_rows = {"subject": verb_subject, "object": verb_object}
    verbs, subjects = np.zeros((2, n), dtype=bool)
    for each in placed:
        sentence, words = each.sentence, each.words
        has = feature_words(sentence)
        noun_pronoun |= np.outer(words[has["noun"]].any(0), words[has["pronoun"]].any(0))
        for feature in verb_rows:
            for verb, word in verb_links(sentence, feature, has[feature]):
                verb_rows[feature] |= np.outer(words[verb], words[word])
        for verb, subject in plain_subjects(sentence):
            verbs |= words[verb]
            subjects |= words[subject]
    in_order = (np.flatnonzero(same_tokens(token_ids, mask)) for mask in (verbs, subjects))
    for verb, subject in zip(*in_order, strict=False):
        released[verb, subject] = True
    links[:, range(n), range(n)] = False
    return np.stack([links, links.swapaxes(1, 2)], axis=1).reshape(len(ROWS), n, n)
