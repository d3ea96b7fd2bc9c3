"""Trees under construction, and the order of their words.

The grammar hangs nodes on nodes and never counts places. A node keeps its dependents in ``left`` and ``right``, in the
order in which they are spoken. Every tree is therefore projective, and one walk through it finds all heads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from miniature.meaning import Referent, Sense
from miniature.tokens import Token


@dataclass(eq=False, slots=True)
class Node:
    """A word with its dependents.

    ``token`` is None while the expression is still open: ``referent`` says what it stands for, and in which ``case``.
    ``mention`` is the entity that the node's phrase mentions, ``group`` the one that it mentions with its conjuncts.
    ``senses`` are what the word expresses, ``loosely`` what it helps to express without being its counterpart.
    """

    token: Token | None
    relation: str
    left: list[Node] = field(default_factory=list)
    right: list[Node] = field(default_factory=list)
    senses: tuple[Sense, ...] = ()
    loosely: tuple[Sense, ...] = ()
    referent: Referent | None = None
    case: str = ""
    mention: object = None
    group: object = None


def leaf(token: Token, relation: str, *senses: Sense, loosely: tuple[Sense, ...] = ()) -> Node:
    """A node without dependents (yet)."""
    return Node(token, relation, [], [], senses, loosely)


class PlacedNode(NamedTuple):
    """A node in its sentence.

    Places count from 0; ``head`` is None for the root. The node's phrase begins at ``start`` and ends before ``end``.
    """

    node: Node
    head: int | None
    start: int
    end: int


def fill_referents(node: Node, express: Callable[[Node], Node]) -> None:
    """Replace the open expressions at and below a node, from left to right, by the phrases that ``express`` gives."""
    for dependent in node.left:
        fill_referents(dependent, express)
    while node.token is None:
        entity, phrase = node.referent.entity, express(node)
        if phrase.token is None:  # a coordination; its head is its first member, which is open itself
            node.group = entity
        else:
            node.mention = entity
        for dependent in phrase.left:
            fill_referents(dependent, express)
        node.token, node.referent, node.case = phrase.token, phrase.referent, phrase.case
        node.left += phrase.left
        node.right[:0] = phrase.right
    for dependent in node.right:
        fill_referents(dependent, express)


def flatten(root: Node) -> list[PlacedNode]:
    """The nodes of a tree in the order of their words; a comma before other punctuation is dropped."""
    dropped = {node for node, after in pairwise(_walk(root)) if node.token.form == "," and after.token.upos == "PUNCT"}
    placed: list[PlacedNode] = []
    _append_phrase(root, dropped, placed)
    return placed


def _walk(node: Node) -> Iterator[Node]:
    """A node and all below it, from left to right."""
    for dependent in node.left:
        yield from _walk(dependent)
    yield node
    for dependent in node.right:
        yield from _walk(dependent)


def _append_phrase(node: Node, dropped: set[Node], placed: list[PlacedNode | None]) -> int:
    """Append a node's phrase to ``placed`` and return the node's place, the head of its dependents."""
    start = len(placed)
    dependents = [_append_phrase(dependent, dropped, placed) for dependent in node.left if dependent not in dropped]
    here = len(placed)
    placed.append(None)  # the phrase is not whole yet
    dependents += [_append_phrase(dependent, dropped, placed) for dependent in node.right if dependent not in dropped]
    placed[here] = PlacedNode(node, None, start, len(placed))
    for dependent in dependents:
        placed[dependent] = placed[dependent]._replace(head=here)
    return here
