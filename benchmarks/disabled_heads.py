"""Time of predictions without each single head, against a whole forward pass for each.

The model is a random BERT with the shape of bert-base.

    python benchmarks/disabled_heads.py --examples 2 --tokens 48

prints a Markdown table. Times are medians of rounds in which both are run in turn, so that the ratio holds on a noisy
machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification, PreTrainedModel

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "benchmarks")]

from extraction import seconds  # noqa: E402

from bert_attention.attention.disabled_heads import heads_disabled, logits_without_heads  # noqa: E402
from bert_attention.models.inputs import model_inputs  # noqa: E402

LAYERS, HEADS = 12, 12
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def random_batch(examples: int, tokens: int) -> Batch:
    """Token ids, segment ids and mask; each example is a little shorter than the one before."""
    lengths = torch.tensor([max(tokens - 3 * place, tokens // 2) for place in range(examples)])
    mask = (torch.arange(tokens) < lengths[:, None]).long()
    return torch.randint(1000, 30000, mask.shape) * mask, torch.zeros_like(mask), mask


def nothing_and_each_head() -> torch.Tensor:
    """Mask ``[system, layer, head]``: the whole model, then every head alone."""
    one_each = torch.eye(LAYERS * HEADS, dtype=torch.bool).reshape(-1, LAYERS, HEADS)
    return torch.cat([torch.zeros_like(one_each[:1]), one_each])


@torch.inference_mode()
def one_pass_each(model: PreTrainedModel, batch: Batch, disabled: torch.Tensor) -> torch.Tensor:
    """Logits ``[system, example, class]`` from a whole forward pass for each system."""
    inputs = model_inputs(model, *batch)
    logits = []
    for heads in disabled:
        with heads_disabled(model, inputs["attention_mask"], heads):
            logits.append(model(**inputs).logits)
    return torch.stack(logits)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--examples", type=int, default=2, help="examples in a batch (default: 2)")
    parser.add_argument("--tokens", type=int, default=48, help="tokens of the longest (default: 48)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measurement (default: 3)")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads (default: 1)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    model = BertForSequenceClassification(BertConfig(num_hidden_layers=LAYERS, num_attention_heads=HEADS)).eval()
    batch, disabled = random_batch(arguments.examples, arguments.tokens), nothing_and_each_head()
    logits = {}
    rounds = [
        (
            seconds(lambda: logits.update(shared=logits_without_heads(model, *batch, disabled))),
            seconds(lambda: logits.update(plain=one_pass_each(model, batch, disabled))),
        )
        for _ in range(arguments.rounds)
    ]
    shared, plain = (statistics.median(times) for times in zip(*rounds, strict=True))
    print(f"{arguments.examples} examples of up to {arguments.tokens} tokens, {arguments.threads} thread(s), ", end="")
    print(f"median of {arguments.rounds} rounds\n")
    print("| what | measured |\n|---|---|")
    print(f"| one pass of all {len(disabled)} systems | {shared:.1f} s |")
    print(f"| a pass for each system | {plain:.1f} s |")
    print(f"| a pass for each / one pass of all | {statistics.median(r[1] / r[0] for r in rounds):.2f} |")
    print(f"| largest logit | {logits['plain'].abs().max():.2g} |")
    print(f"| largest effect of a head on a logit | {(logits['plain'] - logits['plain'][0]).abs().max():.1e} |")
    print(f"| largest difference of logits | {(logits['plain'] - logits['shared']).abs().max():.1e} |")


if __name__ == "__main__":
    main()
