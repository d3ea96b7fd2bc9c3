"""The command `bert-attention`: a page of an encoder's heads, and figures and tables of the user's own text."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from bert_attention.errors import InputError, check_text
from bert_attention.interface.requirements import OPTIONS, results_by_corpora

_DESCRIPTION = (
    "Look at the attention heads of a BERT-like encoder, and measure them as the papers do, on your own text."
)
_MODEL = "a model's folder, or its source as in an edition (package:..., hub:<repository>@<revision>)"
_EXAMPLES = """\
examples:
  bert-attention explore --model my-bert --text "I went to the store."
  bert-attention figure clark_figure_2 --model my-bert --text my_text.txt --output figure_2.pdf
  bert-attention table clark_dependency_heads --model my-bert --trees dev.conllu --output heads.csv

bert-attention COMMAND --help explains the options of a command.
"""
_STOPPED = 130  # the exit status of a program that Ctrl-C ends


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. If the user's input has an error, end with one message, without a traceback."""
    options = parser().parse_args(arguments)
    try:
        check_utf8(options)
        if options.output is not None:
            check_output(options.output)
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            options.run(options)
        sys.stdout.flush()
    except InputError as error:
        sys.exit(f"ERROR {error}")
    except KeyboardInterrupt:
        sys.exit(_STOPPED)
    except BrokenPipeError:  # the reader of a table, such as head, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full disk, or a file without permission
        sys.exit(f"ERROR {error}")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="bert-attention",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_explore(commands)
    figures, tables = results_by_corpora()
    _add_result(commands, "figure", "draw a figure of a paper", figures)
    _add_result(commands, "table", "compute a table of numbers, with intervals", tables)
    return parser


def _add_explore(commands: argparse._SubParsersAction) -> None:
    title = "make a page that shows how the heads attend in your own text"
    command = commands.add_parser("explore", help=title, description=f"{title[0].upper()}{title[1:]}.")
    command.set_defaults(run=_explore)
    _add_model(command)
    command.add_argument("--text", action="append", required=True, help="a text to show; can be given several times")
    command.add_argument("--text-pair", action="append", default=[], help="the second part of each text; may be empty")
    command.add_argument("--beside", help="another model of the same size, to compare with: its folder or source")
    command.add_argument(
        "--name",
        help="name of the model on the page (default: its name on the page of the findings, or its repository, package "
        "or folder)",
    )
    command.add_argument(
        "--findings",
        type=Path,
        metavar="FOLDER",
        help="a folder of results; the page shows the findings on the same weights",
    )
    _add_output(command, "explorer.html", "file of the page (default: %(default)s)")


def _add_result(
    commands: argparse._SubParsersAction, kind: str, title: str, names: dict[frozenset[str], list[str]]
) -> None:
    """Add the command that makes a figure or a table, whose names are listed by the options that they need."""
    listed = ""
    for corpora, known in names.items():
        needed = " ".join(option for corpus, option in OPTIONS.items() if corpus in corpora)
        listed += fill(f"{needed}: {', '.join(known)}", 100, initial_indent="  ", subsequent_indent="    ") + "\n"
    also = "\nA name after control/ is the same table for the encoder with random weights.\n" if kind == "table" else ""
    command = commands.add_parser(
        kind,
        help=title,
        description=f"{title[0].upper()}{title[1:]}, on your own text, trees or documents.",
        epilog=f"names, by the options that they need:\n{listed}{also}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=_figure if kind == "figure" else _table)
    command.add_argument("name", metavar="NAME", help="one of the names below")
    _add_model(command)
    corpora = command.add_argument_group("corpora")
    corpora.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="FILE_OR_TEXT",
        help="a file or folder of running text (plain text, Parquet, WikiText or a MediaWiki dump), which is cut into "
        "segments; or a text, which can be given several times",
    )
    corpora.add_argument(
        "--text-format",
        default="auto",
        metavar="FORMAT",
        help="format of a file of text: auto, plain, lines (a sentence each), wikitext, documents or mediawiki",
    )
    corpora.add_argument("--trees", metavar="FILE", help="dependency trees: a CoNLL-U file")
    corpora.add_argument("--train-trees", metavar="FILE", help="trees for training probes: a CoNLL-U file")
    corpora.add_argument("--documents", metavar="FILE", help="documents with coreference: a CorefUD file")
    sizes = command.add_argument_group("sizes and rules")
    sizes.add_argument(
        "--most-segments",
        type=int,
        default=500,
        metavar="N",
        help="maximum number of segments of a file of text (default: %(default)s)",
    )
    sizes.add_argument(
        "--max-wordpieces",
        type=int,
        default=128,
        metavar="N",
        help="maximum length of an input from a file (default: %(default)s); texts on the command line have no such "
        "limit",
    )
    sizes.add_argument(
        "--words",
        default="mean",
        metavar="RULE",
        help="attention from a word, given that of its wordpieces: mean, first or max (default: %(default)s)",
    )
    sizes.add_argument(
        "--seed", type=int, default=1906, metavar="N", help="seed of everything random (default: %(default)s)"
    )
    sizes.add_argument(
        "--control-seeds",
        type=int,
        default=3,
        metavar="N",
        help="number of encoders with random weights (default: %(default)s)",
    )
    if kind == "figure":
        command.add_argument(
            "--published-curves", action="store_true", help="draw the published curves, too, if the figure has any"
        )
        _add_output(command, None, "file of the figure: .pdf, .png or .svg (default: NAME.pdf)")
    else:
        _add_output(command, None, "file of the table: .csv or .parquet (default: print the table)")


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", required=True, help=_MODEL)
    command.add_argument(
        "--device", default="auto", help="where to compute: auto (a GPU if there is one), cpu or cuda (default: auto)"
    )
    command.add_argument(
        "--downloads",
        type=Path,
        metavar="FOLDER",
        default=Path("resources/downloads"),
        help="folder for downloaded models (default: %(default)s)",
    )


def _add_output(command: argparse.ArgumentParser, default: str | None, text: str) -> None:
    path = None if default is None else Path(default)
    command.add_argument("--output", "--out", type=Path, default=path, metavar="FILE", help=text)


# The commands import torch, which takes seconds, only when they run.
def _explore(options: argparse.Namespace) -> None:
    from bert_attention.interface.explore import explore  # noqa: PLC0415

    explore(options)


def _figure(options: argparse.Namespace) -> None:
    from bert_attention.interface.own_results import save_figure  # noqa: PLC0415

    save_figure(options)


def _table(options: argparse.Namespace) -> None:
    from bert_attention.interface.own_results import save_table  # noqa: PLC0415

    save_table(options)


def check_utf8(options: argparse.Namespace) -> None:
    """Raise InputError if an option is not UTF-8. Python decodes other bytes as halves of surrogate pairs."""
    for name, value in vars(options).items():
        for text in value if isinstance(value, list) else [value]:
            option = f"--{name.replace('_', '-')}"
            try:
                check_text(str(text), option)
            except InputError as error:
                problem = f"{str(text)[:40]!a} is not UTF-8"
                raise InputError(option, problem, "use a terminal that is set to UTF-8 (LANG=C.UTF-8)") from error


def check_output(file: Path) -> None:
    """Raise InputError if a file cannot be written, before anything is computed.

    The path must not be a folder, and the nearest existing folder above it must be writable.
    """
    if file.is_dir():
        raise InputError(f"--output {file}", "is a folder", "name a file in it")
    existing = next(parent for parent in file.absolute().parents if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(f"--output {file}", f"cannot be written into {existing}", "choose another path")


def _print_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print a warning about the user's input. Other categories are about the code of packages."""
    if category is UserWarning:
        print(f"WARNING {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
