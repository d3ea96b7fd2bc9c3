"""The edition: what is replicated, on which models and corpora. The rules ask it for all that depends on that.

As a program, it says what is wrong with an edition, also where Snakemake stops at a file before it asks anything here:

    python -m bert_attention.running.edition config.yaml OVERLAY...
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bert_attention.attention.contents import control_seeds, made_with
from bert_attention.downloads.sources import entries_with_sources, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.kovaleva.column_values import SINGLE_SENTENCES
from bert_attention.manifest import MANIFEST
from bert_attention.running.edition_keys import wrong_keys
from bert_attention.running.encoders import planned_encoders
from bert_attention.running.overlays import check_name, put_together, read_settings, typed
from bert_attention.running.source_contents import MODEL_FILES_READ, SourceContents

# Folders that stand beside those of editions, models and trained models, in which these would lie.
_TAKEN_BY_EDITIONS = ("downloads", "models", "randomised")
_TAKEN_BY_MODELS = ("attention", "corpora", "figures", "masked_language_model", "tables", "tasks", "trained")
_TAKEN_IN_TRAINED = ("stanza", "vectors")


class Edition:
    """A valid edition.

    Attributes
    ----------
    config
        Its keys, as config.yaml explains them.
    name
        Its name, of which its folders below ``resources`` and ``results`` are.
    models
        The entries of its encoders, by name.
    encoders
        What is known of each encoder before the first job runs, by name.
    model_folder
        The name of a model's folder; ``{model}``, which stands for that of a job, if there are several models.
    translation_models
        Its translation models by name, one for each seed from which an entry is to be trained. Each is its entry with
        ``name``; ``model``, the entry's name; and ``seed``, that of its training, which is None for models that are not
        trained here. Without ``seeds``, a model is trained from the edition's seed plus its place in the list.
    tasks, pair_tasks
        The tasks that it does not leave out, and those of them whose examples have two parts.
    """

    def __init__(
        self, base: Path | None, overlays: Iterable[Path], options: Mapping, project: Path, contents: SourceContents
    ):
        """Read, merge and check an edition, and look at its encoders.

        Parameters
        ----------
        base
            config.yaml; None if the overlays are to stand alone.
        overlays
            Files given with ``--configfile``, each of which lies over those before it.
        options
            Keys given with ``--config``, as Snakemake reads them, which lie over all files.
        project
            The project's folder, at which paths of labelled attention maps begin.
        contents
            Digests of what stands on this machine.

        Raises
        ------
        InputError
            With everything that is wrong, a line for each problem.
        """
        settings = read_settings(base) if base else {}
        changes = [*map(read_settings, overlays), typed(options)]
        config = put_together(settings, changes)
        check_config(config)
        check_name(settings, changes)
        _check_annotation(config, project)
        _check_nothing_is_made_over(config, project)
        self.config = config
        self.name = config["edition"]
        self.models = _by_name(config["models"])
        self.encoders = planned_encoders(config)
        self.translation_models = _by_name(_translation_models(config))
        self.tasks = _tasks(config)
        self.pair_tasks = [task for task in self.tasks if task not in SINGLE_SENTENCES]
        # Below resources, every model has its folder: what took hours is still in its place when a second model comes.
        self.model_folder = "{model}" if len(self.models) > 1 else next(iter(self.models))
        self._contents = contents
        of_each_seed = {**config, "translation_models": list(self.translation_models.values())}
        self._origins = {path: self._origin(path, entry) for path, entry in entries_with_sources(of_each_seed)}

    # Files. Their paths may hold {model} and {task}, which stand for those of a job.
    def corpus(self, name: str) -> str:
        """A file or folder of a corpus, before it is cut for a model."""
        return f"resources/{self.name}/corpora/{name}"

    def trained(self, name: str) -> str:
        """What is trained for an entry of the edition."""
        return f"resources/{self.name}/trained/{name}"

    def model_corpus(self, name: str) -> str:
        """A file of a corpus as it was cut for a model."""
        return f"resources/{self.name}/{self.model_folder}/corpora/{name}"

    def fitted_mlm_file(self, name: str) -> str:
        """A file of the masked language model that a model makes with a head fitted here."""
        return f"resources/{self.name}/{self.model_folder}/masked_language_model/{name}"

    def finetuned_file(self, name: str, initialisation: str = "pretrained", seed: int | str | None = None) -> str:
        """A file of a model fine-tuned on a task; without a seed, of the first one's, of which the analyses are."""
        seed = self.config["fine_tuning"]["seeds"][initialisation][0] if seed is None else seed
        return f"resources/{self.name}/{self.model_folder}/tasks/{{task}}/finetuned/{initialisation}_{seed}/{name}"

    # Sources. Each goes by the keys on the way to it, entries of lists by their names: ("models", "bert").
    def _origin(self, path: tuple[str | int, ...], entry: Mapping) -> dict:
        scheme, _, place = entry["source"].partition(":")
        made = {"miniature": f"path:{self.corpus(f'miniature/{place}')}", "trained": f"path:{self.trained(path[-1])}"}
        return {"source": made.get(scheme, entry["source"]), "sha256": entry["sha256"]}

    def origin(self, *path: str | int) -> dict:
        """A source with its digest; of what the workflow makes itself, the path at which it is made."""
        return dict(self._origins[path])

    def files(self, *path: str | int) -> list[str]:
        """The file that reading a source waits for: a made one, or the manifest of a download; none if it is here."""
        source = parse_source(self._origins[path]["source"])
        if source.is_remote:
            return [f"resources/downloads/{source.download_name}/{MANIFEST}"]
        is_made = source.scheme == "path" and source.place.startswith(f"resources/{self.name}/")
        return [source.place] if is_made else []

    def content(self, *path: str | int) -> str | None:
        """What a source on this machine holds, as a digest with its name; None of others, or if there is nothing."""
        source = self._origins[path]["source"]
        names = MODEL_FILES_READ if path[0] in ("models", "translation_models", "fine_tuning") else ()
        if self.files(*path):
            return None
        try:
            return f"{source} {self._contents.digest(locate(source), names)}"
        except (InputError, OSError):  # what is missing or cannot be read is reported before the first job
            return None

    @property
    def downloads(self) -> dict[str, dict[str, str | None]]:
        """What the edition downloads, by name: sources with their digests. Members of one archive share a name."""
        found: dict[str, dict[str, str | None]] = {}
        for origin in self._origins.values():
            source = parse_source(origin["source"])
            if source.is_remote:
                found.setdefault(source.download_name, {})[source.text] = origin["sha256"]
        return found

    # Fine-tuned models.
    def ready_model(self, model: str, task: str) -> tuple[str | int, ...] | None:
        """The source of a fine-tuned model that is not trained here; None if it is."""
        for place, entry in enumerate(self.config["fine_tuning"]["ready"]):
            if (entry["model"], entry["task"]) == (model, task):
                return "fine_tuning", "ready", place
        return None

    def fine_tuning_seeds(self, model: str, task: str, initialisation: str) -> list[int]:
        """The seeds that a model is fine-tuned from on a task; a ready model stands for the first, alone."""
        seeds = self.config["fine_tuning"]["seeds"][initialisation]
        return seeds[:1] if initialisation == "pretrained" and self.ready_model(model, task) else seeds

    @property
    def untagged_tasks(self) -> list[str]:
        """The tasks whose text the edition's Stanza pipeline cannot be trusted to tag.

        A pipeline that is trained here has seen, and is scored on, no text but the miniature.
        """
        scheme, _, corpus = self.config["stanza"]["source"].partition(":")
        sources = {task: self.config["corpora"]["tasks"][task]["source"] for task in self.tasks}
        return [task for task, source in sources.items() if scheme == "trained" and not source.startswith(f"{corpus}:")]

    # Attention.
    @property
    def control_seeds(self) -> dict[str, int]:
        """The seeds of its random encoders, by their numbers from 1."""
        return control_seeds(self.config["seed"], self.config["control_seeds"])

    def segment_ids(self, paper: str, model: str) -> str:
        """The segment ids that a model gets for a paper; one that tells no segments apart gets zeros."""
        return self.config["segment_ids"][paper] if self.encoders[model].segment_types > 1 else "zeros"

    def made_with(self, store: str, model: str) -> dict:
        """How an attention store is made, by its name; it stands in the metadata, which readers compare with this."""
        segment_ids = {paper: self.segment_ids(paper, model) for paper in self.config["segment_ids"]}
        words = self.config["attention"]["words"]
        return made_with(store, segment_ids, self.config["seed"], words, self.encoders[model].lacks)


def _by_name(entries: Iterable[Mapping]) -> dict[str, Mapping]:
    return {entry["name"]: entry for entry in entries}


def _tasks(config: Mapping) -> list[str]:
    return sorted(name for name, source in config["corpora"]["tasks"].items() if source is not None)


def _translation_models(config: Mapping) -> list[dict]:
    found = []
    for place, entry in enumerate(config["translation_models"]):
        model = {key: value for key, value in entry.items() if key != "seeds"} | {"model": entry["name"]}
        if "seeds" in entry:
            found += [model | {"name": f"{entry['name']}-{seed}", "seed": seed} for seed in entry["seeds"]]
        else:
            found.append(model | {"seed": config["seed"] + place if _is_trained(entry) else None})
    return found


def _is_trained(entry: Mapping) -> bool:
    return entry["source"].startswith("trained:")


def check_config(config: Mapping) -> None:
    """Check a merged configuration, and report everything that is wrong with it at once.

    Raises
    ------
    InputError
        With a line per problem, each naming the key and what was expected.
    """
    problems = list(wrong_keys(config)) or list(_contradictions(config))
    if problems:
        raise InputError(
            "the configuration",
            "".join(f"\n  - {problem}" for problem in sorted(set(problems))),
            "correct the edition (--configfile) or the --config options; config.yaml explains every key",
        )


def _contradictions(config: Mapping) -> Iterator[str]:
    """What is wrong with an edition of which each key alone is right."""
    models = [model["name"] for model in config["models"]]
    trained = [model["name"] for model in _translation_models(config)]
    for key, names in (("models", models), ("translation_models", trained)):
        for name in {name for name in names if names.count(name) > 1}:
            yield f"{key}: the name {name!r} appears more than once"
    named = [("edition", config["edition"], _TAKEN_BY_EDITIONS)]
    named += [(f"models.{place}.name", name, _TAKEN_BY_MODELS) for place, name in enumerate(models)]
    named += [("translation_models", name, _TAKEN_IN_TRAINED) for name in trained]
    for place, name, taken in named:
        if name in taken:
            yield f"{place} = {name!r}: expected another name, for the workflow has {', '.join(taken)} of its own"
    for entry in config["translation_models"]:
        if "seeds" in entry and not _is_trained(entry):
            yield f"translation_models: {entry['name']} has seeds, but its source is not trained:...: leave seeds out"
    counts = config["corpora"]["token_frequency"]
    if counts["source"] != "counted:wikipedia" and not counts["vocabulary"]:  # else ranks could be nonsense unnoticed
        yield "corpora.token_frequency.vocabulary is missing: expected the sha256 of the vocabulary that is counted"
    if "kovaleva" in config["papers"] and not _tasks(config):
        yield "corpora.tasks: expected at least one that is not null, for the paper kovaleva"
    yield from _wrong_ready_models(config["fine_tuning"]["ready"], models, _tasks(config))


def _wrong_ready_models(entries: list[Mapping], models: list[str], tasks: list[str]) -> Iterator[str]:
    """Ready fine-tuned models name a model and a task of the edition, each pair once."""
    seen = set()
    for place, entry in enumerate(entries):
        for key, known in (("model", models), ("task", tasks)):
            if entry[key] not in known:
                yield f"fine_tuning.ready.{place}.{key} = {entry[key]!r}: expected one of {', '.join(known)}"
        if (entry["model"], entry["task"]) in seen:
            yield f"fine_tuning.ready.{place}: {entry['model']} has two ready models for {entry['task']}"
        seen.add((entry["model"], entry["task"]))


def _check_annotation(config: Mapping, project: Path) -> None:
    """Check that the files of labelled attention maps are there."""
    entry = config["pattern_annotation"]
    for key, file in [("maps", entry["maps"]), *(("labels", file) for file in entry["labels"])]:
        if not Path(project, file).is_file():
            raise InputError(
                f"config key pattern_annotation.{key}",
                f"there is no file {Path(project, file)}",
                "correct the path, which begins at the project's folder, or leave the key out for the project's own",
            )


def _check_nothing_is_made_over(config: Mapping, project: Path) -> None:
    """Check that no file of the user's lies where a run makes files: making them anew would delete it first."""
    labelled = config["pattern_annotation"]
    places = {file: Path(project, file) for file in (labelled["maps"], *labelled["labels"])}
    sources = (entry["source"].partition(":") for _, entry in entries_with_sources(config))
    places |= {f"path:{place}": Path(place).expanduser() for scheme, _, place in sources if scheme == "path"}
    lost = [text for text, place in places.items() if any(_is_within(place, made) for made in ("resources", "results"))]
    if lost:
        problem = f"in resources/ or results/, where a run deletes what it makes anew, lies {', '.join(lost)}"
        raise InputError("sources of the edition", problem, "copy it to another folder, and give its path there")


def _is_within(place: Path, folder: str) -> bool:
    """Whether a path leads into a folder, itself or by links."""
    return any(each(place).is_relative_to(each(Path(folder))) for each in (Path.absolute, Path.resolve))


def main(base: str, *overlays: str) -> None:
    """Read and check an edition, and say whether it can be run."""
    try:
        edition = Edition(Path(base), map(Path, overlays), {}, Path(base).parent, SourceContents())
    except InputError as error:
        sys.exit(f"ERROR {error}")
    print(f"The edition {edition.name} can be run: its keys are right, and so are the models that are on this machine.")


if __name__ == "__main__":
    main(*sys.argv[1:])
