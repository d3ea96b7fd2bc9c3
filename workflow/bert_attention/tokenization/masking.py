"""Masking of tokens, as in BERT's training (Devlin et al. 2019, section 3.1) or by [MASK] alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD, EncodedSequence

MASK_RATE = 0.15


def mask_tokens(
    token_ids: np.ndarray, maskable: np.ndarray, mask_id: int, vocabulary: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Mask 15% of the maskable tokens of one sequence, at least one: 80% become [MASK], 10% a random token.

    ``token_ids`` and ``maskable`` are ``[n]``; all but special tokens are maskable. Random tokens are drawn from the
    first ``vocabulary`` ids. Return the token ids ``[n]`` to feed to the model, and labels ``[n]``: the original id of
    each chosen token, changed or not, and ``NO_LABEL`` elsewhere.
    """
    indices = np.flatnonzero(maskable)
    chosen = random.permutation(indices)[: max(1, round(MASK_RATE * len(indices)))] if len(indices) else indices
    kinds = random.random(len(chosen))
    masked = token_ids.copy()
    masked[chosen[kinds < 0.8]] = mask_id
    others = chosen[(kinds >= 0.8) & (kinds < 0.9)]
    masked[others] = random.integers(0, vocabulary, len(others))
    labels = np.full_like(token_ids, NO_LABEL)
    labels[chosen] = token_ids[chosen]
    return masked, labels


def mask_sequences(
    sequences: Sequence[EncodedSequence], mask_id: int, share: float, seed: int, first: int = 0
) -> list[EncodedSequence]:
    """Replace a share of each sequence's tokens by [MASK], as Kobayashi et al. 2021 do before they measure mixing.

    Their ``mixing_ratio_stats_bert.py`` replaces ``max(1, int(share * n))`` of the n tokens that are not special, drawn
    without replacement. The sequences are a corpus, or a part of a corpus whose first sequence has the index ``first``.
    The masked tokens depend on a sequence's index in the corpus, so they are the same in every part.
    """
    masked = []
    for index, sequence in enumerate(sequences, start=first):
        maskable = np.flatnonzero(sequence.word_ids != NO_WORD)
        count = max(1, int(share * len(maskable)))
        token_ids = sequence.token_ids.copy()
        token_ids[np.random.default_rng([seed, index]).permutation(maskable)[:count]] = mask_id
        masked.append(replace(sequence, token_ids=token_ids))
    return masked
