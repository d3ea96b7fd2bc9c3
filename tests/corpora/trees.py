"""Trees drawn by Hypothesis, and sentences that are read back."""

from __future__ import annotations

from hypothesis import strategies as st

from bert_attention.corpora.conllu import format_sentence, parse_sentence
from bert_attention.corpora.types import Sentence


@st.composite
def drawn_heads(draw, longest: int) -> list[int]:
    """Heads of a tree of one to ``longest`` words, counted from 1; 0 is the root."""
    order = draw(st.permutations(range(draw(st.integers(1, longest)))))
    heads = [0] * len(order)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = draw(st.sampled_from(order[:place])) + 1
    return heads


def read_back(sentence: Sentence) -> Sentence:
    """Write a sentence, and read it back with all checks."""
    lines = format_sentence(sentence).rstrip("\n").split("\n")
    return parse_sentence(enumerate(lines, start=1))
