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

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold
from torch import nn

from bert_attention.corpora.types import PATTERNS, PatternMap
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import MACRO
from bert_attention.kovaleva.pattern_classifier import held_out_probabilities, images_of, train
from bert_attention.kovaleva.pattern_confusion import agreement_and_kappa, confusions, resampled, scores
from bert_attention.kovaleva.pattern_rules import patterns_by_rules

_FOLDS = 5
_RESAMPLES = 1000
_TAIL = (0.025, 0.975)
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


def label_tables(labelled: LabelledMaps, seed: int) -> dict[str, pd.DataFrame]:
    """The tables about the labels, by name.

    ``kovaleva_pattern_predictions``: each map's label by reference, by the classifier that has not seen maps of its
    head, with its probability, and by rules. ``kovaleva_pattern_classifier``: precision, recall and F1 against the
    reference of the classifier, of the rules and of the other passes, by fold (0: all folds together, with the 95 %
    bootstrap interval of F1 over heads) and pattern; ``macro`` is the mean of the patterns. ``n`` counts maps that have
    the pattern by reference. ``kovaleva_pattern_agreement``: agreement and kappa of every two passes.
    ``kovaleva_pattern_examples``: for each pattern the map of which the classifier is surest, cell by cell.
    """
    predictions, certainty = cross_validated(labelled, seed)
    tables = {
        "kovaleva_pattern_predictions": predictions,
        "kovaleva_pattern_classifier": scores_of_labellers(labelled, predictions, seed),
        "kovaleva_pattern_examples": surest_examples(labelled, certainty),
    }
    return tables | {"kovaleva_pattern_agreement": agreement_of_passes(labelled, seed)}


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


def scores_of_labellers(labelled: LabelledMaps, predictions: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table ``kovaleva_pattern_classifier``, from ``kovaleva_pattern_predictions``."""
    methods = {name: predictions[name].set_axis(predictions["map"]) for name in ("classifier", "rules")}
    for name in list(labelled.passes)[1:]:
        methods[name] = pd.Series(labelled.passes[name], dtype=str)
    reference = predictions.set_index("map")
    heads = pd.Series(labelled.heads, index=reference.index)
    rows = []
    for method, labels in methods.items():
        both = reference.index[reference.index.isin(labels.index)]
        if both.empty:
            continue
        for fold in (0, *sorted(reference.loc[both, "fold"].unique())):
            of_fold = both if fold == 0 else both[reference.loc[both, "fold"] == fold]
            counts = confusions(reference.loc[of_fold, "reference"], labels[of_fold], heads[of_fold])
            rows.append(_score_rows(counts, seed if fold == 0 else None).assign(fold=fold, method=method))
    return pd.concat(rows, ignore_index=True)


def _score_rows(counts: np.ndarray, seed: int | None) -> pd.DataFrame:
    """Scores of every pattern and their average; with a seed, also the interval of F1 over groups."""
    confusion = counts.sum(0)
    precision, recall, f1 = scores(confusion)
    low, high = np.full((2, len(f1)), np.nan)
    if seed is not None:
        drawn = np.tensordot(resampled(len(counts), _RESAMPLES, seed), counts, 1)
        present = confusion.sum(-1) > 0
        shown = [*present, True]
        low[shown], high[shown] = np.nanquantile(scores(drawn)[2][:, shown], _TAIL, axis=0)
    n = confusion.sum(-1).astype(int)
    columns = {"precision": precision, "recall": recall, "f1": f1, "low": low, "high": high, "n": [*n, n.sum()]}
    return pd.DataFrame({"pattern": [*PATTERNS, MACRO], **columns})


def agreement_of_passes(labelled: LabelledMaps, seed: int) -> pd.DataFrame:
    """Table ``kovaleva_pattern_agreement``: of every two passes that share maps; with one pass, a row without values.

    The 95 % interval of kappa is a bootstrap over heads.
    """
    names = list(labelled.passes)
    heads = {item.id: head for item, head in zip(labelled.maps, labelled.heads, strict=True)}
    rows = []
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            shared = sorted(labelled.passes[first].keys() & labelled.passes[second].keys())
            if shared:
                of_both = ([labelled.passes[name][number] for number in shared] for name in (first, second))
                counts = confusions(*of_both, [heads[number] for number in shared])
                rows.append({"first": first, "second": second, **_agreement(counts, seed), "n": len(shared)})
    columns = ["first", "second", "agreement", "kappa", "low", "high", "n"]
    return pd.DataFrame(rows or [{"first": names[0], "n": len(labelled.passes[names[0]])}], columns=columns)


def _agreement(counts: np.ndarray, seed: int) -> dict[str, float]:
    agreement, kappa = agreement_and_kappa(counts.sum(0))
    drawn = agreement_and_kappa(np.tensordot(resampled(len(counts), _RESAMPLES, seed), counts, 1))[1]
    low, high = np.nanquantile(drawn, _TAIL)
    return {"agreement": float(agreement), "kappa": float(kappa), "low": float(low), "high": float(high)}


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
