"""The command `bert-attention explore`: a page of an encoder's heads on the user's own text."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bert_attention.downloads.models import model_folder
from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError
from bert_attention.explorer.own_text import Text, page_of_texts
from bert_attention.explorer.page import findings_in
from bert_attention.files import sha256, visible_files
from bert_attention.models.model_folder import check_is_complete


def explore(options: argparse.Namespace) -> None:
    """Write the page. Raise InputError if an option is invalid, or a model or text cannot be used."""
    texts = _paired(options.text, options.text_pair)
    folder = model_folder(options.model, options.downloads)
    check_is_complete(folder, options.model)
    name, found = _findings_of(folder, options.findings) or (_name_of(options.model), None)
    beside = (model_folder(options.beside, options.downloads), _name_of(options.beside)) if options.beside else None
    page_of_texts(folder, texts, options.name or name, found, beside, options.device).save(options.output)
    print(f"Open {options.output} in a browser.")


def _paired(texts: Sequence[str], seconds: Sequence[str]) -> list[Text]:
    """Return each text with its second part, which is empty if no second parts are given.

    Raise InputError if there are second parts, but not one for each text.
    """
    if seconds and len(seconds) != len(texts):
        raise InputError(
            "--text-pair",
            f"given {len(seconds)} times, but --text {len(texts)} times",
            'give each text a second part, or --text-pair ""',
        )
    return list(zip(texts, seconds or [""] * len(texts), strict=True))


def _name_of(model: str) -> str:
    """Return the name of a model on the page: its repository, package or folder."""
    scheme, _, path = model.partition(":")
    if scheme == "hub":
        return parse_source(model).hub_parts[0]
    return path.partition("/")[0] if scheme == "package" else Path(model).resolve().name


def _findings_of(model: Path, results: Path | None) -> tuple[str, dict] | None:
    """Return a model's name and findings from the pages in a folder of results, or None if no page has its weights.

    Raise InputError if a file ``explorer.html`` is not a page of the explorer.
    """
    pages = visible_files(results, "**/explorer.html") if results else []
    weights = sha256(model / "model.safetensors") if pages and (model / "model.safetensors").is_file() else ""
    measured = (page for page in map(findings_in, pages) if weights and page[1]["weights"] == weights)
    return next(measured, None)
