"""What the columns of Coenen et al.'s tables hold."""

from __future__ import annotations

# probe: whether a relation holds between two words, and which one
PROBES = ("binary", "relation")
# negatives: which unrelated pairs the binary probe tells from related ones; the probe of relations has none
NEGATIVES = ("random", "same_distance")
# direction: which word of a related pair attends to the other
DIRECTIONS = ("dependent_to_head", "head_to_dependent", "either")
# features: what the probe sees of a pair of words
FEATURES = ("attention", "distance_only", "random_model")
