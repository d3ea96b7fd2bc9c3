"""A check that the part of a corpus that tests something was not learned: train and dev share few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from warnings import warn

from bert_attention.corpora.types import Sentence, TaskExample
from bert_attention.errors import InputError

# Shorter sentences, such as "Thank you.", occur in both parts of good corpora. English EWT shares .3% of the others,
# and STS-B .4% of its pairs.
_FEWEST_WORDS = 5
_REFUSED, _WARNED = 0.5, 0.02


def check_trees_held_out(train: Iterable[Sentence], dev: Iterable[Sentence], where: str) -> None:
    """Raise InputError if most sentences of ``dev`` are in ``train``; warn if more than 2% are."""
    _check(*([sentence.forms for sentence in part] for part in (train, dev)), where, "sentences")


def check_examples_held_out(train: Iterable[TaskExample], dev: Iterable[TaskExample], where: str) -> None:
    """Raise InputError if most examples of ``dev`` are in ``train``, with any label; warn if more than 2% are."""
    _check(*([_words(example) for example in part] for part in (train, dev)), where, "examples")


def _words(example: TaskExample) -> tuple[str, ...]:
    return (*example.first.split(), *(example.second or "").split())


def _check(train: Iterable[Sequence[str]], dev: Iterable[Sequence[str]], where: str, unit: str) -> None:
    learned = set(train)
    tested = [words for words in dev if len(words) >= _FEWEST_WORDS]
    shared = [words for words in tested if words in learned]
    if len(shared) <= _WARNED * len(tested):
        return
    problem = f"{len(shared)} of {len(tested)} {unit} of dev are in train, too, such as {' '.join(shared[0])[:80]!r}"
    remedy = "give two files that share none: what is measured on dev must not have been learned"
    if len(shared) > _REFUSED * len(tested):
        raise InputError(where, problem, remedy)
    warn(f"{where}: {problem}; {remedy}", stacklevel=3)
