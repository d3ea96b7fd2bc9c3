"""Speed of predictions without each single head in one shared pass, compared with a whole forward pass per head."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import SEED, Workload, random_sequences
from bert_attention.attention.disabled_heads import heads_disabled, logits_without_heads
from bert_attention.models.inputs import model_inputs

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def nothing_and_each_head(layers: int, heads: int) -> torch.Tensor:
    """Return a mask ``[system, layer, head]`` of disabled heads: first none, then each head alone."""
    one_each = torch.eye(layers * heads, dtype=torch.bool).reshape(-1, layers, heads)
    return torch.cat([torch.zeros_like(one_each[:1]), one_each])


@torch.inference_mode()
def one_pass_each(model: PreTrainedModel, batch: Batch, disabled: torch.Tensor) -> torch.Tensor:
    """Return logits ``[system, example, class]`` from a whole forward pass for each system."""
    inputs = model_inputs(model, *batch)
    logits = []
    for heads in disabled:
        with heads_disabled(model, inputs["attention_mask"], heads):
            logits.append(model(**inputs).logits)
    return torch.stack(logits)


def measure(workload: Workload, examples: int, tokens: int, rounds: int) -> Iterator[Measurement]:
    """Measure a batch of examples of decreasing length."""
    torch.manual_seed(SEED)
    config = workload.encoder.model.config
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").eval()
    model.to(workload.encoder.device)
    read = workload.of(random_sequences([max(tokens - 3 * number, tokens // 2) for number in range(examples)]))
    (batch,) = read.in_batches(examples)
    disabled, logits = nothing_and_each_head(*workload.shape), {}
    times = in_turn(
        {
            "bare": read.bare_forward,
            "ours": lambda: logits.update(ours=logits_without_heads(model, *batch, disabled)),
            "plain": lambda: logits.update(plain=one_pass_each(model, batch, disabled)),
        },
        rounds,
    )
    difference = (logits["plain"] - logits["ours"]).abs().max()
    effect = (logits["plain"] - logits["plain"][0]).abs().max()
    amount = f"{len(disabled)} systems, {examples} examples of up to {tokens} wordpieces"
    agreement = f"logits to {difference:.0e}; a head changes them by up to {effect:.0e}"
    yield times.measurement("each head disabled", workload, amount, agreement)
