"""Where PyTorch computes: on which device, and on how many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bert_attention.errors import InputError, check_choice

DEVICES = ("auto", "cpu", "cuda")


def choose_device(device: str) -> torch.device:
    """The device for ``auto`` (a GPU if there is one), ``cuda`` (a GPU, or an error) or ``cpu``.

    GPUs are those of CUDA. Apple's (MPS) are not used: they have no numbers of 64 bits, in which sums are added up.

    Raises
    ------
    InputError
        If the device is another one, or ``cuda`` is asked for and there is no GPU.
    """
    check_choice("device", device, DEVICES)
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("device='cuda'", "this machine has no usable GPU", "choose auto or cpu")
    if device == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    _compute_alike()
    return torch.device("cuda")


def _compute_alike() -> None:
    """Let a GPU give the same numbers whenever it computes the same, as far as PyTorch has a way to do so.

    They are not a CPU's numbers, which add in another order; and dropout draws from the GPU's own generator.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else products of matrices may differ
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cuda.enable_mem_efficient_sdp(False)  # its gradients are added up in any order
    torch.backends.cuda.enable_flash_sdp(False)  # likewise
    torch.backends.cudnn.allow_tf32 = False  # which has 10 bits of 23, for convolutions and Stanza's networks


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Compute with ``count`` threads, however many cores there are: another order of summation trains other weights."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
