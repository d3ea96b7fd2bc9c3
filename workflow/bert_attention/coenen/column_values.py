"""What the columns of Coenen et al.'s tables hold."""

from __future__ import annotations

# probe: whether a relation holds between two words, and which one
PROBES = ("binary", "relation")
# negatives: which unrelated pairs the binary probe tells from related ones; the probe of relations has none
NEGATIVES = ("random", "same_distance")
# direction: which word of a related pair attends to the other
DIRECTIONS = ("dependent_to_head", "head_to_dependent", "either")
# features: what is told from: the attention between two words, their distance, the attention of random weights, or the
# dependent's word form, whose most frequent relation is the answer
FEATURES = ("attention", "distance_only", "random_model", "dependent_form")
# optimizer: what trains a linear classifier of features; that of the paper is the second. A form has none
OPTIMIZERS = {"attention": ("lbfgs", "sgd"), "distance_only": ("lbfgs",), "random_model": ("lbfgs",)}
# How many training pairs a relation needs. The paper keeps 30 relations with more than 5,000 examples each of 3.1
# million, about as large a share as 100 of 60,000.
FEWEST_EXAMPLES = 100
