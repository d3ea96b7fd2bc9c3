"""The commands `bert-attention figure` and `bert-attention table`: results of the user's own corpora."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.figures.style import save
from bert_attention.files import replacing
from bert_attention.interface.given_corpora import LOOKS_LIKE_FILE
from bert_attention.interface.model import AttentionModel
from bert_attention.interface.requirements import OPTIONS, corpora_for, figure_named
from bert_attention.interface.study import Study
from bert_attention.plan import target
from bert_attention.results import CONTROL, results
from bert_attention.statistics.tables import FLOAT_FORMAT

_SETTINGS = ("most_segments", "max_wordpieces", "words", "seed", "control_seeds", "text_format")
_FORMATS = (".pdf", ".png", ".svg")
_TABLE_FORMATS = (".csv", ".parquet")
_SOURCE = re.compile(r"[a-z]+:\S+")


def save_figure(options: argparse.Namespace) -> None:
    """Draw a figure into a file.

    Raise InputError if an option is invalid, the figure needs another corpus, or a file cannot be read.
    """
    if options.name.removeprefix(CONTROL) in results().tables:
        raise InputError(options.name, "is a table", f"give the command: bert-attention table {options.name} ...")
    name = figure_named(options.name)
    file = options.output or Path(f"{target(name)}.pdf")
    if file.suffix not in _FORMATS:
        raise InputError(f"--output {file}", "has an unknown format", f"end its name with {', '.join(_FORMATS)}")
    drawn = _study(name, options).figure(name, options.published_curves)
    save(drawn, file)
    print(f"The figure is in {file}.")


def save_table(options: argparse.Namespace) -> None:
    """Write a table as CSV or Parquet, or print it, as the workflow writes it. A file without an ending is CSV.

    Raise InputError if an option is invalid, the table needs another corpus, or a file cannot be read.
    """
    name = options.name
    if name in {known for figure in results().figures for known in (target(figure), figure)}:
        raise InputError(name, "is a figure", f"give the command: bert-attention figure {name} ...")
    file = options.output
    if file is not None and file.suffix not in ("", *_TABLE_FORMATS):
        raise InputError(f"--output {file}", "has an unknown format", f"end its name with {', '.join(_TABLE_FORMATS)}")
    table = _study(name, options).table(name)
    text = table.to_csv(index=False, float_format=FLOAT_FORMAT, lineterminator="\n")
    if file is None:
        sys.stdout.write(text)
        return
    with replacing(file) as partial:
        if file.suffix == ".parquet":
            table.to_parquet(partial, index=False)
        else:
            partial.write_text(text, encoding="utf-8")
    print(f"The table is in {file}.")


def _study(name: str, options: argparse.Namespace) -> Study:
    """Return the study of the user's corpora, after a check that the result can be made from them."""
    corpora = {
        "texts": _texts(options.text),
        "trees": options.trees,
        "train_trees": options.train_trees,
        "documents": options.documents,
    }
    given = {corpus: content for corpus, content in corpora.items() if content}
    lacking = [option for corpus, option in OPTIONS.items() if corpus in corpora_for(name) - given.keys()]
    if lacking:
        added = " ".join(f"{option} FILE" for option in lacking)
        raise InputError(options.name, f"needs {' and '.join(lacking)}", f"add {added}")
    for corpus, content in given.items():
        if isinstance(content, str):
            _check_exists(OPTIONS[corpus], content)
    model = AttentionModel.from_pretrained(options.model, options.device, options.downloads)
    return Study(model, **given, **{setting: getattr(options, setting) for setting in _SETTINGS})


def _texts(given: list[str]) -> str | list[str]:
    """Return the path of a file or folder of running text, or the texts.

    Raise InputError if a file is given beside other texts.
    """
    # Path.exists raises OSError for a long text.
    files = [text for text in given if os.path.exists(text) or LOOKS_LIKE_FILE.fullmatch(text)]  # noqa: PTH110
    if not files:
        return given
    (file, *_) = files
    if len(given) > 1:
        raise InputError(f"--text {file}", "is a file, given beside other texts", "give one file, or only texts")
    return file


def _check_exists(option: str, file: str) -> None:
    """Raise InputError if a file or folder does not exist.

    A source, such as ``package:gensim/...``, is checked when it is read.
    """
    if not os.path.exists(file) and not _SOURCE.fullmatch(file):  # noqa: PTH110
        remedy = "correct the path" + (", or give a text of several words" if option == "--text" else "")
        raise InputError(f"{option} {file}", "there is no such file", remedy)
