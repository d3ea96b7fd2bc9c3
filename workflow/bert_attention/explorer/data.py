"""The page's data on a sequence: its tokens and words, and its arrays in a compact binary form.

A length or weight v between 0 and a scale is stored in one byte, ``round(255 * sqrt(v / scale))``. Small values keep
more digits than large ones, and the error of v is at most ``scale * (sqrt(v / scale) / 255 + 1 / (4 * 255**2))``.
Attention has the scale 1. Numbers in vectors of neurons are stored in one signed byte each. All arrays of a sequence
are joined, deflated and encoded in base64. Browsers can decode both without a library.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

# Limits of a page of an edition: the number of sequences, the bytes of their arrays, and the further bytes of queries
# and keys, which the first sequences get. The first sequence always gets them: for 49 tokens in an encoder of
# bert-base's size, they need 1.05 MB. The whole page then remains below 5 MB.
SEQUENCES = 10
ARRAY_BYTES = 3_500_000
NEURON_BYTES = 1_000_000

# The largest code of a byte.
_CODES = 255
# The largest code of a signed byte.
_SIGNED_CODES = 127

# Queries and keys, [layer, head, token, d_head] each, and the position bias that the model adds to the scores of every
# layer, [head, query, key], or None.
Vectors = tuple[np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True)
class ShownTokens:
    """Texts to display for n tokens. A special token is its own word."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    word_of: np.ndarray  # [n], the index of each token's word, ascending
    special: np.ndarray  # [n], True for special tokens
    part_of: np.ndarray  # [n], the part of the input that a token belongs to, from 0: a sentence, or another division

    def packed(self) -> dict:
        """Return the texts in a form that is ready for JSON."""
        return {
            "tokens": list(self.tokens),
            "words": list(self.words),
            "word_of": self.word_of.tolist(),
            "special": self.special.astype(int).tolist(),
            "part_of": self.part_of.tolist(),
        }


def parts_between(special: np.ndarray) -> np.ndarray:
    """Return the part of each token, ``[n]``. Special tokens end parts: ``[CLS] a [SEP] b [SEP]`` is 0 0 0 1 1."""
    begins = ~special & np.concatenate([[True], special[:-1]])
    return np.maximum(np.cumsum(begins) - 1, 0)


@dataclass(frozen=True)
class ShownSequence:
    """A sequence as the page shows it. Norms are None if they are unknown."""

    queries: ShownTokens  # the tokens that attend
    attention: np.ndarray  # [layer, head, query, key], after the softmax
    value_norms: np.ndarray | None = None  # [layer, head, key], ||f_h(x_j)||
    summed_norms: np.ndarray | None = None  # [layer, query, key], ||sum_h alpha f||
    keys: ShownTokens | None = None  # the tokens that are attended to; None if they are the queries


def packed(sequence: ShownSequence) -> dict:
    """Return a sequence as the page reads it, ready for JSON.

    ``sides`` holds the tokens that attend and, if they differ, the tokens that are attended to. ``arrays`` holds
    attention (a byte each) and, if there are norms, summed norms (a byte each) and value norms (float32,
    little-endian), in this order. ``summed_scales`` is the scale of each layer's summed norms.
    """
    content: dict = {"sides": [side.packed() for side in (sequence.queries, sequence.keys) if side]}
    arrays = [square_root_codes(sequence.attention, 1.0)]
    if sequence.value_norms is not None and sequence.summed_norms is not None:
        summed, content["summed_scales"] = _by_layer(sequence.summed_norms, square_root_codes)
        arrays += [summed, sequence.value_norms.astype("<f4")]
    return content | {"arrays": _deflated(arrays)}


def packed_neurons(queries: np.ndarray, keys: np.ndarray, bias: np.ndarray | None = None) -> dict:
    """Return a sequence's query and key vectors and position bias (see ``Vectors``), to add to :func:`packed`.

    ``neurons`` holds queries and keys. ``neuron_scales`` holds the scales of all layers' queries, then keys.
    ``position_bias`` holds the bias (float32, little-endian). Without a bias, there is no such entry.
    """
    (query_codes, query_scales), (key_codes, key_scales) = (
        _by_layer(vectors, signed_codes) for vectors in (queries, keys)
    )
    return {
        "neurons": _deflated((query_codes, key_codes)),
        "neuron_scales": [query_scales, key_scales],
        "neuron_count": queries.shape[-1],
        **({} if bias is None else {"position_bias": _deflated([bias.astype("<f4")])}),
    }


def square_root_codes(values: np.ndarray, scale: float) -> np.ndarray:
    """Encode values between 0 and ``scale`` in one byte each."""
    return np.rint(_CODES * np.sqrt(np.clip(values / scale, 0, 1))).astype(np.uint8)


def signed_codes(values: np.ndarray, scale: float) -> np.ndarray:
    """Encode values between ``-scale`` and ``scale`` in one signed byte each."""
    return np.rint(_SIGNED_CODES * np.clip(values / scale, -1, 1)).astype(np.int8)


def _by_layer(values: np.ndarray, codes: Callable[[np.ndarray, float], np.ndarray]) -> tuple[np.ndarray, list[float]]:
    """Return the codes of ``[layer, ...]``, each layer with its own scale, and the scales."""
    scales = [float(np.abs(layer).max()) or 1.0 for layer in values]
    return np.stack([codes(layer, scale) for layer, scale in zip(values, scales, strict=True)]), scales


def _deflated(arrays: Iterable[np.ndarray]) -> str:
    return base64.b64encode(zlib.compress(b"".join(array.tobytes() for array in arrays), 9)).decode("ascii")


def packed_within(sequences: Iterable[ShownSequence], count: int = SEQUENCES, budget: int = ARRAY_BYTES) -> list[dict]:
    """Return the first sequences, packed: at most ``count``, with at most ``budget`` bytes of arrays together.

    The list ends before the first sequence that exceeds the budget, but has at least one sequence. Sequences after it
    are not read.
    """
    found: list[dict] = []
    left = budget
    for sequence in islice(sequences, count):
        content = packed(sequence)
        left -= len(content["arrays"])
        if found and left < 0:
            break
        found.append(content)
    return found


def add_neurons(contents: Sequence[dict], vectors: Iterable[Vectors], budget: int = NEURON_BYTES) -> None:
    """Add vectors of neurons to the first packed sequences, with at most ``budget`` bytes together.

    The first sequence always gets its vectors, so that the view of neurons is never empty.
    """
    left = budget
    for i, (content, arrays) in enumerate(zip(contents, vectors, strict=False)):
        neurons = packed_neurons(*arrays)
        left -= len(neurons["neurons"]) + len(neurons.get("position_bias", ""))
        if i and left < 0:
            break
        content.update(neurons)
