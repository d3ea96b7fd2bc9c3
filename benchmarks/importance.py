"""What the gradients by attention cost beside the bare forward pass and a plain loop, on the embedded edition.

    python benchmarks/importance.py --segments 100

prints a Markdown table. Times are medians of rounds in which all are run in turn, so that ratios hold on a noisy
machine. The head is a fresh one: how well it predicts makes no difference to time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "benchmarks")]

from extraction import Workload, bare_forward, prepare, seconds  # noqa: E402
from transformers import AutoModelForMaskedLM, PreTrainedModel, PreTrainedTokenizerFast  # noqa: E402

from bert_attention.clark.importance import importance, masked_sequences  # noqa: E402
from bert_attention.models.wordpieces import load_tokenizer, token_categories  # noqa: E402

SEED = 1


def with_fresh_head(workload: Workload) -> PreTrainedModel:
    """A masked language model on the workload's encoder."""
    torch.manual_seed(SEED)
    encoder = workload.encoder.model
    model = AutoModelForMaskedLM.from_config(encoder.config, attn_implementation="eager")
    model.base_model.load_state_dict(encoder.state_dict(), strict=False)
    return model.eval()


def plain_loop(model: PreTrainedModel, workload: Workload, tokenizer: PreTrainedTokenizerFast) -> np.ndarray:
    """Mean gradient magnitude by attention to [SEP], ``[layer, head]``: the model's own loss, a segment at a time."""
    categories, means = token_categories(tokenizer), []
    for sequence, labels in zip(*masked_sequences(workload.sequences, tokenizer, SEED), strict=True):
        outputs = model(
            input_ids=torch.from_numpy(sequence.token_ids).long()[None], labels=labels[None], output_attentions=True
        )
        for attention in outputs.attentions:
            attention.retain_grad()
        outputs.loss.backward()
        is_sep = categories.masks(sequence.token_ids)["sep"]
        means.append([attention.grad[0, :, :, is_sep].abs().mean((1, 2)).numpy() for attention in outputs.attentions])
    return np.mean(means, axis=0)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--segments", type=int, default=100, help="segments (default: 100)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measurement (default: 3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="CPU threads (default: all)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        workload = prepare(arguments.segments, Path(name))
        tokenizer = load_tokenizer(Path(name) / "model")
    model = with_fresh_head(workload)
    tables = []
    rounds = [
        (
            seconds(bare_forward, workload),
            seconds(lambda: tables.append(importance(model, workload.sequences, tokenizer, batch_size=16, seed=SEED))),
            seconds(lambda: tables.append(plain_loop(model, workload, tokenizer))),
        )
        for _ in range(arguments.rounds)
    ]
    table, plain = tables[-2:]
    ours = table[(table["target"] == "sep") & (table["measure"] == "gradient")]["value"].to_numpy()
    bare, batched, looped = (statistics.median(times) for times in zip(*rounds, strict=True))
    print(f"{arguments.segments} segments, {arguments.threads} threads, median of {arguments.rounds} rounds\n")
    print("| what | measured |\n|---|---|")
    print(f"| bare eager forward pass of the encoder with attention | {bare:.1f} s |")
    print(f"| table clark_importance | {batched:.1f} s |")
    print(f"| plain loop over segments, gradients by parameters too | {looped:.1f} s |")
    print(f"| table / bare forward pass | {statistics.median(r[1] / r[0] for r in rounds):.1f} |")
    print(f"| plain loop / table | {statistics.median(r[2] / r[1] for r in rounds):.1f} |")
    print(f"| largest relative difference of table and plain loop | {np.abs(ours / plain.ravel() - 1).max():.1e} |")


if __name__ == "__main__":
    main()
