"""Values of the columns of Clark et al.'s tables."""

from __future__ import annotations

from collections.abc import Collection

# clark_dependency_heads: values of column relation in addition to the treebank's relations
ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION = "all", "all_without_punctuation"
# clark_examples: the relations of figure 5, in Stanford and in Universal Dependencies, and the figure's labels.
# Both schemes pair a preposition with its object. In Stanford Dependencies the object depends on the preposition
# (pobj), in Universal Dependencies the preposition depends on the object (case). In schemes with pobj, such as
# ClearNLP's, case is the possessive 's.
FIGURE_5_RELATIONS = {
    "dobj": "direct objects (dobj)",
    "obj": "objects (obj)",
    "det": "determiners (det)",
    "poss": "possessives (poss)",
    "nmod:poss": "possessives (nmod:poss)",
    "auxpass": "passive auxiliaries (auxpass)",
    "aux:pass": "passive auxiliaries (aux:pass)",
    "pobj": "objects of prepositions (pobj)",
    "case": "prepositions (case)",
}


def relations_of_figure_5(relations: Collection[str]) -> list[str]:
    """Return the relations of figure 5 among the relations of a treebank, in the figure's order."""
    return [name for name in FIGURE_5_RELATIONS if name in relations and (name != "case" or "pobj" not in relations)]


# clark_dependency_heads, clark_examples: the word that attends, and the word that it attends to
DEPENDENCY_DIRECTIONS = ("dependent_to_head", "head_to_dependent")

# clark_coreference: the baselines in column system
BASELINES = ("nearest", "head_match", "rule_based")
# clark_coreference: the words among which an attention head chooses
CANDIDATES = ("mentions", "words", "all")
# clark_coreference, clark_coreference_examples: the word that attends, and the word that it attends to
COREFERENCE_DIRECTIONS = ("mention_to_antecedent", "antecedent_to_mention")
MENTION_TYPES = ("all", "pronoun", "proper", "nominal")
