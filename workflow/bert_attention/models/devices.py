"""Where PyTorch computes: on which device, and on how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bert_attention.errors import InputError


def choose_device(device: str) -> torch.device:
    """``auto``: a GPU where there is one; ``cuda``: insist on it; ``cpu``.

    Raises
    ------
    InputError
        If ``cuda`` is asked for and there is none.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("config key device = cuda", "this machine has no usable GPU", "set device: auto, or cpu")
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Compute with so many threads, be there as many cores or not: sums in another order would train other weights."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
