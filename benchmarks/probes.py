"""Speed of training the probes of Clark et al. 2019, section 5, together, compared with one by one by their formulas.

Trees, attention and word vectors are random, because the time does not depend on their values. Training uses one
thread, as in the workflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from gensim.models import KeyedVectors
from torch import nn

from benchmarks.dependency_heads import MEAN_WORDS, random_maps, random_treebank
from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import SEED, Workload, random_sequences
from bert_attention.models.devices import torch_threads
from bert_attention.papers.clark.probe_features import (
    TASKS,
    WORD_COLUMNS,
    ProbeInput,
    control_behaviors,
    distance_features,
    probe_inputs,
)
from bert_attention.papers.clark.probes import (
    HIDDEN_UNITS,
    LEARNING_RATE,
    AttentionProbes,
    AttentionWordProbes,
    DistanceWordProbes,
    train_and_count,
)

DIMENSIONS = 100
KINDS = ("distances_glove", "attention", "attention_glove")


class PlainProbe(nn.Module):
    """A probe by its formula: the word vectors, features and hidden layer of all pairs of words."""

    def __init__(self, kind: str, maps: int, variant: int):
        super().__init__()
        self.kind, self.variant = kind, variant
        self.root = nn.Parameter(torch.rand(2))
        self.weights = nn.Parameter(torch.randn(maps) / maps)
        self.dense = nn.Linear(2 * DIMENSIONS, maps)
        self.hidden = nn.Linear(9 + 2 * DIMENSIONS, HIDDEN_UNITS)
        self.output = nn.Linear(HIDDEN_UNITS, 1)

    def forward(self, sentence: ProbeInput) -> torch.Tensor:
        """Return scores ``[m, m + 1]``."""
        m = len(sentence.vectors)
        maps = sentence.maps.transpose(1, 2)
        root_scores = self.root[0] * maps[1:-1, :1] + self.root[1] * maps[1:-1, -1:]
        features = torch.cat([root_scores, maps[1:-1, 1:-1]], dim=1)
        if self.kind == "attention":
            return (features * self.weights).sum(-1)
        dependents = sentence.vectors[:, None].expand(m, m + 1, -1)
        candidates = sentence.candidate_vectors[self.variant].expand(m, m + 1, -1)
        pairs = torch.cat([dependents, candidates], dim=-1) * sentence.has_words[self.variant][:, None]
        if self.kind == "attention_glove":
            return (self.dense(pairs) * features).sum(-1)
        inputs = torch.cat([pairs.new_zeros(m, m + 1, 1), distance_features(m).to(pairs), pairs], dim=-1)
        return self.output(torch.tanh(self.hidden(inputs)))[..., 0]


def plain_training(inputs: Sequence[ProbeInput], maps: int) -> None:
    """Train all probes of one encoder one by one, each in its own pass."""
    systems = [(kind, v, t) for kind in KINDS for v in range(len(WORD_COLUMNS)) for t in range(len(TASKS))]
    systems = [system for system in systems if system[:2] != ("attention", 1)]  # the same in both variants
    for kind, variant, task in systems:
        probe = PlainProbe(kind, maps, variant).to(inputs[0].vectors.device)
        optimizer = torch.optim.Adam(probe.parameters(), lr=LEARNING_RATE)
        for sentence in inputs:
            optimizer.zero_grad()
            scores = probe(sentence)
            nn.functional.cross_entropy(scores, sentence.heads[task], reduction="sum").backward()
            optimizer.step()


def training(inputs: Sequence[ProbeInput], maps: int) -> None:
    """Train the same probes together in one pass."""
    generator = torch.Generator().manual_seed(SEED)
    probes = {
        "distances_glove": DistanceWordProbes(DIMENSIONS, generator),
        "attention": AttentionProbes(maps, generator),
        "attention_glove": AttentionWordProbes(maps, DIMENSIONS, generator),
    }
    train_and_count(probes, inputs, inputs[:1], inputs[0].vectors.device)


def measure(workload: Workload, sentences: int, rounds: int) -> Iterator[Measurement]:
    """Measure a pass over a treebank, and plain training of all ten probes one by one."""
    treebank = random_treebank(sentences)
    vectors = KeyedVectors(DIMENSIONS)
    vectors.add_vectors(["w"], np.random.default_rng(SEED).normal(size=(1, DIMENSIONS)).astype(np.float32))
    behaviors = control_behaviors(treebank, SEED)
    maps = random_maps(treebank, *workload.shape)
    device = workload.encoder.device
    inputs = list(probe_inputs(treebank, maps, vectors, behaviors, device))
    size = 2 * int(np.prod(workload.shape))
    read = workload.of(random_sequences([len(sentence.words) + 2 for sentence in treebank]))
    with torch_threads(1):
        times = in_turn(
            {
                "bare": read.bare_forward,
                "plain": lambda: plain_training(inputs, size),
                "ours": lambda: training(inputs, size),
            },
            rounds,
        )
    yield times.measurement("probes, 1 thread", workload, f"{sentences} sentences of {MEAN_WORDS} words")
