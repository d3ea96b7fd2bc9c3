"""Sentence pairs as input of a translation model: subwords, their words, and teacher forcing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedTokenizerBase

from bert_attention.errors import InputError
from bert_attention.models.translation import TranslationModel
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD

Words = Sequence[str]


@dataclass(frozen=True)
class EncodedPair:
    """Subword ids of a sentence and its translation, and the word index of each subword, each ``[n]`` int64.

    Special tokens are included; their word index is ``NO_WORD``. The target is the sequence to predict.
    """

    source_ids: np.ndarray
    source_words: np.ndarray
    target_ids: np.ndarray
    target_words: np.ndarray


@dataclass(frozen=True)
class PairBatch:
    """A padded batch for teacher forcing.

    ``inputs`` holds the model's arguments: ``input_ids`` and ``attention_mask`` ``[pair, source]``,
    ``decoder_input_ids`` and ``decoder_attention_mask`` ``[pair, target]``, and ``use_cache``, which is off. In row t,
    the decoder reads the target's subword t - 1 (in row 0 the start symbol) and predicts subword t. This subword is
    ``labels[:, t]`` (``NO_LABEL`` on padding).
    """

    inputs: dict[str, torch.Tensor | bool]
    labels: torch.Tensor


def subwords(tokenizer: PreTrainedTokenizerBase, words: Words, target: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the subword ids of a sentence, with the special tokens of its side, and the word index of each subword.

    Every word is tokenized separately. So subwords can be mapped to words even if the tokenizer keeps no such map, as
    in the published Marian models. SentencePiece splits at spaces first, so the running sentence has the same subwords.
    ``target`` is True if the words are a translation, because source and target differ in some tokenizers. Ids and word
    indices, from 0 and ``NO_WORD`` for special tokens, are each ``[n]`` int64. Raise InputError if the tokenizer makes
    no subword of a word.
    """
    side = "text_target" if target else "text"
    encoded = tokenizer(**{side: list(words)}, is_split_into_words=True, verbose=False)
    ids = encoded["input_ids"]
    if tokenizer.is_fast:
        word_indices = [NO_WORD if word is None else word for word in encoded.word_ids()]
    else:
        cut = [tokenizer(**{side: word}, add_special_tokens=False)["input_ids"] for word in words]
        word_indices = _word_indices(ids, cut)
    missing = sorted(set(range(len(words))) - set(word_indices))
    if missing:
        where = f"word {missing[0] + 1} of the sentence {' '.join(words)!r}"
        problem = f"the tokenizer makes no subword of {words[missing[0]]!r}"
        raise InputError(where, problem, "remove the word from the corpus")
    return np.array(ids, dtype=np.int64), np.array(word_indices, dtype=np.int64)


def _word_indices(ids: list[int], cut: list[list[int]]) -> list[int]:
    """Return the word index of each id, given the ids of each word; special tokens can come before and after."""
    text = [subword_id for word in cut for subword_id in word]
    before = next(start for start in range(len(ids)) if ids[start : start + len(text)] == text)
    word_indices = [index for index, word in enumerate(cut) for _ in word]
    return [NO_WORD] * before + word_indices + [NO_WORD] * (len(ids) - before - len(text))


def encode_pairs(translation: TranslationModel, pairs: Iterable[tuple[Words, Words]]) -> list[EncodedPair]:
    """Return the subwords of sentences and their translations (see :func:`subwords`).

    Raise InputError if a side is empty, or exceeds the model's maximum length.
    """
    encoded = []
    for number, pair in enumerate(pairs, start=1):
        sides = []
        for words, target in zip(pair, (False, True), strict=True):
            where = f"sentence pair {number}, {'target' if target else 'source'} {' '.join(words)!r}"
            if not words:
                raise InputError(where, "has no words", "remove the pair from the corpus")
            ids, word_indices = subwords(translation.tokenizer, words, target)
            if translation.max_length is not None and len(ids) > translation.max_length:
                problem = f"has {len(ids)} subwords, but the model takes at most {translation.max_length}"
                raise InputError(where, problem, "remove the pair from the corpus, or split it")
            sides += [ids, word_indices]
        encoded.append(EncodedPair(*sides))
    return encoded


def teacher_forcing_batch(pairs: Sequence[EncodedPair], translation: TranslationModel) -> PairBatch:
    """Return a padded batch on the model's device."""
    config = translation.model.config
    device = translation.model.device
    source, source_mask = _padded_rows([pair.source_ids for pair in pairs], config.pad_token_id)
    target, target_mask = _padded_rows([pair.target_ids for pair in pairs], config.pad_token_id)
    start = torch.full((len(pairs), 1), config.decoder_start_token_id)
    inputs = {
        "input_ids": source,
        "attention_mask": source_mask,
        "decoder_input_ids": torch.cat([start, target[:, :-1]], dim=1),
        "decoder_attention_mask": target_mask,
    }
    labels = target.masked_fill(target_mask == 0, NO_LABEL)
    on_device = {name: tensor.to(device) for name, tensor in inputs.items()}
    # With a cache, some models (FSMT) assume that the target is being generated, and do not mask later subwords.
    return PairBatch({**on_device, "use_cache": False}, labels.to(device))


def _padded_rows(rows: Sequence[np.ndarray], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rows of ids, padded to ``[row, longest]``, and a mask that is 1 on real ids."""
    ids = nn.utils.rnn.pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True, padding_value=padding)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()
