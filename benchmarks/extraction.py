"""What extraction costs beside the bare forward pass, in time and memory, on the embedded edition's encoder and text.

    python benchmarks/extraction.py --segments 1000

prints a Markdown table. Times are medians of rounds in which both are run in turn, so that their ratio holds on a noisy
machine; memory is the peak of a process of its own.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

import torch
import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from bert_attention.attention.extraction import extract  # noqa: E402
from bert_attention.attention.hooks import NORMS, HookedEncoder  # noqa: E402
from bert_attention.attention.store import WORDPIECE_ARRAYS, AttentionStore, ShardMetadata, shard_writer  # noqa: E402
from bert_attention.clark.entropy import entropy  # noqa: E402
from bert_attention.clark.positions import positions  # noqa: E402
from bert_attention.corpora.running_text import read_running_text  # noqa: E402
from bert_attention.corpora.segments import build_segments, sample_of  # noqa: E402
from bert_attention.downloads.sources import locate  # noqa: E402
from bert_attention.models.batches import batches_of_like_length  # noqa: E402
from bert_attention.models.encoders import Encoder, load_encoder  # noqa: E402
from bert_attention.models.inputs import padded_batch  # noqa: E402
from bert_attention.models.model_folder import copy_model  # noqa: E402
from bert_attention.models.wordpieces import (  # noqa: E402
    EncodedSequence,
    encode_segments,
    load_tokenizer,
    pair_layout,
    token_categories,
    tokenize,
)

_WITHOUT_NORMS = [name for name in WORDPIECE_ARRAYS if name not in NORMS]
ARRAYS_OF = {
    "attention alone": _WITHOUT_NORMS,
    "with value norms": [name for name in WORDPIECE_ARRAYS if name in (*_WITHOUT_NORMS, "value_norms", "input_norms")],
    "with all norms": WORDPIECE_ARRAYS,
}


@dataclasses.dataclass(frozen=True)
class Workload:
    """Sequences of real text and the encoder that runs them."""

    encoder: Encoder
    sequences: list[EncodedSequence]
    metadata: ShardMetadata
    batch_size: int


def prepare(segments: int, folder: Path) -> Workload:
    """The embedded edition's encoder and its first segments."""
    edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    model, wikipedia = edition["models"][0], edition["corpora"]["wikipedia"]
    if not (folder / "model").exists():
        copy_model(locate(model["source"]), model["sha256"], folder / "model")
    tokenizer = load_tokenizer(folder / "model")
    encoder = HookedEncoder.of(load_encoder(folder / "model", "cpu"))
    articles, _ = read_running_text(locate(wikipedia["source"]))
    room = wikipedia["max_wordpieces"] - len(pair_layout(tokenizer))
    found, _ = build_segments(articles, partial(tokenize, tokenizer), wikipedia["spans"], room, edition["seed"])
    sequences = encode_segments(sample_of(found, segments), tokenizer, edition["segment_ids"]["clark"], "benchmark")
    metadata = ShardMetadata(
        model=model["name"],
        weights_sha256=model["sha256"],
        corpus_sha256="",
        segment_ids=edition["segment_ids"]["clark"],
        masked_share=0,
        arrays=WORDPIECE_ARRAYS,
        sequences=segments,
        first=0,
        last=segments,
        layers=encoder.layers,
        heads=encoder.heads,
        categories=token_categories(tokenizer),
        torch=torch.__version__,
        transformers="",
    )
    return Workload(encoder, sequences, metadata, edition["attention"]["batch_size"])


@torch.inference_mode()
def bare_forward(workload: Workload) -> None:
    """The eager forward pass with attention over the same batches, and nothing else."""
    for places in batches_of_like_length([len(s) for s in workload.sequences], workload.batch_size):
        token_ids, segment_ids, mask = padded_batch([workload.sequences[place] for place in places], pad_id=0)
        workload.encoder.model(
            input_ids=token_ids, token_type_ids=segment_ids, attention_mask=mask, output_attentions=True
        )


def extraction(workload: Workload, path: Path, arrays: Collection[str] = WORDPIECE_ARRAYS) -> None:
    """The same into an attention store on disk: norms, float16 and writing included."""
    lengths = [len(sequence) for sequence in workload.sequences]
    metadata = dataclasses.replace(workload.metadata, arrays=tuple(arrays))
    path.unlink(missing_ok=True)  # as Snakemake does before a job
    with shard_writer(path, lengths, metadata) as writer:
        extract(workload.encoder, workload.sequences, writer, 0, workload.batch_size, pad_id=0)


def seconds(function: Callable, *arguments: object) -> float:
    """Wall time of one call."""
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def peak_memory(segments: int, folder: Path) -> float:
    """Peak resident memory, in GB, of a process that extracts so many segments and does nothing else."""
    workload = prepare(segments, folder)
    extraction(workload, folder / "memory.safetensors")
    (folder / "memory.safetensors").unlink()
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would count the parent's peak
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1e6


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--segments", type=int, default=1000, help="segments to extract (default: 1000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measurement (default: 3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="CPU threads (default: all)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        folder = Path(name)
        path = folder / "shard.safetensors"
        workload = prepare(arguments.segments, folder)
        rounds = []
        for _ in range(arguments.rounds + 1):
            extracting = [seconds(extraction, workload, path, arrays) for arrays in ARRAYS_OF.values()]
            rounds.append((seconds(bare_forward, workload), *extracting))
        bare, *extracting = (statistics.median(times) for times in zip(*rounds[1:], strict=True))  # the first warms up
        ratios = [
            statistics.median(times[place] / times[0] for times in rounds[1:]) for place in range(1, len(ARRAYS_OF) + 1)
        ]
        store = AttentionStore([path])
        size = path.stat().st_size / 1e9
        tables = [(table.__name__, seconds(table, store)) for table in (positions, entropy)]
        path.unlink()
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            counts = (arguments.segments // 4, arguments.segments)
            memory = pool.starmap(peak_memory, [(count, folder) for count in counts], chunksize=1)
    print(f"{arguments.segments} segments, {arguments.threads} threads, median of {arguments.rounds} rounds\n")
    print("| what | measured |\n|---|---|")
    print(f"| bare eager forward pass with attention | {bare:.1f} s |")
    for what, taken, ratio in zip(ARRAYS_OF, extracting, ratios, strict=True):
        print(f"| extraction into the store ({size:.1f} GB), {what} | {taken:.1f} s, {ratio:.2f} times the bare pass |")
    for count, peak in zip(counts, memory, strict=True):
        print(f"| peak memory of extracting {count} segments | {peak:.2f} GB |")
    for table, taken in tables:
        print(f"| table clark_{table} from the store | {taken:.1f} s |")


if __name__ == "__main__":
    main()
