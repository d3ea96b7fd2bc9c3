"""The paper of a run: what its template reads, and setting it with Typst."""

from __future__ import annotations

import json
import platform
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import typst
import yaml

from bert_attention.errors import InputError
from bert_attention.figures.scoreboard import page_count
from bert_attention.files import MADE_ANEW, sha256, unfinished
from bert_attention.paper.facts import facts, number_text, read_facts
from bert_attention.paper.judged_claims import judged_claims
from bert_attention.paper.sources import described_corpus, origins, silver, stand_ins
from bert_attention.results import Shown, results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.queries import measure
from bert_attention.statistics.tables import read_replicates
from bert_attention.tables import read_table

_RESULT_MENTIONED = re.compile(r"(?:[Tt]he )?(?P<kind>table|figure) (?P<name>[a-z]+(?:_\w+)+)")


@dataclass(frozen=True)
class Files:
    """The results of one model that the paper is made of.

    Attributes
    ----------
    tables
        Result tables (CSV), with their replicates beside them.
    facts
        The facts of the prose (``facts.yaml``).
    claims
        What the papers published, for facts that ask as a claim does.
    shown
        Figures (PDF) and printed tables (Typst).
    weights
        The encoder's weights.
    scoreboard, scoreboard_figure
        The claims with their verdicts (CSV), and their figure (PDF).
    """

    tables: Sequence[Path]
    facts: Path
    claims: Sequence[Path]
    shown: Sequence[Path]
    weights: Path
    scoreboard: Path
    scoreboard_figure: Path


def document_data(
    edition: Mapping,
    model: str,
    papers: Mapping[str, str],
    captions: Mapping[str, Shown],
    files: Files,
    versions: Mapping[str, str],
    commit: str | None,
) -> dict:
    """All that the template reads, ready for JSON; see ``workflow/report/paper_look.typ`` for who reads what.

    Parameters
    ----------
    model
        The name of the paper's encoder, which is one of the edition's.
    papers
        Titles of the replicated papers by their short names, in order.
    versions
        Of Python and its packages, by name.
    commit
        Of the project; None where it is not known.

    Raises
    ------
    InputError
        If a table cannot be read, or lacks the cell of a number in the prose.
    """
    tables = {path.stem: read_replicates(path) for path in files.tables}
    scoreboard = read_table(files.scoreboard)
    models = [entry["name"] for entry in edition["models"]]
    shown = [path.stem for path in files.shown]
    described = {}
    for path in files.shown:
        entry = captions[path.stem]
        described[path.stem] = {
            "file": f"shown/{path.name}",
            "kind": "figure" if path.suffix == ".pdf" else "table",
            "label": entry.label,
            "caption": list(_with_references(entry.caption, shown)),
            "about": _about(entry, edition, model, tables),
        }
    return {
        "edition": edition,
        "model": model,
        "papers": dict(papers),
        "tables": sorted(tables),
        "facts": facts(read_facts(files.facts, files.claims), tables),
        "results": described,
        "scoreboard": judged_claims(scoreboard, model, models, papers),
        "scoreboard_figure": {
            "file": f"shown/{files.scoreboard_figure.name}",
            "caption": captions["scoreboard"].caption,
            "pages": page_count(scoreboard),
        },
        "origins": [asdict(origin) for origin in origins(edition)],
        "silver": silver(edition),
        "stand_ins": stand_ins(edition),
        "versions": dict(versions),
        "commit": commit,
        "digests": {path.name: sha256(path) for path in (files.weights, *sorted(files.tables))},
    }


def set_paper(
    data: Mapping, template: Sequence[Path], files: Files, place: Path | None = None
) -> tuple[bytes, list[str]]:
    """The paper as PDF, with the messages of Typst's warnings; the same data give the same bytes.

    Fonts are those that Typst carries, and nothing outside a temporary folder is read.

    Parameters
    ----------
    data
        From :func:`document_data`.
    template
        The main file, then others that it reads from its own folder.
    place
        Where the temporary folder is made, under a name by which a next run knows what a killed one left; by default,
        where the system has such folders.

    Raises
    ------
    InputError
        If a printed table is damaged.
    typst.TypstError
        If the template asks for what ``data`` does not have, or a table does not fit the page.
    """
    with TemporaryDirectory(prefix=".", suffix=unfinished(), dir=place) as folder:
        root = Path(folder)
        for file in template:
            shutil.copyfile(file, root / file.name)
        (root / "shown").mkdir()
        for file in (*files.shown, files.scoreboard_figure):
            shutil.copyfile(file, root / "shown" / file.name)
        (root / "data.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        try:
            pdf, warnings = typst.compile_with_warnings(
                root / template[0].name, root=root, ignore_system_fonts=True, package_path=root, package_cache_path=root
            )
        except typst.TypstError as error:
            damaged = _damaged(files, error)
            if damaged:
                raise InputError(damaged, f"cannot be set ({error})", MADE_ANEW) from None
            raise
    return pdf, [warning.message for warning in warnings]


def _damaged(files: Files, error: typst.TypstError) -> Path | None:
    """The printed table in which an error is, if it is in one: Typst names it, or only says that one is no text."""
    tables = [file for file in files.shown if file.suffix == ".typ"]
    named = re.search(r"shown/(\S+\.typ):\d", error.diagnostic)
    if named:
        return next(file for file in tables if file.name == named[1])
    if "UTF-8" not in str(error):
        return None
    return next((file for file in tables if "\ufffd" in file.read_text(encoding="utf-8", errors="replace")), None)


def package_versions(environments: Sequence[Path]) -> dict[str, str]:
    """Versions of Python, Snakemake and the packages that conda environments pin: as installed, or else as pinned."""
    pins = [
        requirement.partition(";")[0].strip().split("==")  # without the machines for which it is pinned
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


def _with_references(caption: str, shown: Sequence[str]) -> Iterator[dict[str, str]]:
    """A caption in pieces: texts, references to what the paper shows, and names of what it does not."""
    end = 0
    for match in _RESULT_MENTIONED.finditer(caption):
        yield {"text": caption[end : match.start()]}
        if match["name"] in shown:
            yield {"reference": match["name"]}
        else:
            yield {"text": f"{match['kind']} "}
            yield {"name": match["name"]}
        end = match.end()
    yield {"text": caption[end:]}


def _about(entry: Shown, edition: Mapping, model: str, tables: Mapping[str, Replicates]) -> str:
    """Describe what a result is measured on in a line: model, corpora, parser and number."""
    counted = tables.get(entry.counted["table"]) if entry.counted else None
    if entry.per == "model":
        models = [model]
    else:
        models = sorted(counted.whole["model"].unique()) if counted is not None and "model" in counted.whole else []
    parts = [*models, *(described_corpus(edition, name) for name in entry.corpora)]
    parts += ["words tagged and parsed by Stanza, silver"] if entry.parsed else []
    if counted is not None:
        name, where = entry.counted["table"], entry.counted.get("where", {})
        column = "n" if "n" in results().tables[name].columns else "n_test"
        query = {"table": name, "where": where, "column": column, "take": "list"}
        n = measure(query, tables.__getitem__, 0, f"results.yaml, {entry.label}, counted")
        parts.append(f"n = {number_text(n, 'count')} {entry.counted['unit']}")
    return "; ".join(parts)
