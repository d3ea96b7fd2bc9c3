"""Labeled maps: the merged labels of several passes, the agreement between passes, and the scores of labelers.

Several passes (by one annotator or by several) can label the same maps. The *reference* is the label that most of a
map's passes give, or the first pass's in a tie. A pass that labels only maps on which earlier passes differ *decides*
between them. Such a pass counts for the reference, but is not compared with others, because it saw only hard maps.

The classifier learns from all passes: its target is the share of passes that chose a pattern. It is scored against the
reference on all maps, because scoring only maps on which passes agree would leave out the hard maps. For comparison,
each further pass is scored against the first.

In cross-validation, networks have seen no map of the same head, nor of the same sentence. A head looks alike on
different inputs and, for most heads, after fine-tuning. A sentence gives its length and the positions of [SEP] to all
its maps. Folds keep heads whole, and maps that share a sentence with a fold are left out of its training.
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
from bert_attention.kovaleva.column_values import PATTERN_AVERAGES
from bert_attention.kovaleva.pattern_confusion import agreement_and_kappa, confusion, scores
from bert_attention.kovaleva.pattern_rules import pattern_measures, patterns_by_rules
from bert_attention.models.pattern_classifier import Networks, held_out_probabilities, images_of, train
from bert_attention.statistics.jackknife import Replicates, tabulated
from bert_attention.statistics.sums import Sums, ratio

_FOLDS = 5
_RARE = 0.02  # share of the maps; the macro average skips rarer patterns, whose scores are mostly luck
_HEAD = ["model", "layer", "head"]
_LARGEST_EXAMPLE = 60  # tokens; larger maps have cells too small for a panel of a figure


@dataclass(frozen=True)
class LabeledMaps:
    """Maps with the labels of all passes.

    Attributes
    ----------
    maps
        Maps that at least one pass labels, in order of their numbers.
    labels
        ``[map, pass]``, by the maps' numbers and the names of the passes, the first pass first; NaN for none.
    reference
        The label that most passes give to each map; in a tie, the first of these labels.
    targets
        ``[map, pattern]``: the pattern's share of the map's labels.
    heads
        ``[map]``: a number for each head of each model.
    sentences
        ``[map]``: the map's task and the number of its example, of one sentence or two, whatever the model.
    """

    maps: tuple[PatternMap, ...]
    labels: pd.DataFrame
    reference: tuple[str, ...]
    targets: np.ndarray
    heads: np.ndarray
    sentences: np.ndarray

    @classmethod
    def of(cls, maps: Sequence[PatternMap], passes: Mapping[str, Mapping[int, str]]) -> LabeledMaps:
        """Merge maps with the labels of passes; ``passes`` has each pass's labels by map number.

        Raises
        ------
        InputError
            If the labels cover too few heads to be cross-validated, or are all the same.
        """
        labels = pd.DataFrame(passes, dtype=object).sort_index()
        by_number = {item.id: item for item in maps}
        chosen = tuple(by_number[number] for number in labels.index)
        given = [row.dropna().tolist() for _, row in labels.iterrows()]
        of_maps = pd.DataFrame([(item.model, item.layer, item.head) for item in chosen], columns=_HEAD)
        heads = of_maps.groupby(_HEAD).ngroup().to_numpy()
        patterns = {of_map[0] for of_map in given}
        if len(set(heads)) < _FOLDS or len(patterns) < 2:
            raise InputError(
                f"labels of attention maps ({', '.join(passes)})",
                f"are of {len(set(heads))} heads and of {len(patterns)} patterns",
                f"label maps of at least {_FOLDS} heads, of at least 2 patterns; 400 maps are a good number",
            )
        return cls(
            chosen,
            labels,
            reference=tuple(Counter(of_map).most_common(1)[0][0] for of_map in given),
            targets=np.array([[of_map.count(pattern) / len(of_map) for pattern in PATTERNS] for of_map in given]),
            heads=heads,
            sentences=np.array([f"{item.task}/{item.example}" for item in chosen]),
        )

    @property
    def compared(self) -> list[str]:
        """The passes, without passes that decide between earlier passes."""
        found: list[str] = []
        for name in self.labels:
            earlier = self.labels.loc[self.labels[name].notna(), found]
            if (earlier.nunique(axis=1) < 2).any():
                found.append(name)
        return found


def trained_classifier(labeled: LabeledMaps, seed: int) -> Networks:
    """Train the classifier on all labeled maps."""
    return train(images_of([item.attention for item in labeled.maps]), labeled.targets, seed)


def label_tables(labeled: LabeledMaps, seed: int) -> dict[str, pd.DataFrame | Replicates]:
    """Return the tables about the labels, by name.

    ``kovaleva_pattern_predictions`` has each map's label by reference, by the classifier, with its probability, and by
    rules. The classifier has seen neither the map's head nor its sentence. ``kovaleva_pattern_examples`` has, for each
    pattern, a map that shows it, cell by cell. The other tables are those of :func:`table`.
    """
    predictions, certainty = cross_validated(labeled, seed)
    of_networks = np.array(PATTERNS)[certainty.argmax(-1)]
    return {
        "kovaleva_pattern_predictions": predictions,
        "kovaleva_pattern_examples": surest_examples(labeled, certainty.mean(0)),
        **tables_of_labelings(labeled, predictions, of_networks),
    }


def tables_of_labelings(
    labeled: LabeledMaps, predictions: pd.DataFrame, of_networks: np.ndarray
) -> dict[str, Replicates]:
    """Return the tables of :func:`table`, with replicates over the heads whose maps are labeled.

    Parameters
    ----------
    of_networks
        ``[network, map]``: the labels by each of the classifier's networks.
    """
    passes = labeled.labels[labeled.compared].reset_index(drop=True)
    networks = pd.DataFrame(dict(enumerate(of_networks)))
    labelings = pd.concat({"": predictions, "networks": networks, "passes": passes}, axis=1)
    heads = [of_head for _, of_head in labelings.groupby(labeled.heads)]
    return tabulated(partial(table, passes=labeled.compared), Sums.of(map(sums, heads), range(len(heads))))


def sums(of_head: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return a head's sums over its labeled maps: confusions of labelers with the reference, and of every two passes.

    Parameters
    ----------
    of_head
        The head's rows of ``kovaleva_pattern_predictions``, all of one fold, and beside them the labels of each of the
        classifier's ``networks`` and of each of the ``passes``.
    """
    predicted, passes = of_head[""], of_head["passes"]
    fold, reference = predicted["fold"].iloc[0], predicted["reference"]
    of_methods = {method: confusion(reference, predicted[method]) for method in ("classifier", "rules")}
    found = {f"scores/{method}/{place}": counts for method, counts in of_methods.items() for place in (0, fold)}
    found |= {f"networks/{name}": confusion(reference, labels) for name, labels in of_head["networks"].items()}
    return found | {f"passes/{a}/{b}": confusion(passes[a], passes[b]) for a, b in combinations(passes, 2)}


def table(sums: Sums, passes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the tables about labelings, by name.

    ``kovaleva_pattern_classifier`` has precision, recall and F1 by pattern, of several labelers:

    - classifier and rules against the reference, by fold (0: all folds together);
    - one network alone: the mean over the classifier's networks, with the standard deviation of F1 between them;
    - each further pass against the first.

    ``accuracy`` is the share of maps that are labeled right. ``weighted`` is the mean over patterns weighted by their
    maps. ``macro`` is the plain mean of the patterns that at least 2 % of all maps have by reference. ``n`` counts maps
    that have the pattern by reference, or by the first pass.

    ``kovaleva_pattern_confusion`` has the share of these maps that classifier, rules and further passes take for each
    pattern.

    ``kovaleva_pattern_agreement`` has agreement and kappa of every two passes that share maps; with one pass, a row
    without values.
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
    """Return the scores of a method by fold, and in all folds; a fold's average skips patterns that the fold lacks."""
    found = sums.within(f"scores/{method}/")
    parts = [
        _score_rows(found[str(fold)], averaged & found.of_all[str(fold)].any(1)).assign(fold=fold)
        for fold in sorted(map(int, found))
    ]
    return pd.concat(parts).assign(method=method)


def _score_rows(counts: np.ndarray, averaged: np.ndarray) -> pd.DataFrame:
    """Return the scores of every pattern and their averages."""
    precision, recall, f1 = scores(counts, averaged)
    n = counts.sum(1)
    columns = {"precision": precision, "recall": recall, "f1": f1, "n": [*n, *[n.sum()] * len(PATTERN_AVERAGES)]}
    return pd.DataFrame({"pattern": [*PATTERNS, *PATTERN_AVERAGES], **columns})


def _mean_rows(of_networks: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the mean of the networks' scores, and the standard deviation of their F1."""
    by_row = pd.concat(of_networks).groupby(level=0)
    means = by_row[["precision", "recall", "f1"]].mean().assign(f1_sd=by_row["f1"].std())
    return of_networks[0][["pattern", "n"]].join(means).assign(fold=0, method="one_network")


def _confusion_rows(counts: np.ndarray) -> pd.DataFrame:
    """Return the share of each pattern's maps that are taken for each pattern."""
    n = counts.sum(1, keepdims=True)
    return cell_table({"reference": PATTERNS, "predicted": PATTERNS}, share=ratio(counts, n), n=n)


def _agreement(counts: np.ndarray) -> dict[str, float]:
    agreement, kappa = agreement_and_kappa(counts)
    return {"agreement": agreement, "kappa": kappa, "n": counts.sum()}


def cross_validated(labeled: LabeledMaps, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return table ``kovaleva_pattern_predictions``, and each network's probabilities, ``[network, map, pattern]``."""
    maps = labeled.maps
    folds = folds_by_head(labeled, seed)
    inputs = images_of([item.attention for item in maps])
    certainty = held_out_probabilities(inputs, labeled.targets, folds, labeled.sentences, seed)
    together = certainty.mean(0)
    table = pd.DataFrame(
        {
            "map": [item.id for item in maps],
            **{name: [getattr(item, name) for item in maps] for name in ("model", "weights", "task", "layer", "head")},
            "fold": folds,
            "reference": labeled.reference,
            "classifier": [PATTERNS[place] for place in together.argmax(-1)],
            "probability": together.max(-1),
            "rules": [PATTERNS[int(patterns_by_rules(item.attention, item.separator))] for item in maps],
        }
    )
    return table, certainty


def folds_by_head(labeled: LabeledMaps, seed: int) -> np.ndarray:
    """Return the fold of each map, ``[map]`` from 1: heads stay whole, patterns are spread as evenly as possible."""
    splitter = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=seed)
    folds = np.zeros(len(labeled.maps), dtype=int)
    for fold, (_, held_out) in enumerate(splitter.split(folds, labeled.reference, labeled.heads), start=1):
        folds[held_out] = fold
    return folds


def surest_examples(labeled: LabeledMaps, certainty: np.ndarray) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_examples``: for each pattern the map for which the classifier is surest.

    For blocks, it is the map with the highest block measure of the rules, because a classifier that sees few blocks is
    never sure. Each example is chosen among maps to which all passes give the pattern, preferring maps of at most 60
    tokens. A pattern without such a map is skipped.
    """
    certainty = certainty.copy()
    certainty[:, PATTERNS.index("block")] = [
        pattern_measures(item.attention, item.separator).block for item in labeled.maps
    ]
    tokens = np.array([len(item.attention) for item in labeled.maps])
    rows = []
    for place, pattern in enumerate(PATTERNS):
        agreed = labeled.targets[:, place] == 1
        candidates = np.flatnonzero(agreed & (tokens <= _LARGEST_EXAMPLE))
        candidates = candidates if len(candidates) else np.flatnonzero(agreed)
        if len(candidates):
            item = labeled.maps[candidates[certainty[candidates, place].argmax()]]
            described = {name: getattr(item, name) for name in ("weights", "task", "layer", "head", "separator")}
            cells = cell_table({"query": 0, "key": 0}, weight=item.attention)
            rows.append(cells.assign(map=item.id, **described, pattern=pattern))
    return pd.concat(rows, ignore_index=True)
