"""The numbers of a run in README.md and on the pages of this folder.

A page has each between its name and an empty comment: ``<!--clark_resting_token-->[CLS]<!---->``. They are those of the
paper's prose, what the scoreboard sums up, and what the run cost. All come from ``run_numbers.json``, and that from a
run: ``python docs/run_numbers.py results/embedded logs/embedded`` writes both, as ``make docs`` does. What two encoders
share comes from ``base_size_numbers.json``, which ``make docs-base-size`` writes from ``results/base_size`` in the same
way. The errors of identities come from ``identities.json``, which ``python -m benchmarks.identities`` writes, and what
fuzzing found from ``fuzz.json``, which ``make fuzz`` writes. What other choices of the analysis change comes from
``robustness.csv`` and ``robustness_base_size.csv``, which ``make docs`` and ``make docs-base-size`` copy from results,
and what a rehearsal of bert-base's edition took from ``rehearsal.json``, which ``make rehearse-bert`` writes.
"""

from __future__ import annotations

import csv
import json
import platform
import re
import sys
from pathlib import Path

import pandas as pd

from bert_attention.judging.alternatives import alternatives
from bert_attention.judging.alternatives import sentence as robust_sentence
from bert_attention.judging.encoders import FALSE, TRUE, sentence, truths
from bert_attention.judging.words import number_texts as scoreboard_texts
from bert_attention.judging.words import summary, with_mark
from bert_attention.paper.numbers import number_texts
from bert_attention.papers import paper
from bert_attention.results import results as listed_results
from bert_attention.running.forecast import gigabytes
from bert_attention.running.usage import read_usage
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import read_replicates
from bert_attention.tables import read_table

DOCS = Path(__file__).parent
NUMBERS = DOCS / "run_numbers.json"
ROBUSTNESS, ROBUSTNESS_BASE_SIZE = DOCS / "robustness.csv", DOCS / "robustness_base_size.csv"
FUZZ = DOCS / "fuzz.json"
REHEARSAL = DOCS / "rehearsal.json"
BASE_SIZE_NUMBERS = DOCS / "base_size_numbers.json"
IDENTITIES = DOCS / "identities.json"
MEASURED = DOCS / "measured_runs.csv"
# The files of the edition of two encoders, which leaves out Kovaleva et al., and the file that adds them.
_BASE_SIZE, _ALL_PAPERS = "editions/base_size.yaml", "editions/all_papers.yaml"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
# The findings in README's table of two encoders: the names of claims.
_SHOWN_FINDINGS = (
    "weight_and_length_of_sep",
    "rarity_and_weight",
    "attention_to_cls_by_layer",
    "middle_layers_on_sep",
    "accurate_head_for_pobj",
    "accurate_head_for_dobj",
    "heads_on_previous",
)
_PLACE = re.compile(r"<!--(\w+)-->(.*?)<!---->", re.S)


def numbers_of(results: Path, logs: Path) -> dict[str, str]:
    """Return the findings and costs of a run, as texts by name."""

    def read(name: str) -> Replicates | None:
        file = next(results.rglob(f"tables/{name}.csv"), None)
        return read_replicates(file) if file else None

    said = summary(read_table(results / "scoreboard.csv"))
    names = ("numbers", "on_real_text", "on_silver_text", "on_model_labels", "recalled", "on_stand_ins")
    found = dict(zip(names, said, strict=True))
    in_prose = number_texts(map(paper, listed_results().papers), read)
    return in_prose | found | costs(logs) | run_as_a_whole("")


def numbers_of_encoders(results: Path, logs: Path) -> dict[str, str]:
    """Return what holds on which encoder of an edition, by name: a sentence, two tables in Markdown, and costs."""
    board = read_table(results / "scoreboard.csv")
    names = list(truths(board).columns)
    rows = {(row["id"], row["model"]): row for row in board.to_dict("records")}
    lines = [["finding", "published (BERT)", "threshold", *names], ["---"] * (3 + len(names))]
    for finding in _SHOWN_FINDINGS:
        of_encoders = [rows[finding, name] for name in names]
        label = with_mark(of_encoders[0]["label"], of_encoders[0]) + f"<!-- {finding} -->"
        texts = [scoreboard_texts(row)["replicated"] for row in of_encoders]
        verdicts = [row["finding"] if isinstance(row["finding"], str) else "no verdict" for row in of_encoders]
        cells = [f"{text}: {verdict}" for text, verdict in zip(texts, verdicts, strict=True)]
        first = scoreboard_texts(of_encoders[0])
        lines.append([label, first["published"], first["threshold"], *cells])
    printed = [next(results.rglob(f"comparison_table_{name}.md")) for name in ("truths", "findings")]
    tables = [file.read_text(encoding="utf-8").partition("\n\n")[0] for file in printed]
    spent, with_all = {**costs(logs), **run_as_a_whole(_BASE_SIZE)}, run_as_a_whole(f"{_BASE_SIZE} {_ALL_PAPERS}")
    return {
        "base_size_sentence": sentence(board),
        "base_size_table": "\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n",
        "base_size_only": "\n" + "\n\n".join(tables) + "\n",
        **{f"base_size_{name}": text for name, text in spent.items()},
        "base_size_minutes_with_kovaleva": with_all["run_minutes"],
        "base_size_disk_with_kovaleva": with_all["disk_at_most"],
    }


def costs(logs: Path) -> dict[str, str]:
    """Return the costs of the jobs of a run, from the log of each job. Minutes are processor time."""
    jobs = pd.DataFrame(vars(usage) | {"seconds": usage.seconds} for usage in read_usage(logs.rglob("*.log")))
    minutes = jobs.groupby("rule")["seconds"].sum().sort_values(ascending=False) / 60
    return {
        "measured_jobs": str(len(jobs)),
        "job_minutes": f"{minutes.sum():.0f}",
        "memory_of_a_job": f"{jobs['memory_mb'].max() / 1000:.1f} GB",
        "costliest_rules": ", ".join(f"`{rule}` {number:.0f}" for rule, number in minutes.head(5).items()),
        "processor": _processor(),
    }


def run_as_a_whole(configfiles: str) -> dict[str, str]:
    """Return the time and disk space of a complete run with these files, which ``record_costs.py --measure`` noted."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        run = next(row for row in csv.DictReader(file) if row["configfiles"] == configfiles)
    kept = sum(file.stat().st_size for file in Path("resources").rglob("*") if file.is_file())
    minutes = [f"{float(run[name]):.0f}" for name in ("minutes", "longest_minutes") if run[name]]
    return {
        "run_minutes": " to ".join(minutes),
        "run_cores": run["cores"],
        "disk_at_most": gigabytes(1000 * float(run["gigabytes"])),
        "disk_kept": gigabytes(kept / 1e6),
    }


def _processor() -> str:
    """Return the processor of this machine, as Linux names it."""
    cpuinfo = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8")) if cpuinfo.exists() else None
    return named[1].strip() if named else platform.processor() or platform.machine()


def filled_in(page: str, numbers: dict[str, str]) -> str:
    """Return a page with each number in its place.

    Raises
    ------
    KeyError
        If it names one that is not there.
    """
    return _PLACE.sub(lambda found: f"<!--{found[1]}-->{numbers[found[1]]}<!---->", page)


def main(*folders: str) -> None:
    if folders:
        is_base_size = Path(folders[0]).name == "base_size"
        file = BASE_SIZE_NUMBERS if is_base_size else NUMBERS
        found = (numbers_of_encoders if is_base_size else numbers_of)(*map(Path, folders))
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for page in PAGES:
        page.write_text(filled_in(page.read_text(encoding="utf-8"), all_numbers()), encoding="utf-8")


def all_numbers() -> dict[str, str]:
    """Return the numbers of all files."""
    files = (NUMBERS, BASE_SIZE_NUMBERS, IDENTITIES)
    found = {name: text for file in files for name, text in json.loads(file.read_text(encoding="utf-8")).items()}
    return found | numbers_of_fuzzing() | numbers_of_choices() | numbers_of_rehearsal()


def numbers_of_choices() -> dict[str, str]:
    """Return what other choices of the analysis change: their number, a sentence, and a table in Markdown."""
    table, base_size = pd.read_csv(ROBUSTNESS), pd.read_csv(ROBUSTNESS_BASE_SIZE)
    base_size = base_size[~base_size["model"].isin(table["model"])]  # without the default encoder
    turned = table[table["truth"].isin([TRUE, FALSE]) & table["before"].isin([TRUE, FALSE])].query("truth != before")
    lines = [["choice", "numbers changed", "turned round", "the statements"], ["---"] * 4]
    for choice in alternatives():
        asked, of_choice = table[table["choice"] == choice.name], turned[turned["choice"] == choice.name]
        said = "; ".join(f"{row.label} ({row.before} before)" for row in of_choice.itertuples()) or "none"
        if len(asked):
            lines.append([choice.label, str(len(asked)), str(len(of_choice)), said])
    return {
        "robust_choices": str(table["choice"].nunique()),
        "robust_sentence": robust_sentence(table),
        "robust_base_size_choices": str(base_size["choice"].nunique()),
        "robust_base_size_sentence": robust_sentence(base_size),
        "robust_table": "\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n",
    }


def numbers_of_fuzzing() -> dict[str, str]:
    """Return the number of mutated files, and a table in Markdown with a row for each reader."""
    readers = json.loads(FUZZ.read_text(encoding="utf-8"))["readers"]
    lines = [["reader", "inputs", "read", "refused", "failures", "slowest (s)"], ["---"] * 6]
    for name, found in readers.items():
        counts = [f"{found[key]:,}" for key in ("inputs", "read", "refused")]
        lines.append([name, *counts, str(len(found["failures"])), f"{found['slowest']:.1f}"])
    return {
        "fuzz_inputs": f"{sum(found['inputs'] for found in readers.values()):,}",
        "fuzz_failures": str(sum(len(found["failures"]) for found in readers.values())),
        "fuzz_table": "\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n",
    }


def numbers_of_rehearsal() -> dict[str, str]:
    """Return what the rehearsal took, beside its forecast, and what its random weights seem to show."""
    found = json.loads(REHEARSAL.read_text(encoding="utf-8"))
    took = {
        name: f"{found[name]:.0f}" for name in ("minutes", "forecast_minutes", "processor_minutes", "cores", "jobs")
    }
    took |= {name: f"{found[name]:.1f}" for name in ("gigabytes", "forecast_gigabytes")}
    numbers = {
        "numbers": str(sum(found["numbers"].values())),
        "reproduced": str(len(found["reproduced"])),
        "also_random": str(len(found["also_random"])),
        "named": ", ".join(f"`{name}`" for name in found["reproduced"]) or "none",
        "findings": str(sum(found["findings"].values())),
        "confirmed": str(len(found["confirmed"])),
    }
    return {f"rehearsal_{name}": text for name, text in (took | numbers).items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
