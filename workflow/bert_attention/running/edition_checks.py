"""Checks of an edition: its keys, contradictions between keys, its name and its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from bert_attention.corpora.task_names import TASK_LABELS
from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.errors import InputError, nearest
from bert_attention.plan import group_of
from bert_attention.results import results
from bert_attention.running.edition_keys import EVERY_TASK, parsed_keys

# Keys that can change within an edition, because they do not change its tables. `on_bad_input` is one of them: a run
# that finishes with `error` has nothing to skip.
_CHANGEABLE = ("papers", "device", "on_bad_input", "keep_attention", "published_curves")
_CHANGEABLE_IN_ATTENTION = ("shards", "batch_size")


def tasks(config: Mapping) -> list[str]:
    """Return the tasks that an edition does not leave out."""
    return sorted(name for name, source in config["corpora"]["tasks"].items() if source is not None)


def columns_of_task(config: Mapping, task: str) -> dict[str, str]:
    """Return the columns of a task of one's own."""
    entry = config["corpora"]["tasks"][task]
    return {key: entry.get(key, default) for key, default in (("text", "text"), ("label", "label"), ("second", ""))}


def translation_models(config: Mapping) -> list[dict]:
    """Return the translation models of an edition. An entry with seeds gives one model per seed."""
    found = []
    for index, entry in enumerate(config["translation_models"]):
        model = {key: value for key, value in entry.items() if key != "seeds"} | {"model": entry["name"]}
        if "seeds" in entry:
            found += [model | {"name": f"{entry['name']}-{seed}", "seed": seed} for seed in entry["seeds"]]
        else:
            found.append(model | {"seed": config["seed"] + index if _is_trained(entry) else None})
    return found


def validated(config: Mapping) -> dict:
    """Return the keys of an edition with values of the right types, and with the segment ids of each paper's own code.

    Raise InputError if keys are unknown or missing, have invalid values or contradict each other, with a line for each
    problem.
    """
    keys, problems = parsed_keys(config)
    problems = problems or list(_contradictions(keys))
    if problems:
        raise InputError(
            "the configuration",
            "".join(f"\n  - {problem}" for problem in sorted(set(problems))),
            "correct the edition (--configfile) or the --config options; config.yaml explains every key",
        )
    return keys | {"segment_ids": {**results().segment_ids, **keys["segment_ids"]}}


def _contradictions(config: Mapping) -> Iterator[str]:
    """Yield the contradictions between the keys of an edition."""
    models, used_tasks = [model["name"] for model in config["models"]], tasks(config)
    trained = [model["name"] for model in translation_models(config)]
    for name in {name for name in trained if trained.count(name) > 1}:
        yield f"translation_models: {name} should be the name of only one model"
    for entry in config["translation_models"]:
        if "seeds" in entry and not _is_trained(entry):
            yield f"translation_models: {entry['name']} should have no seeds, because it is not trained:stand-in"
    treebank, trees = config["corpora"]["treebank"], config["corpora"]["treebank"]["trees"]
    for split in ("train", "dev"):
        if (trees == "gold") != bool(treebank.get(split)):
            yield f"corpora.treebank.{split} should have a source if corpora.treebank.trees is gold, and only then"
    if trees == "stanza" and _is_trained(config["stanza"]):
        yield "stanza.source should not be trained:treebank, because corpora.treebank.trees is stanza"
    for_each = {group_of(name) for name, table in results().tables.items() if table.for_each}
    if not used_tasks and (on_tasks := [paper for paper in config["papers"] if paper in for_each]):
        papers = ", ".join(on_tasks)
        yield f"corpora.tasks should have at least one task that is not null, because papers include {papers}"
    yield from _contradictions_of_tasks(config)
    checkpoints = [(entry["model"], entry["task"]) for entry in config["fine_tuning"]["checkpoints"]]
    for index, (model, task) in enumerate(checkpoints):
        for key, value, known in (("model", model, models), ("task", task, used_tasks)):
            if value not in known:
                yield f"fine_tuning.checkpoints.{index}.{key} = {value!r}: should be one of {', '.join(known)}"
        if (model, task) in checkpoints[:index]:
            yield f"fine_tuning.checkpoints.{index}: {model} has two checkpoints for {task}"


def _contradictions_of_tasks(config: Mapping) -> Iterator[str]:
    """Yield settings of unknown tasks, and columns of tasks whose columns are known."""
    named = config["corpora"]["tasks"]
    known = [*TASK_LABELS, *(task for task in named if task not in TASK_LABELS)]
    train = config["corpora"]["task_examples"]["train"]
    if EVERY_TASK not in train:
        yield f"missing key corpora.task_examples.train.{EVERY_TASK}"
    of_tasks = [("fine_tuning.of_task", task) for task in config["fine_tuning"]["of_task"]]
    of_tasks += [("corpora.task_examples.train", task) for task in train if task != EVERY_TASK]
    for key, task in of_tasks:
        if task not in known:
            yield f"unknown key {key}.{task}: {_guess(task, known)}"
    for task, entry in named.items():
        columns = [key for key in ("text", "second", "label") if key in (entry or {})]
        if columns and task in TASK_LABELS:
            yield (
                f"corpora.tasks.{task} should have no {', '.join(columns)}, because the columns of {task} are known; "
                "give a task of your own another name"
            )


def _guess(name: str, known: Sequence[str]) -> str:
    closest = nearest(name, known)
    return f"did you mean {closest}?" if closest else f"the tasks are {', '.join(known)}"


def _is_trained(entry: Mapping) -> bool:
    return entry["source"].startswith("trained:")


def check_name(config: Mapping, project: Path) -> None:
    """Raise InputError if an edition has the name of config.yaml's, and so its folder, but gives other results.

    The message lists the keys that change results and differ.
    """
    default = validated(yaml.safe_load((project / "config.yaml").read_text(encoding="utf-8")))
    replicated, replicated_by_default = _replicated(config), _replicated(default)
    changed = [key for key, value in replicated_by_default.items() if replicated[key] != value]
    if changed and config["edition"] == default["edition"]:
        changeable = [*_CHANGEABLE, *(f"attention.{key}" for key in _CHANGEABLE_IN_ATTENTION)]
        raise InputError(
            f"edition {config['edition']}",
            f"has the name of the edition in config.yaml, but other values of {', '.join(changed)}",
            "give your edition its own name: `edition: mine` in its file, or --config edition=mine "
            f"(without a new name, you can change {', '.join(changeable)})",
        )


def _replicated(config: Mapping) -> dict:
    """Return the keys that determine the results."""
    attention = {key: value for key, value in config["attention"].items() if key not in _CHANGEABLE_IN_ATTENTION}
    return {key: value for key, value in (config | {"attention": attention}).items() if key not in _CHANGEABLE}


def check_inputs_are_kept(config: Mapping, project: Path) -> None:
    """Raise InputError if input files lie in a folder whose files a run can delete: ``resources`` or ``results``.

    The message lists these files.
    """
    labeled = config["pattern_annotation"]
    paths = {file: Path(project, file) for file in (labeled["maps"], *labeled["labels"])}
    sources = [parse_source(entry["source"]) for _, entry in entries_with_sources(config)]
    paths |= {source.text: Path(source.location).expanduser() for source in sources if source.scheme == "path"}
    outputs = ("resources", "results")
    lost = [text for text, path in paths.items() if any(_is_within(path, folder) for folder in outputs)]
    if lost:
        problem = f"a run could delete {', '.join(lost)}, because it deletes files in resources/ and results/"
        remedy = "copy these files to another folder, and give the new paths"
        raise InputError("sources of the edition", problem, remedy)


def _is_within(path: Path, folder: str) -> bool:
    """Return True if a path leads into a folder, directly or through links."""
    return any(form(path).is_relative_to(form(Path(folder))) for form in (Path.absolute, Path.resolve))
