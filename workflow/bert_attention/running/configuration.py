"""Checking the edition, that is, the configuration, against a closed schema before anything reads it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import jsonschema
import yaml

from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError, nearest

# Folders that stand beside those of editions, models and trained models, in which these would lie.
_TAKEN_BY_EDITIONS = ("downloads", "models", "randomised")
_TAKEN_BY_MODELS = ("attention", "corpora", "figures", "masked_language_model", "tables", "tasks", "trained")
_TAKEN_IN_TRAINED = ("stanza", "vectors")

# Line breaks and other control characters; braces, in which Snakemake looks for wildcards.
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{}]")


def _is_whole(_checker: object, value: object) -> bool:
    """Whether a value is a whole number as written: JSON Schema takes 1.0 for one, range() does not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: object, value: object) -> bool:
    return _is_whole(None, value) or (isinstance(value, float) and math.isfinite(value))


_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_whole, "number": _is_number})
_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_TYPES)

_TEMPLATE_KEY = "__use_yte__"


class _LoaderOfUniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice in one place, of which YAML silently keeps the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"the key {key.value} is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def check_plain_yaml(files: Iterable[Path | str]) -> None:
    """Check that configuration files are plain YAML or JSON, which run no code, with each key once.

    Snakemake evaluates a file with the key ``__use_yte__`` as a template, which can run any code; it does so where it
    reads the file, before anything here can be asked. So this cannot prevent it, but does not let it pass unseen.

    Raises
    ------
    InputError
        If a file has the key, has another key twice in one place, or cannot be read as plain YAML.
    """
    for file in files:
        try:
            content = yaml.load(Path(file).read_text(encoding="utf-8"), _LoaderOfUniqueKeys)
        except (OSError, ValueError, yaml.YAMLError) as error:
            problem = f"is not plain YAML ({' '.join(str(error).split())[:200]})"
            raise InputError(file, problem, "write plain YAML in UTF-8, each key once, without tags") from None
        if isinstance(content, Mapping) and _TEMPLATE_KEY in content:
            raise InputError(
                file,
                f"has the key {_TEMPLATE_KEY}: Snakemake has run whatever code stands in it, on this machine",
                "read the file; if it is not yours, find out what it did; take the key out",
            )


def check_config(config: Mapping, schema: Path | str) -> None:
    """Check a merged configuration, and report everything that is wrong with it at once.

    Raises
    ------
    InputError
        With a line per problem, each naming the key and what was expected.
    """
    rules = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
    problems = list(_keys_without_text(config))
    if not problems:  # of such keys, JSON Schema knows nothing
        problems += [problem for error in _Validator(rules).iter_errors(config) for problem in _describe(error)]
    problems += _unusable_text(config)
    problems += _repeated_models(config)
    problems += _counts_without_vocabulary(config)
    if not problems:
        problems += [*_unusable_seeds(config), *_unknown_ready_models(config)]
        problems += [*_unusable_sources(config), *_taken_names(config), *_unknown_encoding(config)]
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


def _keys_without_text(config: object, path: tuple[object, ...] = ()) -> Iterator[str]:
    """Keys that YAML takes for something else than text, such as 3, and on, which stands for true."""
    if isinstance(config, Mapping):
        for key, value in config.items():
            if not isinstance(key, str):
                yield f"unknown key {_full_key(_dotted_path(path), str(key))}: expected a word"
            yield from _keys_without_text(value, (*path, key))
    elif isinstance(config, list):
        for place, value in enumerate(config):
            yield from _keys_without_text(value, (*path, place))


def _dotted_path(path: object) -> str:
    return ".".join(str(part) for part in path)


def _full_key(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _unusable_text(config: object, path: tuple[object, ...] = ()) -> Iterator[str]:
    """Text that breaks names of files: a pattern of the schema also takes a name with a line break at its end."""
    if isinstance(config, str):
        found = _UNUSABLE.search(config)
        if found:
            yield f"{_dotted_path(path)} = {config!r}: expected no {_name_of(found[0])} in it"
    elif isinstance(config, Mapping):
        for key, value in config.items():
            yield from _unusable_text(value, (*path, key))
    elif isinstance(config, list):
        for place, value in enumerate(config):
            yield from _unusable_text(value, (*path, place))


def _name_of(character: str) -> str:
    return {"\n": "line break", "{": "braces", "}": "braces"}.get(character, f"character {character!r}")


def _unusable_sources(config: object, path: tuple[object, ...] = ()) -> Iterator[str]:
    """Sources of a form that no job could use."""
    for key, value in config.items() if isinstance(config, Mapping) else enumerate(config):
        if key == "source" and isinstance(value, str):
            try:
                parse_source(value)
            except InputError as error:
                yield f"{_dotted_path((*path, key))} = {value!r}: {error.problem}; {error.remedy}"
        elif isinstance(value, (Mapping, list)):
            yield from _unusable_sources(value, (*path, key))


def _taken_names(config: Mapping) -> Iterator[str]:
    """Names of which the workflow has folders or files of its own."""
    named = [("edition", config["edition"], _TAKEN_BY_EDITIONS)]
    named += [(f"models.{place}.name", model["name"], _TAKEN_BY_MODELS) for place, model in enumerate(config["models"])]
    named += [("translation_models", model["name"], _TAKEN_IN_TRAINED) for model in translation_models(config)]
    for place, name, taken in named:
        if name in taken:
            yield f"{place} = {name!r}: expected another name, for the workflow has {', '.join(taken)} of its own"


def check_annotation(config: Mapping, project: Path | str) -> None:
    """Check that the files of labelled attention maps are there, whose paths begin at the project's folder.

    Raises
    ------
    InputError
        If one is not.
    """
    entry = config["pattern_annotation"]
    for key, file in [("maps", entry["maps"]), *(("labels", file) for file in entry["labels"])]:
        if not Path(project, file).is_file():
            raise InputError(
                f"config key pattern_annotation.{key}",
                f"there is no file {Path(project, file)}",
                "correct the path, which begins at the project's folder, or leave the key out for the project's own",
            )


def _unknown_encoding(config: Mapping) -> Iterator[str]:
    encoding = config["corpora"]["alignment"]["encoding"]
    with suppress(LookupError, ValueError):
        "".encode(encoding)  # unlike codecs.lookup, only takes encodings of text
        return
    yield f"corpora.alignment.encoding = {encoding!r}: expected the name of an encoding, such as utf-8 or latin-1"


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
