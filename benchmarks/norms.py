"""Speed of ``||sum_h alpha f_h(x_j)||`` in the Gram form for one layer, compared with building all vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch

from benchmarks.measuring import Measurement, in_turn, resident_megabytes
from benchmarks.workloads import Workload
from bert_attention.attention.norms import output_products, summed_norms


def direct(
    attention: torch.Tensor, values: torch.Tensor, output_weight: torch.Tensor, _products: torch.Tensor
) -> torch.Tensor:
    """Compute the norms as released: every weighted vector ``[batch, head, query, key, d]``, summed over heads."""
    per_head = values.unflatten(-1, (attention.shape[1], -1)).transpose(1, 2)
    blocks = output_weight.T.unflatten(0, (attention.shape[1], -1))
    transformed = torch.einsum("bhkv,hvd->bhkd", per_head, blocks)
    return torch.einsum("bhqk,bhkd->bhqkd", attention, transformed).sum(1).norm(dim=-1)


def gram_form(
    attention: torch.Tensor, values: torch.Tensor, _output_weight: torch.Tensor, products: torch.Tensor
) -> torch.Tensor:
    """Compute the norms as we do, from products of W^O with itself, which are computed once for a model."""
    return summed_norms(attention, values, products)


def layer(tokens: int, heads: int, width: int, device: str) -> tuple[torch.Tensor, ...]:
    """Return random attention, values and W^O, and the products of W^O's heads."""
    generator = torch.Generator().manual_seed(0)
    attention = torch.softmax(3 * torch.randn(1, heads, tokens, tokens, generator=generator), -1)
    values = torch.randn(1, tokens, width, generator=generator)
    output_weight = torch.empty(width, width).normal_(0, width**-0.5, generator=generator).to(device)
    return attention.to(device), values.to(device), output_weight, output_products(output_weight)


def extra_memory(function: Callable, tokens: int, heads: int, width: int) -> float:
    """Return the peak memory of a call in MB, beyond the memory of the process before the call."""
    torch.set_num_threads(1)
    function(*layer(1, heads, width, "cpu"))  # loads libraries
    inputs = layer(tokens, heads, width, "cpu")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets the peak
    before = resident_megabytes("VmRSS")
    function(*inputs)
    return resident_megabytes("VmHWM") - before


def measure(workload: Workload, rounds: int) -> Iterator[Measurement]:
    """Measure one layer on one sequence, and the layer's share of the bare forward pass."""
    one = workload.first(1)
    layers, heads = workload.shape
    shape = (one.tokens, heads, workload.encoder.model.config.hidden_size)
    inputs = layer(*shape, workload.device)
    expected, found = direct(*inputs), gram_form(*inputs)
    agreement = f"to {((found - expected).abs() / expected).max():.0e}"
    if workload.device == "cpu":
        with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            plain, ours = pool.starmap(extra_memory, [(direct, *shape), (gram_form, *shape)], chunksize=1)
        agreement += f"; memory: plain {plain:.0f} MB, ours {ours:.1f} MB"
    functions = {"bare": one.bare_forward, "plain": lambda: direct(*inputs), "ours": lambda: gram_form(*inputs)}
    times = in_turn(functions, 2 * rounds + 1)
    one_layer = times.measurement("head-summed norms", workload, f"one layer, {one.tokens} wordpieces", agreement)
    yield replace(one_layer, times_bare=layers * one_layer.times_bare)
