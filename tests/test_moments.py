import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bert_attention.moments import Moments

samples = arrays(np.float64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.floats(-100, 100))


@given(samples, st.integers(0, 12))
def test_merged_parts_equal_the_whole(values, cut):
    parts = Moments(), Moments()
    for place, value in enumerate(values):
        parts[place >= cut].add(value)
    merged = parts[0]
    merged.merge(parts[1])
    assert merged.n == len(values)
    np.testing.assert_allclose(merged.mean, values.mean(0), atol=1e-9)
    np.testing.assert_allclose(merged.standard_error, values.std(0, ddof=1) / np.sqrt(len(values)), atol=1e-7)


def test_one_observation_has_no_standard_error():
    moments = Moments()
    moments.add(np.array([1.0, 2.0]))
    assert np.isnan(moments.standard_error).all()
