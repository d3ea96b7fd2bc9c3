"""Attention probes, which predict from attention if and how two words are related (Coenen et al. 2019, section 3.1).

A linear classifier reads only the attention from one word to another in all heads of the encoder. The paper trains it
by stochastic gradient descent with an L2 penalty. We do not know the paper's loss, its split of the data, or the order
of a pair's words. Here the classifier is trained in two ways:

- ``sgd``, scikit-learn's ``SGDClassifier`` with its defaults: on unscaled attention, with a hinge loss, one relation
  against the rest.
- ``lbfgs``: logistic regression (multinomial for relations) with scikit-learn's default penalty (C = 1), minimized by
  L-BFGS, which needs no seed and comes closer to the minimum. Features are first scaled to unit variance and rotated so
  that they do not correlate (:func:`whitened`). The classifier stays linear in attention. All controls that are linear
  classifiers are trained in this way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, SGDClassifier

from bert_attention.attention.store import AttentionStore, ShardInMemory, StoredSequence
from bert_attention.corpora.conllu import clusters_of_sentences
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError
from bert_attention.papers.coenen.columns import DIRECTIONS, FEWEST_SHARE, NEGATIVES, OPTIMIZERS
from bert_attention.papers.coenen.pair_vectors import attention_vectors, distance_vectors
from bert_attention.papers.coenen.pairs import WordPairs, binary_pairs, pair_orders, related_pairs
from bert_attention.statistics.jackknife import Replicates, tabulated
from bert_attention.statistics.sums import Sums, blocks_of, ratio, units_of_sample

# The columns of gains, by the features of the control that they are over.
_CONTROLS = {"distance_only": "gain", "dependent_form": "gain_over_form"}
_MAX_STEPS = 2000
_MIN_VARIANCE = 1e-6  # share of the greatest variance; directions with less variance are rounding noise


@dataclass(frozen=True)
class _Task:
    """The training and test pairs of a probe; ``negatives`` is None for the relation probe."""

    probe: str
    negatives: str | None
    train: WordPairs
    dev: WordPairs
    left_out: int = 0  # number of relations with too few training pairs

    @cached_property
    def label_counts(self) -> dict[str | bool, int]:
        """Number of training pairs with each label, the most frequent label first."""
        labels, counts = np.unique(self.train.label, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return dict(zip(labels[order], counts[order], strict=True))


@dataclass(frozen=True)
class _Outcome:
    """The predictions of one probe for test pairs of its task, ``[pair]``; ``optimizer`` is None without training."""

    task: _Task
    direction: str
    features: str
    optimizer: str | None
    tested: WordPairs  # the task's test pairs, or those in a sample of the sentences
    predicted: np.ndarray

    @property
    def system(self) -> tuple[str, str | None, str]:
        """Key of all outcomes for the same task and order of pairs; they differ in features or optimizer."""
        return self.task.probe, self.task.negatives, self.direction


def probes(
    train_treebank: Sequence[Sentence],
    dev_treebank: Sequence[Sentence],
    train_sequences: Iterable[StoredSequence],
    dev_sequences: Iterable[StoredSequence],
    random_train_sequences: Iterable[StoredSequence],
    random_dev_sequences: AttentionStore | ShardInMemory,
    seed: int,
    train_pairs: int = 60_000,
    dev_pairs: int = 30_000,
    relation_pairs: int = 200_000,
    fewest_share: float = FEWEST_SHARE,
) -> dict[str, Replicates]:
    """Return tables ``coenen_probes`` and ``coenen_relations``: accuracy of the probes, overall and by relation.

    Probes are trained once. Their scores are sums over the sentences of the dev part, so confidence intervals cover
    other test sentences, but not other training data.

    A pair (i, j) of words is ordered: the probe reads the attention from i to j, not from j to i. ``direction`` says
    which word of a related pair attends: the dependent, its head, or either, by a coin toss for each pair. Probe
    ``binary`` separates related from unrelated pairs, half of each. ``negatives`` says how unrelated pairs are drawn
    (:func:`.binary_pairs`). Probe ``relation`` predicts the relation of a related pair, among relations that are
    frequent enough. Probes are trained on the train part and tested on the dev part, so no sentence is in both.

    The ``features`` describe the same pairs:

    - ``attention``;
    - ``distance_only``, a control that knows only how far j is after or before i;
    - ``random_model``, the attention of an encoder with random weights;
    - ``dependent_form``, a control that predicts the most frequent relation of the dependent's word form in training
      (:func:`most_frequent_labels`), in every direction.

    ``majority`` is the accuracy of the relation that is most frequent in training (0.5 in the binary probe). ``gain``
    is the accuracy minus that of ``distance_only``. ``gain_over_form`` is the accuracy minus that of
    ``dependent_form``, which the binary probe lacks. ``relations_left_out`` counts those with too few examples.

    Probe ``relation`` uses all pairs of treebanks of ordinary size, because its gain over the word form changes by more
    than a point with a draw of half of the pairs. The pairs of probe ``binary`` are drawn, because there are many more
    unrelated pairs; its intervals leave out the draw.

    Pairs are drawn from the trees before any attention is read. Their number bounds the memory: at most
    ``4 * (train_pairs + dev_pairs + relation_pairs) * layers * heads`` numbers of four bytes. ``train_pairs`` and
    ``dev_pairs`` bound the pairs of a binary probe, and ``relation_pairs`` bounds those of the relation probe, in
    training and in testing. A relation needs ``fewest_share`` of the training pairs. Raise InputError if a treebank is
    too small for a probe, and ValueError if the numbers of sentences and sequences differ.

    The sequences are the attention between words, [CLS] first and [SEP] last, in the order of the treebanks. Those of
    the random encoder can be of a sample of the dev sentences (:func:`.spread_sample`): its probes are tested on the
    pairs in these sentences. The seed is that of the pairs, and of their order in stochastic gradient descent.
    """
    parts = ((train_treebank, train_pairs, seed), (dev_treebank, dev_pairs, seed + 1))
    tasks = [
        *(_Task("binary", kind, *(binary_pairs(trees, kind, *rest) for trees, *rest in parts)) for kind in NEGATIVES),
        _relation_task(*(related_pairs(trees, relation_pairs, seed) for trees, _, seed in parts), fewest_share),
    ]
    for task in tasks:
        if len(task.label_counts) < 2 or not len(task.dev):
            problem = f"has too few pairs of words for the probe {task.probe!r}"
            remedy = f"give a larger treebank: relations with under {fewest_share:.2%} of the pairs do not count"
            raise InputError("treebank", problem, remedy)
    clusters = clusters_of_sentences(dev_treebank)
    train, dev = range(len(train_treebank)), range(len(dev_treebank))
    sample = units_of_sample(blocks_of(clusters), random_dev_sequences.blocks)
    if not all(np.isin(task.dev.sentence, sample).any() for task in tasks):
        problem = f"has no pairs of words for a probe in the {len(sample)} sentences that random weights read"
        raise InputError("treebank", problem, "set a larger control.sentences")
    read = {
        "attention": ((train, train_sequences), (dev, dev_sequences)),
        "random_model": ((train, random_train_sequences), (sample, random_dev_sequences)),
    }
    outcomes = [outcome for features in OPTIMIZERS for outcome in _outcomes(tasks, features, seed, read.get(features))]
    outcomes += _form_outcomes(tasks[-1], (train_treebank, dev_treebank))
    return tabulated(partial(_tables, outcomes), _sums(outcomes, clusters))


def _relation_task(train: WordPairs, dev: WordPairs, fewest_share: float) -> _Task:
    """Return the task of the relation probe, with the pairs of relations that have enough training examples."""
    relations, counts = np.unique(train.label, return_counts=True)
    frequent = relations[counts >= fewest_share * len(train)]
    parts = (pairs.select(np.isin(pairs.label, frequent)) for pairs in (train, dev))
    return _Task("relation", None, *parts, left_out=len(relations) - len(frequent))


def _outcomes(
    tasks: Sequence[_Task],
    features: str,
    seed: int,
    read: Sequence[tuple[Sequence[int], Iterable[StoredSequence]]] | None,
) -> Iterator[_Outcome]:
    """Train and test a probe for each task, direction and optimizer.

    ``read`` has the attention of both parts, each with the indices of its sentences. If it is None, the features are
    distances.
    """
    sets = [[task.train for task in tasks], [task.dev for task in tasks]]
    if read is None:
        vectors = [[distance_vectors(pairs) for pairs in part] for part in sets]
    else:
        sets[1] = [pairs.select(np.isin(pairs.sentence, read[1][0])) for pairs in sets[1]]
        vectors = [attention_vectors(part, *attention) for part, attention in zip(sets, read, strict=True)]
    for task, tested, *of_parts in zip(tasks, sets[1], *vectors, strict=True):
        for direction in DIRECTIONS:
            train, dev = (
                both_orders[np.arange(len(pairs)), pair_orders(pairs, direction)]
                for pairs, both_orders in zip((task.train, tested), of_parts, strict=True)
            )
            for optimizer in OPTIMIZERS[features]:
                predicted = predictions(train, task.train.label, dev, optimizer, seed)
                yield _Outcome(task, direction, features, optimizer, tested, predicted)


def _form_outcomes(task: _Task, trees: tuple[Sequence[Sentence], ...]) -> list[_Outcome]:
    """Return the predictions from the dependents' word forms, the same in each direction."""
    train_forms, dev_forms = (
        [treebank[sentence].words[word].form for sentence, word in zip(pairs.sentence, pairs.first, strict=True)]
        for pairs, treebank in zip((task.train, task.dev), trees, strict=True)
    )
    predicted = most_frequent_labels(train_forms, task.train.label, dev_forms)
    return [_Outcome(task, direction, "dependent_form", None, task.dev, predicted) for direction in DIRECTIONS]


def whitened(train: np.ndarray, others: np.ndarray) -> list[np.ndarray]:
    """Map features ``[pair, feature]`` linearly, so that training features have unit variance and do not correlate.

    The attention of different heads correlates, most of all with random weights. Without this map, L-BFGS needs ten
    times as many steps. Directions without variance are dropped, such as distances that no pair has. Return the
    training features and the others, ``[pair, direction]`` float32 each.
    """
    mean, deviation = train.mean(0, dtype=np.float64), train.std(0, dtype=np.float64)
    scale = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    scaled = (train - mean) * scale
    variances, directions = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    variances = np.maximum(variances, np.finfo(np.float64).tiny)  # if no feature varies, all directions stay, as zeros
    kept = variances > _MIN_VARIANCE * variances.max()
    matrix = scale[:, None] * directions[:, kept] / np.sqrt(variances[kept])
    return [((features - mean) @ matrix).astype(np.float32) for features in (train, others)]


def most_frequent_labels(seen: Sequence[str], labels: np.ndarray, unseen: Sequence[str]) -> np.ndarray:
    """Return the most frequent training label of each form; for new forms, the most frequent label of all.

    In a tie, the label that is more frequent overall wins.
    """
    frequency = Counter(labels)
    rarest_first = sorted(
        Counter(zip(seen, labels, strict=True)).items(), key=lambda cell: (cell[1], frequency[cell[0][1]])
    )
    label_of_form = {form: label for (form, label), _ in rarest_first}  # the last label of each form stays
    ((most_frequent, _),) = frequency.most_common(1)
    return np.array([label_of_form.get(form, most_frequent) for form in unseen])


def predictions(
    train: np.ndarray, labels: np.ndarray, vectors: np.ndarray, optimizer: str = "lbfgs", seed: int = 0
) -> np.ndarray:
    """Train a linear probe on ``[pair, feature]`` with labels ``[pair]``, and predict the labels of other vectors."""
    if optimizer == "sgd":
        return SGDClassifier(random_state=seed).fit(train, labels).predict(vectors)
    train, vectors = whitened(train, vectors)
    return LogisticRegression(max_iter=_MAX_STEPS).fit(train, labels).predict(vectors)


def _cells(outcomes: Sequence[_Outcome]) -> list[tuple[_Outcome, str, int]]:
    """Return the rows of ``coenen_relations``: outcome, relation, and the number of its training pairs."""
    relation_outcomes = [outcome for outcome in outcomes if outcome.task.probe == "relation"]
    return [(outcome, *count) for outcome in relation_outcomes for count in outcome.task.label_counts.items()]


def _sums(outcomes: Sequence[_Outcome], clusters: Sequence[Hashable]) -> Sums:
    """Return each sentence's sums, which count its pairs. ``clusters`` has the document of each sentence.

    For each outcome, ``[outcome]``, ``pairs`` counts all pairs, ``right`` the pairs with a right prediction, and
    ``majority`` the pairs with the label that is most frequent in training. Each control (:data:`_CONTROLS`) counts the
    same pairs with a right prediction of the control, or none if the task lacks it. For each row of
    ``coenen_relations``, ``[row]``, ``gold`` counts pairs with the relation, ``predicted`` pairs for which the probe
    predicts the relation, and ``hits`` pairs with both.
    """

    def counts(masks: Iterable[tuple[WordPairs, np.ndarray]]) -> np.ndarray:
        """Count the pairs of each sentence in each mask, ``[sentence, mask]``."""
        return np.stack([np.bincount(pairs.sentence[mask], minlength=len(clusters)) for pairs, mask in masks], axis=1)

    right = counts((o.tested, o.tested.label == o.predicted) for o in outcomes)
    pairs = counts((o.tested, np.ones(len(o.tested), dtype=bool)) for o in outcomes)
    cells = [(o.tested, o.tested.label == name, o.predicted == name) for o, name, _ in _cells(outcomes)]
    return Sums.of_arrays(
        {
            "right": right,
            "majority": counts((o.tested, o.tested.label == next(iter(o.task.label_counts))) for o in outcomes),
            "pairs": pairs,
            # An outcome is about all of a task's test pairs in a sentence, or about none.
            **{name: _of_control(outcomes, right, name) * (pairs > 0) for name in _CONTROLS},
            "gold": counts((tested, gold) for tested, gold, _ in cells),
            "predicted": counts((tested, predicted) for tested, _, predicted in cells),
            "hits": counts((tested, gold & predicted) for tested, gold, predicted in cells),
        },
        clusters,
    )


def _tables(outcomes: Sequence[_Outcome], sums: Sums) -> dict[str, pd.DataFrame]:
    """Return both tables, with the relations that are most frequent in training first."""
    systems = [outcome.system for outcome in outcomes]
    cells = _cells(outcomes)
    probes = {
        **dict(zip(("probe", "negatives", "direction"), zip(*systems, strict=True), strict=True)),
        "features": [outcome.features for outcome in outcomes],
        "optimizer": [outcome.optimizer for outcome in outcomes],
        "accuracy": ratio(sums["right"], sums["pairs"]),
        "majority": ratio(sums["majority"], sums["pairs"]),
        **{gain: _gain(outcomes, sums, control) for control, gain in _CONTROLS.items()},
        "classes": [len(outcome.task.label_counts) for outcome in outcomes],
        "relations_left_out": [outcome.task.left_out for outcome in outcomes],
        "n_train": [len(outcome.task.train) for outcome in outcomes],
        "n_test": sums["pairs"],
    }
    relations = {
        "relation": [relation for _, relation, _ in cells],
        "direction": [outcome.direction for outcome, _, _ in cells],
        "features": [outcome.features for outcome, _, _ in cells],
        "optimizer": [outcome.optimizer for outcome, _, _ in cells],
        "f1": ratio(2 * sums["hits"], sums["gold"] + sums["predicted"]),
        "precision": ratio(sums["hits"], sums["predicted"]),
        "recall": ratio(sums["hits"], sums["gold"]),
        "n": sums["gold"],
        "n_train": [n for _, _, n in cells],
    }
    return {"coenen_probes": pd.DataFrame(probes), "coenen_relations": pd.DataFrame(relations)}


def _of_control(outcomes: Sequence[_Outcome], right: np.ndarray, control: str) -> np.ndarray:
    """Return the right predictions of each outcome's control, ``[sentence, outcome]``; 0 without this control."""
    columns = {outcome.system: right[:, index] for index, outcome in enumerate(outcomes) if outcome.features == control}
    return np.stack([columns.get(outcome.system, np.zeros_like(right[:, 0])) for outcome in outcomes], axis=1)


def _gain(outcomes: Sequence[_Outcome], sums: Sums, control: str) -> np.ndarray:
    """Return each outcome's accuracy minus the control's on the same pairs, ``[outcome]``; NaN without a control."""
    controlled = {outcome.system for outcome in outcomes if outcome.features == control}
    has_control = [outcome.system in controlled for outcome in outcomes]
    return np.where(has_control, ratio(sums["right"] - sums[control], sums["pairs"]), np.nan)
