"""Names of dependency relations: from Universal Dependencies to the Stanford Dependencies of Clark et al. 2019."""

from __future__ import annotations

from collections.abc import Iterable

# The "to" of an infinitive is mark in UD and aux in SD. These two names stand for a treebank's mark and aux with each
# "to" counted as in SD.
MARK_WITHOUT_TO, AUX_WITH_TO = "mark_without_to", "aux_with_to"

# Relations of Clark et al. 2019, table 1, that have a counterpart in Universal Dependencies. prep and pobj have none:
# in UD a preposition depends on its noun (case), in SD the noun depends on the preposition.
CLARK_NAMES = {
    "det": "det",
    "compound": "nn",
    "nsubj": "nsubj",
    "amod": "amod",
    "obj": "dobj",
    "advmod": "advmod",
    AUX_WITH_TO: "aux",
    "nmod:poss": "poss",
    "aux:pass": "auxpass",
    "ccomp": "ccomp",
    MARK_WITHOUT_TO: "mark",
    "compound:prt": "prt",
}

# The relations of the table as its authors name them; all are in Stanford Dependencies.
CLARK_TABLE_1 = (
    *("prep", "pobj", "det", "nn", "nsubj", "amod", "dobj", "advmod", "aux"),
    *("poss", "auxpass", "ccomp", "mark", "prt"),
)


# Names that mean one thing in UD and another in SD; and names that tell that a treebank is in UD.
_OF_BOTH = ("mark", "aux")
_OF_UD = frozenset(CLARK_NAMES) - frozenset(CLARK_TABLE_1)


def clark_name(relation: str) -> str | None:
    """The name in Clark et al.'s table 1 of a relation of UD or SD; None where the table has no counterpart."""
    return CLARK_NAMES.get(relation) or (relation if relation in CLARK_TABLE_1 else None)


def clark_counterparts(relations: Iterable[str]) -> dict[str, str]:
    """For each name in Clark et al.'s table 1, the one of a treebank's relations that is its counterpart, if any.

    In UD the counterparts of ``mark`` and ``aux`` are ``mark_without_to`` and ``aux_with_to``, and no others.
    """
    names = list(relations)
    misleading = set() if _OF_UD.isdisjoint(names) else set(_OF_BOTH)
    found = {clark_name(name): name for name in names if name not in misleading}
    return {name: relation for name, relation in found.items() if name}


def is_infinitive_marker(form: str, relation: str) -> bool:
    """Whether a word of a UD treebank is the "to" of an infinitive, which SD has as an auxiliary."""
    return relation == "mark" and form.lower() == "to"
