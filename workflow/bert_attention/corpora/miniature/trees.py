"""Trees under construction: nodes with what stands left and right of them, flattened into sentences.

The grammar hangs nodes on nodes and never counts places. A node's dependents stand in ``left`` and ``right`` in the
order in which they are spoken, so a tree is projective by construction, and heads follow from one walk through it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from bert_attention.conllu import Sentence, Word

if TYPE_CHECKING:
    from bert_attention.corpora.miniature.meaning import Referent

# What a word expresses: a node of the meaning and which part of it. Words of two languages that share one are linked.
Sense = tuple[Hashable, str]

_VOWELS = ("a", "e", "i", "o", "u")
_SPOKEN_AS_CONSONANT = ("use",)  # a useful map


class Token(NamedTuple):
    """A word form with its analysis; ``glued`` forms follow the word before them without a space."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str = "_"
    glued: bool = False


@dataclass(slots=True)
class Node:
    """A word with its dependents.

    ``token`` is None where the expression is still open: ``referent`` says what it stands for, and in which ``case``.
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
    """A word without dependents (yet)."""
    return Node(token, relation, [], [], senses, loosely)


class Placed(NamedTuple):
    """A node in its sentence: places from 0; ``head`` is None for the root; its phrase fills ``start`` to ``end``."""

    node: Node
    head: int | None
    start: int
    end: int


def fill_referents(node: Node, express: Callable[[Node], Node]) -> None:
    """Replace open expressions at ``node`` and below, from left to right, by the phrases that ``express`` gives."""
    for dependent in node.left:
        fill_referents(dependent, express)
    while node.token is None:
        entity, phrase = node.referent.entity, express(node)
        if phrase.token is None:  # a coordination, whose head is its first member, open itself
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


def place(root: Node) -> list[Placed]:
    """The nodes of a tree in the order in which they are spoken; a comma before other punctuation is dropped."""
    placed: list[Placed] = []
    _place(root, placed)
    kept = [not _is_comma(entry) or not _is_punctuation(after) for entry, after in pairwise(placed)] + [True]
    return placed if all(kept) else _without(placed, kept)


def _is_comma(entry: Placed) -> bool:
    return entry.node.token.form == ","


def _is_punctuation(entry: Placed) -> bool:
    return entry.node.token.upos == "PUNCT"


def _without(placed: list[Placed], kept: list[bool]) -> list[Placed]:
    """The entries that are kept, with their places counted anew."""
    new = [0, *accumulate(kept)]
    return [
        Placed(entry.node, None if entry.head is None else new[entry.head], new[entry.start], new[entry.end])
        for entry, keep in zip(placed, kept, strict=True)
        if keep
    ]


def _place(node: Node, placed: list[Placed]) -> int:
    """Append a node's phrase to ``placed``; gives the node's place. Heads of dependents are set once it is known."""
    start = len(placed)
    dependents = [_place(dependent, placed) for dependent in node.left]
    here = len(placed)
    placed.append(Placed(node, None, start, start))
    dependents += [_place(dependent, placed) for dependent in node.right]
    placed[here] = Placed(node, None, start, len(placed))
    for dependent in dependents:
        placed[dependent] = placed[dependent]._replace(head=here)
    return here


def tree_sentence(placed: list[Placed], comments: tuple[str, ...] = ()) -> Sentence:
    """The sentence of placed nodes, with a comment ``# text`` after ``comments``."""
    tokens = written(placed)
    words = []
    for number, (token, entry) in enumerate(zip(tokens, placed, strict=True)):
        glue = number + 1 < len(tokens) and tokens[number + 1].glued
        head = 0 if entry.head is None else entry.head + 1
        misc = "SpaceAfter=No" if glue else "_"
        words.append(
            Word(token.form, token.lemma, token.upos, token.xpos, token.feats, head, entry.node.relation, "_", misc)
        )
    return Sentence(tuple(words), (*comments, f"# text = {detokenised(tokens)}"))


def written(placed: list[Placed]) -> list[Token]:
    """The tokens as written: ``a`` or ``an``, and a capital at the beginning."""
    tokens = [entry.node.token for entry in placed]
    for number, token in enumerate(tokens[:-1]):
        following = tokens[number + 1].form
        if token.form == "a" and following.startswith(_VOWELS) and not following.startswith(_SPOKEN_AS_CONSONANT):
            tokens[number] = token._replace(form="an")
    first = tokens[0]
    tokens[0] = first._replace(form=first.form[0].upper() + first.form[1:])
    return tokens


def detokenised(tokens: list[Token]) -> str:
    """The running text of tokens."""
    return "".join(token.form if token.glued else " " + token.form for token in tokens).lstrip()


def character_spans(tokens: list[Token]) -> list[tuple[int, int]]:
    """Where each token stands in the running text: its first character and the one after its last."""
    spans = []
    end = -1  # the first token follows no space
    for token in tokens:
        start = end + (not token.glued)
        end = start + len(token.form)
        spans.append((start, end))
    return spans


def spoken(root: Node) -> str:
    """The running text of a tree."""
    return detokenised(written(place(root)))


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, from left to right."""
    for dependent in node.left:
        yield from walk(dependent)
    yield node
    for dependent in node.right:
        yield from walk(dependent)
