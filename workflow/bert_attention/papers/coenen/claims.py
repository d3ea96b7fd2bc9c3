"""Claims of Coenen et al. 2019, "Visualizing and Measuring the Geometry of BERT", arXiv 1906.02715.

The order of a pair's words is not published; here the dependent attends to its syntactic head. Nor is it published how
unrelated pairs were drawn; here they are random pairs from the same sentences. The paper trains its classifiers by
stochastic gradient descent, which the claims on accuracy use, too. Our controls are trained by L-BFGS alone, which
comes nearer to the minimum. Claims with a control compare it with a probe that is trained by L-BFGS, too.
"""

from __future__ import annotations

import pandas as pd

from bert_attention.judging.claims import RECALLED, Margin, Paper, above
from bert_attention.results import POINTS, SHARE
from bert_attention.statistics.measures import ResultTables

coenen = Paper(
    __file__,
    work="Coenen et al. 2019",
    model="google-bert/bert-base-uncased",
    depth=12,
    weights={"google-bert/bert-base-uncased": ["68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"]},
)

EXACT = Margin(0, "a number of relations must be equal")
ACCURACY = Margin(0.02, "two points of accuracy: a probe is trained on randomly drawn pairs")

PUBLISHED = coenen.published("probes").set_index("probe")["value"]


def related_or_not(
    t: ResultTables, features: str = "attention", optimizer: str = "lbfgs", negatives: str = "random"
) -> pd.Series:
    """Return the row of the probe that tells if two words are related."""
    pairs = {"probe": "binary", "negatives": negatives, "direction": "dependent_to_head"}
    return t.coenen_probes(**pairs, features=features, optimizer=optimizer).iloc[0]


def which_relation(t: ResultTables, features: str = "attention", optimizer: str = "lbfgs") -> pd.Series:
    """Return the row of the probe that tells which relation two related words have."""
    pairs = {"probe": "relation", "direction": "dependent_to_head"}
    return t.coenen_probes(**pairs, features=features, optimizer=optimizer).iloc[0]


@coenen.claim(
    "Accuracy of telling if two words are related",
    at="section 3.1.2",
    published=PUBLISHED["binary"],
    margin=ACCURACY,
    needs=["treebank"],
    unit=SHARE,
    note="One of the transcriptions has 85.9. The data are the Penn Treebank in Stanford Dependencies.",
)
def accuracy_of_related_or_not(t: ResultTables) -> float:
    """A probe tells with this accuracy if two words are related, for equal numbers of related and unrelated pairs."""
    return related_or_not(t, optimizer="sgd").accuracy


@coenen.claim(
    "Attention tells if words are related better than distance does",
    at="abstract; section 3.1",
    provenance=RECALLED,
    true_if=above(0),
    needs=["treebank"],
    control=lambda t: related_or_not(t, features="random_model").gain,
    unit=POINTS,
    note="The comparison with distance is ours.",
)
def gain_of_related_or_not(t: ResultTables) -> float:
    """Attention contains syntax: it tells better than the words' distance if two words are related."""
    return related_or_not(t).gain


@coenen.claim(
    "Accuracy of telling which of 30 relations two words have",
    at="section 3.1.2",
    published=PUBLISHED["relation"],
    margin=ACCURACY,
    needs=["treebank"],
    unit=SHARE,
)
def accuracy_of_which_relation(t: ResultTables) -> float:
    """A probe tells with this accuracy which of 30 relations two related words have."""
    return which_relation(t, optimizer="sgd").accuracy


@coenen.claim(
    "Attention tells which relation words have better than distance does",
    at="abstract; section 3.1",
    provenance=RECALLED,
    true_if=above(0),
    needs=["treebank"],
    control=lambda t: which_relation(t, features="random_model").gain,
    unit=POINTS,
    note=(
        "The comparison with distance is ours. coenen_table_probes has another comparison, with the dependent's word "
        "form."
    ),
)
def gain_of_which_relation(t: ResultTables) -> float:
    """Attention contains syntax: it tells better than the words' distance which relation two words have."""
    return which_relation(t).gain


@coenen.claim(
    "Number of relations with enough examples",
    at="section 3.1.2",
    published=30,
    margin=EXACT,
    needs=["treebank"],
    model=None,
    is_exact=True,
    note="Here a relation needs the same share of the training examples.",
)
def relations_with_enough_examples(t: ResultTables) -> float:
    """30 relations have more than 5,000 examples."""
    return which_relation(t, optimizer="sgd").classes


coenen.not_measured(
    "number_of_related_pairs",
    "Number of pairs of related words",
    "The treebank has 3.1 million pairs of related words.",
    at="section 3.1.2",
    published=3_100_000,
    margin=Margin(50_000, "it is printed in hundreds of thousands"),
    needs=["treebank"],
    model=None,
    absent="tables count the pairs that a probe learns from and is tested on, not those of the whole treebank",
)
