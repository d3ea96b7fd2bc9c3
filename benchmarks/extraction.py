"""Speed of extraction into the store, compared with the bare forward pass and with a loop over single segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import Workload
from bert_attention.attention.hooks import NORMS
from bert_attention.attention.store import WORDPIECE_ARRAYS
from bert_attention.models.inputs import model_inputs, padded_batch

_ALONE = tuple(name for name in WORDPIECE_ARRAYS if name not in NORMS)
ARRAYS_OF = {
    "extraction: attention": _ALONE,
    "extraction: with value norms": tuple(
        name for name in WORDPIECE_ARRAYS if name in (*_ALONE, "value_norms", "input_norms")
    ),
    "extraction: with all norms": WORDPIECE_ARRAYS,
}


@torch.inference_mode()
def plain_loop(workload: Workload, path: Path) -> None:
    """Run one segment at a time, and write all maps into one compressed NumPy file."""
    maps = []
    for sequence in workload.sequences:
        inputs = model_inputs(workload.encoder.model, *padded_batch([sequence], 0))
        attentions = workload.encoder.model(**inputs, output_attentions=True).attentions
        maps.append(torch.cat(attentions).half().cpu().numpy())
    np.savez_compressed(path, *maps)


def measure(workload: Workload, folder: Path, rounds: int) -> Iterator[Measurement]:
    """Measure extraction of attention alone, with value norms, and with all norms."""
    path = folder / "shard.safetensors"
    functions = {"bare": workload.bare_forward, "plain": lambda: plain_loop(workload, folder / "maps.npz")}
    functions |= {what: lambda arrays=arrays: workload.extraction(path, arrays) for what, arrays in ARRAYS_OF.items()}
    times = in_turn(functions, rounds)
    amount = f"{len(workload.sequences)} segments of {workload.tokens} wordpieces"
    for what in ARRAYS_OF:
        yield Measurement(
            what,
            workload.name,
            workload.device,
            amount,
            times.median(what),
            times.ratio(what, "bare"),
            times.ratio("plain", what) if what == "extraction: attention" else None,
        )
    path.unlink()
    (folder / "maps.npz").unlink()
