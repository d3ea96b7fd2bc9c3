"""Sentences with frames as inputs of an encoder: their linked tokens, and the attention between all tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.corpora.types import FramedSentence, Wordpieces
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import VARIANTS
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import Span, encode_segments, segment_of, tokenize, tokenize_as_written


@dataclass(frozen=True)
class FrameLinks:
    """The linked tokens of one input, as indices in the input ([CLS] is at 0).

    Attributes
    ----------
    pairs
        By variant, ``[pair, 2]`` int: a token of a frame element and a token of the predicate. It can have no rows.
    text
        Indices of the sentence's own tokens, without the special tokens.
    """

    pairs: dict[str, np.ndarray]
    text: range


def framed_inputs(
    sentences: Sequence[FramedSentence], tokenizer: Tokenizer, corpus: str
) -> tuple[list[EncodedSequence], list[FrameLinks]]:
    """Encode each sentence as ``[CLS] sentence [SEP]``, with its linked tokens (Kovaleva et al. 2019, section 4.2).

    Variant ``described`` links every token of a core frame element with every token of the predicate. Tokens belong to
    an element or the predicate by their characters.

    Variant ``released`` follows the authors' code. It tokenizes predicate and elements by themselves and takes the
    first token of the sentence that equals each wordpiece (in 4 of the authors' 473 sentences, the wrong token). Then
    it links the first wordpiece of all elements with the first of the predicate, the second with the second, and so on,
    until either runs out. So with a predicate of one wordpiece, only the first wordpiece of the first element counts. A
    sentence that lacks one of these wordpieces has no pairs.

    The authors' code pads inputs to 20 tokens, which changes no attention between real tokens. Longer sentences (two of
    its 473) are whole here.

    Parameters
    ----------
    corpus
        File of the sentences, for messages.

    Raises
    ------
    InputError
        If a sentence has no wordpiece; the message gives its number from 1.
    """
    tokenized = tokenize_as_written(tokenizer, [sentence.text for sentence in sentences])
    for number, text in enumerate(tokenized, start=1):
        if not text.wordpieces:
            problem = "has no wordpiece in the model's vocabulary"
            raise InputError(f"{corpus}, sentence {number}", problem, "correct or leave out the sentence")
    segments = [segment_of("", text) for text in tokenized]
    opening = len(tokenizer.layout.opening)
    links = []
    for sentence, text in zip(sentences, tokenized, strict=True):
        parts = [sentence.target, *((element.start, element.end) for element in sentence.elements)]
        predicate, *elements = tokenize(tokenizer, [sentence.text[start:end] for start, end in parts])
        pairs = {
            "described": described_pairs(sentence, text.spans),
            "released": released_pairs(text.wordpieces, predicate, elements),
        }
        placed = {variant: np.array(found, dtype=int).reshape(-1, 2) + opening for variant, found in pairs.items()}
        links.append(FrameLinks(placed, range(opening, opening + len(text.wordpieces))))
    return encode_segments(segments, tokenizer, "zeros", corpus), links


def drop_too_long(
    sequences: Sequence[EncodedSequence], links: Sequence[FrameLinks], budget: int, corpus: str
) -> tuple[list[EncodedSequence], list[FrameLinks], Counter[str]]:
    """Return the inputs of at most ``budget`` tokens, with their links, and counts of the others, by reason.

    Raises
    ------
    InputError
        If no input is left, or no input has linked tokens.
    """
    fitting = [place for place, sequence in enumerate(sequences) if len(sequence) <= budget]
    if not fitting:
        problem = f"no sentence has at most {budget} tokens, which is all that the model takes"
        raise InputError(corpus, problem, "give shorter sentences")
    for variant in VARIANTS:
        if not any(len(links[place].pairs[variant]) for place in fitting):
            problem = f"no sentence has tokens of a core frame element and of its predicate ({variant})"
            raise InputError(corpus, problem, "give sentences with elements; README.md names a corpus that has them")
    left_out = Counter({f"sentences of more than {budget} tokens": len(sequences) - len(fitting)})
    return [sequences[place] for place in fitting], [links[place] for place in fitting], left_out


def described_pairs(sentence: FramedSentence, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return pairs of each wordpiece of a frame element with each of the predicate, as indices in ``spans``.

    A wordpiece that belongs to both is not linked with itself.
    """
    predicate = _wordpieces_in(sentence.target, spans)
    elements = [_wordpieces_in((element.start, element.end), spans) for element in sentence.elements]
    return [pair for element in elements for pair in product(element, predicate) if pair[0] != pair[1]]


def _wordpieces_in(part: Span, spans: Sequence[Span]) -> list[int]:
    return [place for place, (start, end) in enumerate(spans) if start < part[1] and part[0] < end]


def released_pairs(
    wordpieces: Wordpieces, predicate: Wordpieces, elements: Sequence[Wordpieces]
) -> list[tuple[int, int]]:
    """Pair off the wordpieces of all frame elements with the predicate's, as indices of their first occurrences.

    The list is empty if a wordpiece of a pair is not in the sentence.
    """
    linked = list(zip((piece for element in elements for piece in element), predicate, strict=False))
    if not {piece for pair in linked for piece in pair} <= set(wordpieces):
        return []
    return [(wordpieces.index(of_element), wordpieces.index(of_predicate)) for of_element, of_predicate in linked]


def attention_maps(encoder: HookedEncoder, sequences: Sequence[EncodedSequence], pad_id: int) -> list[np.ndarray]:
    """Return the attention ``[layer, head, query, key]`` of each sequence of a batch, float32."""
    maps = run(encoder, *padded_batch(sequences, pad_id))
    attention = torch.stack(maps.attention, dim=1).float().cpu().numpy()
    return [of_one[:, :, : len(one), : len(one)] for of_one, one in zip(attention, sequences, strict=True)]
