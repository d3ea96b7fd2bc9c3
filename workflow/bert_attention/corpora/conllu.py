"""Reading CoNLL-U, with checks that name file and line, and writing it.

Everything in the format is kept: comments, multiword tokens, empty nodes, every column. CoNLL-X, the usual format of
Stanford Dependencies, has its columns in the same places and is read in the same way. The parsers on PyPI neither tell
the line of a mistake nor check that the heads form a tree.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.files import numbered_lines, replacing

_COLUMNS = 10
_LONGEST_NUMBER = 9  # digits; more of them number no word
_OTHER_ID = re.compile(r"\d+-\d+|\d+\.\d+")  # a multiword token, an empty node

# How the Penn Treebank writes brackets and quotes.
_PTB_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_PTB_ESCAPES |= {"``": '"', "''": '"', r"\/": "/", r"\*": "*"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a tree: the columns of its line as written, ``_`` included, except ``head``, which is an integer.

    ``head`` is the number of the word's head from 1, or 0 for the root.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str
    deps: str = "_"
    misc: str = "_"


@dataclass(frozen=True)
class Sentence:
    """A sentence with its tree.

    ``comments`` are whole lines with their ``#``. ``other_lines`` are those of multiword tokens and empty nodes, each
    with the number of words before it.
    """

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()
    other_lines: tuple[tuple[int, str], ...] = ()

    def comment(self, key: str) -> str | None:
        """The value of a comment ``# key = value``; None if there is none."""
        for line in self.comments:
            name, separator, value = line[1:].partition("=")
            if separator and name.strip() == key:
                return value.strip()
        return None

    @property
    def id(self) -> str:
        """The sentence's id; empty if it has none."""
        return self.comment("sent_id") or ""

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as written."""
        return tuple(word.form for word in self.words)


def read_conllu(path: Path | str, on_bad_input: str = "error") -> tuple[list[Sentence], Counter[str]]:
    """Sentences of a CoNLL-U or CoNLL-X file, and counts of those left out, by reason.

    Parameters
    ----------
    on_bad_input
        ``error``: stop at the first bad sentence; ``skip``: leave it out and count it.

    Raises
    ------
    InputError
        At a bad sentence, whose line the message names. Also if the file is not UTF-8 or no sentence is left.
    """
    sentences: list[Sentence] = []
    left_out: Counter[str] = Counter()
    for block in _blocks(path):
        try:
            sentences.append(parse_sentence(block))
        except BadLineError as error:
            if on_bad_input == "error":
                remedy = "correct the file, or set on_bad_input: skip to leave such sentences out"
                raise InputError(f"{path}, line {error.line}", error.problem, remedy) from None
            left_out[error.kind] += 1
    if not sentences:
        raise InputError(path, "holds no sentence", "give a file in CoNLL-U or CoNLL-X")
    return sentences, left_out


class BadLineError(ValueError):
    """A line that makes its sentence unusable: its number, what is wrong, and the kind of mistake for counting."""

    def __init__(self, line: int, kind: str, problem: str):
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.kind = kind
        self.problem = problem


def _blocks(path: Path | str) -> Iterator[list[tuple[int, str]]]:
    """Numbered lines of each sentence; sentences end at an empty line."""
    block: list[tuple[int, str]] = []
    for number, line in numbered_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def parse_sentence(lines: Iterable[tuple[int, str]]) -> Sentence:
    """Parse the numbered lines of a sentence.

    Raises
    ------
    BadLineError
        If a line does not have ten columns, ids do not count from 1, a word or a relation is empty, a head is not a
        word of the sentence, or the heads do not form a tree with one root.
    """
    comments: list[str] = []
    others: list[tuple[int, str]] = []
    words: list[Word] = []
    numbers: list[int] = []
    number = 0
    for number, line in lines:
        if line.startswith("#"):
            comments.append(line)
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            problem = f"has {len(columns)} columns separated by tabs, not {_COLUMNS}"
            raise BadLineError(number, "wrong number of columns", problem)
        if _OTHER_ID.fullmatch(columns[0]):
            others.append((len(words), line))
            continue
        if columns[0] != str(len(words) + 1):
            raise BadLineError(number, "wrong ids", f"has the id {columns[0][:40]!r}, expected {len(words) + 1}")
        words.append(_word(columns, number))
        numbers.append(number)
    if not words:
        raise BadLineError(number, "empty sentences", "the sentence has no words")
    _check_tree(words, numbers)
    return Sentence(tuple(words), tuple(comments), tuple(others))


def _word(columns: list[str], number: int) -> Word:
    form, lemma, upos, xpos, feats, head, relation, deps, misc = columns[1:]
    if not form:
        raise BadLineError(number, "empty words", "the word (second column) is empty")
    if not head.isascii() or not head.isdecimal() or len(head) > _LONGEST_NUMBER:
        raise BadLineError(number, "heads out of range", f"the head (seventh column) is {head[:40]!r}, not a number")
    if not relation.partition(":")[0].strip():
        raise BadLineError(number, "empty relations", f"the relation (eighth column) is {relation!r}, not a name")
    return Word(form, lemma, upos, xpos, feats, int(head), relation, deps, misc)


def _check_tree(words: list[Word], numbers: list[int]) -> None:
    """Raise BadLineError unless every word has the same single root above it."""
    roots = [place for place, word in enumerate(words, start=1) if word.head == 0]
    for word, number in zip(words, numbers, strict=True):
        if word.head > len(words):
            problem = f"the head is {word.head}, but the sentence has {len(words)} words"
            raise BadLineError(number, "heads out of range", problem)
    if len(roots) > 1:
        raise BadLineError(numbers[roots[1] - 1], "several roots", f"is a second root, after word {roots[0]}")
    reached = {0}
    for start in range(1, len(words) + 1):
        path: dict[int, None] = {}  # in order, and quick to look a place up in
        place = start
        while place not in reached:
            if place in path:
                raise BadLineError(numbers[place - 1], "cycles", f"word {place} is its own ancestor")
            path[place] = None
            place = words[place - 1].head
        reached.update(path)


def format_sentence(sentence: Sentence) -> str:
    """The lines of a sentence, with the empty line that ends it."""
    lines = list(sentence.comments)
    others = deque(sentence.other_lines)
    for place, word in enumerate(sentence.words):
        while others and others[0][0] == place:
            lines.append(others.popleft()[1])
        columns = (word.form, word.lemma, word.upos, word.xpos, word.feats, str(word.head), word.relation, word.deps)
        lines.append("\t".join((str(place + 1), *columns, word.misc)))
    lines += [line for _, line in others]
    return "\n".join(lines) + "\n\n"


def write_conllu(sentences: Iterable[Sentence], path: Path | str) -> None:
    """Write sentences as CoNLL-U, whole or not at all."""
    with replacing(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.writelines(map(format_sentence, sentences))


def fold_relations(sentence: Sentence) -> Sentence:
    """The sentence with subtypes of relations dropped: ``nmod:poss`` becomes ``nmod``."""
    words = (replace(word, relation=word.relation.partition(":")[0]) for word in sentence.words)
    return replace(sentence, words=tuple(words))


def undo_ptb_escapes(sentence: Sentence) -> Sentence:
    """The sentence with the Penn Treebank's escapes of brackets, quotes and slashes undone in its words."""
    words = []
    for word in sentence.words:
        form = _PTB_ESCAPES.get(word.form) or word.form.replace(r"\/", "/").replace(r"\*", "*")
        words.append(replace(word, form=form))
    return replace(sentence, words=tuple(words))


def character_spans(sentence: Sentence) -> list[tuple[int, int]]:
    """Where each word of a sentence parsed by Stanza is in its text: first character, one past the last.

    A word that is not written out in its multiword token (French *du* for *de le*) gets the token's span.

    Raises
    ------
    ValueError
        If a word has no offsets in MISC.
    """
    spans = [_span(word.misc) for word in sentence.words]
    for _, line in sentence.other_lines:
        number, *_, misc = line.split("\t")
        if "-" in number:
            first, last = map(int, number.split("-"))
            spans[first - 1 : last] = [span or _span(misc) for span in spans[first - 1 : last]]
    if None in spans:
        raise ValueError(f"word {spans.index(None) + 1} has no start_char and end_char in MISC")
    return spans


def _span(misc: str) -> tuple[int, int] | None:
    entries = dict(entry.split("=", 1) for entry in misc.split("|") if "=" in entry)
    return (int(entries["start_char"]), int(entries["end_char"])) if "start_char" in entries else None
