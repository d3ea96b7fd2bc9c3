"""Batches of sequences."""

import numpy as np

from bert_attention.models.batches import run_in_blocks
from bert_attention.statistics.sums import blocks_of


def test_sequences_come_in_order_from_batches_of_like_length_within_a_block():
    lengths = np.random.default_rng(0).integers(3, 20, 130).tolist()
    seen = []

    def run(places):
        seen.append(places)
        return [f"sequence {place}" for place in places]

    assert list(run_in_blocks(lengths, 4, run)) == [f"sequence {place}" for place in range(130)]
    blocks = [set(block) for block in blocks_of(range(130))]
    for places in seen:
        assert 1 <= len(places) <= 4
        assert any(block.issuperset(places) for block in blocks)
        assert [lengths[place] for place in places] == sorted((lengths[place] for place in places), reverse=True)


def test_no_sequences_are_no_batches():
    assert list(run_in_blocks([], 4, lambda places: places)) == []
