"""Names of dependency relations: from Universal Dependencies to the Stanford Dependencies of Clark et al. 2019."""

from __future__ import annotations

from collections.abc import Iterable

# The "to" of an infinitive is mark in UD and aux in SD. These two relations are a UD treebank's mark and aux with every
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

# The relations of the table under its authors' names; all are in Stanford Dependencies.
CLARK_TABLE_1 = (
    *("prep", "pobj", "det", "nn", "nsubj", "amod", "dobj", "advmod", "aux"),
    *("poss", "auxpass", "ccomp", "mark", "prt"),
)


# Relations that have another name in the paper, those of its notebook included.
PAPERS_NAMES = {**CLARK_NAMES, "nummod": "num", "acl:relcl": "rcmod", "nsubj:pass": "nsubjpass"}

# Names with different meanings in UD and SD, and names that identify a treebank as UD. In UD, cc depends on the
# conjunct after it, in SD on the one before it.
_AMBIGUOUS = ("mark", "aux", "cc")
_UD_ONLY = frozenset(CLARK_NAMES) - frozenset(CLARK_TABLE_1)


def clark_name(relation: str) -> str | None:
    """Return a UD or SD relation's name in Clark et al.'s table 1; None if the table has no counterpart."""
    return CLARK_NAMES.get(relation) or (relation if relation in CLARK_TABLE_1 else None)


def papers_names(relations: Iterable[str]) -> dict[str, str]:
    """Return the name in the paper of each of a treebank's relations that means the same there.

    In UD the only counterparts of ``mark`` and ``aux`` are ``mark_without_to`` and ``aux_with_to``.
    """
    names = list(relations)
    misleading = () if _UD_ONLY.isdisjoint(names) else _AMBIGUOUS
    return {name: PAPERS_NAMES.get(name, name) for name in names if name not in misleading}


def clark_counterparts(relations: Iterable[str]) -> dict[str, str]:
    """Return for each name in Clark et al.'s table 1 its counterpart among a treebank's relations, if any."""
    return {name: relation for relation, name in papers_names(relations).items() if name in CLARK_TABLE_1}


def is_infinitive_marker(form: str, relation: str) -> bool:
    """Return True if a word of a UD treebank is the "to" of an infinitive, which is an auxiliary in SD."""
    return relation == "mark" and form.lower() == "to"
