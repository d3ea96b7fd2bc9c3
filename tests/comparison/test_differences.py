"""Differences between encoders, in each finding."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from bert_attention.corpora.same_texts import read_alike
from bert_attention.judging.claims import Claim, Paper
from bert_attention.judging.evidence import LEVEL, Comparison, difference
from bert_attention.judging.scoreboard import scoreboard
from bert_attention.papers.comparison.differences import differences
from bert_attention.statistics.counts import count_beyond
from bert_attention.statistics.jackknife import Replicates

RANDOM = np.random.default_rng(5)
# What each of 20 articles has in two encoders: the articles differ more than the encoders do.
ARTICLES = RANDOM.normal(0.4, 0.1, 20)
LARGE, SMALL = ARTICLES + RANDOM.normal(0.02, 0.01, 20), ARTICLES + RANDOM.normal(0, 0.01, 20)


def without_each(numbers):
    """The mean of all articles, and the means without each."""
    return Replicates(numbers.mean(0), [np.delete(numbers, index, 0).mean(0) for index in range(len(numbers))])


def compared(numbers, condition=None, published=None, **changes):
    found = without_each(numbers).map(np.atleast_1d)
    return Comparison(condition or {"above": 0.3}, published, found, changes.pop("count", None), True, **changes)


def margin(numbers):
    """Half the interval of a mean of articles, by Student's formula."""
    return student.ppf(0.975, len(numbers) - 1) * numbers.std(ddof=1) / len(numbers) ** 0.5


def test_a_paired_difference_is_that_of_the_mean_difference_of_articles():
    bounds, p = difference(compared(LARGE), compared(SMALL), is_paired=True)
    expected = (LARGE - SMALL).mean(), margin(LARGE - SMALL)
    assert (float(bounds.value), float(bounds.high - bounds.value)) == pytest.approx(expected)
    assert p == pytest.approx(2 * student.sf(expected[0] / (LARGE - SMALL).std(ddof=1) * 20**0.5, 19))
    reverse, same_p = difference(compared(SMALL), compared(LARGE), is_paired=True)
    assert (float(reverse.low), same_p) == pytest.approx((-float(bounds.high), p))


def test_other_texts_vary_independently():
    bounds, p = difference(compared(LARGE), compared(SMALL), is_paired=False)
    errors = [numbers.var(ddof=1) / 20 for numbers in (LARGE, SMALL)]
    freedom = sum(errors) ** 2 / sum(error**2 / 19 for error in errors)
    assert float(bounds.high - bounds.value) == pytest.approx(student.ppf(0.975, freedom) * sum(errors) ** 0.5)
    paired, paired_p = difference(compared(LARGE), compared(SMALL), is_paired=True)
    assert (paired.high - paired.low) < 0.4 * (bounds.high - bounds.low)
    assert paired_p < 0.01 < p
    fewer, _ = difference(compared(LARGE), compared(SMALL[:19]), is_paired=True)  # other blocks are no pairs
    assert (fewer.high - fewer.low) > 2 * (paired.high - paired.low)


def test_a_statement_below_a_threshold_compares_the_numbers_as_they_are():
    bounds, _ = difference(compared(LARGE, {"below": 0.9}), compared(SMALL, {"below": 0.9}), is_paired=True)
    assert float(bounds.value) == pytest.approx((LARGE - SMALL).mean())


def test_curves_are_compared_by_their_correlation_with_the_published_one():
    published, curve = np.array([0.1, 0.2, 0.4]), {"correlation_above": 0.5}
    noise = RANDOM.normal(0, 0.05, (2, 20, 3))
    rising, falling = published + noise[0], published[::-1] + noise[1]
    bounds, p = difference(compared(rising, curve, published), compared(falling, curve, published), is_paired=True)
    of_means = [np.corrcoef(numbers.mean(0), published)[0, 1] for numbers in (rising, falling)]
    assert float(bounds.value) == pytest.approx(of_means[0] - of_means[1])
    assert p < 0.01


def heads(*means):
    cells = without_each(np.array(means) + RANDOM.normal(0, 0.001, (20, len(means))))
    count = count_beyond([(1.0, cells)], 0.5, above=True, as_share=False)
    number = float(count.counted.sum())
    return Comparison({"above": 0}, None, Replicates(np.array([number]), [np.array([number])] * 20), count, True)


def test_counts_of_heads_differ_if_the_bounds_of_their_difference_exclude_0():
    bounds, p = difference(heads(0.9, 0.8, 0.1), heads(0.2, 0.1), is_paired=True)
    assert (float(bounds.value), bounds.low, bounds.high) == (2, 2, 2)
    assert p < 0.01
    bounds, p = difference(heads(0.9, 0.5002), heads(0.9), is_paired=True)
    assert (float(bounds.value), bounds.low, bounds.high) == (1, 0, 1)
    assert p > 0.05


@pytest.mark.parametrize(
    "other",
    [
        compared(SMALL[:5]),  # too few blocks for an interval
        compared(SMALL, {"equals": 0}, frequencies=np.array([1.0])),  # a list
        replace(compared(SMALL), varies=False),
    ],
)
def test_a_difference_from_a_number_without_interval_has_none(other):
    bounds, p = difference(compared(LARGE), other, is_paired=True)
    assert np.isnan([bounds.low, bounds.high, p]).all()


PAPER = Paper("clark/claims.py", "Clark et al. 2019", "google-bert/bert-base-uncased", 2, {})
EDITION = {
    "models": [{"name": name, "source": f"path:/{name}"} for name in ("large", "small", "third")],
    "papers_corpora": [],
    "corpora": {"tasks": {}},
    "translation_models": [],
}


def cell(target):
    return lambda t: t.clark_positions(target=target).attention.mean()


def asked(name, needs):
    about = {"work": PAPER.work, "depth": 2, "true_if": {"above": 0.3}, "needs": needs}
    return Claim(name, name, "It is.", "section 3", cell(name), PAPER, **about)


def positions(numbers):
    both = np.stack([numbers, numbers[::-1]], -1)  # [article, target]
    rows = pd.DataFrame({"layer": 1, "head": 1, "target": ["sep", "cls"], "n": 9})
    return without_each(both).map(lambda means: rows.assign(attention=means))


TABLES = {"large": positions(LARGE), "small": positions(SMALL), "third": positions(SMALL - 0.2)}


@pytest.mark.parametrize("needs", [[], ["token_frequency"]])
def test_a_finding_without_texts_of_its_own_is_on_the_running_text(needs):
    paper = replace(PAPER, claims=[asked("sep", needs)])

    def tables(model, name):
        return TABLES[model] if name == "clark_positions" else None

    board = scoreboard({"clark": paper}, tables, EDITION)
    for alike, expected in (({"wikipedia"}, True), ({"treebank"}, False), (set(), False)):
        assert set(differences([paper], tables, board, alike)["is_paired"]) == {expected}


@pytest.mark.parametrize(("alike", "paired"), [({"wikipedia"}, [True, False]), ({"treebank"}, [False, True])])
def test_each_two_encoders_are_compared_in_each_finding(alike, paired):
    claims = [asked("sep", ["wikipedia", "token_frequency"]), asked("cls", ["treebank"]), asked("other", ["wikipedia"])]
    paper = replace(PAPER, claims=claims)

    def tables(model, name):
        return TABLES[model] if name == "clark_positions" else None

    board = scoreboard({"clark": paper}, tables, EDITION)
    found = differences([paper], tables, board, alike)
    pairs = [*combinations(("large", "small", "third"), 2)]
    assert [*found[["id", "model", "other_model"]].itertuples(index=False, name=None)] == [
        (name, *pair)
        for name in ("sep", "cls")
        for pair in pairs  # `other` finds no rows
    ]
    assert found["is_paired"].tolist() == [flag for flag in paired for _ in pairs]
    assert found["difference"][0] == pytest.approx((LARGE - SMALL).mean())
    narrow, wide = found[found["is_paired"]], found[~found["is_paired"]]
    assert ((narrow["high"] - narrow["low"]).to_numpy() < (wide["high"] - wide["low"]).to_numpy()).all()
    assert (found["level"] <= LEVEL).all()


def test_texts_are_alike_if_all_encoders_read_the_same_in_the_same_order(tmp_path):
    def corpora_of(model, articles, trees, groups=("0", "1")):
        folder = tmp_path / model
        (folder / "tasks").mkdir(parents=True)
        lines = [json.dumps({"article": article, "first": [model]}) for article in articles]
        (folder / "segments.jsonl").write_text("\n".join(lines) + "\n")
        lines = [json.dumps({"article": str(index), "group": group}) for index, group in enumerate(groups)]
        (folder / "tasks" / "nsp.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "tasks" / "sst2.jsonl").write_text(json.dumps({"article": "0"}) + "\n")
        (folder / "treebank_dev.conllu").write_text(trees)
        files = {"wikipedia": "segments.jsonl", "treebank": "treebank_dev.conllu"}
        tasks = [folder / "tasks" / f"{name}.jsonl" for name in ("nsp", "sst2")]
        return {corpus: [folder / file] for corpus, file in files.items()} | {"tasks": tasks}

    def alike(*models):
        return read_alike({corpus: [file for model in models for file in model[corpus]] for corpus in models[0]})

    first, same = corpora_of("a", "xxy", "# sent_id = 1\n"), corpora_of("b", "xxy", "# sent_id = 1\n")
    assert alike(first, same) == {"wikipedia", "treebank", "tasks"}
    assert alike(first, same, corpora_of("c", "xyy", "# sent_id = 1\n")) == {"treebank", "tasks"}
    assert alike(first, corpora_of("d", "xxy", "")) == {"wikipedia", "tasks"}
    assert alike(first, corpora_of("e", "xxy", "# sent_id = 1\n", groups=("0", "0"))) == {"wikipedia", "treebank"}
