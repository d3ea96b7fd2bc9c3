"""Batches of sequences of similar length."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.models.batches import batches_of_like_cost, batches_of_like_length, run_in_blocks
from bert_attention.statistics.sums import blocks_of


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 8))
def test_batches_hold_each_sequence_once_and_no_more_cells_than_the_first(lengths, batch_size):
    for batches_of in (batches_of_like_length, batches_of_like_cost):
        batches = batches_of(lengths, batch_size)
        places = [place for batch in batches for place in batch]
        assert sorted(places) == list(range(len(lengths)))
        assert [lengths[place] for place in places] == sorted(lengths, reverse=True)
        for batch in batches:
            assert len(batch) * lengths[batch[0]] ** 2 <= batch_size * max(lengths) ** 2
            assert batch is batches[-1] or len(batch) >= batch_size
            assert batches_of is batches_of_like_cost or len(batch) <= batch_size


def test_results_come_in_order_from_batches_of_like_length_within_a_block():
    lengths = np.random.default_rng(0).integers(3, 20, 130).tolist()
    seen = []

    def run(places):
        seen.append(places)
        return [f"sequence {place}" for place in places]

    assert list(run_in_blocks([], 4, run)) == []
    assert list(run_in_blocks(lengths, 4, run)) == [f"sequence {place}" for place in range(130)]
    blocks = [set(block) for block in blocks_of(range(130))]
    for places in seen:
        assert 1 <= len(places) <= 4
        assert any(block.issuperset(places) for block in blocks)
        assert [lengths[place] for place in places] == sorted((lengths[place] for place in places), reverse=True)
