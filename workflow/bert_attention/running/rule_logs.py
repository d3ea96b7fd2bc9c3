"""Every job has a log of its own: whoever adds a rule learns it before the first job, not from a job that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bert_attention.errors import InputError


def check_logs(logs: Mapping[str, Sequence[str]]) -> None:
    """Check that each rule that runs a script has a log, and no other rule's.

    A rule that takes over another with ``use rule`` has its log, too, unless the log's name goes by a pathvar.

    Parameters
    ----------
    logs
        The log files of each rule, by the rule's name.

    Raises
    ------
    InputError
        If a rule has none, or that of another; a line for each.
    """
    problems = [*_missing(logs), *_shared(logs)]
    if problems:
        raise InputError(
            "rules",
            "".join(f"\n  - {problem}" for problem in problems),
            'give each rule a log: log_file(f"{PER_MODEL}<its name>") if it is of one model, log_file("<its name>") if '
            "it is of all",
        )


def _missing(logs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield from (f"{rule} has no log" for rule, files in logs.items() if not files)


def _shared(logs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    first: dict[str, str] = {}
    for rule, files in logs.items():
        for file in files:
            if first.setdefault(file, rule) != rule:
                yield f"{rule} has the log of {first[file]}, {file}"
