"""Labelled maps: what annotators' passes say together, how far they agree, and how well labellers reproduce them.

Several passes (by one annotator or by several) may label the same maps. The classifier learns from all of them: its
target is the share of passes that chose a pattern. It is scored against the *reference*, the first pass that labels a
map, on all maps: to score it only where passes agree would leave out the hard ones. The other passes are scored against
the reference in the same way: a classifier can hardly do better than an annotator's second look.

Cross-validation keeps all maps of a head in one fold. A head looks alike on different inputs and, for most heads, after
fine-tuning; with maps of one head on both sides, a network could score by recognising heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold
from torch import nn

from bert_attention.corpora.pattern_annotations import LABELLERS
from bert_attention.corpora.types import PATTERNS, PatternMap
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import MACRO
from bert_attention.kovaleva.pattern_classifier import held_out_probabilities, images_of, train
from bert_attention.kovaleva.pattern_confusion import agreement_and_kappa, confusion, scores
from bert_attention.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.statistics.jackknife import Replicates, tabulated
from bert_attention.statistics.sums import Sums, ratio

_FOLDS = 5
_LARGEST_EXAMPLE = 40  # tokens; the cells of larger maps are too small for a panel of a figure


@dataclass(frozen=True)
class LabelledMaps:
    """Maps with the labels of all passes.

    Attributes
    ----------
    maps
        Those that at least one pass labels, in order of their numbers.
    passes
        Labels by the maps' numbers, for each pass by its name.
    reference
        The label of each map by the first pass that has one.
    targets
        ``[map, pattern]``: the share of the map's labels.
    heads
        ``[map]``: a number for each head of each model.
    """

    maps: tuple[PatternMap, ...]
    passes: Mapping[str, Mapping[int, str]]
    reference: tuple[str, ...]
    targets: np.ndarray
    heads: np.ndarray

    @classmethod
    def of(cls, maps: Sequence[PatternMap], passes: Mapping[str, Mapping[int, str]]) -> LabelledMaps:
        """Put maps and passes together; the first pass comes first.

        Raises
        ------
        InputError
            If the labels are of too few heads to be cross-validated, or all the same.
        """
        chosen = sorted((m for m in maps if any(m.id in labels for labels in passes.values())), key=lambda m: m.id)
        given = [[labels[m.id] for labels in passes.values() if m.id in labels] for m in chosen]
        heads = [(m.model, m.layer, m.head) for m in chosen]
        numbers = {head: number for number, head in enumerate(sorted(set(heads)))}
        patterns = {labels[0] for labels in given}
        if len(numbers) < _FOLDS or len(patterns) < 2:
            raise InputError(
                f"labels of attention maps ({', '.join(passes)})",
                f"are of {len(numbers)} heads and of {len(patterns)} patterns",
                f"label maps of at least {_FOLDS} heads, of at least 2 patterns; 400 maps are a good number",
            )
        targets = [[labels.count(pattern) / len(labels) for pattern in PATTERNS] for labels in given]
        reference = tuple(labels[0] for labels in given)
        return cls(tuple(chosen), passes, reference, np.array(targets), np.array([numbers[head] for head in heads]))


def trained_classifier(labelled: LabelledMaps, seed: int) -> nn.Sequential:
    """The classifier, trained on all labelled maps."""
    return train(images_of([item.attention for item in labelled.maps]), labelled.targets, seed)


def label_tables(labelled: LabelledMaps, seed: int) -> dict[str, pd.DataFrame | Replicates]:
    """The tables about the labels, by name.

    ``kovaleva_pattern_predictions``: each map's label by reference, by the classifier that has not seen maps of its
    head, with its probability, and by rules. ``kovaleva_pattern_examples``: for each pattern the map of which the
    classifier is surest, cell by cell. The others are those of :func:`table`.
    """
    predictions, certainty = cross_validated(labelled, seed)
    return {
        "kovaleva_pattern_predictions": predictions,
        "kovaleva_pattern_examples": surest_examples(labelled, certainty),
        **tables_of_labellings(labelled, predictions),
    }


def tables_of_labellings(labelled: LabelledMaps, predictions: pd.DataFrame) -> dict[str, Replicates]:
    """The tables of :func:`table`; what varies is the heads whose maps are labelled."""
    heads = [rows for _, rows in predictions.groupby(labelled.heads)]
    of_heads = Sums.of((sums(head, labelled.passes) for head in heads), len(heads))
    return tabulated(partial(table, passes=list(labelled.passes)), of_heads)


def sums(of_head: pd.DataFrame, passes: Mapping[str, Mapping[int, str]]) -> dict[str, np.ndarray]:
    """What the labelled maps of a head add: confusions of labellers with the reference, and of every two passes.

    Parameters
    ----------
    of_head
        The head's rows of ``kovaleva_pattern_predictions``; they are of one fold.
    passes
        Labels by the maps' numbers, for each pass by its name.
    """
    labels = {name: of_head.set_index("map")[name].to_dict() for name in ("reference", *LABELLERS)}
    reference = labels["reference"]
    labels |= {name: {number: of[number] for number in reference.keys() & of} for name, of in passes.items()}
    found = {}
    for method in (*LABELLERS, *[*passes][1:]):
        for fold in (0, of_head["fold"].iloc[0]):
            found[f"scores/{method}/{fold}"] = confusion(reference, labels[method])
    for first, second in combinations(passes, 2):
        found[f"passes/{first}/{second}"] = confusion(labels[first], labels[second])
    return found


def table(sums: Sums, passes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The tables about labellings, by name.

    ``kovaleva_pattern_classifier``: precision, recall and F1 against the reference of the classifier, of the rules and
    of the other passes, by fold (0: all folds together) and pattern; ``macro`` is the mean of the patterns. ``n``
    counts maps that have the pattern by reference. ``kovaleva_pattern_confusion``: as what each takes those maps.
    ``kovaleva_pattern_agreement``: agreement and kappa of every two passes that share maps; with one pass, a row
    without values.
    """
    scored, confused = [], []
    for method in (*LABELLERS, *passes[1:]):
        found = sums.within(f"scores/{method}/")
        for fold in sorted(map(int, found)):
            if found.of_all[str(fold)].any():
                scored.append(_score_rows(found, str(fold)).assign(fold=fold, method=method))
        confused.append(_confusion_rows(found["0"]).assign(method=method))
    agreed = []
    for first, second in combinations(passes, 2):
        name = f"passes/{first}/{second}"
        if sums.of_all[name].any():
            agreed.append({"first": first, "second": second, **_agreement(sums[name])})
    alone = {"first": passes[0], "second": None, **_agreement(np.zeros((1, 1))), "n": sums["scores/classifier/0"].sum()}
    return {
        "kovaleva_pattern_classifier": pd.concat(scored, ignore_index=True),
        "kovaleva_pattern_confusion": pd.concat(confused, ignore_index=True),
        "kovaleva_pattern_agreement": pd.DataFrame(agreed or [alone]),
    }


def _score_rows(sums: Sums, fold: str) -> pd.DataFrame:
    """Scores of every pattern and their average."""
    precision, recall, f1 = scores(sums[fold], sums.of_all[fold].any(1))
    n = sums[fold].sum(1)
    columns = {"precision": precision, "recall": recall, "f1": f1, "n": [*n, n.sum()]}
    return pd.DataFrame({"pattern": [*PATTERNS, MACRO], **columns})


def _confusion_rows(counts: np.ndarray) -> pd.DataFrame:
    """The share of the maps of each pattern that are taken for each."""
    n = counts.sum(1, keepdims=True)
    reference, predicted = (np.array(PATTERNS)[places.ravel()] for places in np.indices(counts.shape))
    columns = {"share": ratio(counts, n).ravel(), "n": np.broadcast_to(n, counts.shape).ravel()}
    return pd.DataFrame({"reference": reference, "predicted": predicted, **columns})


def _agreement(counts: np.ndarray) -> dict[str, float]:
    agreement, kappa = agreement_and_kappa(counts)
    return {"agreement": agreement, "kappa": kappa, "n": counts.sum()}


def cross_validated(labelled: LabelledMaps, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Table ``kovaleva_pattern_predictions``, and the probability of every pattern, ``[map, pattern]``."""
    maps = labelled.maps
    folds = folds_by_head(labelled, seed)
    inputs = images_of([item.attention for item in maps])
    certainty = np.zeros((len(maps), len(PATTERNS)))
    for fold, found in held_out_probabilities(inputs, labelled.targets, folds, seed):
        certainty[folds == fold] = found
    table = pd.DataFrame(
        {
            "map": [item.id for item in maps],
            "model": [item.model for item in maps],
            "weights": [item.weights for item in maps],
            "task": [item.task for item in maps],
            "layer": [item.layer for item in maps],
            "head": [item.head for item in maps],
            "fold": folds,
            "reference": labelled.reference,
            "classifier": [PATTERNS[place] for place in certainty.argmax(-1)],
            "probability": certainty.max(-1),
            "rules": [PATTERNS[int(patterns_by_rules(item.attention, item.separator))] for item in maps],
        }
    )
    return table, certainty


def folds_by_head(labelled: LabelledMaps, seed: int) -> np.ndarray:
    """The fold of each map, ``[map]`` from 1: heads stay whole, patterns are spread as evenly as that allows."""
    splitter = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=seed)
    folds = np.zeros(len(labelled.maps), dtype=int)
    for fold, (_, held_out) in enumerate(splitter.split(folds, labelled.reference, labelled.heads), start=1):
        folds[held_out] = fold
    return folds


def surest_examples(labelled: LabelledMaps, certainty: np.ndarray) -> pd.DataFrame:
    """Table ``kovaleva_pattern_examples``: for each pattern the map of which the classifier is surest.

    It is chosen among maps to which all passes give the pattern, and among those of at most 40 tokens, if there are
    such. A pattern that no map has by all passes is left out.
    """
    tokens = np.array([len(item.attention) for item in labelled.maps])
    rows = []
    for place, pattern in enumerate(PATTERNS):
        agreed = labelled.targets[:, place] == 1
        candidates = np.flatnonzero(agreed & (tokens <= _LARGEST_EXAMPLE))
        candidates = candidates if len(candidates) else np.flatnonzero(agreed)
        if len(candidates):
            item = labelled.maps[candidates[certainty[candidates, place].argmax()]]
            rows.append(_cells(item).assign(pattern=pattern))
    return pd.concat(rows, ignore_index=True)


def _cells(item: PatternMap) -> pd.DataFrame:
    query, key = np.indices(item.attention.shape)
    return pd.DataFrame(
        {
            "map": item.id,
            "weights": item.weights,
            "task": item.task,
            "layer": item.layer,
            "head": item.head,
            "separator": item.separator,
            "query": query.ravel(),
            "key": key.ravel(),
            "weight": item.attention.ravel(),
        }
    )
