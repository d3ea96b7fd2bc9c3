"""The page of an edition's results: findings, figures and tables in one HTML file that needs no network."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import jinja2
import pandas as pd

from bert_attention.claims.evidence import INCONCLUSIVE
from bert_attention.claims.kinds import SILVER, STAND_IN
from bert_attention.claims.scoreboard import number_text, published_text, replicated_text, summary, verdict_text
from bert_attention.claims.verdicts import (
    CONFIRMED,
    NO_CONTROL,
    NOT_CONFIRMED,
    NOT_REPRODUCED,
    NOT_SPECIFIC,
    REPRODUCED,
)
from bert_attention.paper.guide import PAGES, notes
from bert_attention.paper.sources import corpora_of, described_corpus, origins
from bert_attention.plan import target
from bert_attention.results import Figure, results

TEMPLATE = "results_page.html"
# The verdicts on statements: the style of the badge, and the meaning.
_VERDICTS = {
    CONFIRMED: (
        "confirmed",
        "The interval lies on the stated side of the threshold, and farther than random weights do.",
    ),
    NOT_SPECIFIC: ("not-specific", "The statement is just as true of random weights, so training does not explain it."),
    NO_CONTROL: ("no-control", "The statement is true, but random weights have nothing to compare it with."),
    NOT_CONFIRMED: ("not-confirmed", "The interval lies on the other side of the threshold."),
    INCONCLUSIVE: ("inconclusive", "The data do not tell."),
}
# The verdicts on published numbers, with the style of the badge.
_OF_NUMBERS = {REPRODUCED: "confirmed", NOT_REPRODUCED: "not-confirmed", INCONCLUSIVE: "inconclusive"}
# Figures at least this many times as wide as high take the whole width of the page.
_WIDE = 1.6


def results_page(
    edition: Mapping,
    files: Iterable[Path],
    folder: Path,
    scoreboard: pd.DataFrame,
    said: Mapping[str, Mapping[str, str]],
) -> str:
    """Return the HTML of the page on an edition's results.

    Parameters
    ----------
    files
        Result files below ``folder``. Figures (PNG) and printed tables (Markdown) become part of the page.
    scoreboard
        The table ``scoreboard``.
    said
        For each model, the facts on its resting token, from :func:`bert_attention.paper.facts.facts`.
    """
    found = {file.relative_to(folder): file for file in sorted(files)}
    encoders = [model["name"] for model in edition["models"]]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(TEMPLATE).render(
        edition=edition["edition"],
        encoders=encoders,
        titles="; ".join(results().papers[paper] for paper in edition["papers"]),
        summary=summary(scoreboard),
        notes=notes(edition, said),
        origins=origins(edition),
        verdicts=[{"name": name, "style": style, "meaning": meaning} for name, (style, meaning) in _VERDICTS.items()],
        papers=[_paper(paper, rows) for paper, rows in scoreboard.groupby("paper", sort=False)],
        several=len(encoders) > 1,
        corpora=[described_corpus(edition, name) for name in corpora_of(edition)],
        sections=_sections(found, encoders),
        pages=[{"href": path.as_posix(), "description": text} for path in found if (text := page_description(path))],
        downloads=[_download(path) for path in found if path.suffix == ".csv" and path.stem in results().tables],
    )


def page_description(path: Path) -> str:
    """Return the description of a page of the results, or an empty text for another file."""
    return next((text for form, text in PAGES.items() if path.match(form)), "")


def _paper(paper: str, rows: pd.DataFrame) -> dict:
    """Return the claims of a paper: judged facts and compared numbers, claims on stand-ins, and the others."""
    title = results().papers[paper]
    on_stand_ins = rows["text"] == STAND_IN
    judged = rows["counted"] | rows["verdict"].isin(_OF_NUMBERS)
    return {
        "name": paper,
        "title": title,
        "short": title.partition(",")[0],
        "facts": [_claim(row) for row in rows[judged].to_dict("records")],
        "unjudged": [_claim(row) for row in rows[on_stand_ins & ~judged].to_dict("records")],
        "others": [_claim(row) for row in rows[~on_stand_ins & ~judged].to_dict("records")],
    }


def _claim(row: Mapping) -> dict:
    """Return the texts of a claim in a row of the scoreboard, with badges for its verdicts: text and style."""
    finding, number = _text(row["finding"]), _text(row["verdict"])
    badges = [(finding, _VERDICTS[finding][0])] if row["counted"] and finding else []
    badges += [(number, _OF_NUMBERS[number])] if number in _OF_NUMBERS else []
    return {
        "id": row["id"],
        "label": row["label"],
        "statement": _text(row["statement"]),
        "model": _text(row["model"]),
        "kind": SILVER if row["text"] == SILVER else "",
        "published": published_text(row),
        "here": replicated_text(row),
        "control": number_text(row["control_value"]),
        "badges": badges or [(verdict_text(row), "inconclusive")],
    }


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _sections(found: Mapping[Path, Path], encoders: Sequence[str]) -> list[dict]:
    """Return figures and printed tables by encoder. Those of a whole edition join a single encoder's."""
    parts: dict[str, dict[Path, Path]] = {name: {} for name in encoders}
    if len(encoders) > 1:
        parts["all models"] = {}
    for path, file in found.items():
        owner = path.parts[0] if path.parts[0] in encoders else list(parts)[-1]
        parts[owner][path] = file
    return [
        {
            "of": f" of {name}" if len(parts) > 1 else "",
            "suffix": f"-{number}" if number else "",  # ids of a page differ
            "figures": [_figure(name, path, file) for name, path, file in _in_order(files, ".png")],
            "tables": [_printed_table(name, path, file) for name, path, file in _in_order(files, ".md")],
        }
        for number, (name, files) in enumerate(parts.items())
    ]


def _in_order(files: Mapping[Path, Path], suffix: str) -> list[tuple[str, Path, Path]]:
    """Return the shown results among files, in the order of ``results.yaml``."""
    order = list(results().shown)
    shown = [path for path in files if path.suffix == suffix and path.stem in order and len(path.parts) > 1]
    found = [(path.stem, path, files[path]) for path in shown]
    return sorted(found, key=lambda entry: order.index(entry[0]))


def _figure(name: str, path: Path, file: Path) -> dict:
    content = file.read_bytes()
    width, height = struct.unpack(">II", content[16:24])  # of the header that begins each PNG
    return {
        **_shown(name, path.with_suffix(".pdf")),
        "image": f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}",
        "width": width,
        "height": height,
        "wide": width > _WIDE * height,
    }


def _printed_table(name: str, path: Path, file: Path) -> dict:
    return {**_shown(name, path), **markdown_table(file.read_text(encoding="utf-8"))}


def _shown(name: str, path: Path) -> dict[str, str]:
    entry = results().shown[name]
    kind = "Figure " if isinstance(entry, Figure) else "Table "
    return {
        "paper": results().papers.get(name.partition("_")[0], "All papers"),
        "target": target(name),
        "label": kind + entry.label if entry.label[0].isdigit() else entry.label[0].upper() + entry.label[1:],
        "caption": entry.caption,
        "href": path.as_posix(),
    }


def markdown_table(text: str) -> dict:
    """Return the parts of a printed table: ``header``, ``sides`` (alignment by column), ``rows`` and ``notes``."""
    lines = text.splitlines()
    header, sides, *rows = ([_plain(cell) for cell in _cells(line)] for line in lines if line.startswith("|"))
    notes_below = [_plain(line.strip()) for line in lines if line.strip() and not line.startswith("|")]
    return {
        "header": header,
        "sides": ["right" if side.endswith(":") else "" for side in sides],
        "rows": rows,
        "notes": notes_below,
    }


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _plain(text: str) -> str:
    r"""Return Markdown without emphasis and escapes, such as ``**0.5**`` and ``\|``."""
    return re.sub(r"\\([|*_\[\]])", r"\1", text.replace("**", ""))


def _download(path: Path) -> dict[str, str]:
    return {"href": path.as_posix(), "description": results().tables[path.stem].description}
