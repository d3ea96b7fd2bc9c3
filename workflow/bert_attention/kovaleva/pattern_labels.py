"""Labelled maps: what annotators' passes say together, how far they agree, and how well labellers reproduce them.

Several passes (by one annotator or by several) may label the same maps. The *reference* is the label that most of a
map's passes give, or the first pass's where none has most. A pass that labels only maps on which earlier ones differ
*decides* between them: it counts for the reference, and is compared with nobody, since it saw the hard maps alone.

The classifier learns from all passes: its target is the share that chose a pattern. It is scored against the reference
on all maps: to score it only where passes agree would leave out the hard ones. How far annotators get is beside it:
each further pass is scored against the first.

In cross-validation, networks have seen no map of the same head, nor of the same sentence. A head looks alike on
different inputs and, for most heads, after fine-tuning; a sentence gives its length and the places of [SEP] to all its
maps. Folds keep heads whole, and what shares a sentence with a fold is left out of its training.
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
_RARE = 0.02  # of the maps; a pattern that has fewer would fill its part of the macro average with luck
_HEAD = ["model", "layer", "head"]
_LARGEST_EXAMPLE = 60  # tokens; the cells of larger maps are too small for a panel of a figure


@dataclass(frozen=True)
class LabelledMaps:
    """Maps with the labels of all passes.

    Attributes
    ----------
    maps
        Those that at least one pass labels, in order of their numbers.
    labels
        ``[map, pass]``, by the maps' numbers and the names of the passes, the first pass first; NaN for none.
    reference
        The label that most passes give to each map; of several, the first of them.
    targets
        ``[map, pattern]``: the share of the map's labels.
    heads
        ``[map]``: a number for each head of each model.
    sentences
        ``[map]``: its task and the number of its example; with one sentence or two, whatever the model.
    """

    maps: tuple[PatternMap, ...]
    labels: pd.DataFrame
    reference: tuple[str, ...]
    targets: np.ndarray
    heads: np.ndarray
    sentences: np.ndarray

    @classmethod
    def of(cls, maps: Sequence[PatternMap], passes: Mapping[str, Mapping[int, str]]) -> LabelledMaps:
        """Put maps and passes together: labels by the maps' numbers, for each pass by its name.

        Raises
        ------
        InputError
            If the labels are of too few heads to be cross-validated, or all the same.
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
        """The passes, without those that decide between earlier ones."""
        found: list[str] = []
        for name in self.labels:
            earlier = self.labels.loc[self.labels[name].notna(), found]
            if (earlier.nunique(axis=1) < 2).any():
                found.append(name)
        return found


def trained_classifier(labelled: LabelledMaps, seed: int) -> Networks:
    """The classifier, trained on all labelled maps."""
    return train(images_of([item.attention for item in labelled.maps]), labelled.targets, seed)


def label_tables(labelled: LabelledMaps, seed: int) -> dict[str, pd.DataFrame | Replicates]:
    """The tables about the labels, by name.

    ``kovaleva_pattern_predictions``: each map's label by reference, by the classifier that has seen neither its head
    nor its sentence, with its probability, and by rules. ``kovaleva_pattern_examples``: for each pattern a map
    that shows it, cell by cell. The others are those of :func:`table`.
    """
    predictions, certainty = cross_validated(labelled, seed)
    of_networks = np.array(PATTERNS)[certainty.argmax(-1)]
    return {
        "kovaleva_pattern_predictions": predictions,
        "kovaleva_pattern_examples": surest_examples(labelled, certainty.mean(0)),
        **tables_of_labellings(labelled, predictions, of_networks),
    }


def tables_of_labellings(
    labelled: LabelledMaps, predictions: pd.DataFrame, of_networks: np.ndarray
) -> dict[str, Replicates]:
    """The tables of :func:`table`; what varies is the heads whose maps are labelled.

    Parameters
    ----------
    of_networks
        ``[network, map]``: the labels by each of the classifier's networks.
    """
    passes = labelled.labels[labelled.compared].reset_index(drop=True)
    networks = pd.DataFrame(dict(enumerate(of_networks)))
    labellings = pd.concat({"": predictions, "networks": networks, "passes": passes}, axis=1)
    heads = [of_head for _, of_head in labellings.groupby(labelled.heads)]
    return tabulated(partial(table, passes=labelled.compared), Sums.of(map(sums, heads), range(len(heads))))


def sums(of_head: pd.DataFrame) -> dict[str, np.ndarray]:
    """What the labelled maps of a head add: confusions of labellers with the reference, and of every two passes.

    Parameters
    ----------
    of_head
        The head's rows of ``kovaleva_pattern_predictions``, which are of one fold; beside them, what each of the
        classifier's ``networks`` and each of the ``passes`` says.
    """
    predicted, passes = of_head[""], of_head["passes"]
    fold, reference = predicted["fold"].iloc[0], predicted["reference"]
    of_methods = {method: confusion(reference, predicted[method]) for method in ("classifier", "rules")}
    found = {f"scores/{method}/{place}": counts for method, counts in of_methods.items() for place in (0, fold)}
    found |= {f"networks/{name}": confusion(reference, labels) for name, labels in of_head["networks"].items()}
    return found | {f"passes/{a}/{b}": confusion(passes[a], passes[b]) for a, b in combinations(passes, 2)}


def table(sums: Sums, passes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The tables about labellings, by name.

    ``kovaleva_pattern_classifier``: precision, recall and F1 of the classifier and of the rules against the reference,
    by fold (0: all folds together) and pattern; of one network alone (the mean over the classifier's networks, with the
    standard deviation of F1 between them); and of each further pass against the first. ``accuracy`` is the share of
    maps that are labelled right, ``weighted`` the mean of patterns weighted by their maps, and ``macro`` the plain mean
    of the patterns that at least 2 % of all maps have by reference. ``n`` counts maps that have the pattern by
    reference, or by the first pass.

    ``kovaleva_pattern_confusion``: as what classifier, rules and further passes take those maps.

    ``kovaleva_pattern_agreement``: agreement and kappa of every two passes that share maps; with one pass, a row
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
    """The scores of a method in all folds together and in each; a pattern that a fold lacks is not averaged there."""
    found = sums.within(f"scores/{method}/")
    parts = [
        _score_rows(found[str(fold)], averaged & found.of_all[str(fold)].any(1)).assign(fold=fold)
        for fold in sorted(map(int, found))
    ]
    return pd.concat(parts).assign(method=method)


def _score_rows(counts: np.ndarray, averaged: np.ndarray) -> pd.DataFrame:
    """Scores of every pattern and their averages."""
    precision, recall, f1 = scores(counts, averaged)
    n = counts.sum(1)
    columns = {"precision": precision, "recall": recall, "f1": f1, "n": [*n, *[n.sum()] * len(PATTERN_AVERAGES)]}
    return pd.DataFrame({"pattern": [*PATTERNS, *PATTERN_AVERAGES], **columns})


def _mean_rows(of_networks: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The mean of the networks' scores, and how far their F1 vary."""
    by_row = pd.concat(of_networks).groupby(level=0)
    means = by_row[["precision", "recall", "f1"]].mean().assign(f1_sd=by_row["f1"].std())
    return of_networks[0][["pattern", "n"]].join(means).assign(fold=0, method="one_network")


def _confusion_rows(counts: np.ndarray) -> pd.DataFrame:
    """The share of the maps of each pattern that are taken for each."""
    n = counts.sum(1, keepdims=True)
    return cell_table({"reference": PATTERNS, "predicted": PATTERNS}, share=ratio(counts, n), n=n)


def _agreement(counts: np.ndarray) -> dict[str, float]:
    agreement, kappa = agreement_and_kappa(counts)
    return {"agreement": agreement, "kappa": kappa, "n": counts.sum()}


def cross_validated(labelled: LabelledMaps, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Table ``kovaleva_pattern_predictions``, and each network's probabilities, ``[network, map, pattern]``."""
    maps = labelled.maps
    folds = folds_by_head(labelled, seed)
    inputs = images_of([item.attention for item in maps])
    certainty = held_out_probabilities(inputs, labelled.targets, folds, labelled.sentences, seed)
    together = certainty.mean(0)
    table = pd.DataFrame(
        {
            "map": [item.id for item in maps],
            **{name: [getattr(item, name) for item in maps] for name in ("model", "weights", "task", "layer", "head")},
            "fold": folds,
            "reference": labelled.reference,
            "classifier": [PATTERNS[place] for place in together.argmax(-1)],
            "probability": together.max(-1),
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

    Of blocks it is the one that is most of a block by the measure of the rules: a classifier that sees few blocks is
    sure of none. It is chosen among maps to which all passes give the pattern, and among those of at most 60 tokens, if
    there are such. A pattern that no map has by all passes is left out.
    """
    certainty = certainty.copy()
    certainty[:, PATTERNS.index("block")] = [
        pattern_measures(item.attention, item.separator).block for item in labelled.maps
    ]
    tokens = np.array([len(item.attention) for item in labelled.maps])
    rows = []
    for place, pattern in enumerate(PATTERNS):
        agreed = labelled.targets[:, place] == 1
        candidates = np.flatnonzero(agreed & (tokens <= _LARGEST_EXAMPLE))
        candidates = candidates if len(candidates) else np.flatnonzero(agreed)
        if len(candidates):
            item = labelled.maps[candidates[certainty[candidates, place].argmax()]]
            described = {name: getattr(item, name) for name in ("weights", "task", "layer", "head", "separator")}
            cells = cell_table({"query": 0, "key": 0}, weight=item.attention)
            rows.append(cells.assign(map=item.id, **described, pattern=pattern))
    return pd.concat(rows, ignore_index=True)
