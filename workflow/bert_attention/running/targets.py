"""Print the targets of the workflow by paper, with descriptions.

python -m bert_attention.running.targets
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from textwrap import fill, shorten

from bert_attention.plan import group_of, target
from bert_attention.results import Results, results

_GENERAL = {
    "all": "everything (the default)",
    "paper": "the paper of each encoder, results/<edition>/<model>/paper.pdf",
    "explorer": "a page that shows the heads, results/<edition>/<model>/explorer.html",
    "scoreboard": "the papers' claims, and the numbers found here",
    "downloads": "all downloads of the edition; later runs need no network",
    "corpora": "all corpora, and the models trained on them",
}
_INTRODUCTION = (
    "snakemake --cores all TARGET ... makes the targets and everything that they need. A paper's name, such as clark, "
    "stands for all of its results."
)
_CLOSING = "Ask for a table of numbers by its file, such as results/<edition>/<model>/tables/clark_entropy.csv."

# The beginning of a caption that repeats the heading.
_CITATION = re.compile(r"^[A-Z]\w+ (et al\. )?\d{4}[^:]*: ")


def described_targets(found: Results, width: int) -> Iterator[str]:
    """Yield the lines that list the targets, with a paper's targets below its title."""
    yield fill(_INTRODUCTION, width)
    yield from ("", *_formatted(_GENERAL, width))
    for group, title in {**found.papers, "comparison": "several models side by side"}.items():
        captions = {target(name): entry.caption for name, entry in found.shown.items() if group_of(name) == group}
        yield from ("", shorten(f"{group}: {title}", width, placeholder=" ..."))
        texts = {name: _CITATION.sub("", captions[name]) for name in sorted(captions, key=_sort_key)}
        yield from _formatted(texts, width)
    yield from ("", fill(_CLOSING, width))


def _sort_key(name: str) -> str:
    """Return a sort key that puts figure 10 after figure 9."""
    return re.sub(r"\d+", lambda number: number[0].zfill(3), name)


def _formatted(targets: dict[str, str], width: int) -> Iterator[str]:
    longest = max(map(len, targets))
    for name, text in targets.items():
        yield f"  {name:<{longest}}  {shorten(text, max(20, width - longest - 4), placeholder=' ...')}"


if __name__ == "__main__":
    print("\n".join(described_targets(results(), shutil.get_terminal_size().columns)))
