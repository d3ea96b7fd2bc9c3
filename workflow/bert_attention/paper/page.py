"""The page of an edition's results: findings, figures and tables in one HTML file that needs no network."""

from __future__ import annotations

import base64
import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import jinja2
import pandas as pd

from bert_attention.corpora.summaries import Summary
from bert_attention.judging.explanations import explanation
from bert_attention.judging.kinds import MODEL_LABELED, SILVER, STAND_IN
from bert_attention.judging.legend import NOTES, NUMBERS, STATEMENTS
from bert_attention.judging.units import NO_VALUE
from bert_attention.judging.words import counts, row_texts, summary
from bert_attention.paper.guide import PAGES, notes, page_uses
from bert_attention.paper.headlines import filled_headlines
from bert_attention.paper.sources import corpora_of, described_corpus, origins
from bert_attention.plan import target
from bert_attention.printing.summaries import summaries_html
from bert_attention.results import EDITION_FOLDER, Figure, results
from bert_attention.tokenization.delimiters import Delimiters

TEMPLATE = "results_page.html"
# Columns of the scoreboard with texts.
_TEXTS = (
    "work",
    "place",
    "text",
    "finding",
    "verdict",
    "statement",
    "model",
    "label",
    "unit",
    "layers_here",
    "subject",
)
# Figures that are wider than this many times their height take the whole width of the page.
_WIDE = 1.6


def results_page(
    edition: Mapping,
    files: Iterable[Path],
    folder: Path,
    scoreboard: pd.DataFrame,
    numbers: Mapping[str, Mapping[str, str]],
    delimiters: Mapping[str, Delimiters] | None = None,
    summaries: Sequence[Summary] = (),
) -> str:
    """Return the page on an edition's results, in HTML.

    Figures (PNG) and printed tables (Markdown) below ``folder`` become part of the page. ``numbers`` has, for each
    model, the numbers of the headlines and remarks (:func:`bert_attention.paper.numbers.number_texts`).
    ``delimiters`` are the tokens that each model's tokenizer puts around texts, by default BERT's.
    ``summaries`` are those of the corpora, as read and as each encoder gets them.
    """
    claims = scoreboard.astype(dict.fromkeys(_TEXTS, object)).fillna(dict.fromkeys(_TEXTS, ""))
    paths = [file.relative_to(folder) for file in sorted(files)]
    encoders = [model["name"] for model in edition["models"]]
    made = {path.as_posix() for path in paths}
    html = Path(__file__).with_name(TEMPLATE).read_text(encoding="utf-8")
    template = jinja2.Template(html, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    named = {model: (delimiters or {}).get(model, Delimiters()) for model in encoders}
    sections = _sections(paths, folder, named)
    return template.render(
        edition=edition["edition"],
        encoders=encoders,
        titles="; ".join(results().papers[paper] for paper in edition["papers"]),
        headlines={model: filled_headlines(known, named.get(model)) for model, known in numbers.items()},
        opening=_opening(sections),
        bars=_bars(scoreboard),
        summary=summary(scoreboard),
        notes=notes(edition, numbers, named),
        origins=origins(edition),
        verdicts=STATEMENTS,
        verdicts_on_numbers=NUMBERS,
        notes_on_numbers=NOTES,
        papers=[_paper(paper, rows, edition["edition"], made) for paper, rows in claims.groupby("paper", sort=False)],
        several=len(encoders) > 1,
        robust="holds" in scoreboard and scoreboard["holds"].any(),
        corpora=[described_corpus(edition, name) for name in corpora_of(edition)],
        summaries=summaries_html(summaries),
        sections=sections,
        pages={"codebook.md": PAGES["codebook.md"]} | page_uses(paths),
        downloads={
            path.as_posix(): results().tables[path.stem].description
            for path in paths
            if path.suffix == ".csv" and path.stem in results().tables
        },
    )


def _opening(sections: Iterable[Mapping]) -> dict | None:
    """Return the figure that opens the page, or else the first, with its id on the page."""
    chosen = target(results().opening)
    figures = [figure | {"id": figure["target"] + part["suffix"]} for part in sections for figure in part["figures"]]
    return next((figure for figure in figures if figure["target"] == chosen), next(iter(figures), None))


def _bars(scoreboard: pd.DataFrame) -> list[dict]:
    """Return the number of findings of each work, with the numbers by verdict."""
    found = counts(scoreboard).groupby("work", sort=False).sum()[list(STATEMENTS)]
    return [
        {"work": work, "total": int(row.sum()), "parts": [(name, int(row[name])) for name in STATEMENTS if row[name]]}
        for work, row in found.iterrows()
    ]


def _paper(paper: str, rows: pd.DataFrame, edition: str, made: Collection[str]) -> dict:
    """Return the claims of a paper: judged facts and compared numbers by work, those on stand-ins, and the others."""
    first = rows.drop_duplicates("id").index
    title = results().papers[paper]
    facts: dict[str, list[dict]] = {}
    unjudged, others = [], []
    for index, row in zip(rows.index, rows.to_dict("records"), strict=True):
        is_judged = row["counted"] or row["verdict"] in NUMBERS
        group = facts.setdefault(row["work"], []) if is_judged else unjudged if row["text"] == STAND_IN else others
        anchor = row["id"] if index in first else f"{row['id']}-{row['model']}"
        group.append(_claim(row, edition, made) | {"anchor": anchor})
    claims = {"facts": facts, "unjudged": unjudged, "others": others}
    return {"name": paper, "title": title, "short": title.partition(",")[0], **claims}


def _claim(row: Mapping, edition: str, made: Collection[str]) -> dict:
    """Return the texts of a claim in a row of the scoreboard, with badges for its verdicts: text and style.

    ``made`` are the files of the edition, of which ``tables`` links those behind the claim's number.
    """
    finding, number = row["finding"], row["verdict"]
    badges = [(finding, STATEMENTS[finding].style)] if row["counted"] and finding else []
    badges += [(number, NUMBERS[number].style)] if number in NUMBERS else []
    names = row["table"].split(", ") if isinstance(row["table"], str) else []
    files = {name: f"{folder}/tables/{name}.csv" for name in names for folder in (EDITION_FOLDER, row["model"])}
    texts = row_texts(row)
    return {
        **texts,
        "kind": row["text"] if row["text"] in (SILVER, MODEL_LABELED) else "",
        "layers": row["layers_here"],
        "why": explanation(row) if row["counted"] else "",
        "badges": badges or [(texts["verdict_and_reason"], "inconclusive")],
        "tables": {name: file for name, file in files.items() if file in made},
        "cite": _cited(texts, number, edition) if badges else "",
    }


def _cited(texts: Mapping[str, str], number: str, edition: str) -> str:
    """Return a judged claim as a text to cite: the statement and where it stands, our number, and the verdict."""
    names = {"threshold": "threshold", "control": "random weights", "published": "published"}
    numbers = "; ".join(f"{name} {texts[key]}" for key, name in names.items() if texts[key] != NO_VALUE)
    beside = f" ({numbers})" if numbers else ""
    return (
        f"{texts['work']}: {texts['statement']} On {texts['model'] or 'all models'} (bert-attention, edition "
        f"{edition}): {texts['replicated']}{beside}; {texts['finding'] or number}. Claim {texts['id']}."
    )


def _sections(paths: Iterable[Path], folder: Path, delimiters: Mapping[str, Delimiters]) -> list[dict]:
    """Return figures and printed tables by encoder, in the order of ``results.yaml``.

    Results of a whole edition have a section of their own, unless there is a single encoder.
    """
    encoders = list(delimiters)
    names = [*encoders, "all models"] if len(encoders) > 1 else encoders
    order = {name: number for number, name in enumerate(results().shown)}
    sections = [
        {
            "of": f" of {name}" if len(names) > 1 else "",
            "suffix": f"-{number}" if number else "",
            "figures": [],
            "tables": [],
        }
        for number, name in enumerate(names)
    ]
    shown = [path for path in paths if path.stem in order and len(path.parts) > 1]
    for path in sorted(shown, key=lambda path: order[path.stem]):
        section = sections[encoders.index(path.parts[0]) if path.parts[0] in encoders else -1]
        if path.suffix == ".png":
            section["figures"].append(_figure(path, folder) | _named(path, delimiters))
        elif path.suffix == ".md":
            text = (folder / path).read_text(encoding="utf-8")
            section["tables"].append(_shown(path) | _named(path, delimiters) | markdown_table(text))
    return sections


def _named(path: Path, delimiters: Mapping[str, Delimiters]) -> dict[str, str]:
    """Return the label and the caption of a result, with the names of its model's tokens."""
    shown, own = _shown(path), delimiters.get(path.parts[0], Delimiters())
    return {"label": own.named_in(shown["label"]), "caption": own.caption(shown["caption"])}


def _figure(path: Path, folder: Path) -> dict:
    content = (folder / path).read_bytes()
    width, height = struct.unpack(">II", content[16:24])  # the header of a PNG has its size
    return {
        **_shown(path.with_suffix(".pdf")),
        "png": path.as_posix(),
        "image": f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}",
        "width": width,
        "height": height,
        "wide": width > _WIDE * height,
    }


def _shown(path: Path) -> dict[str, str]:
    entry = results().shown[path.stem]
    kind = "Figure " if isinstance(entry, Figure) else "Table "
    return {
        "paper": results().papers.get(path.stem.partition("_")[0], "All papers"),
        "target": target(path.stem),
        "label": kind + entry.label if entry.label[0].isdigit() else entry.label[0].upper() + entry.label[1:],
        "caption": entry.caption,
        "href": path.as_posix(),
    }


def markdown_table(text: str) -> dict:
    """Return the parts of a printed table: ``header``, ``sides`` (alignment by column), ``rows`` and ``notes``."""
    lines = text.replace("**", "").splitlines()
    cells = [line[2:-2].split(" | ") for line in lines if line.startswith("|")]
    header, sides, *rows = ([cell.replace(r"\|", "|") for cell in row] for row in cells)
    return {
        "header": header,
        "sides": ["right" if side.endswith(":") else "" for side in sides],
        "rows": rows,
        "notes": [line.strip() for line in lines if line.strip() and not line.startswith("|")],
    }
