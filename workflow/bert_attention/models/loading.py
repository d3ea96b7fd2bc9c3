"""Loading the weights of any model safely, and refusing those that cannot be right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel
from transformers.utils import logging as transformers_logging

from bert_attention.errors import InputError
from bert_attention.models.families import read_config
from bert_attention.models.settings import check_settings
from bert_attention.models.sharded_weights import check_weight_files

# Eager attention, because other implementations do not return it; never a pickle, never code that comes with the model,
# never the network.
_SAFELY = {"local_files_only": True, "trust_remote_code": False}
_WEIGHTS_SAFELY = {"attn_implementation": "eager", "dtype": torch.float32, "use_safetensors": True, **_SAFELY}

# Tables that older versions saved beside the weights, and that follow from the configuration.
_COMPUTED = ("inv_freq", "position_ids", "token_type_ids")


def load_config(folder: Path | str, remedy: str) -> PretrainedConfig:
    """The configuration in a model folder.

    Raises
    ------
    InputError
        If it cannot be used (with ``remedy`` as what to do), or has a setting that is not honoured.
    """
    with _loading(folder, remedy):
        config = AutoConfig.from_pretrained(folder, **_SAFELY)
    check_settings(read_config(folder), config, folder)
    return config


def load_weights(
    auto_class: type, folder: Path | str, remedy: str, config: PretrainedConfig | None = None, **options
) -> tuple[PreTrainedModel, list[str]]:
    """A model from the safetensors weights in a folder, without running any code in it, in float32.

    Parameters
    ----------
    auto_class
        transformers' class for models of one purpose, such as ``AutoModel``.
    config
        Its configuration, if it is not as it stands in the folder.
    options
        Of its ``from_pretrained``; attention is eager unless they say otherwise.

    Returns
    -------
    The model, and the names of the parameters that the weights lack, sorted. Those are drawn at random. They are of
    heads and poolers; which of them matter, only the caller knows.

    Raises
    ------
    InputError
        If the weights cannot be used (with ``remedy`` as what to do), hold a number that is not finite, or lack
        parameters within the encoder or have others there than the model; also as :func:`load_config`.
    """
    config = config or load_config(folder, remedy)
    check_weight_files(folder)
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()  # what its reports say is checked
    options = _WEIGHTS_SAFELY | options | {"config": config, "output_loading_info": True}
    with _loading(folder, remedy):
        model, report = auto_class.from_pretrained(folder, **options)
    check_complete(folder, _within_encoder(model, report["missing_keys"]))
    _check_nothing_left_over(folder, _within_encoder(model, report["unexpected_keys"]))
    _check_finite(model, folder)
    return model, sorted(report["missing_keys"])


def check_complete(folder: Path | str, lacking: list[str], remedy: str = "get a complete checkpoint") -> None:
    """Refuse weights that lack parameters.

    Raises
    ------
    InputError
        If there are any; it names the first.
    """
    if lacking:
        problem = f"its weights lack {len(lacking)} parameters, {lacking[0]} among them"
        raise InputError(f"model {folder}", problem, remedy)


@contextmanager
def _loading(folder: Path | str, remedy: str) -> Iterator[None]:
    """Turn whatever a model's files make transformers raise into an InputError that names the model.

    Which error it is depends on the file: an unknown activation is a KeyError, a text in the place of a number a
    TypeError, no heads a ZeroDivisionError, and damaged weights are an error of safetensors' own.
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
    """Those of some parameters that belong to no head and no pooler, sorted: they change what the layers compute."""
    prefix = f"{model.base_model_prefix}."
    parts = {name for name, _ in model.base_model.named_children() if "pooler" not in name}
    return [name for name in sorted(names) if name.removeprefix(prefix).partition(".")[0] in parts]


def _check_nothing_left_over(folder: Path | str, unexpected: list[str]) -> None:
    """Refuse weights with parameters that the model does not have: of further layers, or of another architecture."""
    surplus = [name for name in unexpected if not name.endswith(_COMPUTED)]
    if surplus:
        problem = f"its weights have {len(surplus)} parameters that its config.json does not account for"
        remedy = "get config.json and the weights of the same model; or its architecture is not supported"
        raise InputError(f"model {folder}", f"{problem}, {surplus[0]} among them", remedy)


def _check_finite(model: PreTrainedModel, folder: Path | str) -> None:
    """Refuse weights with a number that is not finite."""
    for name, parameter in model.named_parameters():  # extremes take a tenth of the time of isfinite of all numbers
        if parameter.numel() and not torch.stack(parameter.detach().aminmax()).isfinite().all():
            remedy = "get the model again; one that was trained here wants a lower learning rate"
            raise InputError(f"model {folder}", f"its parameter {name} holds numbers that are not finite", remedy)
