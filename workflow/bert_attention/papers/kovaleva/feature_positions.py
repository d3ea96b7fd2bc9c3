"""Tokens that have a linguistic feature, by the paper's text and by its code (Kovaleva et al. 2019, section 4.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.papers.kovaleva.columns import FEATURES, SPECIAL_TOKENS, VARIANTS, WORD_FEATURES
from bert_attention.papers.kovaleva.word_features import NEGATIONS, feature_words
from bert_attention.papers.kovaleva.word_positions import PlacedSentence, placed_sentences


def feature_positions(
    sequence: StoredSequence, example: TaskInput, parses: Mapping[str, Sequence[Sentence]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the tokens that have each feature, and of the features in whose mean the example counts.

    Variant ``described``: a token has a feature if it shares characters with a word that has the feature. An example
    counts if one of its tokens has the feature.

    Variant ``released``: all tokens that are the same wordpiece as such a token have the feature, too. Negation is
    searched as a substring of the text: "nor" is found in "normal", although no wordpiece of "normal" is "nor". An
    example always counts, as 0 if no token has the feature. For negation, it counts if the text contains a word of the
    list. [CLS] and [SEP] are the same in both variants. The masks are ``[variant, feature, token]`` and
    ``[variant, feature]``, in the order of ``VARIANTS`` and ``FEATURES``. Errors are those of
    :func:`.placed_sentences`.
    """
    token_ids, categories = sequence.token_ids, sequence.categories
    placed = placed_sentences(example, sequence.word_ids, parses)
    by_sentence = [
        {name: each.words[has].any(0) for name, has in feature_words(each.sentence).items()} for each in placed
    ]
    described = {name: categories[name] for name in SPECIAL_TOKENS}
    described |= {name: np.any([masks[name] for masks in by_sentence], axis=0) for name in WORD_FEATURES}
    released = {name: same_tokens(token_ids, mask) for name, mask in described.items()}
    is_negated, negation = _substring_negation(placed)
    released["negation"] = same_tokens(token_ids, negation)
    tokens = np.array([[masks[feature] for feature in FEATURES] for masks in (described, released)])
    counts = np.ones((len(VARIANTS), len(FEATURES)), dtype=bool)
    counts[0] = tokens[0].any(-1)
    counts[1, FEATURES.index("negation")] = is_negated
    return tokens, counts


def max_over_tokens(values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return the maximum of ``[..., token]`` over each feature's tokens, ``[variant, feature, ...]``; 0 if none."""
    masks = tokens.reshape(tokens.shape[:2] + (1,) * (values.ndim - 1) + tokens.shape[-1:])
    return np.where(masks, values, 0).max(-1)


def same_tokens(token_ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return a mask of all tokens that are the same wordpiece as a token in the mask, ``[token]``."""
    return np.isin(token_ids, token_ids[mask])


def _substring_negation(placed: Sequence[PlacedSentence]) -> tuple[bool, np.ndarray]:
    """Return True if a text contains a word of the list (case-sensitive), and the tokens that spell these words.

    The released code tokenizes these words and looks for their wordpieces. Here the tokens are those where the word
    stands alone, or where it begins another word and ends with a wordpiece. Their case is ignored, as in an uncased
    vocabulary.
    """
    texts = [(each.sentence.comment("text") or "", each) for each in placed]
    tokens = np.zeros(len(placed[0].token_spans), dtype=bool)
    contained = [word for word in NEGATIONS if any(word in text for text, _ in texts)]
    for word in contained:
        for text, sentence in texts:
            for match in re.finditer(rf"(?<!\w){word}", text, re.IGNORECASE):
                tokens |= _tokens_of_span(sentence, match.span())
    return bool(contained), tokens


def _tokens_of_span(placed: PlacedSentence, span: tuple[int, int]) -> np.ndarray:
    """Return a mask of the tokens that spell a span of a sentence, ``[token]``; empty if their boundaries differ."""
    start, end = (placed.spans[0, 0] + offset for offset in span)
    starts, ends = placed.token_spans.T
    inside = (starts >= start) & (ends <= end)
    fits = inside.any() and starts[inside].min() == start and ends[inside].max() == end
    return inside & fits
