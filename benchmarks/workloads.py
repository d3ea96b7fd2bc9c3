"""Workloads: real text, and the embedded edition's encoder or a random encoder of bert-base's shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
import yaml
from transformers import BertConfig, BertModel

from bert_attention.attention.extraction import extract
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import WORDPIECE_ARRAYS, ShardMetadata, shard_writer
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments, sample_segments
from bert_attention.downloads.sources import locate, parse_source
from bert_attention.models.batches import batches_by_length
from bert_attention.models.encoders import Encoder, load_encoder
from bert_attention.models.inputs import EncodedSequence, model_inputs, padded_batch
from bert_attention.models.model_folder import copy_model
from bert_attention.results import results
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer, mark_word_starts, token_categories

ROOT = Path(__file__).parents[1]
EMBEDDED, BERT_BASE = "all-MiniLM-L6-v2", "bert-base, random weights"
SEED = 1
BATCH = 16


def scratch() -> Path:
    """Return a folder for temporary files, on the disk of the checkout and ignored by git."""
    folder = ROOT / "resources"
    folder.mkdir(exist_ok=True)
    return folder


@dataclass(frozen=True)
class Workload:
    """An encoder, and sequences for it."""

    name: str
    encoder: HookedEncoder
    tokenizer: Tokenizer
    sequences: Sequence[EncodedSequence]

    @property
    def device(self) -> str:
        """``cpu`` or ``cuda``."""
        return self.encoder.device.type

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of layers, and of heads in each layer."""
        return self.encoder.layers, self.encoder.heads

    @property
    def tokens(self) -> int:
        """Length of the longest sequence."""
        return max(map(len, self.sequences))

    def of(self, sequences: Sequence[EncodedSequence]) -> Workload:
        """Return the same encoder with other sequences."""
        return replace(self, sequences=sequences)

    def first(self, count: int) -> Workload:
        """Return the same encoder with the first sequences."""
        return self.of(self.sequences[:count])

    def in_batches(self, size: int = BATCH) -> Iterator[tuple[torch.Tensor, ...]]:
        """Yield token ids, segment ids and mask of each batch, as in extraction."""
        for indices in batches_by_length([len(sequence) for sequence in self.sequences], size):
            yield padded_batch([self.sequences[index] for index in indices], self.tokenizer.pad_token_id)

    @torch.inference_mode()
    def bare_forward(self) -> None:
        """Run only the eager forward pass with attention over all sequences."""
        for batch in self.in_batches():
            self.encoder.model(**model_inputs(self.encoder.model, *batch), output_attentions=True)

    def extraction(self, path: Path, arrays: Sequence[str] = WORDPIECE_ARRAYS) -> None:
        """Run the forward pass and write an attention store, including norms and float16 conversion."""
        count = len(self.sequences)
        metadata = ShardMetadata(
            model=self.name,
            weights_sha256="",
            tokenizer_sha256="",
            corpus_sha256="",
            segment_ids="zeros",
            masked_share=0,
            seed=None,
            word_rule=None,
            arrays=tuple(arrays),
            block_sizes=(count,),
            first=0,
            last=count,
            layers=self.encoder.layers,
            heads=self.encoder.heads,
            categories=token_categories(self.tokenizer),
            torch=torch.__version__,
            transformers="",
        )
        path.unlink(missing_ok=True)  # as Snakemake does before a job
        with shard_writer(path, [len(sequence) for sequence in self.sequences], metadata) as writer:
            extract(self.encoder, self.sequences, writer, BATCH, self.tokenizer.pad_token_id)


def random_sequences(lengths: Sequence[int]) -> list[EncodedSequence]:
    """Return random sequences of these lengths. Each token is a word."""
    random = np.random.default_rng(SEED)
    return [
        EncodedSequence(
            *(np.array(row, dtype=np.int32) for row in (random.integers(1000, 30_000, n), [0] * n, range(n)))
        )
        for n in lengths
    ]


def random_bert(layers: int, heads: int, width: int, device: str) -> HookedEncoder:
    """Return an encoder of this shape, with random weights."""
    torch.manual_seed(SEED)
    config = BertConfig(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        attn_implementation="eager",
    )
    return HookedEncoder.of(Encoder(BertModel(config).eval().to(device), torch.device(device)))


class Source:
    """The embedded edition's encoder and text, from the packages that carry them."""

    def __init__(self, folder: Path):
        """Copy the model into a folder of this process."""
        edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
        model = edition["models"][0]
        self._folder = folder / "model"
        copy_model(locate(model["source"]), parse_source(model["source"]).sha256, self._folder)
        self._edition = edition
        self.tokenizer = load_tokenizer(self._folder)

    def encoder(self, name: str, device: str = "cpu") -> HookedEncoder:
        """Return the embedded edition's encoder, or a random one of bert-base's shape with the same vocabulary."""
        if name == EMBEDDED:
            return HookedEncoder.of(load_encoder(self._folder, device))
        return random_bert(12, 12, 768, device)

    def segments(self, count: int) -> list[EncodedSequence]:
        """Return segments of real text as in the edition, repeated if the text has fewer."""
        wikipedia = self._edition["corpora"]["wikipedia"]
        articles, _ = read_running_text(locate(wikipedia["source"]))
        budget = wikipedia["max_wordpieces"] - len(self.tokenizer.layout)
        cut: Callable = partial(mark_word_starts, self.tokenizer)
        found, _ = build_segments(articles, cut, wikipedia["spans"], budget, self._edition["seed"])
        some = sample_segments(found, min(count, len(found)))
        encoded = encode_segments(some, self.tokenizer, results().segment_ids["clark"], "benchmark")
        return [encoded[number % len(encoded)] for number in range(count)]

    def workload(self, name: str, segments: int, device: str = "cpu") -> Workload:
        """Return an encoder and the first segments."""
        return Workload(name, self.encoder(name, device), self.tokenizer, self.segments(segments))
