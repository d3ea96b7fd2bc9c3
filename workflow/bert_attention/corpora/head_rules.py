"""Heads of constituents of the Penn Treebank by the rules of Collins 1999 (PhD thesis, appendix A).

Three additions cover cases that the thesis does not: later labels or labels missing from its table, conjunctions of
several words (``CONJP``), and punctuation. Collins removed punctuation from the trees. Here a punctuation mark is the
head only if the constituent has no other child.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# For each label: the end at which the search of its children starts, and the wanted labels in order of priority.
_TABLE = {
    "ADJP": ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("right", "CC RB IN"),
    "FRAG": ("right", ""),
    "INTJ": ("left", ""),
    "LST": ("right", "LS :"),
    "NAC": ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": ("right", "IN TO VBG VBN RP FW"),
    "PRN": ("left", ""),
    "PRT": ("right", "RP"),
    "QP": ("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("right", "VP NP ADVP ADJP PP"),
    "S": ("left", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": ("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("left", "SQ S SINV SBARQ FRAG"),
    "SINV": ("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("right", ""),
    "VP": ("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": ("left", "CC WRB JJ ADJP"),
    "WHADVP": ("right", "CC WRB"),
    "WHNP": ("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": ("right", "IN TO FW"),
    "X": ("right", ""),  # the table lacks this label
}
_OTHER_LABELS = ("left", "")

# Noun phrases: the first search that finds any of its labels decides. A final POS is therefore the head, as in Collins.
# NML and NX are not in the table.
_NOUN_PHRASES = {"NP", "NML", "NX"}
_NOUN_SEARCHES = (
    ("right", {"NN", "NNP", "NNPS", "NNS", "NML", "NX", "POS", "JJR"}),
    ("left", {"NP"}),
    ("right", {"$", "ADJP", "PRN"}),
    ("right", {"CD"}),
    ("right", {"JJ", "JJS", "RB", "QP"}),
)

_PUNCTUATION = {",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"}
_BASE_LABEL = re.compile(r"[^-=|]+")


def head_child(label: str, child_labels: Sequence[str]) -> int:
    """Return the index, from 0, of the head among the children of a constituent; there must be at least one child.

    Function tags are dropped: ``NP-SBJ`` is ``NP``.
    """
    labels = [_base(child) for child in child_labels]
    if _base(label) in _NOUN_PHRASES:
        end, searches = "right", _NOUN_SEARCHES
    else:
        end, priorities = _TABLE.get(_base(label), _OTHER_LABELS)
        searches = [(end, {priority}) for priority in priorities.split()]
    return _first_conjunct(labels, _find_child(labels, searches, end))


def _base(label: str) -> str:
    match = _BASE_LABEL.match(label)
    return match[0] if match else label  # tags such as -LRB- start with a hyphen


def _find_child(labels: list[str], searches: Sequence[tuple[str, set[str]]], default_end: str) -> int:
    """Return the index of the first child that a search finds.

    If no search finds a child, return the child nearest to the default end, if possible not punctuation.
    """
    for end, wanted in searches:
        for index in _search_order(end, len(labels)):
            if labels[index] in wanted:
                return index
    indices = list(_search_order(default_end, len(labels)))
    return next((index for index in indices if labels[index] not in _PUNCTUATION), indices[0])


def _search_order(end: str, size: int) -> range:
    return range(size) if end == "left" else range(size - 1, -1, -1)


def _first_conjunct(labels: list[str], head: int) -> int:
    """Return the child before the conjunction if a conjunction directly precedes the head, else the head itself."""
    if head < 2 or labels[head - 1] not in ("CC", "CONJP"):
        return head
    before = (index for index in range(head - 2, -1, -1) if labels[index] not in _PUNCTUATION)
    return next(before, head)
