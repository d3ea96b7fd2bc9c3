"""Model folders: checking their content, and copying them in standard form."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from bert_attention.downloads.sources import check_sha256
from bert_attention.errors import InputError
from bert_attention.files import replacing_folder
from bert_attention.models.config_file import read_config
from bert_attention.models.conversion import conversion, without_weights
from bert_attention.models.families import FAMILIES, family_of, segment_types
from bert_attention.models.settings import check_settings
from bert_attention.models.sharded_weights import WEIGHTS, has_weights, merge_weights, shards
from bert_attention.models.tokenizer_check import check_vocabulary
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import load_tokenizer

# The standard form of an encoder's folder in ``resources``. Other files of a source are not copied.
_REQUIRED = ("config.json", WEIGHTS, "tokenizer.json")
MODEL_FILES = (*_REQUIRED, "tokenizer_config.json")

FAST_TOKENIZER = (
    "choose a model whose tokenizer has a fast form: AutoTokenizer.from_pretrained(...).is_fast must be True"
)


def copy_model(origin: Path | str, expected_sha256: str | None, folder: Path | str, source: str = "") -> None:
    """Copy a model into ``folder`` in standard form (``MODEL_FILES``), and check the hash of its weights.

    Weights in several files are merged. The hash is then of the merged file. ``source`` is as in
    :func:`check_is_complete`. Raise InputError if a file is missing, or the weights do not have the pinned hash.
    """
    origin = Path(origin)
    check_is_complete(origin, source)
    with replacing_folder(folder) as partial:
        if (origin / WEIGHTS).is_file():
            check_sha256(origin / WEIGHTS, expected_sha256)
        else:
            merge_weights(shards(origin), partial / WEIGHTS)
            check_sha256(partial / WEIGHTS, expected_sha256)
        for name in MODEL_FILES:
            if (origin / name).exists() and not (partial / name).exists():
                shutil.copyfile(origin / name, partial / name)
        if not (partial / MODEL_FILES[-1]).exists():
            (partial / MODEL_FILES[-1]).write_text("{}\n", encoding="utf-8")


def check_is_complete(folder: Path | str, source: str = "") -> None:
    """Check that a folder has the files of the standard form, tokenizer_config.json aside, or weights in several files.

    ``source`` is the source of the model in the edition, if the folder is its download. If files are missing, raise
    InputError, which names them and gives the Python that converts the model.
    """
    folder = Path(folder)
    missing = [name for name in _REQUIRED if not (folder / name).is_file()]
    if has_weights(folder):
        shards(folder)
        missing = [name for name in missing if name != WEIGHTS]
    if not missing:
        return
    only_python = _python_tokenizer(folder) if "tokenizer.json" in missing else ""
    if only_python:
        raise InputError(f"model {folder}", only_python, FAST_TOKENIZER)
    if WEIGHTS in missing:
        raise without_weights(folder, missing, source)
    raise InputError(f"model {folder}", f"lacks {', '.join(missing)}", conversion(folder, source))


def _python_tokenizer(folder: Path) -> str:
    """Return the reason why a tokenizer cannot be converted to ``tokenizer.json``, or an empty text."""
    try:
        settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8-sig"))
        name, own_code = str(settings.get("tokenizer_class")), "AutoTokenizer" in (settings.get("auto_map") or {})
    except (OSError, ValueError, AttributeError):
        return ""
    if own_code:
        return "its tokenizer needs code from its own folder, which is never run"
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415 (takes seconds, only for a message)
    from transformers.models.auto.tokenization_auto import tokenizer_class_from_name  # noqa: PLC0415

    found = tokenizer_class_from_name(name)
    if found is None or issubclass(found, PreTrainedTokenizerFast):
        return ""
    return f"its tokenizer ({name}) exists only in Python, so it has no tokenizer.json"


def check_model(folder: Path | str, source: str = "") -> Tokenizer:
    """Check the files, configuration and tokenizer of the encoder in a folder; return the tokenizer.

    The weights are not read. ``source`` is as in :func:`check_is_complete`. Raise InputError if the family is unknown,
    config.json has settings that change attention and are not honored, files are missing, or the tokenizer cannot be
    used or does not fit the model (see :func:`check_vocabulary`).
    """
    config = check_config(folder)
    check_is_complete(folder, source)
    tokenizer = load_tokenizer(folder)
    if "vocab_size" in config:
        check_vocabulary(tokenizer, config["vocab_size"], f"model {folder}")
    _check_sentence_encoder(tokenizer, Path(folder))
    return tokenizer


def _check_sentence_encoder(tokenizer: Tokenizer, folder: Path) -> None:
    """Raise InputError if sentence-transformers lowers the case of texts before a tokenizer that keeps the case."""
    for file in folder.glob("sentence_*_config.json"):
        try:
            lowers_case = json.loads(file.read_text(encoding="utf-8-sig"))["do_lower_case"]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        if lowers_case and not tokenizer.lowers_case:
            problem = "says do_lower_case, but the model's tokenizer keeps the case of texts"
            remedy = "give texts in lower case, and set do_lower_case to false in a copy of the folder"
            raise InputError(file, problem, remedy)


def check_config(folder: Path | str) -> dict:
    """Check the ``config.json`` of an encoder as :func:`check_model` does, and return its content."""
    config = read_config(folder)
    family_of(config, f"model {folder}")
    check_settings(config, folder)
    return config


def segment_types_of_folder(folder: Path | str, config: Mapping) -> int:
    """Return the number of segment types, 1 or 2, that the model in a folder is given.

    The tokenizer is only read if ``config``, the content of ``config.json``, has two segment types. Raise InputError if
    the tokenizer cannot be loaded.
    """
    if segment_types(config) == 1 or not (Path(folder) / "tokenizer.json").is_file():
        return segment_types(config)
    return segment_types(config, load_tokenizer(folder).layout.second_segment)


def check_as_stated(folder: Path | str, stated_types: int, stated_family: str) -> None:
    """Check that a model has the segment types and the analyses for which the run was planned.

    ``stated_family`` is the model type, or another model type with the same analyses. Raise InputError if config.json
    says otherwise, or names a family that is not supported.
    """
    config = read_config(folder)
    family = family_of(config, f"model {folder}")
    found = segment_types_of_folder(folder, config)
    if found != min(2, stated_types):
        raise InputError(
            f"model {folder}",
            f"has segment types: {found}, but the edition says segment_types: {stated_types}",
            f"set segment_types: {found} for this model in the edition",
        )
    if family.left_out.keys() != FAMILIES[stated_family].left_out.keys():
        raise InputError(
            f"model {folder}",
            f"is a {family.name} model, which lacks other analyses than the planned model type {stated_family}",
            f"set model_type: {config['model_type']} for this model in the edition",
        )
