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
    """The tokens of an example that have each feature, and whether it counts in the feature's mean over examples.

    ``described``: the tokens that share characters with a word of the feature. ``released``: all tokens of the input
    that are the same wordpiece as one of these, wherever they stand; but negation goes by substrings of the text:
    "nor" is found in "normal", of which no wordpiece is it. [CLS] and [SEP] are the same in both variants.

    As described, an example counts if a token has the feature. As released, it always counts, as 0 if none has; but for
    negation it must hold a word of the list. In neither does it count for what tags tell, if its parse has none.

    Returns
    -------
    ``[variant, feature, token]`` and ``[variant, feature]``, in the order of ``VARIANTS`` and ``FEATURES``.

    Raises
    ------
    ValueError, KeyError
        As :func:`.placed_sentences`.
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
    """The highest of ``[..., token]`` among the tokens of each feature, ``[variant, feature, ...]``; 0 without any."""
    masks = tokens.reshape(tokens.shape[:2] + (1,) * (values.ndim - 1) + tokens.shape[-1:])
    return np.where(masks, values, 0).max(-1)


def same_tokens(token_ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """All tokens that are the same wordpiece as one in the mask, ``[token]``."""
    return np.isin(token_ids, token_ids[mask])


def _substring_negation(placed: Sequence[PlacedSentence]) -> tuple[bool, np.ndarray]:
    """Whether a text holds a word of the list as a substring, in its case, and the tokens that write one out.

    The code cuts the words found into wordpieces and looks for these. They are taken from where the word stands by
    itself, or begins another and is a wordpiece of its own, in any case (as in an uncased vocabulary).
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
    """The tokens that write out a span of a sentence, ``[token]``; none if they do not begin and end where it does."""
    start, end = (of_sentence.spans[0, 0] + place for place in span)
    starts, ends = of_sentence.token_spans.T
    inside = (starts >= start) & (ends <= end)
    fits = inside.any() and starts[inside].min() == start and ends[inside].max() == end
    return inside & fits
