"""What training the probes of Clark et al. 2019, section 5, costs beside training them as their formulas read.

    python benchmarks/probes.py --train TRAIN.conllu --dev DEV.conllu --vectors VECTORS.txt --train-sentences 1000

prints a Markdown table and the scores. Without files it takes the miniature and random vectors. Times are processor
times of one thread, medians over rounds in which both are run in turn; attention comes from memory.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
import yaml
from gensim.models import KeyedVectors
from torch import nn

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from bert_attention.attention.hooks import HookedEncoder, run  # noqa: E402
from bert_attention.attention.words import word_attention  # noqa: E402
from bert_attention.clark.probe_features import (  # noqa: E402
    TASKS,
    WORD_COLUMNS,
    ProbeInput,
    control_behaviours,
    distance_features,
    probe_inputs,
)
from bert_attention.clark.probes import (  # noqa: E402
    HIDDEN_UNITS,
    LEARNING_RATE,
    AttentionProbes,
    AttentionWordProbes,
    DistanceWordProbes,
    train_and_count,
    train_probes,
)
from bert_attention.corpora.conllu import Sentence, read_conllu  # noqa: E402
from bert_attention.corpora.vectors import load_vectors  # noqa: E402
from bert_attention.downloads.sources import locate  # noqa: E402
from bert_attention.models.batches import batches_of_like_length  # noqa: E402
from bert_attention.models.encoders import Encoder, load_encoder  # noqa: E402
from bert_attention.models.inputs import padded_batch  # noqa: E402
from bert_attention.models.model_folder import copy_model  # noqa: E402
from bert_attention.models.random_weights import randomise  # noqa: E402
from bert_attention.models.wordpieces import load_tokenizer  # noqa: E402
from bert_attention.models.words import encode_words, wordpieces_of_words  # noqa: E402
from miniature import generate_documents  # noqa: E402

SEED = 1
CPU = torch.device("cpu")


class HalfMaps:
    """The attention of one sentence as the store holds it."""

    def __init__(self, attention: torch.Tensor):
        self._attention = attention.half().numpy()

    @property
    def attention(self) -> np.ndarray:
        """``[layer, head, query, key]`` float32."""
        return self._attention.astype(np.float32)


def word_maps(encoder: Encoder, folder: Path, sentences: Sequence[Sentence]) -> list[HalfMaps]:
    """Attention between the words of each sentence."""
    tokenizer = load_tokenizer(folder)
    texts = wordpieces_of_words((sentence.forms for sentence in sentences), tokenizer)
    encoded = [encode_words(words, tokenizer) for words in texts]
    found: dict[int, HalfMaps] = {}
    for places in batches_of_like_length([len(sequence) for sequence in encoded], 16):
        attention = torch.stack(run(encoder, *padded_batch([encoded[place] for place in places], 0)).attention, dim=1)
        for row, place in enumerate(places):
            n = len(encoded[place])
            found[place] = HalfMaps(word_attention(attention[row, ..., :n, :n], encoded[place].word_ids, "mean"))
    return [found[place] for place in range(len(encoded))]


class PlainProbe(nn.Module):
    """One probe as its formula reads: of all pairs of words, the word vectors, the features and the hidden layer."""

    def __init__(self, kind: str, maps: int, dimensions: int, variant: int):
        super().__init__()
        self.kind, self.variant = kind, variant
        self.root = nn.Parameter(torch.rand(2))
        self.weights = nn.Parameter(torch.randn(maps) / maps)
        self.dense = nn.Linear(2 * dimensions, maps)
        self.hidden = nn.Linear(9 + 2 * dimensions, HIDDEN_UNITS)
        self.output = nn.Linear(HIDDEN_UNITS, 1)

    def forward(self, sentence: ProbeInput) -> torch.Tensor:
        """Scores ``[m, m + 1]``."""
        m = len(sentence.vectors)
        maps = sentence.maps.transpose(1, 2)
        of_root = self.root[0] * maps[1:-1, :1] + self.root[1] * maps[1:-1, -1:]
        features = torch.cat([of_root, maps[1:-1, 1:-1]], dim=1)
        if self.kind == "attention":
            return (features * self.weights).sum(-1)
        dependents = sentence.vectors[:, None].expand(m, m + 1, -1)
        candidates = sentence.candidate_vectors[self.variant].expand(m, m + 1, -1)
        pairs = torch.cat([dependents, candidates], dim=-1) * sentence.has_words[self.variant][:, None]
        if self.kind == "attention_glove":
            return (self.dense(pairs) * features).sum(-1)
        inputs = torch.cat([torch.zeros(m, m + 1, 1), distance_features(m), pairs], dim=-1)
        return self.output(torch.tanh(self.hidden(inputs)))[..., 0]


KINDS = ("distances_glove", "attention", "attention_glove")


def plain_training(inputs: Sequence[ProbeInput], maps: int, dimensions: int) -> None:
    """All probes of one encoder, one after the other, each in a pass of its own."""
    systems = [(kind, v, t) for kind in KINDS for v in range(len(WORD_COLUMNS)) for t in range(len(TASKS))]
    systems = [system for system in systems if system[:2] != ("attention", 1)]  # the same in both variants
    for kind, variant, task in systems:
        probe = PlainProbe(kind, maps, dimensions, variant)
        optimizer = torch.optim.Adam(probe.parameters(), lr=LEARNING_RATE)
        for sentence in inputs:
            optimizer.zero_grad()
            scores = probe(sentence)
            nn.functional.cross_entropy(scores, sentence.heads[task], reduction="sum").backward()
            optimizer.step()


def training(inputs: Sequence[ProbeInput], maps: int, dimensions: int) -> None:
    """The same probes side by side in one pass."""
    generator = torch.Generator().manual_seed(SEED)
    probes = {
        "distances_glove": DistanceWordProbes(dimensions, generator),
        "attention": AttentionProbes(maps, generator),
        "attention_glove": AttentionWordProbes(maps, dimensions, generator),
    }
    train_and_count(probes, inputs, inputs[:1], CPU)


def processor_seconds(function: Callable, *arguments: object) -> float:
    """Processor time of one call, which other processes on the machine do not lengthen."""
    started = time.process_time()
    function(*arguments)
    return time.process_time() - started


def some_sentences(path: Path | None, count: int, seed: int) -> list[Sentence]:
    """The first sentences of a treebank, or of the miniature."""
    if path:
        return read_conllu(path)[0][:count]
    return [sentence for document in generate_documents(count, seed) for sentence in document.sentences][:count]


def some_vectors(path: Path | None, sentences: Sequence[Sentence]) -> KeyedVectors:
    """Vectors of a file, or random ones of 100 dimensions."""
    if path:
        return load_vectors(path)
    words = sorted({form.lower() for sentence in sentences for form in sentence.forms})
    vectors = KeyedVectors(100)
    vectors.add_vectors(words, np.random.default_rng(SEED).normal(size=(len(words), 100)).astype(np.float32))
    return vectors


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--train", type=Path, help="treebank to train on (default: the miniature)")
    parser.add_argument("--dev", type=Path, help="treebank to score on (default: the miniature)")
    parser.add_argument("--vectors", type=Path, help="word vectors (default: random)")
    parser.add_argument("--train-sentences", type=int, default=1000)
    parser.add_argument("--dev-sentences", type=int, default=300)
    parser.add_argument("--timed-sentences", type=int, default=200, help="sentences of each timed round")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    train = some_sentences(arguments.train, arguments.train_sentences, SEED)
    dev = some_sentences(arguments.dev, arguments.dev_sentences, SEED + 1)
    vectors = some_vectors(arguments.vectors, [*train, *dev])
    edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        folder = Path(name) / "model"
        copy_model(locate(edition["models"][0]["source"]), edition["models"][0]["sha256"], folder)
        encoder = HookedEncoder.of(load_encoder(folder, "cpu"))
        stores = [word_maps(encoder, folder, part) for part in (train, dev)]
        randomise(encoder.model, SEED, keep_embeddings=True)
        stores += [word_maps(encoder, folder, part) for part in (train, dev)]
    maps, size = 2 * encoder.layers * encoder.heads, vectors.vector_size

    behaviours = control_behaviours(train, SEED)
    timed = arguments.timed_sentences
    inputs = list(probe_inputs(train[:timed], stores[0][:timed], vectors, behaviours, CPU))
    rounds = [
        (processor_seconds(plain_training, inputs, maps, size), processor_seconds(training, inputs, maps, size))
        for _ in range(arguments.rounds + 1)
    ][1:]  # the first warms up
    plain, ours = (statistics.median(times) / timed for times in zip(*rounds, strict=True))
    ratio = statistics.median(plain / ours for plain, ours in rounds)
    started = time.process_time()
    table = train_probes(train, dev, *stores, vectors, SEED, "cpu")
    whole = time.process_time() - started
    words = sum(len(sentence.words) for sentence in train) / len(train)
    print(f"{len(train)} and {len(dev)} sentences ({words:.1f} words on average), {maps} maps, vectors of {size}\n")
    print("| what | measured |\n|---|---|")
    print(f"| a sentence, ten probes one after the other, plain | {plain * 1e3:.1f} ms |")
    print(f"| a sentence, the same probes side by side | {ours * 1e3:.1f} ms |")
    print(f"| plain / ours | {ratio:.1f} |")
    print(f"| the whole table, both encoders | {whole:.1f} s |\n")
    print(table.to_string(index=False, float_format="%.3f"))


if __name__ == "__main__":
    main()
