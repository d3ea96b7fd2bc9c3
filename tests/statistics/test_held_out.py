import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.statistics.old_held_out import Choice, choices, second_half


@given(st.integers(0, 50), st.integers(0, 100))
def test_halves_are_halves_and_the_same_for_the_same_seed(units, seed):
    second = second_half(units, seed)
    assert (len(second), second.sum()) == (units, units // 2)
    np.testing.assert_array_equal(second, second_half(units, seed))


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 100), st.booleans())
def test_held_out_equals_a_loop_over_the_units(units, systems, seed, ordered):
    """Each unit is scored by the system that is right most often on the half to which the unit does not belong."""
    random = np.random.default_rng(seed)
    right = random.integers(0, 3, size=(units, systems))
    second = second_half(units, seed)
    order = random.permutation(systems) if ordered else np.arange(systems)
    sums = right.sum(0), right[~second].sum(0), right[second].sum(0)
    found = choices(*sums, order if ordered else None)

    def best(rows):
        """Of the systems in the order of preference, the first that is right at least as often as any other."""
        chosen = order[0]
        for system in order[1:]:
            if sum(row[system] for row in rows) > sum(row[chosen] for row in rows):
                chosen = system
        return chosen

    for unit in range(units):
        others = [right[other] for other in range(units) if second[other] != second[unit]]
        assert found["held_out"].scored(second)[unit] == best(others)
    assert set(found["same_data"].scored(second)) == {best(list(right))}


def test_columns_name_the_choice_of_the_first_half_first():
    names = [{"layer": 1, "head": 2}, {"layer": 3, "head": 4}]
    columns = Choice(of_first=1, of_second=0).columns(names.__getitem__)
    assert columns == {"layer": 3, "head": 4, "other_layer": 1, "other_head": 2}


def test_a_single_unit_leaves_nothing_to_hold_out():
    assert list(choices(np.array([0, 2]), np.array([0, 2]), None)) == ["same_data"]
