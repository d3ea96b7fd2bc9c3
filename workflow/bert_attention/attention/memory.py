"""The memory that attention maps take, compared with the memory that is available."""

from __future__ import annotations

import psutil
import torch

from bert_attention.errors import InputError
from bert_attention.models.encoders import Encoder

_BYTES = 4  # per float32 number
# Maps of a layer that a forward pass and its norms hold at once, beside the maps that they return. Measured on encoders
# of six layers: 2 to 5, and 7 in DeBERTa.
_WORKING_MAPS = 5


def check_memory(encoder: Encoder, sequences: int, longest: int, copies: float = 0) -> None:
    """Raise InputError, which says what fits, if the attention maps of a batch do not fit into the device's memory.

    Without this check before the forward pass, a long input fails with an error of PyTorch's allocator, after most of
    the time of the pass. ``longest`` is the number of tokens of the longest sequence. ``copies`` is the number of
    copies of the maps that the caller makes while it holds the maps.
    """
    per_cell = encoder.heads * (encoder.layers * (1 + copies) + _WORKING_MAPS) * _BYTES
    needed, available = sequences * longest**2 * per_cell, _available_bytes(encoder.device)
    if needed <= available:
        return
    one = sequences == 1
    fitting_tokens, fitting_sequences = (
        (available / (sequences * per_cell)) ** 0.5,
        available // (longest**2 * per_cell),
    )
    fewer = f"give at most {fitting_sequences:.0f} inputs at a time, or " if fitting_sequences else ""
    raise InputError(
        encoder.where,
        f"the attention of {'an input' if one else f'{sequences} inputs'} of {'' if one else 'up to '}{longest} tokens "
        f"({encoder.layers} layers of {encoder.heads} heads) needs {needed / 1e9:.1f} GB of memory, but "
        f"{available / 1e9:.1f} GB are available",
        f"{fewer}give inputs of at most {fitting_tokens:.0f} tokens",
        "set max_wordpieces of this corpus or attention.batch_size to a smaller number",
    )


def _available_bytes(device: torch.device) -> int:
    if device.type != "cuda":
        return psutil.virtual_memory().available
    free, _ = torch.cuda.mem_get_info(device)
    return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
