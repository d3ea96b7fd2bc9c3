"""What ``||sum_h alpha f_h(x_j)||`` costs in the Gram form, beside the direct computation that builds all vectors.

    python benchmarks/norms.py

prints a Markdown table for one layer of bert-base's shape and 128 tokens. Times are medians of rounds in which both are
run in turn, so that their ratio holds on a noisy machine; memory is what a process of its own takes beyond its inputs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from bert_attention.attention.norms import output_products, summed_norms  # noqa: E402

_HEADS, _WIDTH = 12, 768


def direct(attention: torch.Tensor, values: torch.Tensor, output: nn.Linear, _products: torch.Tensor) -> torch.Tensor:
    """The released computation: every weighted vector ``[batch, head, query, key, d]``, summed over heads."""
    per_head = values.unflatten(-1, (attention.shape[1], -1)).transpose(1, 2)
    blocks = output.weight.T.unflatten(0, (attention.shape[1], -1))
    transformed = torch.einsum("bhkv,hvd->bhkd", per_head, blocks)
    return torch.einsum("bhqk,bhkd->bhqkd", attention, transformed).sum(1).norm(dim=-1)


def gram_form(
    attention: torch.Tensor, values: torch.Tensor, _output: nn.Linear, products: torch.Tensor
) -> torch.Tensor:
    """Ours, from products of W^O with itself that are made once for a model."""
    return summed_norms(attention, values, products)


def layer(tokens: int) -> tuple[torch.Tensor, torch.Tensor, nn.Linear, torch.Tensor]:
    """Attention, values, W^O at random, and the products of its heads."""
    generator = torch.Generator().manual_seed(0)
    attention = torch.softmax(3 * torch.randn(1, _HEADS, tokens, tokens, generator=generator), -1)
    values = torch.randn(1, tokens, _WIDTH, generator=generator)
    output = nn.Linear(_WIDTH, _WIDTH, bias=False).requires_grad_(requires_grad=False)
    output.weight.normal_(0, _WIDTH**-0.5, generator=generator)
    return attention, values, output, output_products(output)


def seconds(function: Callable, inputs: tuple[torch.Tensor, ...]) -> float:
    """Wall time of one call."""
    started = time.perf_counter()
    function(*inputs)
    return time.perf_counter() - started


def peak_memory(function: Callable, tokens: int) -> float:
    """Resident memory, in MB, that a call takes at its peak beyond what the process has before."""
    torch.set_num_threads(1)
    function(*layer(tokens=1))  # loads libraries
    inputs = layer(tokens)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forgets the peak so far
    before = _resident("VmRSS")
    function(*inputs)
    return _resident("VmHWM") - before


def _resident(field: str) -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1e3


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tokens", type=int, default=128, help="tokens of the sequence (default: 128)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: 7)")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads (default: 1)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    inputs = layer(arguments.tokens)
    expected, found = direct(*inputs), gram_form(*inputs)  # these calls also warm up
    error = ((found - expected).abs() / expected).max()
    rounds = [(seconds(direct, inputs), seconds(gram_form, inputs)) for _ in range(arguments.rounds)]
    whole, gram = (statistics.median(times) for times in zip(*rounds, strict=True))
    ratio = statistics.median(one / other for one, other in rounds)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        work = [(function, arguments.tokens) for function in (direct, gram_form)]
        memory = pool.starmap(peak_memory, work, chunksize=1)
    print(f"{arguments.tokens} tokens, {_HEADS} heads, width {_WIDTH}, {arguments.threads} threads\n")
    print("| | direct | Gram form | ratio |\n|---|---|---|---|")
    print(f"| time | {1e3 * whole:.1f} ms | {1e3 * gram:.1f} ms | {ratio:.0f} |")
    print(f"| memory | {memory[0]:.1f} MB | {memory[1]:.1f} MB | {memory[0] / memory[1]:.0f} |")
    print(f"\nLargest relative difference: {error:.1e}")


if __name__ == "__main__":
    main()
