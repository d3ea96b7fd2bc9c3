"""Values of the columns of Coenen et al.'s tables."""

from __future__ import annotations

# probe: binary predicts if two words are related, relation predicts the relation of two related words
PROBES = ("binary", "relation")
# negatives: how the unrelated pairs of the binary probe are drawn; the relation probe has no unrelated pairs
NEGATIVES = ("random", "same_distance")
# direction: the word of a related pair that attends to the other
DIRECTIONS = ("dependent_to_head", "head_to_dependent", "either")
# features: the probe's input. This is the attention between two words, their distance, the attention of an encoder with
# random weights, or the dependent's word form, which predicts its most frequent relation
FEATURES = ("attention", "distance_only", "random_model", "dependent_form")
# optimizer: how the linear classifier of each kind of features is trained; the paper uses sgd. Word forms need no
# training
OPTIMIZERS = {"attention": ("lbfgs", "sgd"), "distance_only": ("lbfgs",), "random_model": ("lbfgs",)}
# The smallest share of the training pairs that a relation can have. The paper keeps the 30 relations with more than
# 5,000 examples among 3.1 million.
FEWEST_SHARE = 5_000 / 3_100_000
