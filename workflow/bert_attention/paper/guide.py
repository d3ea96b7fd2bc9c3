"""The guide to an edition's results: which file shows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from bert_attention.downloads.sources import entries_with_sources
from bert_attention.results import results


def results_guide(edition: Mapping, files: Iterable[Path], folder: Path) -> str:
    """Markdown that names an edition's models and corpora, and each of its result files with what it shows.

    Parameters
    ----------
    edition
        The configuration.
    files
        Result files below ``folder``.
    """
    lines = [f"# Results of the edition `{edition['edition']}`", ""]
    lines += [f"- model **{model['name']}**, from `{model['source']}`" for model in edition["models"]]
    corpora = dict(entries_with_sources(edition["corpora"]))
    lines += [f"- {' '.join(path)}, from `{entry['source']}`" for path, entry in sorted(corpora.items())]
    lines += [f"- parser, from `{edition['stanza']['source']}`"]
    for model in edition["translation_models"]:
        seeds = f", trained from the seeds {', '.join(map(str, model['seeds']))}" if "seeds" in model else ""
        lines.append(f"- translation model **{model['name']}**, from `{model['source']}`{seeds}")
    lines += ["", "The run is described by its edition (config.yaml and --configfile) and its logs (logs/).", ""]
    pages = [file for file in files if file.name in _PAGES]
    others = [file for file in files if file.name not in _PAGES]
    by_title = {
        "Pages": pages,
        "Figures": [file for file in others if file.suffix == ".pdf"],
        "Tables as printed": [file for file in others if file.suffix == ".md"],
        "Tables": [file for file in others if file.suffix == ".csv"],
    }
    for title, shown in by_title.items():
        lines += [f"## {title}", ""]
        for file in sorted(shown):
            lines.append(f"- `{file.relative_to(folder)}`: {_description(file)}")
        lines.append("")
    return "\n".join(lines)


_PAGES = {
    "explorer.html": (
        "A page on which to look at heads: attention by weight and by norm, beside what the analyses found."
    ),
    "scoreboard.md": "Every claim of the papers, published beside replicated, with a verdict by rule.",
    "paper.pdf": "The paper of this run: its figures and printed tables, in prose with numbers from its tables.",
}


def _description(file: Path) -> str:
    if file.name in _PAGES:
        return _PAGES[file.name]
    return results().tables[file.stem].description if file.suffix == ".csv" else results().shown[file.stem].caption
