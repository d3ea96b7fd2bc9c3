import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.models.batches import batches_by_cost, batches_by_length, run_in_blocks
from bert_attention.statistics.sums import blocks_of


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 8))
def test_batches_hold_each_sequence_once_and_no_more_cells_than_the_first(lengths, batch_size):
    for make_batches in (batches_by_length, batches_by_cost):
        batches = make_batches(lengths, batch_size)
        indices = [index for batch in batches for index in batch]
        assert sorted(indices) == list(range(len(lengths)))
        assert [lengths[index] for index in indices] == sorted(lengths, reverse=True)
        for batch in batches:
            assert len(batch) * lengths[batch[0]] ** 2 <= batch_size * max(lengths) ** 2
            assert batch is batches[-1] or len(batch) >= batch_size
            assert make_batches is batches_by_cost or len(batch) <= batch_size


def test_results_come_in_order_from_batches_of_like_length_within_a_block():
    lengths = np.random.default_rng(0).integers(3, 20, 130).tolist()
    batches = []

    def run(indices):
        batches.append(indices)
        return [f"sequence {index}" for index in indices]

    assert list(run_in_blocks([], 4, run)) == []
    assert list(run_in_blocks(lengths, 4, run)) == [f"sequence {index}" for index in range(130)]
    blocks = [set(block) for block in blocks_of(range(130))]
    for indices in batches:
        assert 1 <= len(indices) <= 4
        assert any(block.issuperset(indices) for block in blocks)
        assert [lengths[index] for index in indices] == sorted((lengths[index] for index in indices), reverse=True)
