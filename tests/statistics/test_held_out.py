"""The best of many against loops, and what its score says of systems whose true scores are known."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.statistics.held_out import SELECTIONS, best, halves
from bert_attention.statistics.jackknife import interval, tabulated
from bert_attention.statistics.sums import Sums, ratio


def accuracy(sums):
    return ratio(sums["hits"], sums["total"][..., None])


def counts(hits, total=10):
    """Sums of blocks ``[block, system]``."""
    return Sums({"hits": np.asarray(hits), "total": np.full(len(hits), total)})


@pytest.mark.parametrize("blocks", [2, 3, 7, 20])
def test_splits_are_halves_and_always_the_same(blocks):
    splits = halves(blocks)
    assert set(splits.sum(1)) == {blocks // 2}
    halves.cache_clear()
    np.testing.assert_array_equal(splits, halves(blocks))


@pytest.mark.parametrize("left_out", [None, 4])
@pytest.mark.parametrize("ordered", [False, True])
def test_equals_loops_over_splits_and_systems(ordered, left_out):
    random = np.random.default_rng(5)
    hits = random.integers(0, 4, (9, 6))
    sums = counts(hits) if left_out is None else counts(hits).without(left_out)
    order = random.permutation(6) if ordered else np.arange(6)
    kept = [block for block in range(9) if block != left_out]

    def chosen(blocks):
        """Return the first system, in the order of preference, that hits at least as often as any other."""
        found = [sum(hits[block][system] for block in blocks) for system in order]
        return order[found.index(max(found))]

    scores, systems = [], []
    for split in halves(9):
        one, other = ([block for block in kept if split[block] == side] for side in (True, False))
        for choosing, scoring in ((one, other), (other, one)):
            systems.append(chosen(choosing))
            scores.append(sum(hits[block][systems[-1]] for block in scoring) / (10 * len(scoring)))
    found = best(sums, accuracy, order if ordered else None)
    assert tuple(found) == SELECTIONS
    assert found["same_data"].system == chosen(kept)
    assert found["same_data"].score == pytest.approx(hits[kept].sum(0).max() / (10 * len(kept)))
    assert found["held_out"].score == pytest.approx(np.mean(scores))
    often = max(order, key=systems.count)
    assert (found["held_out"].system, found["held_out"].share) == (often, systems.count(often) / len(systems))


def test_where_nothing_is_scored_nothing_is_held_out():
    one_block = best(counts([[3, 5]]), accuracy)
    assert (one_block["same_data"].system, one_block["same_data"].score) == (1, 0.5)
    assert np.isnan([one_block["held_out"].score, one_block["held_out"].share]).all()


def test_halves_without_anything_to_score_are_left_out():
    """Only three blocks have anything: of most splits one half has all or the other none."""
    hits, total = np.zeros((20, 2), dtype=int), np.zeros(20, dtype=int)
    hits[:3], total[:3] = [[2, 4], [2, 4], [2, 4]], 5
    found = best(Sums({"hits": hits, "total": total}), accuracy)["held_out"]
    assert (found.system, found.score, found.share) == (1, pytest.approx(0.8), 1)


def simulated(truth, per_block, corpora, seed=0):
    """Return both scores on corpora of systems whose true accuracies are known, ``[corpus, selection]``."""
    random = np.random.default_rng(seed)
    return [counts(random.binomial(per_block, truth, (20, len(truth))), per_block) for _ in range(corpora)]


def test_the_best_of_equals_is_flattered_by_its_own_data_and_not_by_others():
    scores = [
        [choice.score for choice in best(sums, accuracy).values()]
        for sums in simulated(np.full(144, 0.3), per_block=25, corpora=300)
    ]
    same_data, held_out = np.mean(scores, axis=0)
    assert same_data > 0.34
    assert held_out == pytest.approx(0.3, abs=0.002)


@pytest.mark.parametrize(
    ("truth", "at_least"),
    [(np.r_[0.8, np.full(143, 0.2)], 0.92), (np.linspace(0.2, 0.6, 144), 0.95)],
    ids=["one is clearly best", "many are nearly as good"],
)
def test_its_interval_holds_the_expected_score_of_what_half_the_data_choose(truth, at_least):
    corpora = simulated(truth, per_block=25, corpora=200)
    splits = halves(20)
    expected = np.mean(
        [truth[accuracy(sums.weighted(half)).argmax(-1)].mean() for sums in corpora for half in (splits, ~splits)]
    )

    def table(sums):
        return pd.DataFrame({"score": [choice.score for choice in best(sums, accuracy).values()]})

    found = [interval(lambda table: table["score"].to_numpy(), tabulated(table, sums)) for sums in corpora]
    held = np.array([(low <= expected) & (expected <= high) for _, low, high in found])
    same_data, held_out = held.mean(0)
    assert held_out >= at_least
    if at_least == 0.95:
        assert same_data < 0.75
