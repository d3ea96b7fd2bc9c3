"""Word forms with their analysis, and the running text that they make."""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """A word form with its analysis in Universal Dependencies; no space stands before a ``glued`` one."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str = "_"
    glued: bool = False


def running_text(tokens: list[Token]) -> str:
    """The tokens as running text."""
    return "".join(token.form if token.glued else " " + token.form for token in tokens).lstrip()


def character_spans(tokens: list[Token]) -> list[tuple[int, int]]:
    """Where each token stands in the running text: its first character and the one after its last."""
    spans = []
    end = -1  # no space stands before the first token
    for token in tokens:
        start = end + (not token.glued)
        end = start + len(token.form)
        spans.append((start, end))
    return spans
