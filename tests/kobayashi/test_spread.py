import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.kobayashi.spread import Spread


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(0, 6), st.integers(0, 1000))
def test_merged_parts_equal_the_whole(sizes, cut, seed):
    random = np.random.default_rng(seed)
    values = [random.normal(100, 1, size=(2, 3, size)) for size in sizes]
    parts = Spread(), Spread()
    for place, part in enumerate(values):
        parts[place >= cut].add(part)
    merged = parts[0]
    merged.merge(parts[1])
    whole = np.concatenate(values, axis=-1)
    assert merged.n == whole.shape[-1]
    np.testing.assert_allclose(merged.mean, whole.mean(-1), rtol=1e-12)
    np.testing.assert_allclose(merged.sd, whole.std(-1), atol=1e-10)
    np.testing.assert_array_equal(merged.min, whole.min(-1))
    np.testing.assert_array_equal(merged.max, whole.max(-1))


def test_float32_observations_are_summed_in_float64():
    spread = Spread()
    for _ in range(40):
        spread.add(np.full((1, 100_000), 0.1, dtype=np.float32))
    np.testing.assert_allclose(spread.mean, np.float32(0.1), rtol=1e-12)
    assert spread.sd[0] < 1e-12
