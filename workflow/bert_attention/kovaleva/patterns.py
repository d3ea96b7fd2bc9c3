"""Shares of five patterns among the attention maps of a task (Kovaleva et al. 2019, section 4.1, figure 2)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd
from torch import nn

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.pattern_classifier import images, probabilities
from bert_attention.kovaleva.pattern_confusion import confusions, corrected_shares, resampled
from bert_attention.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.models.devices import torch_threads

_RESAMPLES = 1000
_TAIL = (0.025, 0.975)


def patterns(
    pretrained_sequences: Collection[StoredSequence],
    finetuned_sequences: Collection[StoredSequence],
    classifier: nn.Sequential,
    kovaleva_pattern_predictions: pd.DataFrame,
    task: str,
    examples: int | None,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Tables ``kovaleva_patterns`` and ``kovaleva_pattern_disagreement`` of one task.

    ``kovaleva_patterns``: the share of every pattern among the maps of all heads, by ``classifier``, by ``rules``, and
    ``corrected``: the classifier's shares, corrected for the errors that it made in cross-validation
    (:func:`.pattern_confusion.corrected_shares`; the errors are assumed to be the same on every task). Intervals are
    from a bootstrap over examples; for corrected shares, the labelled maps behind the errors are drawn anew, too, by
    heads. ``n`` counts examples. ``kovaleva_pattern_disagreement``: the share of maps that have a pattern by the
    classifier and one by the rules; ``n`` counts maps.

    Parameters
    ----------
    pretrained_sequences, finetuned_sequences
        The same examples before and after fine-tuning.
    classifier
        As trained on the labelled maps.
    kovaleva_pattern_predictions
        What it made of labelled maps in cross-validation.
    examples
        How many examples to take at random; None takes all. The paper has 1,000.
    """
    table = kovaleva_pattern_predictions
    heads = table.groupby(["model", "layer", "head"]).ngroup()
    errors = confusions(table["reference"], table["classifier"], heads)
    places = set(sample(range(len(pretrained_sequences)), examples, seed))
    shares, disagreements = [], []
    for model, sequences in (("pretrained", pretrained_sequences), ("finetuned", finetuned_sequences)):
        counts = np.stack(list(_counts(sequences, places, classifier)))  # [example, by classifier, by rules]
        shares.append(_share_rows(counts, errors, seed).assign(task=task, model=model))
        disagreements.append(_disagreement_rows(counts.sum(0)).assign(task=task, model=model))
    return {
        "kovaleva_patterns": pd.concat(shares, ignore_index=True),
        "kovaleva_pattern_disagreement": pd.concat(disagreements, ignore_index=True),
    }


def _counts(sequences: Collection[StoredSequence], places: set[int], classifier: nn.Sequential) -> Iterator[np.ndarray]:
    """For each example, how many heads have which pattern by classifier and by rules, ``[by classifier, by rules]``."""
    for place, sequence in enumerate(sequences):
        if place not in places:
            continue
        attention = sequence.attention
        separators = np.flatnonzero(sequence.categories["sep"])
        between = separators[:-1] if len(separators) > 1 else separators  # the last one ends the input
        with torch_threads(1):
            found = probabilities(classifier, images(attention.reshape(-1, *attention.shape[-2:]))).argmax(-1)
        by_rules = patterns_by_rules(attention, int(between[0]), len(between)).ravel()
        cells = np.bincount(found * len(PATTERNS) + by_rules, minlength=len(PATTERNS) ** 2)
        yield cells.reshape(len(PATTERNS), len(PATTERNS)).astype(np.float64)


def _share_rows(counts: np.ndarray, errors: np.ndarray, seed: int) -> pd.DataFrame:
    """Shares by all methods with their intervals.

    Parameters
    ----------
    counts
        ``[example, by classifier, by rules]``.
    errors
        ``[head, reference, predicted]``, of labelled maps.
    """
    by_classifier, by_rules = counts.sum(-1), counts.sum(-2)
    drawn_examples = resampled(len(counts), _RESAMPLES, seed)
    drawn_errors = np.tensordot(resampled(len(errors), _RESAMPLES, seed + 1), errors, 1)
    # A resample of heads can miss a rare pattern; what all heads say of it is the best that is known then.
    drawn_errors = np.where(drawn_errors.sum(-1, keepdims=True) > 0, drawn_errors, errors.sum(0))
    rows = []
    for method, own in (("classifier", by_classifier), ("rules", by_rules)):
        rows.append(_rows(method, _normalised(own.sum(0)), _normalised(drawn_examples @ own), len(counts)))
    observed = _normalised(drawn_examples @ by_classifier)
    drawn = [corrected_shares(*pair) for pair in zip(observed, drawn_errors, strict=True)]
    corrected = corrected_shares(_normalised(by_classifier.sum(0)), errors.sum(0))
    rows.append(_rows("corrected", corrected, np.stack(drawn), len(counts)))
    return pd.concat(rows, ignore_index=True)


def _normalised(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum(-1, keepdims=True)


def _rows(method: str, shares: np.ndarray, drawn: np.ndarray, n: int) -> pd.DataFrame:
    low, high = np.quantile(drawn, _TAIL, axis=0)
    return pd.DataFrame({"method": method, "pattern": PATTERNS, "share": shares, "low": low, "high": high, "n": n})


def _disagreement_rows(counts: np.ndarray) -> pd.DataFrame:
    by_classifier, by_rules = np.indices(counts.shape)
    return pd.DataFrame(
        {
            "classifier": [PATTERNS[place] for place in by_classifier.ravel()],
            "rules": [PATTERNS[place] for place in by_rules.ravel()],
            "share": (counts / counts.sum()).ravel(),
            "n": int(counts.sum()),
        }
    )
