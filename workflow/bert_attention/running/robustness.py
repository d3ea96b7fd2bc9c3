"""Judge the statements of an edition under reasonable alternatives.

python -m bert_attention.running.robustness [--quick] [--cores N] [--only CHOICE ...] [--configfile FILE ...]

Each alternative is an edition of its own, with one setting changed. Snakemake makes the tables that the setting
changes, without random weights, because the truth of a statement does not depend on them. The statements are judged on
these tables and on the other tables of the edition, and what Snakemake wrote is removed. Scoreboards that are newer
than that of the edition are kept, so that a stopped run goes on. At the end, the page and the papers of the edition get
a column from what was found.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import pandas as pd
import yaml

from bert_attention.errors import InputError, nearest
from bert_attention.figures.robustness import draw
from bert_attention.figures.style import save
from bert_attention.files import replacing
from bert_attention.judging.alternatives import (
    Alternative,
    alternatives,
    as_page,
    sentence,
    tables_changed,
    under_alternatives,
)
from bert_attention.judging.scoreboard import Tables, find_tables, scoreboard
from bert_attention.papers import paper
from bert_attention.results import EDITION_FOLDER
from bert_attention.tables import read_table
from bert_attention.yaml_files import read_yaml

# The few random weights are for tables that compare with them.
_CHEAP = {"control": {"seeds": 1}, "keep_attention": "none"}
_CONFIG = "config.yaml"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the alternatives one after the other, and write what they change beside the edition's scoreboard."""
    options = _options(arguments)
    settings = reduce(_merged, map(read_yaml, (_CONFIG, *options.configfile)))
    results = Path("results", settings["edition"])
    if not (results / "scoreboard.csv").is_file():
        problem, remedy = "is missing", "make the results of the edition first: snakemake --cores all"
        raise InputError(results / "scoreboard.csv", problem, remedy)
    board = read_table(results / "scoreboard.csv")
    boards = {}
    for choice in _chosen(options.only, is_quick=options.quick):
        papers = [name for name in settings["papers"] if name in choice.papers]
        if papers and choice.settings:
            boards[choice.name] = _scoreboard(choice, papers, results, settings, options)
        elif papers:
            boards[choice.name] = _judged(choice, papers, _tables(results), settings)
    table = under_alternatives(board, boards)
    with replacing(results / "robustness.csv") as partial:
        table.to_csv(partial, index=False, float_format="%.6g")
    with replacing(results / "robustness.md") as partial:
        partial.write_text(as_page(table, alternatives()), encoding="utf-8")
    for ending in ("pdf", "png"):
        save(draw(table, {choice.name: choice.label for choice in alternatives()}), results / f"robustness.{ending}")
    _show(results, options)
    print(
        f"\n{sentence(table)}\nThe statements are in {results}/robustness.md, and those that change in robustness.pdf"
    )


def _merged(settings: Mapping, changed: Mapping) -> dict:
    """Return settings with changed keys, as Snakemake joins the files of an edition."""
    joined = {
        key: _merged(settings[key], value)
        if isinstance(settings.get(key), Mapping) and isinstance(value, Mapping)
        else value
        for key, value in changed.items()
    }
    return {**settings, **joined}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--configfile", nargs="*", default=[], help="the files of the edition, as for Snakemake")
    parser.add_argument("--cores", default="all", help="as for Snakemake")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--only", nargs="*", default=[], help="names of alternatives (default: all)")
    chosen.add_argument("--quick", action="store_true", help="only alternatives that run no analysis again")
    return parser.parse_args(arguments)


def _chosen(names: Sequence[str], *, is_quick: bool) -> list[Alternative]:
    known = {choice.name: choice for choice in alternatives()}
    for name in names:
        if name not in known:
            closest = nearest(name, known)
            remedy = f"use {closest!r}" if closest else f"use some of {', '.join(known)}"
            raise InputError(f"alternative {name!r}", "is not listed", remedy)
    return [known[name] for name in names or known if not (is_quick and known[name].settings)]


def _scoreboard(
    choice: Alternative, papers: Sequence[str], results: Path, settings: Mapping, options: argparse.Namespace
) -> pd.DataFrame:
    """Return the scoreboard of an edition with another choice; make it first if it is older than the edition's own."""
    kept = results / "alternatives" / f"{choice.name}.csv"
    if not kept.is_file() or kept.stat().st_mtime < (results / "scoreboard.csv").stat().st_mtime:
        print(f"\n{choice.label}: {', '.join(papers)}", flush=True)
        kept.parent.mkdir(exist_ok=True)
        with replacing(kept) as partial:
            _made(choice, papers, results, settings, options).to_csv(partial, index=False, float_format="%.6g")
    return read_table(kept)


def _made(
    choice: Alternative, papers: Sequence[str], results: Path, settings: Mapping, options: argparse.Namespace
) -> pd.DataFrame:
    """Make the tables that a choice changes, and return the scoreboard of these and the edition's other tables."""
    name = f"{results.name}-{choice.name}"
    file, folder = Path("resources", f"{name}.yaml"), Path("results", name)
    changed = {"edition": name, "papers": list(papers), **_CHEAP, **choice.settings}
    _write(file, changed)
    tables = tables_changed(choice, read_table(results / "scoreboard.csv"), {name: paper(name) for name in papers})
    owners = {EDITION_FOLDER, *(model["name"] for model in settings["models"])}
    own = [path.relative_to(results) for path in _files(results)]
    targets = [folder / path for path in own if path.stem in tables and path.parts[0] in owners]
    if targets and _run_snakemake([*options.configfile, file], targets, options.cores):
        sys.exit(f"ERROR {choice.label}: Snakemake stopped (see above). Run again: what is finished is kept.")
    board = _judged(choice, papers, _tables(folder, results), _merged(settings, changed))
    for place in ("resources", "results", "logs"):
        shutil.rmtree(Path(place, name), ignore_errors=True)
    file.unlink()
    return board


def _judged(choice: Alternative, papers: Sequence[str], tables: Tables, settings: Mapping) -> pd.DataFrame:
    """Return a scoreboard in which claims make a choice."""
    return scoreboard({name: paper(name) for name in papers}, tables, settings, choices=choice.judged)


def _tables(*folders: Path) -> Tables:
    """Return a function that reads a result table from the first folder of results that has it."""
    readers = [find_tables(_files(folder), folder) for folder in folders]
    return lambda model, name: next((found for read in readers if (found := read(model, name))), None)


def _files(folder: Path) -> list[Path]:
    """Return the result tables in a folder of results, without those of random weights."""
    return sorted(folder.glob("*/tables/*.csv"))


def _show(results: Path, options: argparse.Namespace) -> None:
    """Make the page and the papers of the edition again, if there are some: they get a column."""
    shown = [file for file in (results / "index.html", *sorted(results.glob("*/paper.pdf"))) if file.is_file()]
    if shown:
        _run_snakemake(options.configfile, shown, options.cores)


def _run_snakemake(configfiles: Sequence[Path | str], targets: Sequence[Path], cores: str) -> int:
    """Make files with Snakemake, and return its exit status."""
    given = ["--configfile", *configfiles] if configfiles else []
    command = [Path(sys.executable).with_name("snakemake"), "--cores", cores, *given, "--", *targets]
    return subprocess.run(command, check=False).returncode


def _write(file: Path, edition: Mapping) -> None:
    file.parent.mkdir(exist_ok=True)
    with replacing(file) as partial:
        partial.write_text(yaml.safe_dump(edition, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"ERROR {error}")
