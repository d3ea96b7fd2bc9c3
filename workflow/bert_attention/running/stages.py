"""The stages of a run, from downloads to results, and the stage of each rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

_STAGES = ("downloads", "corpora", "parsing", "models", "attention")  # each is a file of rules
_LAST = "results"
_RULE = re.compile(r"^ *(?:rule|use rule \w+ as) (\w+)(?: with)?:$", flags=re.M)


def stages_of_rules(folder: Path) -> dict[str, str]:
    """Return the stage of each rule in the stages' files. All other rules make results."""
    files = {stage: (folder / f"{stage}.smk").read_text(encoding="utf-8") for stage in _STAGES}
    return {rule: stage for stage, text in files.items() for rule in _RULE.findall(text)}


def count_by_stage(jobs: Mapping[str, int], stages: Mapping[str, str]) -> str:
    """Return how many jobs each stage has, in words, given the number of jobs and the stage of each rule."""
    counts: Counter[str] = Counter()
    for rule, number in jobs.items():
        counts[stages.get(rule, _LAST)] += number
    return ", ".join(f"{stage} {counts[stage]}" for stage in (*_STAGES, _LAST) if counts[stage])
