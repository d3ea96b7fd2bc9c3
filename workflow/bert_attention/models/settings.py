"""Checks for settings in ``config.json`` that a model's code does not know and transformers silently ignores.

``settings.data.yaml`` lists the settings that change nothing, the settings that change attention without a trace in the
weights, and the settings that the code of a family reads although its configuration does not declare them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

import yaml

from bert_attention.errors import InputError

if TYPE_CHECKING:
    from transformers import PretrainedConfig

_KNOWN = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))
_CURRENT_VALUES = _KNOWN.pop("values of current code")
_CHANGE_ATTENTION = frozenset(_KNOWN.pop("change attention"))
_READ_UNDECLARED = _KNOWN.pop("read but not declared")
_CHANGE_NOTHING = {name for names in _KNOWN.values() for name in names}
_EMPTY_VALUES = (None, "", [], {}, False)


def check_settings(stated: Mapping, folder: Path | str, config: PretrainedConfig | None = None) -> None:
    """Raise InputError if config.json has settings that change attention and that the model's code ignores.

    The message names all such settings. ``stated`` is the content of ``config.json``, and ``config`` is what
    transformers loaded from it. With it, warn about other unknown settings. Settings that are null, empty or false are
    ignored. Without ``config``, transformers, which takes seconds to import, is only imported for a suspect setting.
    """
    model_type = config.model_type if config else stated["model_type"]
    current = _CURRENT_VALUES["all"] | _CURRENT_VALUES.get(model_type, {})
    refused = {name for name in stated.keys() & current.keys() if stated[name] != current[name]}
    unknown = {name for name in stated.keys() - current.keys() - _CHANGE_NOTHING if stated[name] not in _EMPTY_VALUES}
    if config is None:
        unknown &= _CHANGE_ATTENTION
    if unknown:
        unknown -= _known_to_code(config or _default_config(model_type, folder))
    refused |= unknown & _CHANGE_ATTENTION
    if refused:
        raise InputError(
            f"model {folder}",
            f"its config.json has settings that the code of {model_type} models does not support: "
            f"{_listed(stated, refused)}",
            "choose another encoder; if a setting has no effect on the model's results, delete it from config.json",
        )
    if unknown:
        warn(
            f"model {folder}: the code of {model_type} models does not know these settings in config.json and "
            f"ignores them: {_listed(stated, unknown)}",
            stacklevel=2,
        )


def _default_config(model_type: str, folder: Path | str) -> PretrainedConfig:
    from transformers import AutoConfig  # noqa: PLC0415 (takes seconds)

    try:
        return AutoConfig.for_model(model_type)
    except Exception as error:  # transformers raises many classes of error here
        problem = f"transformers cannot use its config.json ({error})"
        raise InputError(f"model {folder}", problem, "get the file again") from None


def _listed(settings: Mapping, names: set[str]) -> str:
    return ", ".join(f"{name}: {settings[name]!r}" for name in sorted(names))


def _known_to_code(config: PretrainedConfig) -> set[str]:
    declared = {field.name for field in fields(config)} | config.attribute_map.keys()
    return declared.union(_READ_UNDECLARED.get(config.model_type, ()))
