"""The tokens of a model's input that have a linguistic feature, as described and as released (section 4.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.kovaleva.column_values import FEATURES, SPECIAL_TOKENS, VARIANTS, WORD_FEATURES
from bert_attention.kovaleva.word_features import NEGATIONS, feature_words
from bert_attention.kovaleva.word_positions import PlacedSentence, placed_sentences


def feature_positions(
    sequence: StoredSequence, example: TaskInput, parses: Mapping[str, Sequence[Sentence]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the tokens that have each feature, and of the features in whose mean the example counts.

    ``described`` takes the tokens that share characters with a word of the feature. ``released`` takes all tokens of
    the input that are the same wordpiece as one of these. Its negation goes by substrings of the text: "nor" is found
    in "normal", although no wordpiece of "normal" is "nor". [CLS] and [SEP] are the same in both variants.

    As described, an example counts if a token has the feature. As released, it always counts, as 0 if no token has the
    feature; but for negation it must contain a word of the list.

    Returns
    -------
    ``[variant, feature, token]`` and ``[variant, feature]``, in the order of ``VARIANTS`` and ``FEATURES``.

    Raises
    ------
    ValueError, KeyError
        As in :func:`.placed_sentences`.
    """
    token_ids, categories = sequence.token_ids, sequence.categories
    placed = placed_sentences(example, sequence.word_ids, parses)
    found = [{name: of.words[has].any(0) for name, has in feature_words(of.sentence).items()} for of in placed]
    described = {name: categories[name] for name in SPECIAL_TOKENS}
    described |= {name: np.any([masks[name] for masks in found], axis=0) for name in WORD_FEATURES}
    released = {name: same_tokens(token_ids, mask) for name, mask in described.items()}
    is_negated, negation = _substring_negation(placed)
    released["negation"] = same_tokens(token_ids, negation)
    tokens = np.array([[masks[feature] for feature in FEATURES] for masks in (described, released)])
    counts = np.ones((len(VARIANTS), len(FEATURES)), dtype=bool)
    counts[0] = tokens[0].any(-1)
    counts[1, FEATURES.index("negation")] = is_negated
    return tokens, counts


def highest(values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return the highest of ``[..., token]`` over each feature's tokens, ``[variant, feature, ...]``; 0 without any."""
    masks = tokens.reshape(tokens.shape[:2] + (1,) * (values.ndim - 1) + tokens.shape[-1:])
    return np.where(masks, values, 0).max(-1)


def same_tokens(token_ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return True for all tokens that are the same wordpiece as a token in the mask, ``[token]``."""
    return np.isin(token_ids, token_ids[mask])


def _substring_negation(placed: Sequence[PlacedSentence]) -> tuple[bool, np.ndarray]:
    """Return True if a text contains a word of the list (case-sensitive), and the tokens that spell these words.

    The released code cuts the words found into wordpieces and looks for these. Here the tokens are taken from where the
    word stands by itself, or begins another word and is made of whole wordpieces. Case is ignored, as in an uncased
    vocabulary.
    """
    texts = [(of_sentence.sentence.comment("text") or "", of_sentence) for of_sentence in placed]
    tokens = np.zeros(len(placed[0].token_spans), dtype=bool)
    found = [word for word in NEGATIONS if any(word in text for text, _ in texts)]
    for word in found:
        for text, of_sentence in texts:
            for match in re.finditer(rf"(?<!\w){word}", text, re.IGNORECASE):
                tokens |= _written_out(of_sentence, match.span())
    return bool(found), tokens


def _written_out(of_sentence: PlacedSentence, span: tuple[int, int]) -> np.ndarray:
    """Return the tokens that spell a span of a sentence, ``[token]``; none if token and span boundaries differ."""
    start, end = (of_sentence.spans[0, 0] + place for place in span)
    starts, ends = of_sentence.token_spans.T
    inside = (starts >= start) & (ends <= end)
    fits = inside.any() and starts[inside].min() == start and ends[inside].max() == end
    return inside & fits
