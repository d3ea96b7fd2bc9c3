"""Checks of an edition: its keys, contradictions between keys, its name and its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.errors import InputError
from bert_attention.running.edition_keys import typed

# Keys that can change within an edition, because they do not change its tables. `on_bad_input` does not change a
# table either: a run that finishes with `error` has nothing to skip.
_FREE = ("papers", "device", "on_bad_input", "keep_attention", "published_curves")
_FREE_OF_ATTENTION = ("shards", "batch_size")


def tasks(config: Mapping) -> list[str]:
    """Return the tasks that an edition does not leave out."""
    return sorted(name for name, source in config["corpora"]["tasks"].items() if source is not None)


def translation_models(config: Mapping) -> list[dict]:
    """Return the translation models of an edition. An entry with seeds gives one model per seed."""
    found = []
    for place, entry in enumerate(config["translation_models"]):
        model = {key: value for key, value in entry.items() if key != "seeds"} | {"model": entry["name"]}
        if "seeds" in entry:
            found += [model | {"name": f"{entry['name']}-{seed}", "seed": seed} for seed in entry["seeds"]]
        else:
            found.append(model | {"seed": config["seed"] + place if _is_trained(entry) else None})
    return found


def validated(config: Mapping) -> dict:
    """Return the keys of an edition with values of the right types.

    Raises
    ------
    InputError
        If keys are unknown or missing, have invalid values or contradict each other, with a line for each problem.
    """
    keys, problems = typed(config)
    problems = problems or list(_contradictions(keys))
    if problems:
        raise InputError(
            "the configuration",
            "".join(f"\n  - {problem}" for problem in sorted(set(problems))),
            "correct the edition (--configfile) or the --config options; config.yaml explains every key",
        )
    return keys


def _contradictions(config: Mapping) -> Iterator[str]:
    """Yield the contradictions between the keys of an edition."""
    models, learned = [model["name"] for model in config["models"]], tasks(config)
    trained = [model["name"] for model in translation_models(config)]
    for name in {name for name in trained if trained.count(name) > 1}:
        yield f"translation_models: {name} should be the name of only one model"
    for entry in config["translation_models"]:
        if "seeds" in entry and not _is_trained(entry):
            yield f"translation_models: {entry['name']} should have no seeds, for its source is not trained:stand-in"
    treebank, trees = config["corpora"]["treebank"], config["corpora"]["treebank"]["trees"]
    for split in ("train", "dev"):
        if (trees == "gold") != bool(treebank.get(split)):
            yield f"corpora.treebank.{split} should have a source if corpora.treebank.trees is gold, and only then"
    if trees == "stanza" and _is_trained(config["stanza"]):
        yield "stanza.source should not be trained:treebank, because corpora.treebank.trees is stanza"
    if "kovaleva" in config["papers"] and not learned:
        yield "corpora.tasks should have at least one task that is not null, for the paper kovaleva"
    ready = [(entry["model"], entry["task"]) for entry in config["fine_tuning"]["checkpoints"]]
    for place, (model, task) in enumerate(ready):
        for key, value, known in (("model", model, models), ("task", task, learned)):
            if value not in known:
                yield f"fine_tuning.checkpoints.{place}.{key} = {value!r}: should be one of {', '.join(known)}"
        if (model, task) in ready[:place]:
            yield f"fine_tuning.checkpoints.{place}: {model} has two checkpoints for {task}"


def _is_trained(entry: Mapping) -> bool:
    return entry["source"].startswith("trained:")


def check_name(config: Mapping, project: Path) -> None:
    """Check that an edition replicates the same as config.yaml if it has the same name, and so the same folder.

    Raises
    ------
    InputError
        If it does not. The message lists the keys that differ.
    """
    default = validated(yaml.safe_load((project / "config.yaml").read_text(encoding="utf-8")))
    replicated, replicated_by_default = _replicated(config), _replicated(default)
    changed = [key for key, value in replicated_by_default.items() if replicated[key] != value]
    if changed and config["edition"] == default["edition"]:
        raise InputError(
            f"edition {config['edition']}",
            f"is that of config.yaml, but has other {', '.join(changed)}",
            "give your edition a name of its own: `edition: mine` in its file, or --config edition=mine (without one, "
            f"you can change {', '.join([*_FREE, *(f'attention.{key}' for key in _FREE_OF_ATTENTION)])})",
        )


def _replicated(config: Mapping) -> dict:
    """Return the keys that determine the results."""
    attention = {key: value for key, value in config["attention"].items() if key not in _FREE_OF_ATTENTION}
    return {key: value for key, value in (config | {"attention": attention}).items() if key not in _FREE}


def check_nothing_is_made_over(config: Mapping, project: Path) -> None:
    """Check that no input file lies in a folder where a run makes files, and could delete the input file.

    Raises
    ------
    InputError
        If there are such files. The message lists them.
    """
    labeled = config["pattern_annotation"]
    places = {file: Path(project, file) for file in (labeled["maps"], *labeled["labels"])}
    sources = [parse_source(entry["source"]) for _, entry in entries_with_sources(config)]
    places |= {source.text: Path(source.place).expanduser() for source in sources if source.scheme == "path"}
    lost = [text for text, place in places.items() if any(_is_within(place, made) for made in ("resources", "results"))]
    if lost:
        problem = f"in resources/ or results/, where a run deletes what it makes again, lies {', '.join(lost)}"
        raise InputError("sources of the edition", problem, "copy it to another folder, and give its path there")


def _is_within(place: Path, folder: str) -> bool:
    """Return True if a path leads into a folder, directly or through links."""
    return any(each(place).is_relative_to(each(Path(folder))) for each in (Path.absolute, Path.resolve))
