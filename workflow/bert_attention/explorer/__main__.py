"""Make a page that shows the heads of an encoder on the user's own text.

    python -m bert_attention.explorer --model FOLDER --text "The cat sat on the mat." --output explorer.html

The model is a folder in Hugging Face form (config.json, model.safetensors, tokenizer.json), or a source as in an
edition, such as ``hub:google-bert/bert-base-uncased@<revision>``, which is downloaded. ``--text`` can be given several
times. ``--text-pair``, given as often as ``--text``, adds a second part to each text. ``--findings`` names a folder of
results. If the results are of the same weights, the page shows their findings on each head.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bert_attention.downloads.models import model_folder
from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError, check_text
from bert_attention.explorer.own_text import Text, page_of_texts
from bert_attention.explorer.page import findings_in
from bert_attention.files import sha256
from bert_attention.models.devices import DEVICES
from bert_attention.models.model_folder import check_is_complete


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m bert_attention.explorer",
        description="Make a page that shows how the heads of an encoder attend in your own text.",
    )
    parser.add_argument("--model", required=True, help="a model's folder, or its source as in an edition")
    parser.add_argument("--text", action="append", required=True, help="a text to show; can be given several times")
    parser.add_argument("--text-pair", action="append", default=[], help="the second part of each text; may be empty")
    parser.add_argument(
        "--output", type=Path, default=Path("explorer.html"), help="file of the page (default: %(default)s)"
    )
    parser.add_argument("--beside", help="another model of the same size, to compare with: its folder or source")
    parser.add_argument("--name", help="name of the model on the page (default: its repository, package or folder)")
    parser.add_argument(
        "--findings", type=Path, help="a folder of results; the page shows the findings on the same weights"
    )
    parser.add_argument(
        "--downloads",
        type=Path,
        default=Path("resources/downloads"),
        help="folder for downloaded models (default: %(default)s)",
    )
    parser.add_argument("--device", default="auto", choices=DEVICES, help="where to compute (default: %(default)s)")
    options = parser.parse_args(arguments)
    try:
        check_utf8(options)
        texts = paired(options.text, options.text_pair)
        check_output(options.output)
        folder = model_folder(options.model, options.downloads)
        check_is_complete(folder, options.model)
        name, found = findings_of(folder, options.findings) or (options.name or name_of(options.model), None)
        beside = (model_folder(options.beside, options.downloads), name_of(options.beside)) if options.beside else None
        page_of_texts(folder, texts, name, found, beside, options.device).save(options.output)
    except InputError as error:
        sys.exit(f"ERROR {error}")
    print(f"Open {options.output} in a browser.")


def check_utf8(options: argparse.Namespace) -> None:
    """Check that the command line is UTF-8. Python decodes other bytes as halves of surrogate pairs.

    Raises
    ------
    InputError
        If an option is not UTF-8.
    """
    for name, value in vars(options).items():
        for text in value if isinstance(value, list) else [value]:
            option = f"--{name.replace('_', '-')}"
            try:
                check_text(str(text), option)
            except InputError as error:
                problem = f"{str(text)[:40]!a} is not UTF-8"
                raise InputError(option, problem, "use a terminal that is set to UTF-8 (LANG=C.UTF-8)") from error


def check_output(file: Path) -> None:
    """Check that the page can be written, before anything is computed.

    Raises
    ------
    InputError
        If the path is a folder, or the nearest existing folder above it is not writable.
    """
    if file.is_dir():
        raise InputError(f"--output {file}", "is a folder", f"name a file, such as {file / 'explorer.html'}")
    existing = next(parent for parent in file.absolute().parents if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(f"--output {file}", f"cannot be written into {existing}", "choose another path")


def paired(texts: Sequence[str], seconds: Sequence[str]) -> list[Text]:
    """Return each text with its second part, which is empty if no second parts are given.

    Raises
    ------
    InputError
        If there are second parts, but not one for each text.
    """
    if seconds and len(seconds) != len(texts):
        raise InputError(
            "--text-pair",
            f"given {len(seconds)} times, but --text {len(texts)} times",
            'give each text a second part, or --text-pair ""',
        )
    return list(zip(texts, seconds or [""] * len(texts), strict=True))


def name_of(model: str) -> str:
    """Return the name of a model on the page: its repository, package or folder."""
    scheme, _, path = model.partition(":")
    if scheme == "hub":
        return parse_source(model).hub_parts[0]
    return path.partition("/")[0] if scheme == "package" else Path(model).resolve().name


def findings_of(model: Path, results: Path | None) -> tuple[str, dict] | None:
    """Return a model's name and findings from the pages in a folder of results, or None if no page has its weights.

    Raises
    ------
    InputError
        If a file ``explorer.html`` is not a page of the explorer.
    """
    pages = sorted(results.glob("**/explorer.html")) if results else []
    weights = sha256(model / "model.safetensors") if pages and (model / "model.safetensors").is_file() else ""
    measured = (page for page in map(findings_in, pages) if weights and page[1]["weights"] == weights)
    return next(measured, None)


if __name__ == "__main__":
    main()
