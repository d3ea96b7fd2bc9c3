"""torch as it is when it starts, whatever a notebook has set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch


@contextmanager
def torch_defaults() -> Iterator[None]:
    """Make new tensors in float32 and on the CPU, and use no autocast, inside the block or the decorated function.

    Notebooks set other defaults, for example for large models. They would round the numbers, or stop the analysis.
    """
    dtype = torch.get_default_dtype()
    with ExitStack() as changed:
        for device in ("cpu", "cuda", "mps", "xpu"):
            if torch.is_autocast_enabled(device):
                changed.enter_context(torch.autocast(device, enabled=False))
        if torch.get_default_device().type != "cpu":
            changed.enter_context(torch.device("cpu"))
        changed.callback(torch.set_default_dtype, dtype)
        torch.set_default_dtype(torch.float32)
        yield
