"""Labeled maps: the merged labels of several passes, the agreement between passes, and the scores of labelers.

Several passes (by one annotator or by several) can label the same maps. The *reference* is the label that most passes
give to a map, or the first of the tied labels. A pass that labels only maps on which earlier passes differ *decides*
between them. Such a pass counts for the reference. It is not compared with others, because it saw only hard maps.

The classifier learns from all passes: its target is the share of passes that chose a pattern. It is scored against the
reference on all maps. Scoring only maps on which all passes agree would leave out the hard maps. For comparison, each
further pass is scored against the first.

In cross-validation, networks are tested on maps of other heads and other sentences than they were trained on. The maps
of a head are alike on different inputs and mostly also after fine-tuning. The maps of a sentence share its length and
the positions of [SEP]. Folds therefore keep heads whole, and training skips maps that share a sentence with the fold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold

from bert_attention.corpora.types import PATTERNS, PatternMap
from bert_attention.errors import InputError
from bert_attention.heads import cell_table
from bert_attention.models.pattern_classifier import Networks, held_out_probabilities, images_of, train
from bert_attention.papers.kovaleva.columns import PATTERN_AVERAGES
from bert_attention.papers.kovaleva.pattern_confusion import agreement_and_kappa, confusion, scores
from bert_attention.papers.kovaleva.pattern_rules import pattern_measures, patterns_by_rules
from bert_attention.statistics.jackknife import Replicates, tabulated
from bert_attention.statistics.sums import Sums, ratio

_FOLDS = 5
_RARE = 0.02  # share of the maps; the macro average skips rarer patterns, because their scores are mostly luck
_HEAD = ["model", "layer", "head"]
_MAX_EXAMPLE_TOKENS = 60  # the cells of larger maps are too small for a panel of a figure


@dataclass(frozen=True)
class LabeledMaps:
    """Maps with the labels of all passes, in order of their numbers; each map has a label of at least one pass."""

    maps: tuple[PatternMap, ...]
    labels: pd.DataFrame  # [map, pass], by map number and pass name, first pass first; NaN without a label
    reference: tuple[str, ...]  # the label that most passes give to each map, or the first in a tie
    targets: np.ndarray  # [map, pattern]: the pattern's share of the map's labels
    heads: np.ndarray  # [map]: a number for each head of each model
    sentences: np.ndarray  # [map]: the map's task and the number of its example, the same for all models

    @classmethod
    def of(cls, maps: Sequence[PatternMap], passes: Mapping[str, Mapping[int, str]]) -> LabeledMaps:
        """Merge maps with the labels of passes; ``passes`` has each pass's labels by map number.

        Raise InputError if the labeled maps have too few heads for cross-validation, or only one pattern.
        """
        labels = pd.DataFrame(passes, dtype=object).sort_index()
        by_number = {item.id: item for item in maps}
        labeled = tuple(by_number[number] for number in labels.index)
        labels_by_map = [row.dropna().tolist() for _, row in labels.iterrows()]
        head_columns = pd.DataFrame([(item.model, item.layer, item.head) for item in labeled], columns=_HEAD)
        heads = head_columns.groupby(_HEAD).ngroup().to_numpy()
        patterns = {of_map[0] for of_map in labels_by_map}
        if len(set(heads)) < _FOLDS or len(patterns) < 2:
            raise InputError(
                f"labels of attention maps ({', '.join(passes)})",
                f"have only {len(set(heads))} heads and {len(patterns)} patterns",
                f"label maps of at least {_FOLDS} heads and at least 2 patterns; 400 maps are a good number",
            )
        return cls(
            labeled,
            labels,
            reference=tuple(Counter(of_map).most_common(1)[0][0] for of_map in labels_by_map),
            targets=np.array(
                [[of_map.count(pattern) / len(of_map) for pattern in PATTERNS] for of_map in labels_by_map]
            ),
            heads=heads,
            sentences=np.array([f"{item.task}/{item.example}" for item in labeled]),
        )

    @property
    def compared(self) -> list[str]:
        """The passes, without passes that decide between earlier passes."""
        compared: list[str] = []
        for name in self.labels:
            earlier = self.labels.loc[self.labels[name].notna(), compared]
            if (earlier.nunique(axis=1) < 2).any():
                compared.append(name)
        return compared


def trained_classifier(labeled: LabeledMaps, seed: int) -> Networks:
    """Train the classifier on all labeled maps."""
    return train(images_of([item.attention for item in labeled.maps]), labeled.targets, seed)


def label_tables(labeled: LabeledMaps, seed: int) -> dict[str, pd.DataFrame | Replicates]:
    """Return the tables about the labels, by name.

    ``kovaleva_pattern_predictions`` has three labels of each map: the reference, the classifier's with its probability,
    and the rules'. The classifier was trained on neither the map's head nor its sentence. ``kovaleva_pattern_examples``
    has a typical map of each pattern, cell by cell. :func:`table` describes the other tables.
    """
    predictions, probabilities = cross_validated(labeled, seed)
    network_labels = np.array(PATTERNS)[probabilities.argmax(-1)]
    return {
        "kovaleva_pattern_predictions": predictions,
        "kovaleva_pattern_examples": typical_maps(labeled, probabilities.mean(0)),
        **tables_of_labelings(labeled, predictions, network_labels),
    }


def tables_of_labelings(
    labeled: LabeledMaps, predictions: pd.DataFrame, network_labels: np.ndarray
) -> dict[str, Replicates]:
    """Return the tables of :func:`table`, with replicates over the heads whose maps are labeled.

    ``network_labels`` is ``[network, map]``.
    """
    passes = labeled.labels[labeled.compared].reset_index(drop=True)
    networks = pd.DataFrame(dict(enumerate(network_labels)))
    labelings = pd.concat({"": predictions, "networks": networks, "passes": passes}, axis=1)
    heads = [rows for _, rows in labelings.groupby(labeled.heads)]
    return tabulated(partial(table, passes=labeled.compared), Sums.of(map(sums, heads), range(len(heads))))


def sums(labelings: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return a head's sums over its labeled maps, which are confusion matrices.

    They compare each labeler with the reference, and every two passes with each other. The head's rows of
    ``kovaleva_pattern_predictions`` are all of one fold, and have the labels by each of the classifier's networks and
    in each pass.
    """
    predicted, passes = labelings[""], labelings["passes"]
    fold, reference = predicted["fold"].iloc[0], predicted["reference"]
    by_method = {method: confusion(reference, predicted[method]) for method in ("classifier", "rules")}
    found = {f"scores/{method}/{number}": counts for method, counts in by_method.items() for number in (0, fold)}
    found |= {f"networks/{name}": confusion(reference, labels) for name, labels in labelings["networks"].items()}
    return found | {f"passes/{a}/{b}": confusion(passes[a], passes[b]) for a, b in combinations(passes, 2)}


def table(sums: Sums, passes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the tables about labelings, by name.

    ``kovaleva_pattern_classifier`` has precision, recall and F1 of several labelers, by pattern:

    - classifier and rules against the reference, by fold (0: all folds together);
    - one network alone: the mean over the classifier's networks, with the standard deviation of F1 between them;
    - each further pass against the first.

    ``accuracy`` is the share of correct labels. ``weighted`` is the mean over patterns, weighted by their numbers of
    maps. ``macro`` is the unweighted mean of the patterns that at least 2% of all maps have in the reference. ``n``
    counts maps that have the pattern in the reference, or in the first pass.

    ``kovaleva_pattern_confusion`` has the share of these maps to which classifier, rules and further passes give each
    pattern.

    ``kovaleva_pattern_agreement`` has agreement and kappa of every two passes that share maps. With a single pass, it
    has one row without values.
    """
    counts = sums.of_all["scores/classifier/0"].sum(1)
    averaged = counts >= _RARE * counts.sum()
    networks = sums.within("networks/")
    one_network = _mean_rows([_score_rows(networks[name], averaged) for name in networks])
    scored = [_by_fold(sums, "classifier", averaged), one_network, _by_fold(sums, "rules", averaged)]
    confused = [_confusion_rows(sums[f"scores/{name}/0"]).assign(method=name) for name in ("classifier", "rules")]
    agreed = []
    for first, second in combinations(passes, 2):
        name = f"passes/{first}/{second}"
        if not sums.of_all[name].any():
            continue
        agreed.append({"first": first, "second": second, **_agreement(sums[name])})
        if first == passes[0]:
            scored.append(_score_rows(sums[name], averaged).assign(fold=0, method=second))
            confused.append(_confusion_rows(sums[name]).assign(method=second))
    alone = {"first": passes[0], "second": None, **_agreement(np.zeros((1, 1))), "n": sums["scores/classifier/0"].sum()}
    return {
        "kovaleva_pattern_classifier": pd.concat(scored, ignore_index=True),
        "kovaleva_pattern_confusion": pd.concat(confused, ignore_index=True),
        "kovaleva_pattern_agreement": pd.DataFrame(agreed or [alone]),
    }


def _by_fold(sums: Sums, method: str, averaged: np.ndarray) -> pd.DataFrame:
    """Return the scores of a method by fold, and in all folds. A fold's macro average skips patterns it lacks."""
    by_fold = sums.within(f"scores/{method}/")
    parts = [
        _score_rows(by_fold[str(fold)], averaged & by_fold.of_all[str(fold)].any(1)).assign(fold=fold)
        for fold in sorted(map(int, by_fold))
    ]
    return pd.concat(parts).assign(method=method)


def _score_rows(counts: np.ndarray, averaged: np.ndarray) -> pd.DataFrame:
    """Return the scores of every pattern, and their averages."""
    precision, recall, f1 = scores(counts, averaged)
    n = counts.sum(1)
    columns = {"precision": precision, "recall": recall, "f1": f1, "n": [*n, *[n.sum()] * len(PATTERN_AVERAGES)]}
    return pd.DataFrame({"pattern": [*PATTERNS, *PATTERN_AVERAGES], **columns})


def _mean_rows(networks: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the mean of the networks' scores, and the standard deviation of their F1."""
    by_row = pd.concat(networks).groupby(level=0)
    means = by_row[["precision", "recall", "f1"]].mean().assign(f1_sd=by_row["f1"].std())
    return networks[0][["pattern", "n"]].join(means).assign(fold=0, method="one_network")


def _confusion_rows(counts: np.ndarray) -> pd.DataFrame:
    """Return the rows of ``kovaleva_pattern_confusion`` for one labeler."""
    n = counts.sum(1, keepdims=True)
    return cell_table({"reference": PATTERNS, "predicted": PATTERNS}, share=ratio(counts, n), n=n)


def _agreement(counts: np.ndarray) -> dict[str, float]:
    """Return the values of a row of ``kovaleva_pattern_agreement``."""
    agreement, kappa = agreement_and_kappa(counts)
    return {"agreement": agreement, "kappa": kappa, "n": counts.sum()}


def cross_validated(labeled: LabeledMaps, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return table ``kovaleva_pattern_predictions``, and each network's probabilities, ``[network, map, pattern]``."""
    maps = labeled.maps
    folds = folds_by_head(labeled, seed)
    inputs = images_of([item.attention for item in maps])
    probabilities = held_out_probabilities(inputs, labeled.targets, folds, labeled.sentences, seed)
    mean = probabilities.mean(0)
    table = pd.DataFrame(
        {
            "map": [item.id for item in maps],
            **{name: [getattr(item, name) for item in maps] for name in ("model", "weights", "task", "layer", "head")},
            "fold": folds,
            "reference": labeled.reference,
            "classifier": np.array(PATTERNS)[mean.argmax(-1)],
            "probability": mean.max(-1),
            "rules": [PATTERNS[int(patterns_by_rules(item.attention, item.separator))] for item in maps],
        }
    )
    return table, probabilities


def folds_by_head(labeled: LabeledMaps, seed: int) -> np.ndarray:
    """Return the fold of each map, ``[map]`` from 1, keeping heads whole and spreading patterns evenly."""
    splitter = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=seed)
    folds = np.zeros(len(labeled.maps), dtype=int)
    for fold, (_, held_out) in enumerate(splitter.split(folds, labeled.reference, labeled.heads), start=1):
        folds[held_out] = fold
    return folds


def typical_maps(labeled: LabeledMaps, probabilities: np.ndarray) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_examples``: for each pattern, the map to which it is most probably assigned.

    For blocks, it is the map with the highest block measure of the rules instead, because too few maps are blocks for
    the classifier to be certain of any. Only maps to which all passes give the pattern are considered, and maps of at
    most 60 tokens are preferred. A pattern without such maps is skipped. The probabilities are ``[map, pattern]``.
    """
    typicality = probabilities.copy()
    typicality[:, PATTERNS.index("block")] = [
        pattern_measures(item.attention, item.separator).block for item in labeled.maps
    ]
    tokens = np.array([len(item.attention) for item in labeled.maps])
    rows = []
    for number, pattern in enumerate(PATTERNS):
        agreed = labeled.targets[:, number] == 1
        candidates = np.flatnonzero(agreed & (tokens <= _MAX_EXAMPLE_TOKENS))
        candidates = candidates if len(candidates) else np.flatnonzero(agreed)
        if len(candidates):
            item = labeled.maps[candidates[typicality[candidates, number].argmax()]]
            properties = {name: getattr(item, name) for name in ("weights", "task", "layer", "head", "separator")}
            cells = cell_table({"query": 0, "key": 0}, weight=item.attention)
            rows.append(cells.assign(map=item.id, **properties, pattern=pattern))
    return pd.concat(rows, ignore_index=True)
