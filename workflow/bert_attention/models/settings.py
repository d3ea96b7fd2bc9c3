"""Settings of ``config.json`` that the code of a model does not know: transformers passes them over without a word.

``settings.data.yaml`` lists those that change nothing.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import yaml
from transformers import MODEL_MAPPING, PretrainedConfig

from bert_attention.errors import InputError

_KNOWN = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))
_AS_TODAY = _KNOWN.pop("as today")
_CHANGE_NOTHING = {name for names in _KNOWN.values() for name in names}


def check_settings(stated: Mapping, config: PretrainedConfig, folder: Path | str) -> None:
    """Refuse settings that the code of a model does not know, and values of old ones that it does not honour.

    What is null or empty asks for nothing.

    Parameters
    ----------
    stated
        The content of ``config.json``.
    config
        What transformers made of it.

    Raises
    ------
    InputError
        If there are any; it names them all.
    """
    today = _AS_TODAY["all"] | _AS_TODAY.get(config.model_type, {})
    other = {name: value for name, value in stated.items() if name in today and value != today[name]}
    unexplained = stated.keys() - today.keys() - _CHANGE_NOTHING
    if unexplained:
        unexplained -= {field.name for field in fields(config)} | config.attribute_map.keys()
    if unexplained:  # only then, for reading the code takes a tenth of a second
        unexplained -= set(_names_in_code_of(config))
    unknown = other | {name: stated[name] for name in unexplained if stated[name] not in (None, "", [], {})}
    if unknown:
        listed = ", ".join(f"{name}: {value!r}" for name, value in sorted(unknown.items()))
        raise InputError(
            f"model {folder}",
            f"its config.json has settings that the code of {config.model_type} models does not honour: {listed}",
            "choose another encoder; or take a setting that changes nothing of what it computes out of config.json",
        )


def _names_in_code_of(config: PretrainedConfig) -> Iterator[str]:
    """Names and texts in the code of a configuration and of its model: some settings are read, but not declared."""
    classes = {type(config), MODEL_MAPPING.get(type(config), type(config))}
    for module in set(map(inspect.getmodule, classes)):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            match node:
                case ast.Constant(value=str(name)) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                    yield name
