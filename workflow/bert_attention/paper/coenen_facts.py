"""What the paper says in its prose of the results of Coenen et al. 2019: a function for each number.

A function has the name that the number has in the template, and its arguments are named as the result tables it reads.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.paper.cells import accuracy, cell, count, highest, row, rows, share

_TO_HEAD = {"direction": "dependent_to_head"}
_BINARY = {"probe": "binary", "negatives": "random", **_TO_HEAD}
_AS_FAR = {"probe": "binary", "negatives": "same_distance", **_TO_HEAD}
_RELATION = {"probe": "relation", **_TO_HEAD}


def related_or_not(coenen_probes: pd.DataFrame) -> str:
    """How often the probe tells related pairs from others."""
    return accuracy(row(coenen_probes, features="attention", **_BINARY))


def related_or_not_by_distance(coenen_probes: pd.DataFrame) -> str:
    """The same by distance alone."""
    return share(cell(coenen_probes, "accuracy", features="distance_only", **_BINARY))


def related_or_not_random(coenen_probes: pd.DataFrame) -> str:
    """The same by the attention of random weights."""
    return share(cell(coenen_probes, "accuracy", features="random_model", **_BINARY))


def related_or_not_as_far(coenen_probes: pd.DataFrame) -> str:
    """How often the probe tells related pairs from others that are as far apart."""
    return accuracy(row(coenen_probes, features="attention", **_AS_FAR))


def which_relation(coenen_probes: pd.DataFrame) -> str:
    """How often the probe tells the relation."""
    return accuracy(row(coenen_probes, features="attention", **_RELATION))


def which_relation_by_distance(coenen_probes: pd.DataFrame) -> str:
    """The same by distance alone."""
    return share(cell(coenen_probes, "accuracy", features="distance_only", **_RELATION))


def which_relation_most_frequent(coenen_probes: pd.DataFrame) -> str:
    """How often the most frequent relation is right."""
    return share(cell(coenen_probes, "majority", features="attention", **_RELATION))


def relation_count(coenen_probes: pd.DataFrame) -> str:
    """How many relations the probe tells apart."""
    return count(cell(coenen_probes, "classes", features="attention", **_RELATION))


def relation_told_best(coenen_relations: pd.DataFrame) -> str:
    """The relation with the highest F1, with it."""
    best = highest(rows(coenen_relations, features="attention", **_TO_HEAD), "f1")
    return f"{best['relation']} (F1 {share(best['f1'])})"
