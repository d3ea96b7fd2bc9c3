"""The device and the number of threads that PyTorch uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bert_attention.errors import InputError, check_choice

DEVICES = ("auto", "cpu", "cuda")


def choose_device(device: str) -> torch.device:
    """Return the device for ``auto`` (a GPU if there is one), ``cuda`` (a GPU, or an error) or ``cpu``.

    Only CUDA GPUs are used. Apple's (MPS) have no 64-bit floats, in which the project computes sums. Raise InputError
    if ``device`` is another text, or is ``cuda`` and there is no GPU.
    """
    check_choice("device", device, DEVICES)
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("device='cuda'", "this machine has no usable GPU", "choose auto or cpu")
    if device == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    _make_reproducible()
    return torch.device("cuda")


def _make_reproducible() -> None:
    """Make GPU results reproducible, as far as PyTorch can.

    GPU results still differ from CPU results: a CPU adds in another order, and dropout has a generator on each device.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # otherwise, matrix products can differ between runs
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cuda.enable_mem_efficient_sdp(False)  # this kernel adds gradients in varying order
    torch.backends.cuda.enable_flash_sdp(False)  # this kernel also adds gradients in varying order
    torch.backends.cudnn.allow_tf32 = False  # TF32 keeps 10 of 23 bits in convolutions and Stanza's networks


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Compute with ``count`` threads inside the block, because the order of summation changes trained weights."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
