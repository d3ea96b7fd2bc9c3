"""Options for loading any model safely."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from bert_attention.errors import InputError

# Eager attention, because other implementations do not return it; never a pickle, never code that comes with the model,
# never the network.
SAFE_LOADING = {
    "attn_implementation": "eager",
    "dtype": torch.float32,
    "use_safetensors": True,
    "local_files_only": True,
    "trust_remote_code": False,
}


@contextmanager
def loading(folder: Path | str, remedy: str) -> Iterator[None]:
    """Turn whatever a model's files make transformers raise into an InputError that names the model.

    Which error it is depends on the file: an unknown activation is a KeyError, a text in the place of a number a
    TypeError, no heads a ZeroDivisionError, and damaged weights are an error of safetensors' own.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        first_line = (str(error).splitlines() or [""])[0]
        problem = f"cannot be loaded ({type(error).__name__}: {first_line})"
        raise InputError(f"model {folder}", problem, remedy) from error
