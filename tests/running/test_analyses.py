"""Sums of several analyses in one pass over their units."""

from types import SimpleNamespace

import numpy as np
import pytest

from bert_attention.plan import JobInput
from bert_attention.running.analyses import Summed, sum_all, sum_shard
from bert_attention.statistics.sums import blocks_of, units_of_shard

UNITS = np.arange(40) ** 2
BLOCKS = blocks_of(range(len(UNITS)))


class Attention(list):
    """Units with the metadata of a shard, which count how often they are read."""

    metadata = SimpleNamespace(blocks=BLOCKS)
    passes = 0

    def __iter__(self):
        self.passes += 1
        return super().__iter__()


def show(rows, total):
    return rows


def analyses(*seeds):
    """An analysis of attention, and one of attention, sentences and a factor; the second names attention otherwise."""
    first = [JobInput("sequence", "attention", "dev", seed=seed, is_unit=True) for seed in seeds]
    second = [
        each
        for seed in seeds
        for each in (
            JobInput("tokens", "attention", "dev", seed=seed, is_unit=True),
            JobInput("sentence", "trees", "dev", seed=seed, is_unit=True),
            JobInput("factor", "ranks", "", seed=seed),
        )
    ]
    return {
        "first": Summed(first, lambda sequence: {"n": 1, "x": sequence}),
        "second": Summed(second, lambda tokens, sentence, factor: {"product": tokens * sentence * factor}),
    }


@pytest.mark.parametrize("shard", [(1, 1), (2, 3)])
def test_analyses_of_a_corpus_are_added_up_in_one_pass(shard):
    of_shard, opened = units_of_shard(BLOCKS, *shard), []
    stores = []

    def read(each, shard=None, part=None):
        opened.append(each.source)
        if each.kind == "attention":
            stores.append(Attention((UNITS * int(each.seed))[of_shard.start : of_shard.stop]))
            return stores[-1]
        return 10 if part is None else range(part.start, part.stop)

    found = dict(sum_shard(analyses("1", "2"), read, show, shard))
    assert opened == ["attention_dev", "trees_dev", "ranks"] * 2  # once for each random encoder
    assert [store.passes for store in stores] == [1, 1]
    assert list(found) == ["1", "2"]
    for seed, (arrays, units, sizes) in found.items():
        assert (units, sizes) == (of_shard, [len(block) for block in BLOCKS])
        assert set(arrays) == {"first:n", "first:x", "second:product"}
        inside = [block for block in BLOCKS if of_shard.start <= block.start < of_shard.stop]
        values = {"first:x": UNITS * int(seed), "second:product": UNITS * int(seed) * np.arange(40) * 10}
        for name, of_units in values.items():
            assert arrays[name].tolist() == [of_units[block.start : block.stop].sum() for block in inside]


def test_the_sums_of_one_analysis_have_the_names_that_it_gives():
    inputs, function = analyses("")["first"]
    ((_, sums),) = sum_all(inputs, lambda each, **_: Attention(UNITS), function, show)
    assert {name: sums[name] for name in sums} == {"n": 40, "x": UNITS.sum()}
