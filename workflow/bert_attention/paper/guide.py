"""The guide to an edition's results: what was found, and which file shows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from bert_attention.claims.evidence import INCONCLUSIVE
from bert_attention.claims.scoreboard import summary
from bert_attention.claims.verdicts import CONFIRMED, NO_CONTROL, NOT_CONFIRMED, NOT_SPECIFIC
from bert_attention.paper.sources import generated, origins
from bert_attention.results import results

_SAID = {
    CONFIRMED: "Confirmed on real text, beyond what random weights show",
    NOT_SPECIFIC: "True on real text, and of random weights as well",
    NO_CONTROL: "True on real text, but no control applies",
    NOT_CONFIRMED: "Not confirmed on real text",
    INCONCLUSIVE: "Inconclusive on real text: the data do not tell",
}

# Of files by their suffixes, pages apart.
_TITLES = {".pdf": "Figures", ".md": "Tables as printed", ".csv": "Tables"}


def results_guide(
    edition: Mapping, files: Iterable[Path], folder: Path, scoreboard: pd.DataFrame, resting: Mapping[str, str]
) -> str:
    """Markdown that says what was found, names models and corpora, and says what each result file shows.

    Parameters
    ----------
    files
        Result files below ``folder``.
    scoreboard
        Its table.
    resting
        The special token that gets most attention, and how much, by model.
    """
    lines = [
        f"# Results of the edition `{edition['edition']}`",
        "",
        *_findings(edition, scoreboard, resting),
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


def _findings(edition: Mapping, scoreboard: pd.DataFrame, resting: Mapping[str, str]) -> list[str]:
    """Return the verdicts on numbers and on statements on real text, by paper; each fact once."""
    lines = [*summary(scoreboard)]
    if titles := generated(edition):
        lines.append(f"Generated: {', '.join(titles)}. What is measured on them says nothing of a language.")
    lines += [f"In {model}, {said} (the resting token; in BERT, [SEP])." for model, said in resting.items()]
    lines = [line for said in lines for line in (said, "")]
    real = scoreboard[scoreboard["counted"] & (scoreboard["text"] == "real")]
    for kind, title in _SAID.items():
        found = real[real["finding"] == kind]
        if len(found):
            lines += [f"**{title}**", ""]
            for paper, rows in found.groupby("paper", sort=False):
                labels = "; ".join(f"{row['label']} ({row['id']})" for _, row in rows.iterrows())
                lines.append(f"- {results().papers[paper]}: {labels}")
            lines.append("")
    return [
        *lines,
        "`scoreboard.md` has all statements with intervals and the control; `paper.pdf` says more.",
        "",
    ]


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
