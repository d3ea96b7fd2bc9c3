"""Names of dependency relations: from Universal Dependencies to the Stanford Dependencies of Clark et al. 2019."""

from __future__ import annotations

# Relations of Clark et al. 2019, table 1, that have a counterpart in Universal Dependencies. prep and pobj have none:
# in UD a preposition depends on its noun (case), in SD the noun depends on the preposition.
CLARK_NAMES = {
    "det": "det",
    "compound": "nn",
    "nsubj": "nsubj",
    "amod": "amod",
    "obj": "dobj",
    "advmod": "advmod",
    "aux": "aux",
    "nmod:poss": "poss",
    "aux:pass": "auxpass",
    "ccomp": "ccomp",
    "mark": "mark",
    "compound:prt": "prt",
}

# The relations of the table as its authors name them; all are in Stanford Dependencies.
CLARK_TABLE_1 = (
    *("prep", "pobj", "det", "nn", "nsubj", "amod", "dobj", "advmod", "aux"),
    *("poss", "auxpass", "ccomp", "mark", "prt"),
)


def clark_name(relation: str) -> str | None:
    """The name in Clark et al.'s table 1 of a relation of UD or SD; None where the table has no counterpart."""
    return CLARK_NAMES.get(relation) or (relation if relation in CLARK_TABLE_1 else None)
