"""Where PyTorch computes: on which device, and on how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bert_attention.errors import InputError


def choose_device(device: str) -> torch.device:
    """The device for ``auto`` (a GPU if there is one), ``cuda`` (a GPU, or an error) or ``cpu``.

    Raises
    ------
    InputError
        If ``cuda`` is asked for and there is no GPU.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("config key device = cuda", "this machine has no usable GPU", "set device: auto, or cpu")
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Compute with ``count`` threads, however many cores there are: another order of summation trains other weights."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
