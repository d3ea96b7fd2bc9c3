"""Sentence pairs of an invented language and English, whose word alignments are known.

Both sides come from stretches of real, tagged sentences. Like Gulordava et al. 2018, the module keeps the grammar of a
stretch and replaces each word by one of the few most frequent words with the word's tag. The English is nonsense, but a
small translation model can learn so few words. The invented side has the same content in other words (letters are
exchanged) and another order: no articles, adjectives after their nouns, verbs at the end.
"""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from bert_attention.corpora.types import AlignedPair, Sentence
from bert_attention.errors import InputError

SHORTEST, LONGEST = 4, 8  # words of a stretch
WORDS_PER_TAG = 5

_ARTICLES = ("a", "an", "the")
_ADJECTIVES = ("JJ", "JJR", "JJS")
_NOUNS = ("NN", "NNS", "NNP", "NNPS")
_VERBS = ("MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")

# Each vowel becomes the next vowel, each consonant the next consonant, so that words stay distinct and pronounceable.
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"
_EXCHANGED = str.maketrans(_VOWELS + _CONSONANTS, "eioua" + "cdfghjklmnpqrstvwxyzb")

Tagged = tuple[str, str]  # a lowercase word and its Penn tag


@dataclass(frozen=True)
class Lexicon:
    """The words that the pairs use: the most frequent words of each Penn tag, in order of frequency."""

    words: Mapping[str, tuple[str, ...]]

    def replacement(self, word: Tagged, random: np.random.Generator) -> str:
        """Return the word itself if the lexicon has the word with its tag, else a random word with this tag."""
        form, tag = word
        known = self.words[tag]
        return form if form in known else known[random.integers(len(known))]


def stretches(sentences: Iterable[Sentence]) -> Iterator[tuple[Tagged, ...]]:
    """Yield the stretches of ``SHORTEST`` to ``LONGEST`` words between punctuation, figures and other symbols."""
    for sentence in sentences:
        words = ((word.form.lower(), word.xpos) for word in sentence.words)
        for is_word, stretch in groupby(words, key=_is_plain):
            found = tuple(stretch)
            if is_word and SHORTEST <= len(found) <= LONGEST:
                yield found


def _is_plain(word: Tagged) -> bool:
    """Return True if a word has only English letters and no tag of punctuation, symbols, lists or foreign words."""
    form, tag = word
    return set(form) <= set(string.ascii_lowercase) and tag.rstrip("$").isalpha() and tag not in ("FW", "LS", "SYM")


def lexicon_of(sentences: Iterable[Sentence]) -> Lexicon:
    """Return the ``WORDS_PER_TAG`` most frequent words of each tag in all stretches; ties are in alphabetical order."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for stretch in stretches(sentences):
        for form, tag in stretch:
            counts[tag][form] += 1
    ordered = {tag: sorted(forms, key=lambda form: (-forms[form], form)) for tag, forms in sorted(counts.items())}
    return Lexicon({tag: tuple(words[:WORDS_PER_TAG]) for tag, words in ordered.items()})


def invented_pairs(sentences: Sequence[Sentence], lexicon: Lexicon, pairs: int, seed: int) -> list[AlignedPair]:
    """Make ``pairs`` pairs of the invented language (source) and English (target), each from a random stretch.

    Sentences have Penn tags. Stretches with tags that the lexicon lacks are not used. A stretch can be used several
    times, with other words. Raise InputError if no stretch can be used.
    """
    usable = [found for found in stretches(sentences) if all(tag in lexicon.words for _, tag in found)]
    if not usable:
        problem = f"no sentence has {SHORTEST} to {LONGEST} words in a row whose tags are all in the lexicon"
        raise InputError("parsed sentences", problem, "give more sentences with Penn tags (xpos)")
    random = np.random.default_rng(seed)
    chosen = (usable[index] for index in random.integers(len(usable), size=pairs))
    return [_pair(stretch, lexicon, random) for stretch in chosen]


def _pair(stretch: Sequence[Tagged], lexicon: Lexicon, random: np.random.Generator) -> AlignedPair:
    target = tuple(lexicon.replacement(word, random) for word in stretch)
    order = invented_order([(form, tag) for form, (_, tag) in zip(target, stretch, strict=True)])
    links = frozenset(enumerate(order))
    return AlignedPair(tuple(invented_word(target[index]) for index in order), target, links, links)


def invented_word(word: str) -> str:
    """Return the invented word for a lowercase English word."""
    return word.translate(_EXCHANGED)


def invented_order(stretch: Sequence[Tagged]) -> list[int]:
    """Return the indexes of the words in the order of the invented side, without articles."""
    kept = [index for index, (form, tag) in enumerate(stretch) if not (tag == "DT" and form in _ARTICLES)]
    runs = [(kind, list(run)) for kind, run in groupby(kept, key=lambda index: _kind(stretch[index][1]))]
    for first in range(len(runs) - 1):
        if (runs[first][0], runs[first + 1][0]) == ("adjective", "noun"):
            runs[first : first + 2] = runs[first + 1], runs[first]
    return [index for last in (False, True) for kind, run in runs if (kind == "verb") == last for index in run]


def _kind(tag: str) -> str:
    kinds = {"adjective": _ADJECTIVES, "noun": _NOUNS, "verb": _VERBS}
    return next((kind for kind, tags in kinds.items() if tag in tags), "other")
