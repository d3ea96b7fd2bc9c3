"""Inputs of an encoder from sentences with frames: their linked tokens, and the attention between all tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.corpora.types import FramedSentence, Wordpieces, clusters_of_examples
from bert_attention.errors import InputError
from bert_attention.models.inputs import padded_batch
from bert_attention.papers.kovaleva.columns import VARIANTS
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import Span, encode_segments, segment_of, tokenize, tokenize_as_written


@dataclass(frozen=True)
class FrameLinks:
    """The linked tokens of one input, as indices in the input ([CLS] is at 0)."""

    pairs: dict[str, np.ndarray]  # [pair, 2] by variant: tokens of a frame element and of the predicate; can be empty
    text: range  # indices of the tokens that are not special
    cluster: int  # the text that contains the sentence: sentences of one text are not independent


def framed_inputs(
    sentences: Sequence[FramedSentence], tokenizer: Tokenizer, corpus: str
) -> tuple[list[EncodedSequence], list[FrameLinks]]:
    """Encode each sentence as ``[CLS] sentence [SEP]``, with its linked tokens (Kovaleva et al. 2019, section 4.2).

    Variant ``described`` links every token of a core frame element with every token of the predicate. A token belongs
    to an element or the predicate if they share a character.

    Variant ``released`` follows the authors' code, which tokenizes predicate and elements separately. Each of their
    wordpieces stands for the first equal token of the sentence. (This is the wrong token in 4 of the authors' 473
    sentences.) The first wordpiece of all elements is linked with the first of the predicate, the second with the
    second, and so on, until either runs out. If the predicate is one wordpiece, only the first wordpiece of the first
    element is linked. If the sentence lacks one of these wordpieces, no tokens are linked.

    The authors' code pads inputs to 20 tokens, which changes no attention between real tokens. Longer sentences (2 of
    its 473) are kept whole here. Raise InputError if a sentence has no wordpiece. The message names the file ``corpus``
    and the sentence's number, from 1.
    """
    tokenized = tokenize_as_written(tokenizer, [sentence.text for sentence in sentences])
    for number, text in enumerate(tokenized, start=1):
        if not text.wordpieces:
            problem = "has no wordpiece in the model's vocabulary"
            raise InputError(f"{corpus}, sentence {number}", problem, "correct or leave out the sentence")
    segments = [segment_of("", text) for text in tokenized]
    opening = len(tokenizer.layout.opening)
    links = []
    for sentence, text, cluster in zip(sentences, tokenized, clusters_of_examples(sentences), strict=True):
        parts = [sentence.target, *((element.start, element.end) for element in sentence.elements)]
        predicate, *elements = tokenize(tokenizer, [_with_space(sentence.text, *part) for part in parts])
        pairs = {
            "described": described_pairs(sentence, text.spans),
            "released": released_pairs(text.wordpieces, predicate, elements),
        }
        in_input = {variant: np.array(linked, dtype=int).reshape(-1, 2) + opening for variant, linked in pairs.items()}
        links.append(FrameLinks(in_input, range(opening, opening + len(text.wordpieces)), cluster))
    return encode_segments(segments, tokenizer, "zeros", corpus), links


def _with_space(text: str, start: int, end: int) -> str:
    """Return a part of a text with the space before it, which byte-level tokenizers make a part of the word."""
    return " " * text[:start].endswith(" ") + text[start:end]


def drop_too_long(
    sequences: Sequence[EncodedSequence], links: Sequence[FrameLinks], max_length: int, corpus: str
) -> tuple[list[EncodedSequence], list[FrameLinks], Counter[str]]:
    """Return the inputs of at most ``max_length`` tokens, with their links, and the number of other inputs by reason.

    Raise InputError if no input is left, or no input has linked tokens.
    """
    kept = [index for index, sequence in enumerate(sequences) if len(sequence) <= max_length]
    if not kept:
        problem = f"no sentence has at most {max_length} tokens, the model's maximum length"
        raise InputError(corpus, problem, "give shorter sentences")
    for variant in VARIANTS:
        if not any(len(links[index].pairs[variant]) for index in kept):
            problem = f"no sentence has tokens of a core frame element and of its predicate (variant {variant!r})"
            raise InputError(corpus, problem, "give sentences with frame elements; docs/editions.md names corpora")
    left_out = Counter({f"sentences of more than {max_length} tokens": len(sequences) - len(kept)})
    return [sequences[index] for index in kept], [links[index] for index in kept], left_out


def described_pairs(sentence: FramedSentence, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return pairs of each wordpiece of a frame element and each wordpiece of the predicate, as indices in ``spans``.

    A wordpiece that belongs to both is not linked with itself.
    """
    predicate = _wordpieces_in(sentence.target, spans)
    elements = [_wordpieces_in((element.start, element.end), spans) for element in sentence.elements]
    return [pair for element in elements for pair in product(element, predicate) if pair[0] != pair[1]]


def _wordpieces_in(part: Span, spans: Sequence[Span]) -> list[int]:
    return [index for index, (start, end) in enumerate(spans) if start < part[1] and part[0] < end]


def released_pairs(
    wordpieces: Wordpieces, predicate: Wordpieces, elements: Sequence[Wordpieces]
) -> list[tuple[int, int]]:
    """Return pairs of the k-th wordpiece of all frame elements and the k-th of the predicate, for each k.

    The indices are those of the first equal wordpieces of the sentence. The list is empty if the sentence lacks one.
    """
    linked = list(zip((piece for element in elements for piece in element), predicate, strict=False))
    if not {piece for pair in linked for piece in pair} <= set(wordpieces):
        return []
    return [(wordpieces.index(element_piece), wordpieces.index(piece)) for element_piece, piece in linked]


def attention_maps(encoder: HookedEncoder, sequences: Sequence[EncodedSequence], pad_id: int) -> list[np.ndarray]:
    """Return the attention ``[layer, head, query, key]`` of each sequence of a batch, float32."""
    maps = run(encoder, *padded_batch(sequences, pad_id))
    attention = torch.stack(maps.attention, dim=1).float().cpu().numpy()
    lengths = map(len, sequences)
    return [padded[:, :, :length, :length] for padded, length in zip(attention, lengths, strict=True)]
