"""Model input made of words, with the wordpieces of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bert_attention.corpora.types import Wordpieces
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import tokenize, wordpiece_ids


def wordpieces_of_words(texts: Iterable[Sequence[str]], tokenizer: Tokenizer) -> Iterator[tuple[Wordpieces, ...]]:
    """Yield the wordpieces of every word of each text. A word has none if the tokenizer drops all its characters."""
    known: dict[str, Wordpieces] = {}
    for words in texts:
        new = sorted(set(words) - known.keys())
        known.update(zip(new, tokenize(tokenizer, new), strict=True))
        yield tuple(known[word] for word in words)


def encode_words(words: Sequence[Wordpieces], tokenizer: Tokenizer) -> EncodedSequence:
    """Encode one sentence or document as model input, ``[CLS] words [SEP]``, with all segment ids 0.

    Raises
    ------
    ValueError
        If a word has no wordpieces.
    """
    layout = tokenizer.layout
    if () in words:
        raise ValueError(f"word {words.index(()) + 1} has no wordpiece in the model's vocabulary")
    inside = wordpiece_ids([wordpiece for word in words for wordpiece in word], tokenizer)
    word_ids = np.repeat(np.arange(len(words)), [len(word) for word in words])
    opening, closing = (np.full(len(ids), NO_WORD) for ids in (layout.opening, layout.closing))
    token_ids = np.array([*layout.opening, *inside, *layout.closing], dtype=np.int32)
    return EncodedSequence(
        token_ids, np.zeros_like(token_ids), np.concatenate([opening, word_ids, closing]).astype(np.int32)
    )
