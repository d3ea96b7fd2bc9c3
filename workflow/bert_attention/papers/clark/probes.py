"""Probing classifiers for dependency heads (Clark et al. 2019, section 5, table 3).

A probe scores ROOT and all words as the head of each word, and is trained with softmax cross-entropy. The published
probes are small and see one sentence per step, so function calls cost more than arithmetic. Therefore all probes that
read the same attention are trained in one pass. The probes of both variants and both tasks are slices of the same
tensors. Each probe has its own parameters, which neither the gradient of the summed losses nor Adam mixes. So the
result is the same as from training one probe after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
import torch
from gensim.models import KeyedVectors
from torch import nn
from torch.nn import functional

from bert_attention.attention.store import AttentionStore, ShardInMemory, StoredSequence
from bert_attention.corpora.conllu import clusters_of_sentences
from bert_attention.corpora.types import Sentence
from bert_attention.corpora.vectors import embedding_matrix
from bert_attention.models.devices import choose_device, torch_threads
from bert_attention.papers.clark.probe_features import (
    DISTANCE_FEATURES,
    TASKS,
    WORD_COLUMNS,
    ProbeInput,
    control_behaviors,
    distance_features,
    is_scored,
    probe_inputs,
)
from bert_attention.statistics.sums import Sums, blocks_of, units_of_sample

LEARNING_RATE = 0.002
HIDDEN_UNITS = 256
PROBES = ("right_branching", "distances_glove", "random_init_glove", "attention", "attention_glove")
_WORD_PROBES = len(WORD_COLUMNS) * len(TASKS)


def _glorot(shape: tuple[int, ...], fans: int, generator: torch.Generator) -> torch.Tensor:
    """Draw uniformly between -/+ sqrt(6 / (fan in + fan out)), TensorFlow's default, which the released code uses."""
    return (torch.rand(shape, generator=generator) * 2 - 1) * math.sqrt(6 / fans)


def _copies(initial: torch.Tensor, probes: int) -> nn.Parameter:
    """Copy the initial value for each probe, so that probes differ only in task and variant."""
    return nn.Parameter(initial.repeat(probes, *[1] * initial.dim()))


def _candidate_scores(pairs: torch.Tensor, root: torch.Tensor) -> torch.Tensor:
    """Return scores of ROOT and the words, ``[probe, m, m + 1]``, from scores of position pairs ``[probe, n, n]``.

    Attention has no ROOT. The score of ROOT is the sum of the scores of [CLS] and [SEP], weighted by two scalars per
    probe.
    """
    pairs = pairs[:, 1:-1]
    root_scores = root[:, :1, None] * pairs[..., :1] + root[:, 1:, None] * pairs[..., -1:]
    return torch.cat([root_scores, pairs[..., 1:-1]], dim=-1)


class AttentionProbes(nn.Module):
    """``p(i|j) ~ exp(sum_k w_k a^k_ij + u_k a^k_ji)``; one probe for each task.

    ``weights`` is ``[task, map]``, in the order of :func:`map_features` with the candidate as position q.
    """

    def __init__(self, maps: int, generator: torch.Generator):
        super().__init__()
        self.weights = _copies(_glorot((maps,), 2 * maps, generator), len(TASKS))
        self.root = _copies(_glorot((2,), 2, generator), len(TASKS))

    def forward(self, sentence: ProbeInput) -> torch.Tensor:
        """Return scores ``[1, task, m, m + 1]``, the same for both variants."""
        by_candidate = self.weights @ sentence.maps  # [n, task, n]
        return _candidate_scores(by_candidate.permute(1, 2, 0), self.root)[None]


class AttentionWordProbes(nn.Module):
    """``p(i|j) ~ exp(sum_k W_k (v_j, v_i) a^k_ij + U_k (v_j, v_i) a^k_ji)``; one probe for each variant and task.

    ``W_k (v_j, v_i)``, bias included, is the sum of one number from the dependent and one from the candidate. So each
    position has two rows of weights, one as the dependent and one as the candidate. Both are applied to the same maps
    in one matrix product, and no tensor grows with words^2 times the vectors' dimension.

    ``dependent`` and ``candidate`` are ``[variant * task, dimension, map]``, ``bias`` ``[variant * task, map]``. Maps
    are in the order of :func:`map_features`. Position q is the dependent in ``dependent``, and the candidate in
    ``candidate`` and ``bias``.
    """

    def __init__(self, maps: int, dimensions: int, generator: torch.Generator):
        super().__init__()
        kernel = _glorot((2, dimensions, maps), 2 * dimensions + maps, generator)
        self.dependent, self.candidate = (_copies(part, _WORD_PROBES) for part in kernel)
        self.bias = _copies(torch.zeros(maps), _WORD_PROBES)
        self.root = _copies(_glorot((2,), 2, generator), _WORD_PROBES)

    def forward(self, sentence: ProbeInput) -> torch.Tensor:
        """Return scores ``[variant, task, m, m + 1]``."""
        as_dependent = functional.pad(sentence.vectors, (0, 0, 1, 1)) @ self.dependent
        as_candidate = torch.baddbmm(self.bias[:, None], _position_columns(sentence.candidate_vectors), self.candidate)
        weights = torch.cat([as_dependent, as_candidate])  # [2 * probe, n, map]
        by_position = torch.bmm(weights.transpose(0, 1), sentence.maps)  # [n, 2 * probe, n]
        by_dependent, by_candidate = by_position.transpose(0, 1).chunk(2)
        pairs = by_dependent * _position_columns(sentence.has_words)[:, None] + by_candidate.mT
        return _candidate_scores(pairs, self.root).unflatten(0, (len(WORD_COLUMNS), len(TASKS)))


def _position_columns(columns: torch.Tensor) -> torch.Tensor:
    """Expand columns ``[variant, m + 1, ...]`` to positions ``[variant * task, n, ...]``; special tokens get ROOT's."""
    return torch.cat([columns, columns[:, :1]], dim=1).repeat_interleave(len(TASKS), dim=0)


class DistanceWordProbes(nn.Module):
    """The baseline without attention: one hidden layer over distance features and both words' vectors.

    There is one probe for each variant and task, as in :class:`AttentionWordProbes`. ``distance``, ``dependent`` and
    ``candidate`` are ``[variant * task, feature, hidden]``. The output has no bias, because a bias would be the same
    for all candidates.
    """

    def __init__(self, dimensions: int, generator: torch.Generator):
        super().__init__()
        inputs = 1 + DISTANCE_FEATURES + 2 * dimensions  # the released code has one more input, a map of zeros
        kernel = _glorot((DISTANCE_FEATURES + 2 * dimensions, HIDDEN_UNITS), inputs + HIDDEN_UNITS, generator)
        parts = kernel.split([DISTANCE_FEATURES, dimensions, dimensions])
        self.distance, self.dependent, self.candidate = (_copies(part, _WORD_PROBES) for part in parts)
        self.bias = _copies(torch.zeros(HIDDEN_UNITS), _WORD_PROBES)
        self.output = _copies(_glorot((HIDDEN_UNITS,), HIDDEN_UNITS + 1, generator), _WORD_PROBES)

    def forward(self, sentence: ProbeInput) -> torch.Tensor:
        """Return scores ``[variant, task, m, m + 1]``."""
        distances = distance_features(len(sentence.vectors)).to(sentence.vectors.device)
        candidates = sentence.candidate_vectors.repeat_interleave(len(TASKS), dim=0)
        as_candidate = torch.baddbmm(self.bias[:, None], candidates, self.candidate)
        as_dependent = sentence.vectors @ self.dependent
        columns = [columns for columns in WORD_COLUMNS.values() for _ in TASKS]
        probes = zip(self.distance, as_dependent, as_candidate, self.output, columns, strict=True)
        scores = torch.stack([_HiddenLayer.apply(distances, *probe) for probe in probes])
        return scores.unflatten(0, (len(WORD_COLUMNS), len(TASKS)))


class _HiddenLayer(torch.autograd.Function):
    """``tanh(features W + dependent + candidate) . output`` for all pairs, ``[m, m + 1]``.

    The gradient is written by hand because the hidden layer of all pairs is by far the largest tensor. Here this tensor
    is computed in place and stays in the processor's cache. Autograd would allocate six such tensors.
    """

    @staticmethod
    def forward(ctx, features, weights, dependent, candidate, output, columns):
        hidden = features @ weights
        hidden += candidate
        hidden[:, columns] += dependent[:, None]
        hidden.mul_(2).sigmoid_().mul_(2).sub_(1)  # tanh, three times as fast
        ctx.save_for_backward(features, output)
        ctx.hidden, ctx.columns = hidden, columns
        return hidden @ output

    @staticmethod
    def backward(ctx, gradient):
        features, output = ctx.saved_tensors
        to_output = gradient.flatten() @ ctx.hidden.flatten(0, 1)
        inner = ctx.hidden.square_().neg_().add_(1).mul_(gradient[..., None]).mul_(output)
        to_weights = features.flatten(0, 1).T @ inner.flatten(0, 1)
        return None, to_weights, inner[:, ctx.columns].sum(1), inner.sum(0), to_output, None


def probe_loss(scores: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
    """Return the cross-entropy of ``[variant, task, m, m + 1]`` against ``[task, m]``, summed over words and probes."""
    targets = heads.expand(*scores.shape[:-1])
    return functional.cross_entropy(scores.flatten(0, -2), targets.flatten(), reduction="sum")


def train_probes(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    train_sequences: Iterable[StoredSequence],
    dev_sequences: Iterable[StoredSequence],
    random_train_sequences: Iterable[StoredSequence],
    random_dev_sequences: AttentionStore | ShardInMemory,
    vectors: KeyedVectors,
    seed: int,
    device: str = "auto",
    progress: Callable[[Iterable], Iterable] = iter,
) -> Sums:
    """Train the probes, in both variants, and count the words of each dev sentence that each probe gets right.

    Training follows the released ``Syntax_Analysis.ipynb``: one epoch in the order of the file, one sentence per step,
    Adam with a learning rate of 0.002, on all words. Scoring follows the notebook, too: each word gets its best
    candidate, independently of the other words, and words whose gold relation is punct do not count. ROOT and the word
    itself are candidates. Variants ``described`` and ``released`` differ in the column of a candidate's word vectors
    (:data:`WORD_COLUMNS`). Probes without word vectors are the same in both variants. The sequences are the attention
    between words, in the order of the sentences. They are streamed, so they must be iterable more than once. Those of
    the random encoder can be of a sample of the dev sentences (:func:`.spread_sample`): the counts of its probe, of
    ``words_of_sample`` and of ``known_words_of_sample`` are 0 for other sentences. The seed is that of the initial
    parameters and of the control task. Raise InputError if no device is usable, and ValueError if the numbers of
    sentences and sequences differ.
    """
    chosen = choose_device(device)
    clusters = clusters_of_sentences(dev)
    sample = units_of_sample(blocks_of(clusters), random_dev_sequences.blocks)
    behaviors = control_behaviors([*train, *dev], seed)

    def inputs(sentences: Sequence[Sentence], sequences: Iterable[StoredSequence]) -> Iterator[ProbeInput]:
        return probe_inputs(sentences, sequences, vectors, behaviors, chosen, progress)

    layers, heads = next(iter(train_sequences)).attention.shape[:2]
    maps, dimensions = 2 * layers * heads, vectors.vector_size
    probes = {
        "distances_glove": DistanceWordProbes(dimensions, torch.Generator().manual_seed(seed)),
        "attention": AttentionProbes(maps, torch.Generator().manual_seed(seed)),
        "attention_glove": AttentionWordProbes(maps, dimensions, torch.Generator().manual_seed(seed)),
    }
    random_probes = {"random_init_glove": AttentionWordProbes(maps, dimensions, torch.Generator().manual_seed(seed))}
    with torch_threads(1):  # a sentence's steps are too small to be faster on several threads
        correct = train_and_count(probes, inputs(train, train_sequences), inputs(dev, dev_sequences), chosen)
        sampled_dev = inputs([dev[unit] for unit in sample], random_dev_sequences)
        of_sample = train_and_count(random_probes, inputs(train, random_train_sequences), sampled_dev, chosen)
    offsets = [
        [word.head - index for index, word in enumerate(sentence.words, start=1) if is_scored(word)] for sentence in dev
    ]
    next_word = [sentence_offsets.count(1) for sentence_offsets in offsets]
    known = [
        np.sum(embedding_matrix(vectors, sentence.forms)[1] & [is_scored(word) for word in sentence.words])
        for sentence in dev
    ]
    counts = {
        **correct,
        "right_branching": np.array(next_word),
        "words": np.array([*map(len, offsets)]),
        "known_words": np.array(known),
    }
    of_sample |= {f"{name}_of_sample": counts[name][sample] for name in ("words", "known_words")}
    for name, of_units in of_sample.items():
        counts[name] = np.zeros((len(dev), *of_units.shape[1:]), dtype=of_units.dtype)
        counts[name][sample] = of_units
    return Sums.of_arrays(counts, clusters)


def train_and_count(
    probes: Mapping[str, nn.Module], train: Iterable[ProbeInput], dev: Iterable[ProbeInput], device: torch.device
) -> dict[str, np.ndarray]:
    """Train probes side by side in one pass, and count each dev sentence's scored words that each probe gets right.

    The counts are ``[sentence, variant, task]`` by name of probe.
    """
    modules = nn.ModuleDict(probes).to(device)
    optimizer = torch.optim.Adam(modules.parameters(), lr=LEARNING_RATE, fused=True)
    for sentence in train:
        optimizer.zero_grad()
        sum(probe_loss(module(sentence), sentence.heads) for module in modules.values()).backward()
        optimizer.step()
    counts: dict[str, list[torch.Tensor]] = {name: [] for name in modules}
    with torch.inference_mode():
        for sentence in dev:
            for name, module in modules.items():
                hits = (module(sentence).argmax(-1) == sentence.heads) & sentence.scored
                counts[name].append(hits.sum(-1).expand(len(WORD_COLUMNS), -1))
    return {name: torch.stack(count).cpu().numpy() for name, count in counts.items()}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_probes``, from the sums of :func:`train_probes`, in the order of the paper's table.

    ``control_uas`` is the score of the same probe trained on the control task of Hewitt and Liang 2019. ``uas`` minus
    ``control_uas`` is its ``selectivity``. Both are empty for the right-branching baseline, which is not trained.
    ``known_words`` is the share of words that have a word vector, and is empty for probes without word vectors.
    ``seeds`` counts the trainings. The confidence interval covers other texts, but not other initial weights.
    """
    rows = []
    for probe, (index, variant) in product(PROBES, enumerate(WORD_COLUMNS)):
        correct = np.array([sums[probe], math.nan]) if probe == "right_branching" else sums[probe][index]
        part = "_of_sample" if probe == "random_init_glove" else ""
        words = sums[f"words{part}"]
        uas, control_uas = correct / words
        scores = {"uas": uas, "control_uas": control_uas, "selectivity": uas - control_uas}
        known = sums[f"known_words{part}"] / words if probe.endswith("_glove") else math.nan
        row = {"probe": probe, "variant": variant, **scores, "known_words": known, "seeds": 1, "n": words}
        rows.append(row)
    return pd.DataFrame(rows)
