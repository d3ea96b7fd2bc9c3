"""The encoders of an edition, as known before the first job runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bert_attention.downloads.sources import locate, parse_source
from bert_attention.errors import InputError
from bert_attention.models.families import (
    ASSUMED_MODEL_TYPE,
    FAMILIES,
    family_of,
    read_config,
)
from bert_attention.models.model_folder import segment_types_of_folder
from bert_attention.results import results


@dataclass(frozen=True)
class PlannedEncoder:
    """An encoder of the edition: its model type and the number of segment types it distinguishes."""

    model_type: str
    segment_types: int

    def makes(self, result: str) -> bool:
        """Return True if a table or figure is made for the encoder, because its family has the analysis."""
        return results().needs(result).isdisjoint(self.lacks)

    @property
    def lacks(self) -> Collection[str]:
        """Arrays of the attention store and other analyses that the encoder's family leaves out."""
        return FAMILIES[self.model_type].left_out.keys()


def planned_encoders(config: Mapping) -> dict[str, PlannedEncoder]:
    """Return the planned encoder of each model of a valid edition, by name.

    The properties of a local model come from its ``config.json``. The properties of a remote model come from the
    edition, even after the download, so that a resumed run keeps its plan. The job that copies a downloaded model
    compares the model with these properties. Raise InputError if models cannot be used or contradict the edition, with
    a line for each model.
    """
    found: dict[str, PlannedEncoder] = {}
    problems: list[str] = []
    for entry in config["models"]:
        try:
            found[entry["name"]] = _planned(entry)
        except InputError as error:
            problems.append(f"{entry['name']}: {error.problem}; {error.remedy}")
    problems += _unusable_checkpoints(config)
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise InputError("the models of the edition", listed, "correct these models, or name others in the edition")
    return found


def _planned(entry: Mapping) -> PlannedEncoder:
    stated_type = entry.get("model_type")
    if stated_type is not None:
        family_of({"model_type": stated_type}, entry["name"])
    content = _content(entry["source"])
    if content is None:
        return PlannedEncoder(stated_type or ASSUMED_MODEL_TYPE, entry.get("segment_types", 2))
    family_of(content, entry["name"])
    planned = PlannedEncoder(content["model_type"], segment_types_of_folder(locate(entry["source"]), content))
    for key, stated in (("model_type", stated_type), ("segment_types", entry.get("segment_types"))):
        actual = getattr(planned, key)
        if stated not in (None, actual):
            problem = f"the edition says {key}: {stated}, but the model's files say {actual}"
            raise InputError(entry["name"], problem, f"set {key}: {actual}, or leave the key out")
    return planned


def _unusable_checkpoints(config: Mapping) -> Iterator[str]:
    for entry in config["fine_tuning"]["checkpoints"]:
        try:
            content = _content(entry["source"])
            if content is not None:
                family_of(content, entry["source"])
        except InputError as error:
            yield f"fine_tuning.checkpoints, {entry['model']} on {entry['task']}: {error.problem}; {error.remedy}"


def _content(source: str) -> dict | None:
    """Return a model's ``config.json``, or None if it is remote or missing. Preflight reports missing models."""
    if parse_source(source).is_remote:
        return None
    try:
        folder = locate(source)
    except InputError:
        return None
    return read_config(folder) if Path(folder).is_dir() else None
