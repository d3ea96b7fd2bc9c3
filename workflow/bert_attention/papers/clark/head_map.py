"""A map of the heads, and tests of whether heads of a layer are similar (Clark et al. 2019, section 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.manifold import MDS

# A head has a behavior if it gives more than this share of its attention to the target, or has more than this entropy
# in nats. Later entries override earlier entries. From the released General_Analysis.ipynb.
_BEHAVIORS = (
    ("next", 0.5),
    ("previous", 0.5),
    ("broad", 3.8),
    ("cls", 0.6),
    ("sep", 0.6),
    ("punctuation", 0.6),
)

_PERMUTATIONS = 1000
# Smaller differences between statistics are rounding errors, from another order of summation.
_ROUNDING = 1e-9

# The paper claims that heads of a layer are close together. -1: the claim predicts a small statistic; 1: a large one.
_DIRECTION = {"same_layer": -1, "cross_layer": 1, "same_to_cross": -1, "silhouette": 1, "neighbors_in_layer": 1}


def head_map(
    distances: pd.DataFrame,
    positions: pd.DataFrame,
    entropy: pd.DataFrame,
    dependency_examples: pd.DataFrame,
    coreference_examples: pd.DataFrame,
    seed: int,
) -> pd.DataFrame:
    """Return table ``clark_head_map``: a point in the plane for each head, at distances that approximate divergences.

    The map comes from metric multidimensional scaling as released (the best of five random starts). It is then rotated
    so that the heads spread most along x. ``x`` and ``y`` are in nats. ``stress`` is the map's Stress-1 (Kruskal 1964:
    0.1 is fair, 0.2 is poor). ``behaviour`` names the relations that a head of figure 5 finds in the examples. Other
    heads have the behavior of the released thresholds. Raise KeyError if the encoder lacks a head of figure 5.
    """
    heads, matrix = distance_matrix(distances)
    scaling = MDS(
        metric="precomputed",
        init="random",
        n_init=5,
        max_iter=1000,
        eps=1e-9,  # relative, since scikit-learn 1.7; the released 1e-10 applied to the stress of sums over the corpus
        normalized_stress=True,
        random_state=seed,
    )
    points = _rotate_to_main_axes(scaling.fit_transform(matrix))
    behaviour = _behaviors(positions, entropy).reindex(pd.MultiIndex.from_frame(heads))
    found = _linguistic_heads(dependency_examples, coreference_examples)
    behaviour.loc[found.index] = found
    return heads.assign(x=points[:, 0], y=points[:, 1], behaviour=behaviour.to_numpy(), stress=scaling.stress_)


def head_clusters(distances: pd.DataFrame, random_distances: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return table ``clark_head_clusters``: test if heads of a layer are similar, by divergences, not by the map.

    The statistics of each layer, and of all layers together (``layer`` 0):

    - same_layer, cross_layer: mean divergence of a head from the heads of its own layer, and from all other heads;
    - same_to_cross: same_layer divided by cross_layer;
    - silhouette: mean silhouette of the heads with layers as clusters (Rousseeuw 1987);
    - neighbors_in_layer: with h heads per layer, share of heads of its own layer among a head's h - 1 nearest heads.

    ``chance`` is the mean, and ``p`` the one-sided p-value, over 1,000 permutations of the heads among the layers. A
    statistic that is undefined for encoders with one layer, or with one head per layer, is NaN, and so is its p-value.

    ``weights`` are ``trained`` or ``random``. The paper suspects that dropout of attention in training makes heads of a
    layer similar. A result that random weights also show has another cause. A direct test of the paper's guess would
    need encoders pre-trained with and without dropout.

    With random weights, each statistic is computed for each seed, then averaged. ``p`` compares the average with
    averages over permutations. Each seed has its own permutations, because heads of different encoders do not
    correspond. The confidence interval of the average covers other texts, but not other seeds.
    """
    encoders = {"trained": [distances], "random": [rows for _, rows in random_distances.groupby("seed")]}
    tables = [_clusters(tables, seed).assign(weights=weights) for weights, tables in encoders.items()]
    return pd.concat(tables, ignore_index=True)


def _clusters(encoders: Sequence[pd.DataFrame], seed: int) -> pd.DataFrame:
    """Return the mean statistics of encoders of the same size, with chance levels and p-values."""
    random = np.random.default_rng(seed)
    by_encoder = [_with_permutations(*distance_matrix(distances), random) for distances in encoders]
    heads, _ = distance_matrix(encoders[0])
    layers = heads["layer"].to_numpy() - 1
    tables = []
    for name in by_encoder[0]:
        values, *permuted = np.mean([statistics[name] for statistics in by_encoder], axis=0)
        by_chance = np.array(permuted)
        extreme = (_DIRECTION[name] * (by_chance - values) >= -_ROUNDING).sum(0)
        tables.append(
            pd.DataFrame(
                {
                    "statistic": name,
                    "layer": np.arange(len(values)),
                    "value": values,
                    "chance": by_chance.mean(0),
                    "p": np.where(np.isnan(values), np.nan, (1 + extreme) / (1 + _PERMUTATIONS)),
                    "n": [len(heads), *np.bincount(layers)],
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def _with_permutations(heads: pd.DataFrame, matrix: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Return one encoder's statistics, first with its own layers, then with heads permuted among the layers."""
    layers = heads["layer"].to_numpy() - 1
    heads_per_layer = np.bincount(layers)[0]
    to_others = matrix + np.diag(np.full(len(matrix), np.inf))
    nearest = np.argsort(to_others, axis=1, kind="stable")[:, : heads_per_layer - 1]
    assignments = np.stack([layers, *(random.permutation(layers) for _ in range(_PERMUTATIONS))])
    return layer_statistics(matrix, nearest, assignments)


def distance_matrix(distances: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the heads of table ``clark_head_distances`` (layer, head) and the symmetric matrix ``[head, head]``.

    Raise ValueError if the table lacks a pair of heads.
    """
    a, b = (pd.MultiIndex.from_frame(distances[[f"layer_{x}", f"head_{x}"]], names=("layer", "head")) for x in "ab")
    heads = a.append(b).unique().sort_values()
    matrix = np.full((len(heads), len(heads)), np.nan)
    np.fill_diagonal(matrix, 0)
    pairs = heads.get_indexer(a), heads.get_indexer(b)
    matrix[pairs] = matrix[pairs[::-1]] = distances["divergence"]
    if np.isnan(matrix).any():
        raise ValueError("the table of distances lacks pairs of heads")
    return heads.to_frame(index=False), matrix


def layer_statistics(matrix: np.ndarray, nearest: np.ndarray, layers: np.ndarray) -> dict[str, np.ndarray]:
    """Return the statistics of :func:`head_clusters`, each ``[assignment, 1 + layer]``: for all heads, then by layer.

    ``matrix`` has the divergences ``[head, head]``, and ``nearest`` the nearest other heads ``[head, neighbor]``.
    ``layers`` has the layer of each head, from 0, in several assignments ``[assignment, head]`` with the same layer
    sizes.
    """
    sizes = np.bincount(layers[0])
    own = layers[..., None] == np.arange(len(sizes))  # [assignment, head, layer]
    member = own.astype(float)
    sums = matrix @ member
    own_sums = np.take_along_axis(sums, layers[..., None], -1)[..., 0]  # [assignment, head]
    same = own_sums / (sizes[layers] - 1)
    cross = (matrix.sum(1) - own_sums) / (len(matrix) - sizes[layers])
    next_layer = np.where(own, np.inf, sums / sizes).min(-1)
    by_head = {
        "same_layer": same,
        "cross_layer": cross,
        "silhouette": (next_layer - same) / np.maximum(next_layer, same),
        "neighbors_in_layer": (layers[:, nearest] == layers[..., None]).mean(-1),
    }
    statistics = {
        name: np.hstack([values.mean(1, keepdims=True), (values[:, None] @ member)[:, 0] / sizes])
        for name, values in by_head.items()
    }
    return statistics | {"same_to_cross": statistics["same_layer"] / statistics["cross_layer"]}


def _behaviors(positions: pd.DataFrame, entropy: pd.DataFrame) -> pd.Series:
    """Return the behavior of each head (layer, head) by the thresholds; ``other`` if the head exceeds none."""
    heads = ["layer", "head"]
    measured = positions.pivot_table(index=heads, columns="target", values="attention")
    measured["broad"] = entropy[entropy["source"] == "all"].set_index(heads)["entropy"]
    behaviour = pd.Series("other", index=measured.index)
    for name, threshold in _BEHAVIORS:
        behaviour[measured[name] > threshold] = name
    return behaviour


def _linguistic_heads(dependency_examples: pd.DataFrame, coreference_examples: pd.DataFrame) -> pd.Series:
    """Return the relations that each head (layer, head) of figure 5 finds, joined as ``det, case``."""
    rows = pd.concat([dependency_examples, coreference_examples.assign(relation="coreference")])
    return rows.drop_duplicates("relation").groupby(["layer", "head"], sort=False)["relation"].agg(", ".join)


def _rotate_to_main_axes(points: np.ndarray) -> np.ndarray:
    """Center and rotate points ``[head, 2]``: main axis along x, outermost head of each axis on its positive side."""
    centered = points - points.mean(0)
    rotated = centered @ np.linalg.svd(centered, full_matrices=False)[2].T
    outermost = rotated[np.abs(rotated).argmax(0), [0, 1]]
    return rotated * np.sign(outermost)
