"""Time on a GPU and difference from the CPU's numbers, for an encoder of bert-base's shape with random weights.

    python -m benchmarks.gpu             # two minutes with a GPU; writes its part of benchmarks/README.md
    python -m benchmarks.gpu --quick     # tiny sizes, and the CPU twice if there is no GPU; writes nothing

Sequences are random wordpieces. Dropout is off, because each device draws its own random numbers.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import yaml
from safetensors.numpy import load_file
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from benchmarks import report
from benchmarks.disabled_heads import nothing_and_each_head
from benchmarks.importance import with_untrained_head
from benchmarks.measuring import in_turn
from benchmarks.workloads import BATCH, BERT_BASE, ROOT, SEED, Workload, random_bert, random_sequences, scratch
from bert_attention.attention.disabled_heads import logits_of_ablations
from bert_attention.attention.hooks import NORMS
from bert_attention.downloads.sources import locate
from bert_attention.errors import InputError
from bert_attention.models.classification import pass_on_first_token_only
from bert_attention.models.devices import choose_device
from bert_attention.models.fine_tuning import fine_tune
from bert_attention.papers.clark.importance import sums_of_sequences, table
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import load_tokenizer

Arrays = Mapping[str, np.ndarray]
COLUMNS = ("analysis", "amount", "CPU", "GPU", "CPU / GPU", "GPU / bare pass on it", "largest difference (allowed)")
# Largest accepted differences between devices. Those of norms and gradients are divided by the largest number of their
# kind. Attention and summed norms are stored as float16, whose steps are up to 1e-3.
RELATIVE = (*NORMS, "gradients")
ALLOWED = {**dict.fromkeys(RELATIVE, 1e-4), "summed_norms": 1e-3, "attention": 1e-3, "loss": 1e-3, "logits": 1e-3}


@dataclass(frozen=True)
class Size:
    """Sizes of the workloads. A segment has ``tokens`` wordpieces, an example at most ``longest``."""

    segments: int = 64
    tokens: int = 128
    train: int = 256
    examples: int = 8
    longest: int = 48
    shape: tuple[int, int, int] = (12, 12, 768)
    rounds: int = 2


QUICK = Size(segments=2, tokens=12, train=4, examples=2, longest=8, shape=(2, 2, 32), rounds=1)


@dataclass(frozen=True)
class Work:
    """An analysis on one device, and the bare pass over the same sequences. Only the call of ``run`` is timed."""

    what: str
    amount: str
    run: Callable[[], Callable[[], Arrays]]
    bare: Callable[[], None]


def classifier(workload: Workload) -> PreTrainedModel:
    """Return the workload's encoder without dropout, with a new head of two classes."""
    config = deepcopy(workload.encoder.model.config)
    config.update({"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0})
    torch.manual_seed(SEED)
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="sdpa")
    return pass_on_first_token_only(model.to(workload.encoder.device)).eval()


def extraction(workload: Workload, path: Path) -> Work:
    """Run the encoder with all norms, and write a store."""

    def run() -> Callable[[], Arrays]:
        workload.extraction(path)
        return lambda: {name: array for name, array in load_file(path).items() if name in ALLOWED}

    return Work("extraction with all norms", segments_of(workload), run, workload.bare_forward)


def segments_of(workload: Workload) -> str:
    """Return the amount of work in words."""
    return f"{len(workload.sequences)} segments of {workload.tokens} wordpieces"


def gradients(workload: Workload) -> Work:
    """Add up gradients with respect to attention."""
    model = with_untrained_head(workload)

    def run() -> Callable[[], Arrays]:
        added = sums_of_sequences(model, workload.sequences, workload.tokenizer, batch_size=BATCH, seed=SEED)
        rows = table(Sums.of(added, range(len(workload.sequences))))["clark_importance"]
        return lambda: {"gradients": rows.loc[rows.measure == "gradient", "value"].dropna().to_numpy()}

    return Work("gradients (importance)", segments_of(workload), run, workload.bare_forward)


def fine_tuning(workload: Workload) -> Work:
    """Train a classifier for one epoch, and apply it to the sequences of the first batch."""
    labels = np.random.default_rng(SEED).integers(0, 2, len(workload.sequences)).tolist()
    pad_id, (layers, heads) = workload.tokenizer.pad_token_id, workload.shape
    recipe = {"epochs": 1, "examples_seen": None, "batch_size": 32, "learning_rate": 2e-5, "seed": SEED}
    model = classifier(workload)
    untrained = {name: weights.clone() for name, weights in model.state_dict().items()}

    def run() -> Callable[[], Arrays]:
        model.load_state_dict(untrained)
        loss = fine_tune(model, workload.sequences, labels, pad_id, **recipe)
        nothing = np.zeros((1, layers, heads), dtype=bool)
        logits = logits_of_ablations(model, workload.sequences[:BATCH], nothing, pad_id)
        return lambda: {"loss": np.array(loss), "logits": logits.numpy()}

    amount = f"one epoch of {len(workload.sequences)} examples of up to {workload.tokens} wordpieces"
    return Work("fine-tuning", amount, run, workload.bare_forward)


def disabled_heads(workload: Workload) -> Work:
    """Predict without each single head."""
    model, disabled = classifier(workload), nothing_and_each_head(*workload.shape).numpy()

    def run() -> Callable[[], Arrays]:
        logits = logits_of_ablations(model, workload.sequences, disabled, workload.tokenizer.pad_token_id)
        return lambda: {"logits": logits.numpy()}

    amount = f"{len(disabled)} systems, {len(workload.sequences)} examples of up to {workload.tokens} wordpieces"
    return Work("each head disabled", amount, run, workload.bare_forward)


def works(size: Size, device: torch.device, folder: Path) -> list[Work]:
    """Return all analyses on a device. Each device gets the same weights and sequences."""
    edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    tokenizer = load_tokenizer(locate(edition["models"][0]["source"].split()[0]))
    workload = Workload(BERT_BASE, random_bert(*size.shape, str(device)), tokenizer, [])
    segments = replace(workload, sequences=with_special_tokens([size.tokens] * size.segments, tokenizer))
    lengths = [size.longest - number % (size.longest // 2) for number in range(size.train)]
    examples = replace(workload, sequences=with_special_tokens(lengths, tokenizer))
    return [
        extraction(segments, folder / f"{device}.safetensors"),
        gradients(segments),
        fine_tuning(examples),
        disabled_heads(examples.first(size.examples)),
    ]


def with_special_tokens(lengths: Sequence[int], tokenizer: Tokenizer) -> list[EncodedSequence]:
    """Return random sequences that begin with [CLS], and have [SEP] in the middle and at the end."""
    sequences = random_sequences(lengths)
    for sequence in sequences:
        sequence.token_ids[[0, len(sequence) // 2, -1]] = (
            tokenizer.cls_token_id,
            tokenizer.sep_token_id,
            tokenizer.sep_token_id,
        )
        sequence.word_ids[[0, len(sequence) // 2, -1]] = -1
    return sequences


def differences(ours: Arrays, expected: Arrays) -> dict[str, float]:
    """Return the largest difference of each kind of numbers; of ``RELATIVE`` kinds, divided by the largest number."""
    found = {}
    for kind, numbers in expected.items():
        scale = np.abs(numbers).max() if kind in RELATIVE else 1.0
        found[kind] = float(np.abs(ours[kind].astype(np.float64) - numbers).max() / scale)
    return found


def compared(cpu: Work, gpu: Work, rounds: int) -> tuple[str, ...]:
    """Return the row of an analysis."""
    found: dict[str, Callable[[], Arrays]] = {}
    times = in_turn(
        {
            "bare": gpu.bare,
            "gpu": lambda: found.update(gpu=gpu.run()),
            "cpu": lambda: found.update(cpu=cpu.run()),
        },
        rounds,
    )
    different = differences(found["gpu"](), found["cpu"]())
    beyond = [kind for kind, difference in different.items() if not difference <= ALLOWED[kind]]
    remark = ", ".join(
        f"{kind.replace('_', ' ')} {value:.0e} ({ALLOWED[kind]:.0e})" for kind, value in different.items()
    )
    return (
        cpu.what,
        cpu.amount,
        report.duration(times.median("cpu")),
        report.duration(times.median("gpu")),
        report.short(times.ratio("cpu", "gpu")),
        report.short(times.ratio("gpu", "bare")),
        remark + (f"; **beyond what is allowed: {', '.join(beyond)}**" if beyond else ""),
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="use tiny sizes, and write nothing")
    arguments = parser.parse_args()
    size = QUICK if arguments.quick else Size()
    device = choose_device("auto")
    if device.type == "cpu" and not arguments.quick:
        raise SystemExit(
            str(InputError("benchmarks.gpu", "this machine has no usable GPU", "run it where there is one"))
        )
    rows = []
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        on_cpu, on_gpu = (works(size, each, Path(name)) for each in (torch.device("cpu"), device))
        for pair in zip(on_cpu, on_gpu, strict=True):
            rows.append(compared(*pair, size.rounds))
            print(report.table(COLUMNS, rows[-1:]).splitlines()[-1], flush=True)
    if not arguments.quick:
        about = (
            f"Measured by `python -m benchmarks.gpu` on {torch.cuda.get_device_name()} beside {os.cpu_count()} CPU "
            f"cores ({platform.machine()}), PyTorch {torch.__version__}."
        )
        report.replace_block("gpu", "\n".join([about, "", report.table(COLUMNS, rows)]))


if __name__ == "__main__":
    main()
