"""What the table of dependency heads costs beside a plain loop over sentences, heads and words, as released.

    python benchmarks/dependency_heads.py --sentences 2000

prints a Markdown table. Trees and attention are random, in sentences as long as those of a treebank: the time of either
does not depend on what they hold. The loop runs on a tenth of the sentences, and the library on the same for the ratio.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from bert_attention.clark.dependency_heads import dependency_heads
from bert_attention.corpora.conllu import Sentence, Word

RELATIONS = ("punct", "case", "nsubj", "det", "advmod", "amod", "obj", "obl", "conj", "compound", "nmod", "nmod:poss")
MEAN_WORDS = 15


def random_treebank(sentences: int, random: np.random.Generator) -> list[Sentence]:
    """Trees in which each word but the first depends on one before it."""
    treebank = []
    for length in np.maximum(random.poisson(MEAN_WORDS, sentences), 2):
        heads = [0, *(int(random.integers(1, place + 1)) for place in range(1, length))]
        relations = ["root", *random.choice(RELATIONS, length - 1)]
        words = (Word("w", "_", "_", "_", "_", head, str(name)) for head, name in zip(heads, relations, strict=True))
        treebank.append(Sentence(tuple(words)))
    return treebank


def random_maps(treebank: Sequence[Sentence], layers: int, heads: int) -> Iterator[SimpleNamespace]:
    """Attention between the words of each sentence, made when it is asked for."""
    random = np.random.default_rng(0)
    for sentence in treebank:
        n = len(sentence.words) + 2
        yield SimpleNamespace(attention=random.random((layers, heads, n, n), dtype=np.float32))


def plain_counts(maps: Sequence[SimpleNamespace], treebank: Sequence[Sentence]) -> Counter:
    """Words whose head each head finds in each direction, by relation; no choice, no baseline, no intervals."""
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


def seconds(function: Callable, *arguments: object) -> float:
    """Wall time of one call."""
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def peak_megabytes(function: Callable, *arguments: object) -> float:
    """Most memory that one call holds at a time."""
    tracemalloc.start()
    function(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sentences", type=int, default=2000, help="sentences of the treebank (default: 2000)")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measurement (default: 3)")
    arguments = parser.parse_args()
    shape = (arguments.layers, arguments.heads)
    treebank = random_treebank(arguments.sentences, np.random.default_rng(0))
    few = treebank[: max(arguments.sentences // 10, 1)]
    maps = list(random_maps(few, *shape))
    dependency_heads(maps, few, 0)  # warms up
    rounds = [
        (seconds(plain_counts, maps, few), seconds(dependency_heads, maps, few, 0)) for _ in range(arguments.rounds)
    ]
    loop, library = (statistics.median(times) for times in zip(*rounds, strict=True))
    ratio = statistics.median(plain / ours for plain, ours in rounds)
    making = seconds(lambda: [None for _ in random_maps(treebank, *shape)])
    whole = seconds(dependency_heads, random_maps(treebank, *shape), treebank, 0) - making
    memory = [peak_megabytes(dependency_heads, random_maps(part, *shape), part, 0) for part in (few, treebank)]
    heads = arguments.layers * arguments.heads
    print(f"{arguments.sentences} sentences, {heads} heads, median of {arguments.rounds} rounds\n")
    print("| what | measured |\n|---|---|")
    print(f"| plain loop, counts alone, {len(few)} sentences | {loop:.2f} s |")
    print(f"| table with choice, baselines and intervals, {len(few)} sentences | {library:.2f} s |")
    print(f"| loop / table | {ratio:.1f} |")
    print(f"| table of {len(treebank)} sentences | {whole:.1f} s |")
    for part, peak in zip((few, treebank), memory, strict=True):
        print(f"| peak memory, {len(part)} sentences | {peak:.0f} MB |")


if __name__ == "__main__":
    main()
