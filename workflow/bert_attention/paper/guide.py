"""The guide to an edition's results: what was found, and which file shows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from bert_attention.claims.evidence import INCONCLUSIVE
from bert_attention.claims.kinds import SILVER
from bert_attention.claims.scoreboard import summary
from bert_attention.claims.verdicts import CONFIRMED, NO_CONTROL, NOT_CONFIRMED, NOT_SPECIFIC
from bert_attention.paper.sources import origins, silver, stand_ins
from bert_attention.results import results

_SAID = {
    CONFIRMED: "Confirmed, beyond what random weights show",
    NOT_SPECIFIC: "True, and of random weights as well",
    NO_CONTROL: "True, but no control applies",
    NOT_CONFIRMED: "Not confirmed",
    INCONCLUSIVE: "Inconclusive: the data do not tell",
}

# Of files by their suffixes, pages apart.
_TITLES = {".pdf": "Figures", ".md": "Tables as printed", ".csv": "Tables"}


def results_guide(
    edition: Mapping,
    files: Iterable[Path],
    folder: Path,
    scoreboard: pd.DataFrame,
    said: Mapping[str, Mapping[str, str]],
) -> str:
    """Markdown that says what was found, names models and corpora, and says what each result file shows.

    Parameters
    ----------
    files
        Result files below ``folder``.
    scoreboard
        Its table.
    said
        The facts of each model on where its heads attend, as :func:`bert_attention.paper.facts.facts` has them.
    """
    lines = [
        f"# Results of the edition `{edition['edition']}`",
        "",
        *_findings(edition, scoreboard, said),
        "## Models and corpora",
        "",
        *(f"- {origin.serves}, from `{origin.source}`" for origin in origins(edition)),
        "",
        "`tables/control/` has tables of the same encoder with random weights, by which statements are judged.",
        "",
        "The run is described by its edition (config.yaml and --configfile) and its logs (logs/).",
        "",
    ]
    by_title: dict[str, list[str]] = {title: [] for title in ("Pages", *_TITLES.values())}
    for file in sorted(files):
        title = "Pages" if _page(file) else _TITLES.get(file.suffix)
        if title:
            by_title[title].append(f"- `{file.relative_to(folder)}`: {_description(file)}")
    for title, entries in by_title.items():
        lines += [f"## {title}", "", *entries, ""]
    return "\n".join(lines)


def _findings(edition: Mapping, scoreboard: pd.DataFrame, said: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the verdicts on numbers and on statements, by kind of evidence and paper; each fact once."""
    lines = [*summary(scoreboard)]
    if titles := silver(edition):
        lines.append(f"Silver, which means parsed by a program: {', '.join(titles)}.")
    if titles := stand_ins(edition):
        lines.append(f"Stand-ins, on which nothing is judged: {', '.join(titles)}.")
    lines += [
        f"In {model}, {facts['clark_resting_token']} gets most attention of all special tokens, "
        f"{facts['clark_attention_to_resting_token']} averaged over layers (the resting token; in BERT, [SEP])."
        for model, facts in said.items()
    ]
    lines = [text for line in lines for text in (line, "")]
    facts = scoreboard[scoreboard["counted"]]
    for kind, title in _SAID.items():
        found = facts[facts["finding"] == kind]
        if len(found):
            lines += [f"**{title}**", ""]
            for paper, rows in found.groupby("paper", sort=False):
                labels = "; ".join(_label(row) for _, row in rows.iterrows())
                lines.append(f"- {results().papers[paper]}: {labels}")
            lines.append("")
    return [
        *lines,
        "`scoreboard.md` has all statements with intervals and the control; `paper.pdf` says more.",
        "",
    ]


def _label(row: Mapping) -> str:
    """Return a claim's label with its number, and with a mark if it was judged on automatic parses."""
    return f"{row['label']} ({row['id']}{', silver' if row['text'] == SILVER else ''})"


_PAGES = {
    "explorer.html": (
        "A page on which to look at heads: attention by weight and by norm, beside what the analyses found."
    ),
    "explorer_*.html": "A page on which to look at the heads of a translation model, with gold links between words.",
    "scoreboard.md": "Every claim of the papers, published beside replicated, with a verdict by rule.",
    "paper.pdf": "The paper of this run: its figures and printed tables, in prose with numbers from its tables.",
}


def _page(file: Path) -> str:
    """What is said of a page; empty of another file."""
    return next((said for form, said in _PAGES.items() if file.match(form)), "")


def _description(file: Path) -> str:
    if said := _page(file):
        return said
    return results().tables[file.stem].description if file.suffix == ".csv" else results().shown[file.stem].caption
