"""Differences between writing systems: ends of sentences, and spaces between words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import regex

# Unicode's sentence terminators, without ASCII's, which also occur in abbreviations and numbers.
_ENDS = r"[\p{Sentence_Terminal=Yes}--[\u0000-\u007f]]"
_CLOSING = r"[\p{Pe}\p{Pf}\"']"
_WITHOUT_SPACES = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
# The end of a sentence that another sentence follows, and the spaces between. Possessive, because a lookbehind would
# look back from each of many closing marks over all of them.
_BETWEEN_SENTENCES = regex.compile(
    rf"(?V1)(?P<end>{_ENDS}{_CLOSING}*+(?!{_ENDS})|{_WITHOUT_SPACES}[.!?…]++{_CLOSING}*+(?={_WITHOUT_SPACES}))"
    r"\s*+(?=\S)"
)
_SENTENCE_END = regex.compile(rf"(?V1)(?:{_ENDS}|[.!?…]){_CLOSING}*$")
_NO_SPACE_BETWEEN = regex.compile(
    rf"(?V1)(?<=[{_WITHOUT_SPACES}{_ENDS}\u3000-\u303f\uff00-\uffef])"
    rf" (?=[{_WITHOUT_SPACES}\u3000-\u303f\uff00-\uffef])"
)
_WORD = regex.compile(rf"(?V1){_WITHOUT_SPACES}|[^\s{_WITHOUT_SPACES}]+")


class Splitter(Protocol):
    """A splitter of texts into sentences, such as NLTK's."""

    def tokenize(self, text: str) -> list[str]:
        """Return the sentences of a text."""
        ...


def split_sentences(text: str, splitter: Splitter) -> tuple[str, ...]:
    """Split a text at the sentence ends that a splitter finds, and at the sentence ends of other scripts.

    NLTK's Punkt handles full stops, which also occur in abbreviations. Punkt does not know "。", which has no space
    after it.
    """
    return tuple(part for sentence in splitter.tokenize(text) for part in _parts(sentence) if part)


def _parts(sentence: str) -> Iterator[str]:
    start = 0
    for match in _BETWEEN_SENTENCES.finditer(sentence):
        yield sentence[start : match.end("end")]
        start = match.end()
    yield sentence[start:]


def ends_as_sentence(text: str) -> bool:
    """Return True if a text ends at the end of a sentence, in any script."""
    return bool(_SENTENCE_END.search(text[-20:]))


def join_lines(text: str) -> str:
    """Return a text without the spaces that wrapped lines leave inside scripts that have no spaces."""
    return _NO_SPACE_BETWEEN.sub("", text)


def count_words(text: str) -> int:
    """Return the number of words between spaces. In scripts without spaces, each character counts."""
    return len(_WORD.findall(text))
