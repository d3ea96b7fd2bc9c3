import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.statistics.moments import Moments


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(0, 1000))
def test_blocks_that_stream_by_equal_the_whole(sizes, seed):
    random = np.random.default_rng(seed)
    blocks = [random.normal(100, 1, size=(2, 3, size)) for size in sizes]
    moments = Moments()
    for block in blocks:
        moments.add_all(block)
    whole = np.concatenate(blocks, axis=-1)
    assert moments.n == whole.shape[-1]
    np.testing.assert_allclose(moments.mean, whole.mean(-1), rtol=1e-12)
    np.testing.assert_allclose(moments.sd, whole.std(-1), atol=1e-10)
    np.testing.assert_array_equal(moments.min, whole.min(-1))
    np.testing.assert_array_equal(moments.max, whole.max(-1))


@given(st.integers(2, 12), st.integers(0, 1000))
def test_single_observations_equal_a_block_of_them(n, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3))
    moments = Moments()
    for value in values:
        moments.add(value)
    assert moments.n == n
    np.testing.assert_allclose(moments.mean, values.mean(0), atol=1e-12)
    np.testing.assert_allclose(moments.standard_error, values.std(0, ddof=1) / np.sqrt(n), atol=1e-12)


def test_one_observation_has_no_standard_error():
    moments = Moments()
    moments.add(np.array([1.0, 2.0]))
    assert np.isnan(moments.standard_error).all()


def test_float32_observations_are_summed_in_float64():
    moments = Moments()
    for _ in range(40):
        moments.add_all(np.full((1, 100_000), 0.1, dtype=np.float32))
    np.testing.assert_allclose(moments.mean, np.float32(0.1), rtol=1e-12)
    assert moments.sd[0] < 1e-12
