"""Shares of five patterns among the attention maps of a task (Kovaleva et al. 2019, section 4.1, figure 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import PATTERNS
from bert_attention.heads import cell_table
from bert_attention.kovaleva.column_values import BLOCK_OR_HETEROGENEOUS, MODELS
from bert_attention.kovaleva.pattern_confusion import corrected_shares
from bert_attention.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.models.devices import torch_threads
from bert_attention.models.pattern_classifier import Networks, images, probabilities
from bert_attention.statistics.joint_counts import joint_counts
from bert_attention.statistics.sums import Sums

_JOINED = dict.fromkeys(("block", "heterogeneous"), BLOCK_OR_HETEROGENEOUS)


def sums(
    pretrained_sequence: StoredSequence, finetuned_sequence: StoredSequence, classifier: Networks
) -> dict[str, np.ndarray | int]:
    """Return an example's sums: the number of heads with each pair of patterns, ``[model, by classifier, by rules]``.

    Parameters
    ----------
    pretrained_sequence, finetuned_sequence
        The example before and after fine-tuning.
    classifier
        The classifier trained on the labeled maps.
    """
    sequences = (pretrained_sequence, finetuned_sequence)
    return {"heads": np.stack([_counts(sequence, classifier) for sequence in sequences]), "examples": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_disagreement``: the share of maps by the classifier's pattern and the rules'.

    ``n`` counts examples, each of which has a map of every head.
    """
    shares = sums["heads"] / sums["heads"].sum((1, 2), keepdims=True)
    axes = {"model": MODELS, "classifier": PATTERNS, "rules": PATTERNS}
    return cell_table(axes, share=shares, n=sums["examples"])


def patterns(maps: pd.DataFrame, confusion: pd.DataFrame) -> pd.DataFrame:
    """Return table ``kovaleva_patterns``: the share of every pattern among the maps of all heads, by task and model.

    The methods are ``classifier``, ``rules`` and ``corrected``. The latter corrects the classifier's shares for its
    errors in cross-validation (:func:`.pattern_confusion.corrected_shares`), assuming the same errors on every task. A
    corrected share varies with the examples and with the labeled maps.

    ``block_or_heterogeneous`` is the paper's count in the text. Only the two together can be corrected: labeled blocks
    are too few to estimate the patterns for which blocks are taken.

    Parameters
    ----------
    maps
        Table ``kovaleva_pattern_disagreement``.
    confusion
        Table ``kovaleva_pattern_confusion``.
    """
    taken_for = _taken_for(confusion[confusion["method"] == "classifier"])
    tables = []
    for (task, model), rows in maps.groupby(["task", "model"], sort=False):
        found = {}
        for method in ("classifier", "rules"):
            found[method] = rows.groupby(method)["share"].sum()[[*PATTERNS]]
            found[method][BLOCK_OR_HETEROGENEOUS] = found[method][[*_JOINED]].sum()
        observed = found["classifier"][taken_for.index]
        corrected = corrected_shares(observed.to_numpy(), taken_for.to_numpy())
        found["corrected"] = pd.Series(corrected, taken_for.index)
        labels = {"task": task, "model": model, "n": rows["n"].iloc[0]}
        tables += [
            pd.DataFrame({**labels, "method": name, "pattern": of.index, "share": of.to_numpy()})
            for name, of in found.items()
        ]
    return pd.concat(tables, ignore_index=True)


def _taken_for(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return the share of maps taken for each pattern, ``[reference, predicted]``, merging block and heterogeneous.

    Rows are NaN if no map has the label.
    """
    counts = (confusion["share"] * confusion["n"]).fillna(0)
    joined = counts.groupby([confusion[name].replace(_JOINED) for name in ("reference", "predicted")], sort=False).sum()
    maps = joined.unstack(sort=False)
    return maps.div(maps.sum(axis=1).replace(0, np.nan), axis=0)[maps.index]


def _counts(sequence: StoredSequence, classifier: Networks) -> np.ndarray:
    attention = sequence.attention
    separators = np.flatnonzero(sequence.categories["sep"])
    between = separators[:-1] if len(separators) > 1 else separators  # the last [SEP] ends the input
    with torch_threads(1):
        found = probabilities(classifier, images(attention.reshape(-1, *attention.shape[-2:]))).argmax(-1)
    by_rules = patterns_by_rules(attention, int(between[0]), len(between)).ravel()
    return joint_counts((len(PATTERNS), len(PATTERNS)), found, by_rules)
