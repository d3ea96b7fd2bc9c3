"""Trees and documents that Hypothesis draws, and sentences that are read back."""

from __future__ import annotations

from hypothesis import strategies as st

from bert_attention.corpora.conllu import format_sentence, parse_sentence
from bert_attention.corpora.types import Document, Mention, Sentence, Word


@st.composite
def drawn_heads(draw, longest: int) -> list[int]:
    """Heads of a tree of one to ``longest`` words, counted from 1; 0 is the root."""
    order = draw(st.permutations(range(draw(st.integers(1, longest)))))
    heads = [0] * len(order)
    for index, word in enumerate(order[1:], start=1):
        heads[word] = draw(st.sampled_from(order[:index])) + 1
    return heads


@st.composite
def drawn_documents(draw) -> Document:
    """Documents of any trees, with mentions that can nest, cross and be discontinuous."""
    sentences, mentions, start = [], [], 0
    for _ in range(draw(st.integers(1, 3))):
        heads = draw(drawn_heads(7))
        size = len(heads)
        tags = draw(st.lists(st.sampled_from(["NN", "NNP", "PRP"]), min_size=size, max_size=size))
        words = [
            Word("w", "_", "_", tag, "_", head, "dep", misc=draw(st.sampled_from(["_", "A=1", "A=1|Z=2"])))
            for tag, head in zip(tags, heads, strict=True)
        ]
        sentences.append(Sentence(tuple(words)))
        for chain in draw(st.lists(st.sampled_from("abcde"), max_size=6)):
            chosen = sorted(draw(st.sets(st.integers(0, size - 1), min_size=1)))
            head = next(word for word in chosen if heads[word] - 1 not in chosen)
            type_ = {"NN": "nominal", "NNP": "proper", "PRP": "pronoun"}[tags[head]]
            mentions.append(Mention(chain, tuple(start + word for word in chosen), start + head, type_))
        start += size
    mentions = sorted(set(mentions), key=lambda item: (item.words[0], item.words[-1], item.words, item.chain))
    return Document(draw(st.sampled_from(["d", "two words"])), tuple(sentences), tuple(mentions))


def read_back(sentence: Sentence) -> Sentence:
    """Write a sentence, and read it back with all checks."""
    lines = format_sentence(sentence).rstrip("\n").split("\n")
    return parse_sentence(enumerate(lines, start=1))
