import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.tokenization.masking import mask_sequences, mask_tokens
from bert_attention.tokenization.sequences import NO_LABEL, NO_WORD, EncodedSequence

MASK, VOCABULARY = 103, 1000


def test_fifteen_per_cent_are_masked_in_the_shares_of_bert():
    random = np.random.default_rng(0)
    token_ids = random.integers(200, VOCABULARY, 200_000)
    masked, labels = mask_tokens(token_ids, np.ones(200_000, dtype=bool), MASK, VOCABULARY, random)
    chosen = labels != NO_LABEL
    assert chosen.sum() == 30_000
    assert abs((masked[chosen] == MASK).mean() - 0.8) < 0.01
    assert abs((masked[chosen] == token_ids[chosen]).mean() - 0.1) < 0.01
    assert (labels[chosen] == token_ids[chosen]).all()


def test_masked_tokens_do_not_depend_on_the_part_of_the_corpus():
    sequences = [EncodedSequence(np.arange(200, 240), np.zeros(40), np.arange(40)) for _ in range(5)]
    whole = mask_sequences(sequences, MASK, 0.12, seed=7)
    parts = [*mask_sequences(sequences[:2], MASK, 0.12, 7), *mask_sequences(sequences[2:], MASK, 0.12, 7, first=2)]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.token_ids, other.token_ids)
    assert (whole[0].token_ids != whole[1].token_ids).any()
    assert set(np.setdiff1d(whole[0].token_ids, sequences[0].token_ids)) == {MASK}


@given(st.integers(1, 60), st.integers(0, 99))
def test_special_tokens_are_never_masked_and_at_least_one_other_token_is(size, seed):
    random = np.random.default_rng(seed)
    maskable = random.random(size) < 0.8
    token_ids = np.arange(200, 200 + size)
    masked, labels = mask_tokens(token_ids, maskable, MASK, VOCABULARY, random)
    assert (masked[~maskable] == token_ids[~maskable]).all()
    assert not (labels[~maskable] != NO_LABEL).any()
    assert (labels != NO_LABEL).sum() == (max(1, round(0.15 * maskable.sum())) if maskable.any() else 0)
    sequence = EncodedSequence(token_ids, np.zeros(size), np.where(maskable, np.arange(size), NO_WORD))
    changed = mask_sequences([sequence], MASK, 0.12, seed)[0].token_ids != token_ids
    assert changed.sum() == min(maskable.sum(), max(1, int(0.12 * maskable.sum())))
    assert not changed[~maskable].any()
