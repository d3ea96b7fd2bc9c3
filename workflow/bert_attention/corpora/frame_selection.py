"""Select sentences with frames as in Kovaleva et al. 2019, section 4.2, for corpora of every format.

The paper's text and its released code select differently (``selection``). The published selection is the code's. Tokens
are those of NLTK's ``word_tokenize`` for a line that holds one sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from nltk import word_tokenize

from bert_attention.corpora.bad_lines import format_left_out
from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError

_SENTENCE_TOKENS = 12
_ELEMENT_TOKENS = 3

Span = tuple[int, int]


class _Skipped(Exception):  # noqa: N818 - not an error
    """Reason for skipping a sentence."""


def select_framed(
    sentences: Iterable[FramedSentence], selection: str, corpus: str
) -> tuple[list[FramedSentence], Counter[str]]:
    """Select the sentences of at most 12 tokens that have a link, and keep only the elements linked to the target.

    With the selection ``described``, as in the paper, links are the core elements that have at most 3 tokens and are at
    least two tokens from the target. With ``released``, as in the authors' code, links are the elements in an explicit
    core set. All elements of the sentence, core or not, must then have at most 3 tokens. None of these tokens may equal
    the target or one of the two tokens on each side of it. The first token that equals the target counts as the target.

    Return the chosen sentences in their original order, and the numbers of skipped sentences, by the first reason that
    applies. Raise InputError, which names ``corpus``, if no sentence is chosen.
    """
    links = {"described": _described_links, "released": _released_links}[selection]
    chosen: list[FramedSentence] = []
    left_out: Counter[str] = Counter()
    for sentence in sentences:
        try:
            chosen.append(_with_links(sentence, links))
        except _Skipped as reason:
            left_out[str(reason)] += 1
    if not chosen:
        problem = f"no sentence passes the filters of the selection {selection!r}{format_left_out(left_out)}"
        raise InputError(corpus, problem, "give more short sentences, or choose the other corpora.frames.selection")
    return chosen, left_out


def _with_links(sentence: FramedSentence, links) -> FramedSentence:
    """Return the sentence with its linked elements only, or raise _Skipped if it is not chosen."""
    if len(_tokens(sentence.text)) > _SENTENCE_TOKENS:
        raise _Skipped(f"sentences of more than {_SENTENCE_TOKENS} tokens")
    linked = links(sentence)
    if not linked:
        raise _Skipped("sentences without a core frame element to link")
    return replace(sentence, elements=linked)


def _described_links(sentence: FramedSentence) -> tuple[FrameElement, ...]:
    return tuple(
        element
        for element in sentence.elements
        if element.core and len(_element_tokens(sentence, element)) <= _ELEMENT_TOKENS and _is_apart(sentence, element)
    )


def _is_apart(sentence: FramedSentence, element: FrameElement) -> bool:
    """Return True if at least one token lies between an element and the target: they are two tokens or more apart."""
    (_, end), (start, _) = sorted((sentence.target, (element.start, element.end)))
    return bool(_tokens(sentence.text[end:start]))


def _released_links(sentence: FramedSentence) -> tuple[FrameElement, ...]:
    parts = [_element_tokens(sentence, element) for element in sentence.elements]
    if any(len(tokens) > _ELEMENT_TOKENS for tokens in parts):
        raise _Skipped(f"sentences with a frame element of more than {_ELEMENT_TOKENS} tokens")
    tokens = _tokens(sentence.text)
    word = sentence.text[slice(*sentence.target)]
    if word not in tokens:
        raise _Skipped("sentences whose target is not one token")
    index = tokens.index(word)
    if not {token for part in parts for token in part}.isdisjoint(tokens[max(0, index - 2) : index + 3]):
        raise _Skipped("sentences with a frame element near the target")
    return tuple(element for element in sentence.elements if element.in_core_set)


def _element_tokens(sentence: FramedSentence, element: FrameElement) -> list[str]:
    return _tokens(sentence.text[element.start : element.end])


def _tokens(text: str) -> list[str]:
    # preserve_line: texts are single sentences, and splitting into sentences would need a model that NLTK downloads.
    return word_tokenize(text, preserve_line=True)
