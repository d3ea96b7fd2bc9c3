"""Errors of the identities that an encoder must satisfy, and their share of the time of extraction.

    python -m benchmarks.identities      # minutes; writes docs/identities.json, which docs/run_numbers.py reads

The errors are those of the encoders of ``editions/base_size.yaml`` on segments of real text. The times are those of the
default edition's encoder on stores as large as in a run of the default edition. In each round, the checks and the
extraction run in turn, and processor time counts.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
import yaml

from benchmarks.workloads import BATCH, EMBEDDED, ROOT, Source, Workload, random_sequences, scratch
from bert_attention import AttentionModel
from bert_attention.attention.extraction import extract
from bert_attention.attention.identities import TOLERANCES, check_identities, identity_errors
from bert_attention.attention.store import WORD_ARRAYS, ShardInMemory, ShardMetadata
from bert_attention.tokenization.texts import encode_texts, segments_of
from bert_attention.tokenization.wordpieces import token_categories

FILE = ROOT / "docs" / "identities.json"
ROUNDS = 3
# Two texts of different length: the second is padded to the length of the first.
TEXTS = [
    "Heads of the first layers attend broadly. In later layers, most of the attention goes to the delimiters, to "
    "periods and to commas, and the vectors that heads take from these tokens are short.",
    "It rained.",
]
_MEANING = {
    "sum": "the sum over heads and tokens of α f(x), plus b^O, is the attention module's output (relative)",
    "projections": "the signed projections sum to the lengths of the outputs (relative)",
    "layer norm": "the layer norm after attention normalizes the sum of the module's input and output (direction)",
    "rows": "attention to the real tokens sums to one",
    "alone": "a text alone has the same attention as in a batch",
}


@dataclass(frozen=True)
class Store:
    """A kind of store of the default edition, and the number of such stores in a run."""

    what: str
    lengths: Sequence[int]
    number: int
    of_words: bool = False


# With three random encoders; sequences of tasks and sentences are short.
STORES = [
    Store("running text, all norms", [128] * 500, 3),
    Store("running text of a control", [128] * 200, 9),
    Store("sentences, between words", [12, 25, 38, 51] * 875, 8, of_words=True),
    Store("a task's examples", [15, 25, 35, 60] * 40, 9),
]


def errors(model: AttentionModel) -> dict[str, float]:
    """Return the largest error of each identity in any layer of an encoder."""
    tokenizer = model.tokenizer
    sequences = encode_texts(segments_of(TEXTS, tokenizer), tokenizer, "zeros", model.max_length)
    check_identities(model.encoder, sequences, tokenizer.pad_token_id)
    found = identity_errors(model.encoder, sequences, tokenizer.pad_token_id)
    return {name: max(of_layers) for name, of_layers in found.items()}


def error_table(models: dict[str, AttentionModel]) -> str:
    """Return the largest error of each identity, with its tolerance, as a table in Markdown."""
    found = {name: errors(model) for name, model in models.items()}
    lines = [["identity", "largest error allowed", *found], ["---"] * (2 + len(found))]
    for identity, tolerance in TOLERANCES.items():
        cells = [f"{of_model[identity]:.0e}" if identity in of_model else "" for of_model in found.values()]
        lines.append([_MEANING[identity], f"{tolerance:.0e}", *cells])
    return "\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def extraction(workload: Workload, store: Store, folder: Path) -> Callable[[], None]:
    """Return the extraction of a store."""
    if not store.of_words:
        return partial(workload.extraction, folder / "shard.safetensors")
    count = len(workload.sequences)
    metadata = ShardMetadata(
        **dict.fromkeys(("model", "weights_sha256", "tokenizer_sha256", "corpus_sha256", "torch", "transformers"), ""),
        **{"segment_ids": "zeros", "masked_share": 0, "seed": None, "word_rule": "mean", "arrays": WORD_ARRAYS},
        **{"block_sizes": (count,), "first": 0, "last": count},
        **{"layers": workload.encoder.layers, "heads": workload.encoder.heads},
        categories=token_categories(workload.tokenizer),
    )
    return lambda: extract(workload.encoder, workload.sequences, ShardInMemory(metadata), BATCH, 0)


def processor_seconds(function: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = time.process_time()
    function()
    return time.process_time() - started


def shares(workload: Workload, stores: Sequence[Store], folder: Path, rounds: int) -> Iterator[tuple[str, float]]:
    """Yield the share of the checks in the time of each kind of store's extraction, then of all stores of a run."""
    checks, totals = [0.0] * rounds, [0.0] * rounds
    for store in stores:
        one = replace(workload, sequences=random_sequences(store.lengths))
        check = partial(check_identities, one.encoder, one.sequences, 0)
        extracting = extraction(one, store, folder)
        check()
        pairs = [(processor_seconds(check), processor_seconds(extracting)) for _ in range(rounds)]
        for index, (of_check, total) in enumerate(pairs):
            checks[index] += store.number * of_check
            totals[index] += store.number * total
        yield store.what, statistics.median(of_check / total for of_check, total in pairs)
    yield "all stores", statistics.median(one / other for one, other in zip(checks, totals, strict=True))


def main() -> None:
    """Measure, print and write."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        workload = Source(Path(name)).workload(EMBEDDED, 1)
        found = dict(shares(workload, STORES, Path(name), ROUNDS))
    for what, share in found.items():
        print(f"{what}: {share:.2%}", flush=True)
    edition = yaml.safe_load((ROOT / "editions" / "base_size.yaml").read_text(encoding="utf-8"))
    models = {each["name"]: AttentionModel.from_pretrained(each["source"], "cpu") for each in edition["models"]}
    table = error_table(models)
    print(table)
    texts = {"identity_errors": table, "identity_cost": f"{found['all stores']:.1%}"}
    FILE.write_text(json.dumps(texts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
