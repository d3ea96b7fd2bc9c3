"""The guide to an edition's results: which file shows what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

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
    lines += [f"- {name}, from `{source}`" for name, source in _sources({"corpora": edition["corpora"]})]
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


def _sources(settings: Mapping, *path: str) -> Iterator[tuple[str, str]]:
    """Each corpus of an edition, or part of one that has a source of its own, with that source."""
    if "source" in settings:
        yield " ".join(path[1:]), settings["source"]
        return
    for name, entry in sorted(settings.items()):
        if isinstance(entry, Mapping):
            yield from _sources(entry, *path, name)


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
