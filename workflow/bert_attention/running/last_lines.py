"""The last lines of a run: what it made, where to begin reading, and what is left of other lists of models."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bert_attention.results import CONTROL
from bert_attention.running.result_files import ResultFiles

_FEW = 12  # files that are named one by one
_KINDS = {"figures": "figures/*.pdf", "printed tables": "tables/*.md", "tables": "tables/*.csv"}


def results_made(files: ResultFiles, started: float) -> str:
    """The results that are younger than the start of the run, and which of them to read first; empty if none are."""
    folder = Path(f"results/{files.edition}")
    made = [file for file in sorted(folder.rglob("*.*")) if file.stat().st_mtime >= started]
    if not made:
        return ""
    listed = [str(file) for file in made if file.suffix not in (".png", ".tex", ".typ")]
    if len(listed) > _FEW:
        counts = {kind: sum(file.match(form) for file in made) for kind, form in _KINDS.items()}
        listed = [", ".join(f"{count} {kind}" for kind, count in counts.items() if count) + f" in {folder}/"]
        listed += [f"{file}: {use}" for file, use in _pages(files).items() if file in made]
    lines = ["", "Made in this run:", *(f"  {line}" for line in listed)]
    scoreboard = Path(files.table("scoreboard"))
    return "\n".join(lines + (_claims_judged(scoreboard) if scoreboard in made else [])) + "\n"


def _pages(files: ResultFiles) -> dict[Path, str]:
    """The files that whoever made all results opens first, each with what it is."""
    uses = {"paper.pdf": "all of it as a paper", "explorer.html": "a page on which to look at heads"}
    pages = {
        Path(file): use for page, use in uses.items() for file in files.of_every_model(f"{files.folder('model')}{page}")
    }
    return {**pages, Path(f"{files.folder('edition')}README.md"): "which file shows what"}


def _claims_judged(scoreboard: Path) -> list[str]:
    """What was found of the papers' claims, and where they are listed."""
    from bert_attention.claims.scoreboard import summary  # noqa: PLC0415 (only this end of a run needs pandas)
    from bert_attention.tables import read_table  # noqa: PLC0415

    return ["", *summary(read_table(scoreboard)), f"All claims are in {scoreboard.with_suffix('.md')}"]


def results_left(files: ResultFiles) -> str:
    """What is said of results that are where this list of models has none; empty if there are none.

    With another list of models, results have other folders: those of earlier runs stay, and nothing makes them anew. A
    result may be in a folder below its own, and its control below that.
    """
    per = {name: entry.per for name, entry in {**files.results.tables, **files.results.shown}.items()}
    per |= {"explorer": "model", "paper": "model"}
    folders = {of: set(map(Path, files.of_every_model(files.folder(of)))) for of in set(per.values())}
    stray: Counter[Path] = Counter()
    for file in sorted(Path(f"results/{files.edition}").rglob("*.*")):
        home = file.parent.parent if file.parent.name == Path(CONTROL).name else file.parent
        if file.stem in per and not {home, home.parent} & folders[per[file.stem]]:
            stray[file.parent] += 1
    if not stray:
        return ""
    now = ", ".join(sorted(map(str, folders["model"])))
    listed = "".join(f"  {folder}: {count} files\n" for folder, count in stray.items())
    return f"""
Not of this run: results of another list of models of the edition {files.edition}, which stay as they were.
{listed}A model's results now stand in {now}. Delete the others when you need them no more.
"""
