"""Speed of the table of dependency heads, compared with a plain loop over sentences, heads and words.

Trees and attention are random, because the time does not depend on their values. Sentences have realistic lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import numpy as np

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import SEED, Workload, random_sequences
from bert_attention.corpora.types import Sentence, Word
from bert_attention.papers.clark.dependency_heads import sums, table
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums

RELATIONS = ("punct", "case", "nsubj", "det", "advmod", "amod", "obj", "obl", "conj", "compound", "nmod", "nmod:poss")
MEAN_WORDS = 15


def random_treebank(sentences: int) -> list[Sentence]:
    """Return trees in which each word except the first depends on an earlier word."""
    random = np.random.default_rng(SEED)
    treebank = []
    for length in np.maximum(random.poisson(MEAN_WORDS, sentences), 2):
        heads = [0, *(int(random.integers(1, word + 1)) for word in range(1, length))]
        relations = ["root", *random.choice(RELATIONS, length - 1)]
        words = (Word("w", "_", "_", "_", "_", head, str(name)) for head, name in zip(heads, relations, strict=True))
        treebank.append(Sentence(tuple(words)))
    return treebank


def random_maps(treebank: Sequence[Sentence], layers: int, heads: int) -> Iterator[SimpleNamespace]:
    """Yield random attention between the words of each sentence."""
    random = np.random.default_rng(SEED)
    for sentence in treebank:
        n = len(sentence.words) + 2
        yield SimpleNamespace(attention=random.random((layers, heads, n, n), dtype=np.float32))


def plain_counts(maps: Sequence[SimpleNamespace], treebank: Sequence[Sentence]) -> Counter:
    """Count the words whose syntactic head each attention head finds, by direction and relation."""
    correct: Counter = Counter()
    for item, sentence in zip(maps, treebank, strict=True):
        for layer, by_head in enumerate(item.attention):
            for head, attention in enumerate(by_head):
                words = attention.copy()
                np.fill_diagonal(words, 0)
                words = words[1:-1, 1:-1]
                for direction, weights in enumerate((words, words.T)):
                    for word, prediction in zip(sentence.words, weights.argmax(-1), strict=True):
                        right = prediction + 1 == word.head
                        correct[layer, head, direction, "all"] += right
                        correct[layer, head, direction, word.relation] += right
    return correct


def measure(workload: Workload, sentences: int, rounds: int) -> Iterator[Measurement]:
    """Measure the whole table, with selected heads, baselines and intervals, and a loop that only counts."""
    treebank = random_treebank(sentences)
    maps = list(random_maps(treebank, *workload.shape))
    read = workload.of(random_sequences([len(sentence.words) + 2 for sentence in treebank]))
    times = in_turn(
        {
            "bare": read.bare_forward,
            "plain": lambda: plain_counts(maps, treebank),
            "ours": lambda: tabulated(table, Sums.of(map(sums, maps, treebank), range(sentences))),
        },
        rounds,
    )
    amount = f"{sentences} sentences of {MEAN_WORDS} words"
    remark = "the plain loop only counts: no selection, baseline or intervals"
    yield times.measurement("dependency heads", workload, amount, remark)
