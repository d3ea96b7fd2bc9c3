"""What the page knows of a sequence: its tokens and words, and its arrays in a compact binary form.

A length or weight v between 0 and a scale is kept in one byte, ``round(255 * sqrt(v / scale))``: small values keep more
digits than large ones, and v is off by at most ``scale * (sqrt(v / scale) / 255 + 1 / (4 * 255**2))``. Attention has the
scale 1. Vectors of neurons are kept in one signed byte a number. All arrays of a sequence stand one after another, are
deflated and written in base64; browsers can undo both by themselves.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

# The largest code of a byte.
_CODES = 255
# The largest code of a signed byte.
_SIGNED_CODES = 127


@dataclass(frozen=True)
class ShownSequence:
    """A sequence of n tokens as the page shows it.

    Attributes
    ----------
    tokens, words
        What is written for each token, and for each word; a special token is a word of its own.
    word_of
        The place of each token's word: ``[n]``, ascending.
    special
        Whether each token is special: ``[n]``.
    attention
        ``[layer, head, query, key]``, after the softmax.
    value_norms
        ``||f_h(x_j)||``: ``[layer, head, key]``.
    summed_norms
        ``||sum_h alpha f||``: ``[layer, query, key]``.
    queries, keys
        The query and the key vector of each token in each head, ``[layer, head, token, d_head]``, or None.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    word_of: np.ndarray
    special: np.ndarray
    attention: np.ndarray
    value_norms: np.ndarray
    summed_norms: np.ndarray
    queries: np.ndarray | None = None
    keys: np.ndarray | None = None


def packed(sequence: ShownSequence) -> dict:
    """A sequence as the page reads it, ready for JSON.

    ``arrays`` holds attention, summed norms (a byte each) and value norms (float32, little-endian), in this order;
    ``neurons``, where there are any, queries and keys. ``summed_scales`` is the scale of each layer's summed norms,
    ``neuron_scales`` that of each layer's queries and keys.
    """
    summed, summed_scales = _by_layer(sequence.summed_norms, square_root_codes)
    arrays = (square_root_codes(sequence.attention, 1.0), summed, sequence.value_norms.astype("<f4"))
    content = {
        "tokens": list(sequence.tokens),
        "words": list(sequence.words),
        "word_of": sequence.word_of.tolist(),
        "special": sequence.special.astype(int).tolist(),
        "summed_scales": summed_scales,
        "arrays": _deflated(arrays),
    }
    if sequence.queries is None:
        return content
    (queries, query_scales), (keys, key_scales) = (
        _by_layer(vectors, signed_codes) for vectors in (sequence.queries, sequence.keys)
    )
    return content | {
        "neurons": _deflated((queries, keys)),
        "neuron_scales": [query_scales, key_scales],
        "neuron_count": sequence.queries.shape[-1],
    }


def square_root_codes(values: np.ndarray, scale: float) -> np.ndarray:
    """Values between 0 and ``scale`` in a byte each."""
    return np.rint(_CODES * np.sqrt(np.clip(values / scale, 0, 1))).astype(np.uint8)


def signed_codes(values: np.ndarray, scale: float) -> np.ndarray:
    """Values between ``-scale`` and ``scale`` in a signed byte each."""
    return np.rint(_SIGNED_CODES * np.clip(values / scale, -1, 1)).astype(np.int8)


def _by_layer(
    values: np.ndarray, codes: Callable[[np.ndarray, float], np.ndarray]
) -> tuple[np.ndarray, list[float]]:
    """Codes of ``[layer, ...]``, each layer with a scale of its own, and these scales."""
    scales = [float(np.abs(layer).max()) or 1.0 for layer in values]
    return np.stack([codes(layer, scale) for layer, scale in zip(values, scales, strict=True)]), scales


def _deflated(arrays: Iterable[np.ndarray]) -> str:
    return base64.b64encode(zlib.compress(b"".join(array.tobytes() for array in arrays), 9)).decode("ascii")


def packed_within(
    sequences: Iterable[Callable[[], ShownSequence]], count: int, budget: int
) -> list[dict]:
    """The first sequences, packed: at most ``count``, and no more than have ``budget`` bytes together.

    Sequences are read one at a time, as functions. The first that does not fit ends the list, but there is always one.
    """
    found: list[dict] = []
    left = budget
    for read in islice(sequences, count):
        content = packed(read())
        left -= size_of(content)
        if found and left < 0:
            break
        found.append(content)
    return found


def size_of(content: dict) -> int:
    """Bytes that a packed sequence takes in the page, nearly."""
    return sum(len(content.get(name, "")) for name in ("arrays", "neurons"))


def shortest_first(lengths: Sequence[int]) -> list[int]:
    """Places of sequences, the shortest first; those of one length stay in order."""
    return np.argsort(np.asarray(lengths), kind="stable").tolist()
