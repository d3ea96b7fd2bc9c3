"""Print the targets of the workflow by paper, with descriptions.

python -m bert_attention.running.targets
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from textwrap import fill

from bert_attention.plan import group_of, target
from bert_attention.results import Results, results

_GENERAL = {
    "all": "everything (the default)",
    "paper": "the paper of each encoder, results/<edition>/<model>/paper.pdf",
    "explorer": "the page of heads, results/<edition>/<model>/explorer.html",
    "scoreboard": "the papers' claims, and the numbers found here",
    "downloads": "all downloads of the edition; later runs need no network",
    "corpora": "all corpora, and the models trained on them",
}
_INTRODUCTION = (
    "snakemake --cores all TARGET ... makes the targets and everything that they need. A paper's name, such as clark, "
    "stands for all of its results."
)
_CLOSING = "Ask for a table of numbers by its file, such as results/<edition>/<model>/tables/clark_entropy.csv."

_NAME = re.compile(r"[A-Za-z]\w{3,}")
_ALIKE = 0.8  # a target is near to a word if difflib finds them as similar as this

# The beginning of a label that repeats the number in the name of the target.
_AUTHORS = re.compile(r"^[A-Z]\w+ et al\. ")  # the heading names them
_NUMBER = re.compile(r"^(?:Table )?\d+(?:, continued)?: ")
_NUMBERED = re.compile(r"_(?:figure|table)_\d")


def described_targets(found: Results, width: int) -> Iterator[str]:
    """Yield the lines that list the targets, with a paper's targets below its title."""
    yield fill(_INTRODUCTION, width)
    yield from ("", *_formatted(_GENERAL))
    for group, title in {**found.papers, "comparison": "several models side by side"}.items():
        labels = {target(name): entry.label for name, entry in found.shown.items() if group_of(name) == group}
        yield from ("", f"{group}: {title}")
        yield from _formatted({name: _text(name, labels[name]) for name in sorted(labels, key=_sort_key)})
    yield from ("", fill(_CLOSING, width))


def misspelled(words: Iterable[str], found: Results) -> dict[str, str]:
    """Return the words of a command that look like misspelled targets, each with the nearest target."""
    known = [*_GENERAL, *found.papers, *map(target, (*found.shown, *found.tables))]
    guesses = {word: get_close_matches(word, known, n=1, cutoff=_ALIKE) for word in words if _NAME.fullmatch(word)}
    return {word: guess[0] for word, guess in guesses.items() if guess and word not in known}


def _sort_key(name: str) -> str:
    """Return a sort key that puts figure 10 after figure 9."""
    return re.sub(r"\d+", lambda number: number[0].zfill(3), name)


def _text(name: str, label: str) -> str:
    """Return the label of a result without its authors, and without its number if the target has the number."""
    label = _AUTHORS.sub("", label)
    return _NUMBER.sub("", label) if _NUMBERED.search(name) else label


def _formatted(targets: dict[str, str]) -> Iterator[str]:
    longest = max(map(len, targets))
    for name, text in targets.items():
        yield f"  {name:<{longest}}  {text}"


if __name__ == "__main__":
    print("\n".join(described_targets(results(), shutil.get_terminal_size().columns)))
