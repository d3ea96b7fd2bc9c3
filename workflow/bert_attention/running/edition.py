"""The edition: the papers, models and corpora of a replication. The rules get files, sources and seeds from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from bert_attention.attention.contents import control_seeds, store_settings
from bert_attention.corpora.task_names import SINGLE_SENTENCES, TASK_LABELS
from bert_attention.downloads.sources import Source, entries_with_sources, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.manifest import MANIFEST
from bert_attention.running.edition_checks import (
    check_inputs_are_kept,
    check_name,
    columns_of_task,
    tasks,
    translation_models,
    validated,
)
from bert_attention.running.edition_keys import EVERY_TASK
from bert_attention.running.encoders import planned_encoders
from bert_attention.running.source_contents import MODEL_FILES_READ, content_digest


class Edition:
    """A valid edition.

    ``config`` has the keys of config.yaml with values of the right types. ``name`` is also the name of the folders in
    ``resources`` and ``results``. ``models`` are the entries of the encoders, and ``encoders`` the planned encoders, as
    known before the first job runs. ``translation_models`` are the entries of translation models, one per seed, with
    ``name``, ``model`` (the entry's name) and ``seed`` (of the training, or None). All are by name. ``pair_tasks`` are
    the tasks with examples of two parts.
    """

    def __init__(self, config: Mapping, project: Path):
        """Check an edition and plan its encoders.

        The keys are as Snakemake merges them from config.yaml, ``--configfile`` and ``--config``. Paths of labeled
        attention maps are relative to the project's folder. Raise InputError if the edition is invalid, with a line for
        each problem.
        """
        config = validated(config)
        check_name(config, project)
        check_inputs_are_kept(config, project)
        self.config = config
        self.name = config["edition"]
        self.models = _by_name([{"mlm_head": "auto", **entry} for entry in config["models"]])
        self.encoders = planned_encoders(config)
        self.translation_models = _by_name(translation_models(config))
        self.tasks = tasks(config)
        self.pair_tasks = [task for task in self.tasks if self._has_pairs(task)]
        per_seed = {**config, "translation_models": list(self.translation_models.values())}
        self._content_digest = cache(content_digest)  # several jobs read the same source
        self._sources = {path: parse_source(entry["source"]) for path, entry in entries_with_sources(per_seed)}
        self._origins = {path: self._origin(path, source) for path, source in self._sources.items()}

    def _has_pairs(self, task: str) -> bool:
        columns = self.columns(task)
        return bool(columns["second"]) if columns else task not in SINGLE_SENTENCES

    def columns(self, task: str) -> dict[str, str] | None:
        """Return the columns of a task of one's own (:class:`.Columns`), or None for any other task."""
        return None if task in TASK_LABELS else columns_of_task(self.config, task)

    # Files. Their paths can hold the wildcards {model} and {task}.
    def corpus(self, name: str) -> str:
        """Return the path of a corpus's file or folder before it is adapted to a model."""
        return f"resources/{self.name}/corpora/{name}"

    def trained(self, name: str) -> str:
        """Return the path of a model or of word vectors that the workflow trains."""
        return f"resources/{self.name}/trained/{name}"

    def encoder_file(self, name: str) -> str:
        """Return the path of a file of an encoder. Another edition may give the model's name to another encoder."""
        return f"resources/{self.name}/{{model}}/encoder/{name}"

    def model_corpus(self, name: str) -> str:
        """Return the path of a corpus's file after it is cut to a model's inputs."""
        return f"resources/{self.name}/{{model}}/corpora/{name}"

    @property
    def mlm_head_file(self) -> str:
        """The path of the head that the workflow trains for a masked language model."""
        return f"resources/{self.name}/{{model}}/mlm_head.safetensors"

    def finetuned_file(self, name: str, initialisation: str = "pretrained", seed: int | str | None = None) -> str:
        """Return the path of a fine-tuned model's file. The default is the first seed, whose model is analyzed."""
        seed = self.config["fine_tuning"]["seeds"][initialisation][0] if seed is None else seed
        return f"resources/{self.name}/{{model}}/tasks/{{task}}/finetuned/{initialisation}_{seed}/{name}"

    # Sources, identified by their keys in the edition. Entries of a list have their names as keys: ("models", "bert").
    def _origin(self, path: tuple[str | int, ...], source: Source) -> dict:
        made = {
            "stand-in": f"path:{self.corpus(f'stand_ins/{source.location}')}",
            "built": f"path:{self.corpus(f'{source.location}.jsonl')}",
            "trained": f"path:{self.trained(path[-1])}",
        }
        return {"source": made.get(source.scheme, source.text), "sha256": source.sha256}

    def origin(self, *path: str | int) -> dict:
        """Return a source and its digest. A source that the workflow makes is returned as a path."""
        return dict(self._origins[path])

    def files(self, *path: str | int) -> list[str]:
        """Return the file that a job which reads the source waits for: a made file or a download's manifest, if any."""
        source = parse_source(self._origins[path]["source"])
        if source.is_remote:
            return [f"resources/downloads/{source.download_name}/{MANIFEST}"]
        is_made = source.scheme == "path" and source.location.startswith(f"resources/{self.name}/")
        return [source.location] if is_made else []

    def content(self, *path: str | int) -> str | None:
        """Return a local source and a digest of its content, or None if it is pinned, missing or made by a job.

        A pinned file needs no digest here: the job that reads the file compares the file with the pin.
        """
        origin = self._origins[path]
        source = origin["source"]
        names = MODEL_FILES_READ if path[0] in ("models", "translation_models", "fine_tuning") else ()
        if self.files(*path):
            return None
        try:
            path_here = locate(source)
            is_pinned = origin["sha256"] and path_here.is_file()
            return None if is_pinned else f"{source} {self._content_digest(path_here, names)}"
        except (InputError, OSError):  # preflight reports missing and unreadable sources
            return None

    @property
    def downloads(self) -> dict[str, dict[str, str | None]]:
        """Sources to download and digests of their files, by the names of the downloads."""
        return {
            source.download_name: {"source": source.text_with_wheels, "sha256": source.sha256}
            for source in self._sources.values()
            if source.is_remote
        }

    @property
    def counted_vocabulary(self) -> str | None:
        """Digest of the vocabulary whose tokens the edition's frequency file counts; None without a file."""
        return parse_source(self.config["corpora"]["token_frequency"]["source"]).vocabulary

    # Fine-tuned models.
    def finetuned_checkpoint(self, model: str, task: str) -> tuple[str | int, ...] | None:
        """Return the keys of a fine-tuned checkpoint's source, or None if the workflow trains the model."""
        for index, entry in enumerate(self.config["fine_tuning"]["checkpoints"]):
            if (entry["model"], entry["task"]) == (model, task):
                return "fine_tuning", "checkpoints", index
        return None

    def fine_tuning_on(self, task: str) -> dict:
        """Return the settings of fine-tuning on a task; ``examples`` is the size of its training sample, None for all.

        Settings of the task (``fine_tuning.of_task``) override those of all tasks.
        """
        train, settings = self.config["corpora"]["task_examples"]["train"], self.config["fine_tuning"]
        examples = train.get(task, train[EVERY_TASK])
        return settings | {"examples": examples} | (settings["of_task"].get(task) or {})

    def fine_tuning_seeds(self, model: str, task: str, initialisation: str) -> list[int]:
        """Return the seeds for fine-tuning a model on a task: only the first if the edition has a checkpoint."""
        seeds = self.config["fine_tuning"]["seeds"][initialisation]
        return seeds[:1] if initialisation == "pretrained" and self.finetuned_checkpoint(model, task) else seeds

    # Attention.
    @property
    def control_seeds(self) -> dict[str, int]:
        """Seeds of the random encoders of the control, by the encoders' numbers from 1."""
        return control_seeds(self.config["seed"], self.config["control"]["seeds"])

    def segment_ids(self, paper: str, model: str) -> str:
        """Return the segment ids that a model gets for a paper: zeros if the model does not distinguish segments."""
        return self.config["segment_ids"][paper] if self.encoders[model].segment_types > 1 else "zeros"

    def segment_ids_by_paper(self, model: str) -> dict[str, str]:
        """Return the segment ids that a model gets for each paper."""
        return {paper: self.segment_ids(paper, model) for paper in self.config["segment_ids"]}

    @property
    def mlm_head_of_all(self) -> str:
        """The ``mlm_head`` of an encoder for which running text is kept to try or fit a head; ``own`` without one."""
        return next((model["mlm_head"] for model in self.models.values() if model["mlm_head"] != "own"), "own")

    def store_settings(self, store: str, model: str, paper: str = "") -> dict:
        """Return the settings that determine the content of an attention store, or the part that a paper reads."""
        words = self.config["attention"]["words"]
        segment_ids, seed = self.segment_ids_by_paper(model), self.config["seed"]
        return store_settings(store, segment_ids, seed, words, self.encoders[model].lacks, paper)


def _by_name(entries: Iterable[Mapping]) -> dict[str, Mapping]:
    return {entry["name"]: entry for entry in entries}
