"""The best of many systems against loops, and its scores if the true scores are known."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.statistics.held_out import SELECTIONS, best, best_of_each, chance_of_best, halves, on_halves
from bert_attention.statistics.jackknife import interval, tabulated
from bert_attention.statistics.sums import Sums, ratio


def accuracy(sums):
    return ratio(sums["hits"], sums["total"][..., None])


def counts(hits, total=10):
    """Return sums of blocks ``[block, system]``."""
    return Sums({"hits": np.asarray(hits), "total": np.full(len(hits), total)})


@pytest.mark.parametrize("blocks", [2, 7, 20])
def test_splits_are_halves_and_always_the_same(blocks):
    splits = halves(blocks)
    assert set(splits.sum(1)) == {blocks // 2}
    halves.cache_clear()
    np.testing.assert_array_equal(splits, halves(blocks))


@pytest.mark.parametrize(("left_out", "ordered"), [(None, False), (4, True)])
def test_the_held_out_scores_of_the_best_systems_equal_plain_loops(ordered, left_out):
    random = np.random.default_rng(5)
    hits = random.integers(0, 4, (9, 3, 6))  # [block, question, system]
    also = random.integers(0, 4, (9, 3, 6))
    sums = Sums({"hits": hits, "also": also, "total": np.full((9, 3), 10)})
    sums = sums if left_out is None else sums.without(left_out)
    order = random.permutation(6) if ordered else np.arange(6)
    kept = [block for block in range(9) if block != left_out]

    def score(counts, blocks, question, system):
        return sum(counts[block][question][system] for block in blocks) / (10 * len(blocks))

    def chosen(blocks, question):
        """Return the first system in the order of preference that hits at least as often as any other."""
        total = [sum(hits[block][question][system] for block in blocks) for system in order]
        return order[total.index(max(total))]

    def both(part):
        return np.stack([ratio(part[name], part["total"][..., None]) for name in ("hits", "also")], -1)

    on, reported = on_halves(sums, accuracy), on_halves(sums, both)
    preference = order if ordered else None
    found, found_both = best_of_each(on, preference), best_of_each(on, preference, reported)
    alone = best(sums, lambda part: both(part)[:, 1])
    assert tuple(found) == tuple(found_both) == tuple(alone) == SELECTIONS
    for question in range(3):
        scores, systems = [], []
        for split in halves(9):
            one, other = ([block for block in kept if split[block] == side] for side in (True, False))
            for choosing, scoring in ((one, other), (other, one)):
                system = chosen(choosing, question)
                systems.append(system)
                scores.append([score(counts, scoring, question, system) for counts in (hits, also)])
        on_same, held_out = (found[selection][question] for selection in SELECTIONS)
        assert on_same.system == chosen(kept, question)
        assert on_same.score == pytest.approx(score(hits, kept, question, on_same.system))
        assert held_out.score == pytest.approx(np.mean(scores, axis=0)[0])
        often = max(order, key=systems.count)
        assert (held_out.system, held_out.share) == (often, systems.count(often) / len(systems))
        assert found_both["held_out"][question].score == pytest.approx(np.mean(scores, axis=0))
        on_both = [score(counts, kept, question, on_same.system) for counts in (hits, also)]
        assert found_both["same_data"][question].score == pytest.approx(on_both)
        if question == 1 and not ordered:
            assert alone["held_out"].score == pytest.approx(np.mean(scores, axis=0))
            assert alone["same_data"].system == on_same.system


def test_halves_without_scored_items_are_skipped():
    one_block = best(counts([[3, 5]]), accuracy)
    assert (one_block["same_data"].system, one_block["same_data"].score) == (1, 0.5)
    assert np.isnan([one_block["held_out"].score, one_block["held_out"].share]).all()
    hits, total = np.zeros((20, 2), dtype=int), np.zeros(20, dtype=int)
    hits[:3], total[:3] = [2, 4], 5  # only three blocks have scored items, so few splits can be used
    found = best(Sums({"hits": hits, "total": total}), accuracy)["held_out"]
    assert (found.system, found.score, found.share) == (1, pytest.approx(0.8), 1)


@pytest.mark.parametrize(
    "clusters",
    [[1] * 60, [1, *[2] * 59], ["a"] * 50 + ["b"] * 4 + ["c"] * 6],
    ids=["one document", "a title and a document", "one long document"],
)
@pytest.mark.filterwarnings("ignore:.*belong to one text")
def test_a_corpus_of_one_document_is_halved_by_its_sentences(clusters):
    hits = np.random.default_rng(3).binomial(10, [0.9, 0.2, 0.4], (60, 3))
    sums = Sums.of_arrays({"hits": hits, "total": np.full(60, 10)}, clusters)
    found = best(sums, accuracy)["held_out"]
    assert (found.system, found.share) == (0, 1)
    assert found.score == pytest.approx(hits[:, 0].mean() / 10)
    table = tabulated(lambda sums: pd.DataFrame({"x": [best(sums, accuracy)["held_out"].score]}), sums)
    assert np.isnan(interval(lambda table: table["x"].item(), table).low)


@pytest.mark.parametrize(
    ("truth", "at_least"),
    [(np.r_[0.8, np.full(143, 0.2)], 0.92), (np.linspace(0.2, 0.6, 144), 0.95)],
    ids=["one is clearly best", "many are nearly as good"],
)
def test_the_interval_covers_the_expected_score_of_the_choice_of_half_the_data(truth, at_least):
    random, splits = np.random.default_rng(0), halves(20)
    corpora = [counts(random.binomial(25, truth, (20, 144)), 25) for _ in range(100)]
    expected = np.mean(
        [truth[accuracy(sums.weighted(half)).argmax(-1)].mean() for sums in corpora for half in (splits, ~splits)]
    )

    def table(sums):
        return pd.DataFrame({"score": [choice.score for choice in best(sums, accuracy).values()]})

    found = [interval(lambda table: table["score"].to_numpy(), tabulated(table, sums)) for sums in corpora]
    same_data, held_out = np.mean([(low <= expected) & (expected <= high) for _, low, high in found], axis=0)
    assert held_out >= at_least
    if at_least == 0.95:
        assert same_data < 0.75


def mean(sums):
    return sums["x"] / sums["n"][..., None]


def chances(repetitions, worth=0.0, shared=0.0, systems=30, units=100):
    """Yield the chance of the best of systems with these true scores, whose errors are partly shared."""
    random = np.random.default_rng(5)
    for _ in range(repetitions):
        scores = random.normal(worth, 1, (units, systems)) + random.normal(0, 1, (units, 1)) * shared
        yield chance_of_best(Sums.of(({"x": unit, "n": 1} for unit in scores), range(units)), mean)


@pytest.mark.parametrize("shared", [0.0, 2.0])
def test_the_p_value_of_the_best_of_worthless_systems_is_calibrated(shared):
    found = np.array(list(chances(200, shared=shared)))
    assert (found < 0.05).mean() == pytest.approx(0.05, abs=0.035)
    assert (found < 0.5).mean() == pytest.approx(0.5, abs=0.1)


def test_bad_good_and_equal_systems_have_a_p_value():
    assert min(chances(20, worth=-0.7)) > 0.5
    assert list(chances(1, worth=np.eye(30)[7])) == [pytest.approx(1 / 5001)]
    same = Sums.of(({"x": np.array([1.0, 0.0]), "n": 1} for _ in range(40)), range(40))
    assert chance_of_best(same.without(3), mean) == pytest.approx(1 / 5001)  # blocks do not vary
    assert np.isnan(chance_of_best(Sums.of([{"x": np.ones(2), "n": 1}], [1]), mean))  # a single block
