"""The guide to an edition's results, in Markdown: findings in sentences, and the use of each file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from bert_attention.judging.claims import numbers_in
from bert_attention.judging.words import summary
from bert_attention.paper.headlines import remarks
from bert_attention.paper.sources import origins, silver, stand_ins
from bert_attention.results import EDITION_FOLDER, results
from bert_attention.tokenization.delimiters import Delimiters

# Uses of pages by a pattern of their path.
PAGES = {
    "index.html": "What was found, and every figure and table, on one page. Open it first.",
    "paper.pdf": "The paper of this run: all figures and printed tables, and prose with their numbers.",
    "explorer.html": "A page to look at heads, with the findings about each head.",
    "explorer_*.html": "A page to look at the heads of a translation model, with gold links between words.",
    "codebook.md": "The codebook: what each column of the tables of numbers means.",
    "scoreboard.md": "Every claim of the papers: published number, number here, control and verdict.",
}
_FOLDERS = {
    "figures/": "Figures, as PDF and PNG.",
    "tables/": "Tables of numbers (CSV, with their replicates in Parquet) and printed tables (Markdown, LaTeX, Typst). "
    "`codebook.md` describes the columns.",
    "tables/control/": "The same tables for the encoder with random weights, by which statements are judged.",
    f"{EDITION_FOLDER}/figures/": "Figures about no single encoder: the scoreboard, translation models, all models.",
    f"{EDITION_FOLDER}/tables/": "Tables about no single encoder.",
}


def results_guide(
    edition: Mapping,
    files: Iterable[Path],
    folder: Path,
    scoreboard: pd.DataFrame,
    numbers: Mapping[str, Mapping[str, str]],
    delimiters: Mapping[str, Delimiters] | None = None,
) -> str:
    """Return the guide to an edition's results, in Markdown. See :func:`bert_attention.paper.page.results_page`."""
    paths = sorted(file.relative_to(folder) for file in files)
    lines = [f"# Results of the edition `{edition['edition']}`", ""]
    lines += [
        text for line in (*summary(scoreboard), *notes(edition, numbers, delimiters or {})) for text in (line, "")
    ]
    lines += ["Open `index.html` in a browser: it shows all findings, figures and tables.", ""]
    for path in paths:
        if path.suffix == ".png" and path.stem in (results().opening, "scoreboard"):
            lines += [f"![{results().shown[path.stem].label}]({path.as_posix()})", ""]
    folders = sorted({f"{path.parent.as_posix()}/" for path in paths})
    uses = {name: PAGES[name] for name in ("index.html", "codebook.md")} | page_uses(paths)
    uses |= {folder: use for folder in folders for end, use in _FOLDERS.items() if f"/{folder}".endswith(f"/{end}")}
    lines += ["## Files", "", *(f"- `{path}`: {use}" for path, use in uses.items()), ""]
    lines += ["## Models and corpora", ""]
    lines += [f"- {origin.serves}, from `{origin.source}`" for origin in origins(edition)]
    return "\n".join([*lines, ""])


def notes(
    edition: Mapping, numbers: Mapping[str, Mapping[str, str]], delimiters: Mapping[str, Delimiters]
) -> list[str]:
    """Return sentences on silver corpora, on stand-ins, on special tokens, and on the token with the most attention."""
    lines = []
    if titles := silver(edition):
        lines.append(f"Silver, which means parsed by a program: {', '.join(titles)}.")
    if titles := stand_ins(edition):
        lines.append(f"Stand-ins, on which nothing is judged: {', '.join(titles)}.")
    lines += [own.note(model) for model, own in delimiters.items() if not own.are_of_bert]
    return lines + [
        f"{model} {remark.format(**known)}"
        for model, known in numbers.items()
        for remark in remarks()
        if known.keys() >= {*numbers_in(remark)}
    ]


def page_uses(paths: Iterable[Path]) -> dict[str, str]:
    """Return the use of each page among the results, by its path."""
    return {path.as_posix(): use for path in paths for pattern, use in PAGES.items() if path.match(pattern)}
