"""Checks for settings in ``config.json`` that a model's code does not know and transformers silently ignores.

``settings.data.yaml`` lists the settings that change nothing, the settings that change attention, and the settings that
the code of a family reads although its configuration does not declare them.
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


def check_stated_settings(stated: Mapping, folder: Path | str) -> None:
    """Raise InputError if config.json has settings that change attention and that the model's code ignores.

    The message names all such settings. ``stated`` is the content of ``config.json``. Importing transformers takes
    seconds, so this happens only if config.json has a setting that can change attention.
    """
    outdated = _outdated(stated)
    suspect = {name for name in stated.keys() & _CHANGE_ATTENTION if stated[name] not in _EMPTY_VALUES}
    if suspect:
        from transformers import AutoConfig  # noqa: PLC0415 (takes seconds)

        try:
            config = AutoConfig.for_model(stated["model_type"])
        except Exception as error:  # transformers raises many classes of error here
            raise InputError(
                f"model {folder}", f"transformers cannot use its config.json ({error})", "get the file again"
            ) from None
        suspect -= _known_to_code(config)
    _refuse(outdated | {name: stated[name] for name in suspect}, stated["model_type"], folder)


def check_settings(stated: Mapping, config: PretrainedConfig, folder: Path | str) -> None:
    """Check settings as :func:`check_stated_settings` does, and warn about other unknown settings.

    Unknown settings that are null, empty or false are ignored. ``config`` is the configuration that transformers loaded
    from ``config.json``. Raise InputError, which names all settings that change attention, if there are any.
    """
    outdated = _outdated(stated | {"model_type": config.model_type})
    known = _known_to_code(config) | _current_values(config.model_type).keys() | _CHANGE_NOTHING
    unexplained = {name for name in stated.keys() - known if stated[name] not in _EMPTY_VALUES}
    change_attention = unexplained & _CHANGE_ATTENTION
    _refuse(outdated | {name: stated[name] for name in change_attention}, config.model_type, folder)
    if unexplained:
        warn(
            f"model {folder}: the code of {config.model_type} models does not know these settings in config.json and "
            f"ignores them: {_listed({name: stated[name] for name in unexplained})}",
            stacklevel=2,
        )


def _current_values(model_type: str) -> Mapping:
    return _CURRENT_VALUES["all"] | _CURRENT_VALUES.get(model_type, {})


def _outdated(stated: Mapping) -> dict:
    current = _current_values(stated["model_type"])
    return {name: value for name, value in stated.items() if name in current and value != current[name]}


def _refuse(settings: Mapping, model_type: str, folder: Path | str) -> None:
    if settings:
        raise InputError(
            f"model {folder}",
            f"its config.json has settings that the code of {model_type} models does not support: {_listed(settings)}",
            "choose another encoder; if a setting has no effect on the model's results, delete it from config.json",
        )


def _listed(settings: Mapping) -> str:
    return ", ".join(f"{name}: {value!r}" for name, value in sorted(settings.items()))


def _known_to_code(config: PretrainedConfig) -> set[str]:
    declared = {field.name for field in fields(config)} | config.attribute_map.keys()
    return declared.union(_READ_UNDECLARED.get(config.model_type, ()))
