"""A statistical word aligner, the baseline for cross-attention (Kobayashi et al. 2020, section 5).

fast_align (Dyer, Chahuneau and Smith 2013) is trained by expectation maximization on parallel text and then links the
words of the aligned pairs. As in the paper's table, the training text includes these pairs. The implementation is that
of the package sil-thot.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from bert_attention.corpora.types import AlignedPair, Link
from bert_attention.statistics.jackknife import Replicates, tabulated
from bert_attention.statistics.sums import Sums, ratio

try:
    from thot.alignment import FastAlignModel, SymmetrizationHeuristic, SymmetrizedAligner
    from thot.common import WordAlignmentMatrix
except ImportError:  # sil-thot has no wheel for Linux on ARM
    IS_INSTALLED = False
else:
    IS_INSTALLED = True

# Source to target links each target word to at most one source word, as cross-attention does.
DIRECTIONS = ("source_to_target", "target_to_source", "symmetrized")
ITERATIONS = 5  # the default of fast_align

Sentences = tuple[Sequence[str], Sequence[str]]  # a sentence and its translation


def aligner_table(training: Sequence[Sentences], pairs: Sequence[AlignedPair]) -> Replicates:
    """Return table ``kobayashi_aligners``: the alignment error rate of fast_align on the aligned pairs.

    Error rates are NaN if the package sil-thot is not installed. The aligner is trained on ``training``, which can be
    empty, and on the aligned pairs.
    """
    aligned = [(pair.source, pair.target) for pair in pairs]
    links = fast_align([*training, *aligned], aligned) if IS_INSTALLED else [{}] * len(pairs)
    pair_sums = Sums.of(map(sums, pairs, links), range(len(pairs)))
    return tabulated(lambda block_sums: table(block_sums, len(training) + len(pairs)), pair_sums)


def fast_align(training: Sequence[Sentences], aligned: Sequence[Sentences]) -> list[dict[str, frozenset[Link]]]:
    """Return the links of each pair of sentences in ``aligned``, by direction, after training on ``training``."""
    # A single thread, because the order in which threads add up probabilities changes their last digits.
    with threadpool_limits(1, user_api="openmp"):
        direct = _train(training)
        inverse = _train([(target, source) for source, target in training])
        symmetrized = SymmetrizedAligner(direct, inverse)
        symmetrized.heuristic = SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
        found = []
        for source, target in aligned:
            _, forward = direct.get_best_alignment(source, target)
            _, backward = inverse.get_best_alignment(target, source)
            backward.transpose()
            _, both = symmetrized.get_best_alignment(source, target)
            found.append(dict(zip(DIRECTIONS, map(_links, (forward, backward, both)), strict=True)))
    return found


def _train(training: Sequence[Sentences]) -> FastAlignModel:
    """Train fast_align to link each target word to a source word, or to none."""
    model = FastAlignModel()
    model.variational_bayes = True  # the settings with which fast_align is run for published baselines
    for source, target in training:
        model.add_sentence_pair(source, target, 1)
    model.start_training()
    for _ in range(ITERATIONS):
        model.train()
    model.end_training()
    return model


def _links(matrix: WordAlignmentMatrix) -> frozenset[Link]:
    return frozenset((int(source), int(target)) for source, target in np.argwhere(matrix.to_numpy()))


def sums(pair: AlignedPair, links: Mapping[str, Collection[Link]]) -> dict[str, np.ndarray | int]:
    """Return a pair's sums, ``[direction]``: ``found`` and ``total`` links, as in the table of cross-attention.

    A direction that is missing from ``links`` adds nothing.
    """
    gold = pair.sure | pair.possible
    found = [sum((link in pair.sure) + (link in gold) for link in links.get(name, ())) for name in DIRECTIONS]
    total = [len(links[name]) + len(pair.sure) if name in links else 0 for name in DIRECTIONS]
    return {"found": np.array(found), "total": np.array(total), "pairs": 1}


def table(sums: Sums, n_train: int) -> pd.DataFrame:
    """Return table ``kobayashi_aligners`` from the sums over pairs."""
    rates = 1 - ratio(sums["found"], sums["total"])
    rows = pd.DataFrame({"aligner": "fast_align", "direction": DIRECTIONS, "aer": rates})
    return rows.assign(n_train=n_train, n=int(sums["pairs"]))
