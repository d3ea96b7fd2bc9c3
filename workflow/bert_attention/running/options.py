"""Options on Snakemake's command line that are given twice. Snakemake keeps the last one and says nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from bert_attention.errors import InputError

# Options of Snakemake that take several values, and the ways to write each option.
_OPTIONS = {
    "--configfile": (re.compile(r"--configf\w*(=.*)?", re.DOTALL), "FIRST.yaml SECOND.yaml"),
    "--config": (re.compile(r"--config(=.*)?|-C(?!-).*", re.DOTALL), "FIRST=1 SECOND=2"),
}


def check_options_once(arguments: Sequence[str]) -> None:
    """Raise InputError if a command line of Snakemake gives ``--configfile`` or ``--config`` twice.

    Snakemake would ignore the first one. The message says how to give both values.
    """
    for option, (written, values) in _OPTIONS.items():
        given = [index for index, argument in enumerate(arguments) if written.fullmatch(argument)]
        if len(given) > 1:
            first = shlex.join(arguments[given[0] : given[0] + 2])
            problem = f"is given {len(given)} times, and Snakemake reads only the last: it would ignore {first}"
            raise InputError(option, problem, f"give the option once, with all values: {option} {values}")
