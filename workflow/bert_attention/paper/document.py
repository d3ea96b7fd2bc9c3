"""The paper of a run: the data for its template, and typesetting with Typst."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import typst
import yaml

from bert_attention.errors import InputError
from bert_attention.figures.scoreboard import page_count
from bert_attention.files import REBUILD_REMEDY, sha256, unfinished
from bert_attention.judging.alternatives import with_choices
from bert_attention.judging.claims import Paper
from bert_attention.judging.kinds import STAND_IN, kind_of_corpus
from bert_attention.paper.judged_claims import judged_claims
from bert_attention.paper.numbers import number_texts
from bert_attention.paper.sources import described_corpus, limits, origins, silver, stand_ins
from bert_attention.results import Shown, results
from bert_attention.statistics.forms import count
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.measures import ResultTables, TableReader
from bert_attention.statistics.tables import read_replicates
from bert_attention.tables import read_table
from bert_attention.tokenization.delimiters import Delimiters

_RESULT_MENTIONED = re.compile(r"(?:[Tt]he )?(?P<kind>table|figure) (?P<name>[a-z]+(?:_\w+)+)")


@dataclass(frozen=True)
class Files:
    """The files behind the paper of a model."""

    tables: Sequence[Path]  # result tables (CSV), with their replicates beside them
    shown: Sequence[Path]  # figures (PDF) and printed tables (Typst)
    weights: Path
    scoreboard: Path  # the claims with their verdicts (CSV)
    scoreboard_figure: Path  # the figure of the verdicts (PDF)
    robustness: Path | None = None  # statements under other choices of the analysis (CSV), if they were judged
    tokenizer: Path | None = None  # tokenizer.json, for the names of tokens in captions; None for BERT's names


def document_data(
    edition: Mapping,
    model: str,
    papers: Mapping[str, str],
    captions: Mapping[str, Shown],
    files: Files,
    claims: Iterable[Paper],
    versions: Mapping[str, str],
    commit: str | None,
) -> dict:
    """Return all data for the template, ready for JSON. ``workflow/report/paper_look.typ`` says where each part goes.

    ``segment_ids`` of the edition are those that the encoder gets, by paper. ``papers`` are titles by short name, in
    order, and ``claims`` the papers with their numbers in prose. Raise InputError if a table cannot be read, or lacks
    the cell for a number in the prose.
    """
    tables = {path.stem: read_replicates(path) for path in files.tables}
    robustness = None if files.robustness is None else pd.read_csv(files.robustness)
    scoreboard = with_choices(read_table(files.scoreboard), robustness)
    models = [entry["name"] for entry in edition["models"]]
    shown = [path.stem for path in files.shown]
    delimiters = Delimiters.read(files.tokenizer) if files.tokenizer else Delimiters()
    return {
        "edition": edition,
        "model": model,
        "papers": dict(papers),
        "tables": sorted(tables),
        "facts": number_texts(claims, tables.get),
        "results": {
            path.stem: {
                "file": f"shown/{path.name}",
                "kind": "figure" if path.suffix == ".pdf" else "table",
                "label": delimiters.named_in(captions[path.stem].label),
                "caption": _with_references(delimiters.caption(captions[path.stem].caption), shown),
                "about": _about(path.stem, captions[path.stem], edition, model, tables),
                "stand_in": any(kind_of_corpus(edition, name) == STAND_IN for name in captions[path.stem].corpora),
            }
            for path in files.shown
        },
        "scoreboard": judged_claims(scoreboard, model, models, papers),
        "scoreboard_figure": {
            "file": f"shown/{files.scoreboard_figure.name}",
            "caption": captions["scoreboard"].caption,
            "pages": page_count(scoreboard),
        },
        "origins": [asdict(origin) for origin in origins(edition)],
        "silver": silver(edition),
        "limits": limits(edition),
        "stand_ins": stand_ins(edition),
        "versions": dict(versions),
        "commit": commit,
        "digests": {path.name: sha256(path) for path in (files.weights, *sorted(files.tables))},
    }


def set_paper(
    data: Mapping, template: Sequence[Path], files: Files, parent: Path | None = None
) -> tuple[bytes, list[str]]:
    """Typeset the paper, and return the PDF and the messages of Typst's warnings. Equal data give equal bytes.

    Typst uses only its own fonts, and reads no file outside a temporary folder in ``parent``. The name of this folder
    lets the next run recognize the remains of a killed run. ``template`` is the main file, then the files that it
    reads; their paths relative to each other stay the same. Raise InputError if a printed table is damaged, and
    TypstError if the template needs an entry that ``data`` lacks, or a table does not fit the page.
    """
    with TemporaryDirectory(prefix=".", suffix=unfinished(), dir=parent) as folder:
        root = Path(folder)
        above = os.path.commonpath([file.parent for file in template])
        copied = {file: root / file.relative_to(above) for file in template}
        report = copied[template[0]].parent
        copied |= {file: report / "shown" / file.name for file in (*files.shown, files.scoreboard_figure)}
        for file, copy in copied.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        own = {
            part: [paper for paper in data["papers"] if any(file.parts[-2:] == (paper, name) for file in template)]
            for part, name in (("sections", "section.typ"), ("references", "references.bib"))
        }
        (report / "data.json").write_text(json.dumps({**data, **own}, ensure_ascii=False), encoding="utf-8")
        try:
            pdf, warnings = typst.compile_with_warnings(
                copied[template[0]], root=root, ignore_system_fonts=True, package_path=root, package_cache_path=root
            )
        except typst.TypstError as error:
            if damaged := _damaged(files, error):
                raise InputError(damaged, f"cannot be typeset ({error})", REBUILD_REMEDY) from None
            raise
    return pdf, [warning.message for warning in warnings]


def _damaged(files: Files, error: typst.TypstError) -> Path | None:
    """Return the printed table that caused an error, or None. If a file is not UTF-8, Typst does not name the file."""
    tables = [file for file in files.shown if file.suffix == ".typ"]
    if named := re.search(r"shown/(\S+\.typ):\d", error.diagnostic):
        return next(file for file in tables if file.name == named[1])
    if "UTF-8" not in str(error):
        return None
    return next((file for file in tables if "\ufffd" in file.read_text(encoding="utf-8", errors="replace")), None)


def package_versions(environments: Sequence[Path]) -> dict[str, str]:
    """Return the versions of Python, Snakemake and the packages in conda environments: installed, or else pinned."""
    pins = [
        requirement.partition(";")[0].strip().split("==")  # without the environment marker
        for path in environments
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
        if isinstance(entry, Mapping)
        for requirement in entry["pip"]
    ]
    packages = {name: _installed(name) or pinned for name, pinned in sorted(pins)}
    snakemake = _installed("snakemake")
    return {"Python": platform.python_version(), **({"snakemake": snakemake} if snakemake else {}), **packages}


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _with_references(caption: str, shown: Sequence[str]) -> list[dict[str, str]]:
    """Return the pieces of a caption: texts, references to results in the paper, and names of other results."""
    text, *mentions = _RESULT_MENTIONED.split(caption)
    pieces = [{"text": text}]
    for kind, name, text in zip(mentions[::3], mentions[1::3], mentions[2::3], strict=True):
        pieces += [{"reference": name}] if name in shown else [{"text": f"{kind} "}, {"name": name}]
        pieces.append({"text": text})
    return pieces


def _about(name: str, entry: Shown, edition: Mapping, model: str, tables: Mapping[str, Replicates]) -> str:
    """Describe the data behind a result in a line: model, corpora, segment ids, parser and number of items."""
    counted = tables.get(entry.counted["table"]) if entry.counted else None
    if entry.per == "model":
        models = [model]
    else:
        models = sorted(counted.whole["model"].unique()) if counted is not None and "model" in counted.whole else []
    parts = [*models, *(described_corpus(edition, name) for name in entry.corpora)]
    segment_ids = edition["segment_ids"].get(name.partition("_")[0])
    parts += [f"segment ids: {segment_ids}"] if segment_ids and "wikipedia" in entry.corpora else []
    parts += ["words tagged and parsed by Stanza, silver"] if entry.parsed else []
    if counted is not None:
        table, where = entry.counted["table"], entry.counted.get("where", {})
        column = "n" if "n" in results().tables[table].columns else "n_test"
        n = count.of(lambda t: t.rows(table, **where)[column])(ResultTables(TableReader(tables.__getitem__)))
        parts.append(f"n = {n} {entry.counted['unit']}")
    return "; ".join(parts)
