"""English trees as written: running text, and sentences for CoNLL-U."""

from __future__ import annotations

from bert_attention.corpora.types import Sentence, Word
from miniature.tokens import Token, running_text
from miniature.trees import Node, PlacedNode, flatten

_VOWELS = ("a", "e", "i", "o", "u")
_SPOKEN_AS_CONSONANT = ("use",)  # a useful map


def spell(placed: list[PlacedNode]) -> list[Token]:
    """The tokens as written: ``an`` before a vowel, and a capital at the beginning."""
    tokens = [entry.node.token for entry in placed]
    for number, token in enumerate(tokens[:-1]):
        following = tokens[number + 1].form
        if token.form == "a" and following.startswith(_VOWELS) and not following.startswith(_SPOKEN_AS_CONSONANT):
            tokens[number] = token._replace(form="an")
    first = tokens[0]
    tokens[0] = first._replace(form=first.form[0].upper() + first.form[1:])
    return tokens


def text_of(root: Node) -> str:
    """A tree as running text."""
    return running_text(spell(flatten(root)))


def tree_sentence(placed: list[PlacedNode], comments: tuple[str, ...] = ()) -> Sentence:
    """The sentence of placed nodes; a comment ``# text`` follows ``comments``."""
    tokens = spell(placed)
    words = []
    for number, (token, entry) in enumerate(zip(tokens, placed, strict=True)):
        glue = number + 1 < len(tokens) and tokens[number + 1].glued
        head = 0 if entry.head is None else entry.head + 1
        misc = "SpaceAfter=No" if glue else "_"
        words.append(
            Word(token.form, token.lemma, token.upos, token.xpos, token.feats, head, entry.node.relation, "_", misc)
        )
    return Sentence(tuple(words), (*comments, f"# text = {running_text(tokens)}"))
