"""Sequences as the attention store returns them, but with their transformed vectors, for known answers."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from tests.conftest import random_attention

LAYERS, HEADS, WIDTH = 2, 3, 4


@dataclass(frozen=True)
class Sequence:
    """The input of an analysis, and the vectors ``f_h(x_j)`` behind it: [layer, head, token, width]."""

    attention: np.ndarray
    transformed: np.ndarray
    input_norms: np.ndarray
    mixing: np.ndarray
    token_ids: np.ndarray
    categories: dict[str, np.ndarray]

    @cached_property
    def parts(self) -> np.ndarray:
        """All vectors ``alpha f_h(x_j)``: [layer, head, query, key, width]."""
        return self.attention.astype(np.float64)[..., None] * self.transformed[:, :, None]

    @property
    def value_norms(self) -> np.ndarray:
        return np.linalg.norm(self.transformed, axis=-1).astype(np.float32)

    @property
    def summed_norms(self) -> np.ndarray:
        return np.linalg.norm(self.parts.sum(1), axis=-1).astype(np.float32)

    @property
    def projections(self) -> np.ndarray:
        outputs = self.parts.sum((1, 3))  # [layer, query, width]
        directions = outputs / np.linalg.norm(outputs, axis=-1, keepdims=True)
        return np.einsum("lhqkd,lqd->lhk", self.parts, directions).astype(np.float32)


def make_tables(analysis, *units, **constant):
    """The table or tables of an analysis; each unit is one or several arguments of its ``sums``."""
    return analysis.table(sums_of(analysis, *units, **constant))


def replicated(analysis, *units, **constant):
    """The tables of an analysis with replicates."""
    return tabulated(analysis.table, sums_of(analysis, *units, **constant))


def sums_of(analysis, *units, **constant):
    """The sums of all units."""
    added = (analysis.sums(*unit, **constant) for unit in zip(*units, strict=True))
    return Sums.of(added, range(len(units[0])))


def in_bins(values: list[float] | np.ndarray, bits: int) -> np.ndarray:
    """Positive values, truncated to their leading bits, so that all values of a bin are equal."""
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float32))
    return np.ldexp(np.floor(mantissas * 2 ** (bits + 1)), exponents)


def assert_in_ranges(rows: pd.DataFrame, points: list[tuple[int, float]]) -> None:
    """Check that a table of ranges counts all points of rank and value, and has a range for each of them."""
    assert rows["n"].sum() == len(points)
    for rank, value in points:
        inside = (rows["rank_low"] <= rank) & (rank < rows["rank_high"])
        inside &= (rows["value_low"] <= value * (1 + 1e-6)) & (value * (1 - 1e-6) <= rows["value_high"])
        assert inside.any()


def length(vector: np.ndarray) -> float:
    return float(np.sqrt(np.sum(vector * vector)))


def random_sequence(seed: int, n: int, vocabulary: int = 30, punctuation: bool = True) -> Sequence:
    """A sequence of n tokens: id 1 is [CLS], 2 [SEP] (in the middle and last), 3 punctuation, if any."""
    random = np.random.default_rng(seed)
    token_ids = random.integers(4, vocabulary, n).astype(np.int32)
    token_ids[[0, n // 2, -1]] = 1, 2, 2
    if punctuation:
        token_ids[-2] = 3
    categories = {name: token_ids == index for index, name in enumerate(("cls", "sep", "punctuation"), start=1)}
    return Sequence(
        attention=random_attention(random, LAYERS, HEADS, n),
        transformed=random.lognormal(0, 0.4, (LAYERS, HEADS, n, 1)) * random.normal(size=(LAYERS, HEADS, n, WIDTH)),
        input_norms=random.lognormal(2, 0.1, (LAYERS, n)).astype(np.float32),
        mixing=random_mixing(random, n, 0.1, 0.9),
        token_ids=token_ids,
        categories=categories | {"other": token_ids > 3},
    )


def masked_sequence(sequence: Sequence, indices: list[int], seed: int) -> Sequence:
    """The sequence with some tokens replaced by [MASK], which has the id 0, and with other mixing ratios."""
    token_ids = sequence.token_ids.copy()
    token_ids[indices] = 0
    mixing = random_mixing(np.random.default_rng(seed), len(token_ids), 0.2, 0.8)
    categories = {name: mask & (token_ids != 0) for name, mask in sequence.categories.items()}
    categories["other"] |= token_ids == 0
    return replace(sequence, token_ids=token_ids, mixing=mixing, categories=categories)


def random_mixing(random: np.random.Generator, n: int, low: float, high: float) -> np.ndarray:
    """Mixing ratios of n tokens; weights with the residual connection are at most a half."""
    ratios = random.uniform(low, high, (len(MIXING_METHODS), LAYERS, n)).astype(np.float32)
    ratios[MIXING_METHODS.index("attn_res_w")] /= 2
    return ratios
