"""Values of the columns of Coenen et al.'s tables."""

from __future__ import annotations

# probe: binary predicts if two words are related, relation predicts their relation
PROBES = ("binary", "relation")
# negatives: the unrelated pairs of the binary probe; the relation probe has none
NEGATIVES = ("random", "same_distance")
# direction: the word of a related pair that attends to the other
DIRECTIONS = ("dependent_to_head", "head_to_dependent", "either")
# features: the probe's input: the attention between two words, their distance, the attention of random weights, or the
# dependent's word form, which predicts the form's most frequent relation
FEATURES = ("attention", "distance_only", "random_model", "dependent_form")
# optimizer: the training of the linear classifiers of features; the paper uses sgd. Word forms need no training
OPTIMIZERS = {"attention": ("lbfgs", "sgd"), "distance_only": ("lbfgs",), "random_model": ("lbfgs",)}
# Fewest training pairs of a relation. The paper keeps 30 relations with more than 5,000 examples each of 3.1 million,
# about as large a share as 100 of 60,000.
FEWEST_EXAMPLES = 100
