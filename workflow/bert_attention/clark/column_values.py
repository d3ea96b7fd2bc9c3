"""What the columns of Clark et al.'s tables hold."""

from __future__ import annotations

# clark_dependency_heads: in column relation, besides the treebank's own relations
ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION = "all", "all_without_punctuation"
# clark_dependency_heads, clark_examples: from which word to which a head attends
DEPENDENCY_DIRECTIONS = ("dependent_to_head", "head_to_dependent")

# clark_coreference: the simple systems in column system
BASELINES = ("nearest", "head_match", "rule_based")
# the words among which a head chooses
CANDIDATES = ("mentions", "words", "all")
# clark_coreference, clark_coreference_examples: from which word to which a head attends
COREFERENCE_DIRECTIONS = ("mention_to_antecedent", "antecedent_to_mention")
MENTION_TYPES = ("all", "pronoun", "proper", "nominal")
