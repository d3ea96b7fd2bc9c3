"""Checking the edition, that is, the configuration, against a closed schema before anything reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import jsonschema
import yaml

from bert_attention.errors import InputError, nearest


def check_config(config: Mapping, schema: Path | str) -> None:
    """Check a merged configuration, and report everything that is wrong with it at once.

    Raises
    ------
    InputError
        With a line per problem, each naming the key and what was expected.
    """
    rules = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
    errors = jsonschema.Draft202012Validator(rules).iter_errors(config)
    problems = [problem for error in errors for problem in _describe(error)]
    problems += _repeated_models(config)
    problems += _counts_without_vocabulary(config)
    if not problems:
        problems += [*_unusable_seeds(config), *_unknown_ready_models(config)]
        problems += [] if tasks(config) else ["corpora.tasks: expected at least one that is not null"]
    if problems:
        raise InputError(
            "the configuration",
            "".join(f"\n  - {problem}" for problem in sorted(set(problems))),
            "correct the edition (--configfile) or the --config options; config.yaml explains every key",
        )


def _describe(error: jsonschema.ValidationError) -> Iterator[str]:
    place = _dotted_path(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        for key in sorted(set(error.instance) - set(known)):
            guess = nearest(key, known)
            hint = f"did you mean {guess}?" if guess else f"known here: {', '.join(sorted(known))}"
            yield f"unknown key {_full_key(place, key)}: {hint}"
    elif error.validator == "required":
        for key in sorted(set(error.validator_value) - set(error.instance)):
            yield f"missing key {_full_key(place, key)}"
    else:
        expected = error.schema.get("description", error.message)
        yield f"{place or 'the configuration'} = {error.instance!r}: expected {expected}"


def _dotted_path(path: object) -> str:
    return ".".join(str(part) for part in path)


def _full_key(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _repeated_models(config: Mapping) -> Iterator[str]:
    models = config.get("models")
    names = [model.get("name") for model in models if isinstance(model, Mapping)] if isinstance(models, list) else []
    for name in {name for name in names if names.count(name) > 1}:
        yield f"models: the name {name!r} appears more than once"


def _counts_without_vocabulary(config: Mapping) -> Iterator[str]:
    """Given counts of tokens go by ids: without their vocabulary, ranks could be nonsense unnoticed."""
    corpora = config.get("corpora")
    entry = corpora.get("token_frequency") if isinstance(corpora, Mapping) else None
    if isinstance(entry, Mapping) and entry.get("source") != "counted:wikipedia" and not entry.get("vocabulary"):
        yield "corpora.token_frequency.vocabulary is missing: expected the sha256 of the vocabulary that is counted"


def translation_models(config: Mapping) -> list[dict]:
    """The translation models of a valid edition, one for each seed from which an entry is to be trained.

    Each is its entry with ``name``, which is unique; ``model``, the entry's name; and ``seed``, that of its training,
    which is None for models that are not trained here. Without ``seeds``, a model is trained from the edition's seed
    plus its place in the list.
    """
    found = []
    for place, entry in enumerate(config["translation_models"]):
        model = {key: value for key, value in entry.items() if key != "seeds"} | {"model": entry["name"]}
        if "seeds" in entry:
            found += [model | {"name": f"{entry['name']}-{seed}", "seed": seed} for seed in entry["seeds"]]
        else:
            found.append(model | {"seed": config["seed"] + place if _is_trained(entry) else None})
    return found


def tasks(config: Mapping) -> list[str]:
    """The tasks of an edition: those that it does not leave out."""
    return sorted(name for name, source in config["corpora"]["tasks"].items() if source is not None)


def _unknown_ready_models(config: Mapping) -> Iterator[str]:
    """Ready fine-tuned models name a model and a task of the edition, each pair once."""
    models = [model["name"] for model in config["models"]]
    seen = set()
    for place, entry in enumerate(config["fine_tuning"]["ready"]):
        for key, known in (("model", models), ("task", tasks(config))):
            if entry[key] not in known:
                yield f"fine_tuning.ready.{place}.{key} = {entry[key]!r}: expected one of {', '.join(known)}"
        if (entry["model"], entry["task"]) in seen:
            yield f"fine_tuning.ready.{place}: {entry['model']} has two ready models for {entry['task']}"
        seen.add((entry["model"], entry["task"]))


def _is_trained(entry: Mapping) -> bool:
    return entry["source"].startswith("trained:")


def _unusable_seeds(config: Mapping) -> Iterator[str]:
    for entry in config["translation_models"]:
        if "seeds" in entry and not _is_trained(entry):
            yield f"translation_models: {entry['name']} has seeds, but its source is not trained:...: leave seeds out"
    names = [model["name"] for model in translation_models(config)]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"translation_models: the name {name!r} appears more than once"
