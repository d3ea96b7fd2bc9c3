"""Shares of five patterns among the attention maps of a task (Kovaleva et al. 2019, section 4.1, figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import PATTERNS
from bert_attention.heads import cell_table
from bert_attention.models.devices import torch_threads
from bert_attention.models.pattern_classifier import Networks, images, probabilities
from bert_attention.papers.kovaleva.columns import BLOCK_OR_HETEROGENEOUS, MODELS
from bert_attention.papers.kovaleva.pattern_confusion import corrected_shares
from bert_attention.papers.kovaleva.pattern_heads import pattern_of_heads
from bert_attention.statistics.joint_counts import joint_counts
from bert_attention.statistics.sums import Sums

_MERGED = dict.fromkeys(("block", "heterogeneous"), BLOCK_OR_HETEROGENEOUS)


def sums(
    pretrained_sequence: StoredSequence, finetuned_sequence: StoredSequence, classifier: Networks
) -> dict[str, np.ndarray | int]:
    """Return an example's sums: the number of heads with each pair of patterns, ``[model, by classifier, by rules]``.

    The sequences are the attention of the example before and after fine-tuning.
    """
    sequences = (pretrained_sequence, finetuned_sequence)
    return {"heads": np.stack([_counts(sequence, classifier) for sequence in sequences]), "examples": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_disagreement``: the share of maps by classifier's pattern and by rules' pattern.

    ``n`` counts examples. Each has a map of every head.
    """
    shares = sums["heads"] / sums["heads"].sum((1, 2), keepdims=True)
    axes = {"model": MODELS, "classifier": PATTERNS, "rules": PATTERNS}
    return cell_table(axes, share=shares, n=sums["examples"])


def patterns(maps: pd.DataFrame, confusion: pd.DataFrame) -> pd.DataFrame:
    """Return table ``kovaleva_patterns``: the share of every pattern among the maps of all heads, by task and model.

    The methods are ``classifier``, ``rules`` and ``corrected``. Method ``corrected`` corrects the classifier's shares
    for its errors in cross-validation (:func:`.pattern_confusion.corrected_shares`). It assumes the same errors on
    every task. A corrected share varies with the examples and with the labeled maps.

    ``block_or_heterogeneous`` is the sum of two patterns, which the paper gives in its text. Method ``corrected`` has
    only their sum, because too few blocks are labeled to estimate which patterns the classifier predicts for blocks.
    """
    error_rates = _error_rates(confusion[confusion["method"] == "classifier"])
    shares = {method: _shares(maps, method) for method in ("classifier", "rules")}
    observed = shares["classifier"][error_rates.index]
    corrected = [corrected_shares(row, error_rates.to_numpy()) for row in observed.to_numpy()]
    shares["corrected"] = pd.DataFrame(corrected, observed.index, error_rates.index)
    by_pattern = {method: table.rename_axis(columns="pattern").stack() for method, table in shares.items()}
    examples = maps.groupby(["task", "model"], sort=False)["n"].first()
    rows = pd.concat(by_pattern, names=["method"]).rename("share").reset_index()
    return rows.join(examples, on=["task", "model"])


def _shares(maps: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the share of each pattern by a method, with a row for each task and model."""
    found = maps.groupby(["task", "model", method], sort=False)["share"].sum().unstack(sort=False)[[*PATTERNS]]
    return found.assign(**{BLOCK_OR_HETEROGENEOUS: found[[*_MERGED]].sum(axis=1)})


def _error_rates(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return the confusion matrix as shares ``[reference, predicted]``, merging block and heterogeneous.

    A row is NaN if no map has the label.
    """
    counts = (confusion["share"] * confusion["n"]).fillna(0)
    merged = counts.groupby([confusion[name].replace(_MERGED) for name in ("reference", "predicted")], sort=False).sum()
    maps = merged.unstack(sort=False)
    return maps.div(maps.sum(axis=1).replace(0, np.nan), axis=0)[maps.index]


def _counts(sequence: StoredSequence, classifier: Networks) -> np.ndarray:
    """Return the number of heads ``[by classifier, by rules]``."""
    attention = sequence.attention
    with torch_threads(1):
        by_classifier = probabilities(classifier, images(attention.reshape(-1, *attention.shape[-2:]))).argmax(-1)
    return joint_counts((len(PATTERNS), len(PATTERNS)), by_classifier, pattern_of_heads(sequence).ravel())
