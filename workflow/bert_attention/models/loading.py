"""Loading the weights of any model safely, and rejecting weights that cannot be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

import torch
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel
from transformers.utils import logging as transformers_logging

from bert_attention.errors import InputError
from bert_attention.models.config_file import read_config
from bert_attention.models.conversion import without_prefix
from bert_attention.models.settings import check_settings
from bert_attention.models.sharded_weights import check_weight_files

# Never load a pickle, run the model's own code or use the network. Attention is eager, because other implementations do
# not return their attention weights.
_SAFELY = {"local_files_only": True, "trust_remote_code": False}
_WEIGHTS_SAFELY = {"attn_implementation": "eager", "dtype": torch.float32, "use_safetensors": True, **_SAFELY}

# Tables computed from the configuration, which older versions of transformers saved with the weights.
_COMPUTED = ("inv_freq", "position_ids", "token_type_ids")


def load_config(folder: Path | str, remedy: str) -> PretrainedConfig:
    """Load the configuration in a model folder.

    The model returns outputs by name, even if ``config.json`` sets ``return_dict`` to false. Raise InputError, which
    ends with ``remedy``, if the configuration cannot be used. A setting that is not honored is an InputError as well.
    """
    with _loading(folder, remedy):
        config = AutoConfig.from_pretrained(folder, **_SAFELY)
    check_settings(read_config(folder), folder, config)
    config.return_dict = True  # some classes with a head have no such argument
    return config


def load_weights(
    auto_class: type, folder: Path | str, remedy: str, config: PretrainedConfig | None = None, **options
) -> tuple[PreTrainedModel, list[str]]:
    """Load a model in float32 from the safetensors weights in a folder, without running any code from the folder.

    ``auto_class`` is transformers' class for models of one purpose, such as ``AutoModel``. ``config`` is the model's
    configuration, if it differs from the folder's. ``options`` are arguments of ``from_pretrained``. Attention is eager
    by default.

    Return the model, and the sorted names of the parameters that the weights lack. Missing parameters are drawn at
    random. They belong to heads and poolers. Only the caller knows which of them matter. Raise InputError as
    :func:`load_config` does, or if the weights cannot be used (the message ends with ``remedy``), hold a number that is
    not finite, or have other parameters than the encoder.
    """
    config = config or load_config(folder, remedy)
    check_weight_files(folder)
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()  # its reports are checked below
    options = _WEIGHTS_SAFELY | options | {"config": config, "output_loading_info": True}
    with _loading(folder, remedy):
        model, report = auto_class.from_pretrained(folder, ignore_mismatched_sizes=True, **options)
    missing, surplus = (_within_encoder(model, report[f"{kind}_keys"]) for kind in ("missing", "unexpected"))
    _check_names(folder, missing, report["unexpected_keys"], model.base_model_prefix)
    check_complete(folder, missing)
    _check_no_surplus(folder, surplus)
    _check_sizes(folder, report["mismatched_keys"])
    _check_finite(model, folder)
    return model, sorted(report["missing_keys"])


def check_complete(folder: Path | str, missing: list[str], remedy: str = "get a complete checkpoint") -> None:
    """Raise InputError, which names the first missing parameter, if weights lack parameters."""
    if missing:
        problem = f"its weights lack {len(missing)} of the model's parameters, such as {missing[0]}"
        raise InputError(f"model {folder}", problem, remedy)


@contextmanager
def _loading(folder: Path | str, remedy: str) -> Iterator[None]:
    """Turn any error that transformers raises for a model's files into an InputError that names the model.

    An unknown activation raises a KeyError, text instead of a number a TypeError, zero heads a ZeroDivisionError, and
    damaged weights an error of safetensors.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        first = next((line for line in str(error).splitlines() if line), "")
        problem = f"cannot be loaded ({type(error).__name__}: {first})"
        raise InputError(f"model {folder}", problem, remedy) from error


def _within_encoder(model: PreTrainedModel, names: Iterable[str]) -> list[str]:
    """Return the sorted names of the parameters that belong to no head or pooler, and so affect the layers' results."""
    prefix = f"{model.base_model_prefix}."
    parts = {name for name, _ in model.base_model.named_children() if "pooler" not in name}
    return [name for name in sorted(names) if name.removeprefix(prefix).partition(".")[0] in parts]


def _check_names(folder: Path | str, missing: list[str], unexpected: Iterable[str], base: str) -> None:
    """Raise InputError if most missing parameters are in the weights, with the same text before their names.

    Such texts are left by ``torch.compile``, parallel training, Lightning, and trainers of sentence encoders. ``base``
    is the name of the encoder inside a model with a head, as in ``bert.embeddings``.
    """
    ends = {name.removeprefix(f"{base}.") for name in missing}
    prefixes = Counter(name.removesuffix(end) for name in unexpected for end in _endings(name) if end in ends)
    prefix, count = max(prefixes.items(), key=itemgetter(1), default=("", 0))
    if 2 * count <= len(missing):
        return
    prefix = prefix.removesuffix(f"{base}.") or prefix
    problem = f"the names of {count} parameters in its weights begin with {prefix!r}, which the model's names do not"
    raise InputError(f"model {folder}", problem, without_prefix(folder, prefix))


def _endings(name: str) -> Iterator[str]:
    """Yield the parts of a parameter's name that follow a point: ``a.b.c`` ends with ``b.c`` and ``c``."""
    while "." in name:
        name = name.partition(".")[2]
        yield name


def _check_no_surplus(folder: Path | str, unexpected: list[str]) -> None:
    """Raise InputError if the weights have parameters that the model lacks, for example of further layers."""
    surplus = [name for name in unexpected if not name.endswith(_COMPUTED)]
    if surplus:
        problem = f"its config.json describes a model without {len(surplus)} of the parameters in its weights"
        remedy = "get config.json and the weights of the same model, or choose a supported architecture"
        raise InputError(f"model {folder}", f"{problem}, such as {surplus[0]}", remedy)


def _check_sizes(folder: Path | str, mismatched: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> None:
    """Raise InputError if parameters have another size in the weights than by ``config.json``."""
    for name, found, expected in sorted(mismatched):
        problem = f"its weights have {name} of size {list(found)}, but by its config.json, the size is {list(expected)}"
        raise InputError(f"model {folder}", problem, "get config.json and the weights of the same model")


def _check_finite(model: PreTrainedModel, folder: Path | str) -> None:
    """Raise InputError if the weights hold a number that is not finite."""
    for name, parameter in model.named_parameters():  # aminmax takes a tenth of the time of isfinite on all numbers
        if parameter.numel() and not torch.stack(parameter.detach().aminmax()).isfinite().all():
            remedy = "get the model again; if you trained it here, train it again with a lower learning rate"
            raise InputError(f"model {folder}", f"its parameter {name} holds numbers that are not finite", remedy)
