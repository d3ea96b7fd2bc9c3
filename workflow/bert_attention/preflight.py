"""What an edition needs and this machine lacks, all at once and before the first job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bert_attention.checks import InputError
from bert_attention.sources import locate


def check_sources(config: Mapping) -> None:
    """Check that every model and corpus of an edition is within reach.

    Raises
    ------
    InputError
        With a line for each that is not, saying how to get it.
    """
    missing = list(_missing(config))
    if missing:
        listed = "".join(f"\n  - {line}" for line in missing)
        remedy = "get what is missing, or choose another edition with --configfile"
        raise InputError(f"edition {config['edition']}", f"this machine lacks{listed}", remedy)


def _missing(config: Mapping) -> Iterator[str]:
    needed = [(f"model {model['name']}", model["source"]) for model in config["models"]]
    needed += [(f"corpus {name}", corpus["source"]) for name, corpus in sorted(config["corpora"].items())]
    for what, source in needed:
        try:
            locate(source)
        except InputError as error:
            yield f"{what} ({source}): {error.problem}; {error.remedy}"
