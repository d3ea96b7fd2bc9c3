"""Inputs and targets of the probes of Clark et al. 2019, section 5."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from gensim.models import KeyedVectors

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, Word
from bert_attention.corpora.vectors import embedding_matrix

# Candidates for a head are ROOT in column 0 and the m words in columns 1 to m. ROOT has no word vector, so its column
# should be empty. The released code appends the empty column at the end instead, so that it pairs the vector of word
# j + 1 with the attention to word j.
WORD_COLUMNS = {"described": slice(1, None), "released": slice(None, -1)}

# The dependency heads, and the control task of Hewitt and Liang 2019 (EMNLP), whose heads follow from the word alone.
TASKS = ("heads", "control")

_CONTROL_BEHAVIORS = 3  # self, first, last

DISTANCE_FEATURES = 8
_INDICATED_OFFSETS = (0, -1, 1, -2, 2)


@dataclass(frozen=True)
class ProbeInput:
    """A sentence of m words, at positions 1 to m of n = m + 2, with [CLS] before and [SEP] after them."""

    maps: torch.Tensor  # [n, map, n]; see map_features
    vectors: torch.Tensor  # [m, dimension], of words
    candidate_vectors: torch.Tensor  # [variant, m + 1, dimension], in the order of WORD_COLUMNS
    has_words: torch.Tensor  # [variant, m + 1], 1 if a column has the vectors of a pair of words, else 0
    heads: torch.Tensor  # [task, m]: the column of each word's head
    scored: torch.Tensor  # [m]: False for punctuation


def map_features(attention: torch.Tensor) -> torch.Tensor:
    """Return every head's attention between positions q and r: ``[q, map, r]`` from ``[layer, head, n, n]``.

    The first half of the maps is attention from q to r, the second half attention from r to q.
    """
    by_head = attention.flatten(0, 1)
    return torch.cat([by_head.transpose(0, 1), by_head.permute(2, 0, 1)], dim=1)


def distance_features(words: int) -> torch.Tensor:
    """Return features of the distance from dependent d to candidate c: ``[d, c, feature]``, shape ``[m, m + 1, 8]``.

    As in the released code, the features are the distance forwards and backwards as a share of the sentence's length,
    indicators of the offsets 0, -1, 1, -2 and 2, and an indicator of ROOT.
    """
    indices = torch.arange(words)
    offset = indices - indices[:, None]
    features = torch.zeros(words, words + 1, DISTANCE_FEATURES)
    features[:, 1:, 0] = offset.clamp(min=0) / words
    features[:, 1:, 1] = offset.clamp(max=0) / -words
    features[:, 1:, 2:-1] = (offset[..., None] == torch.tensor(_INDICATED_OFFSETS)).float()
    features[:, 0, -1] = 1
    return features


def control_behaviors(sentences: Iterable[Sentence], seed: int) -> dict[str, int]:
    """Draw a behavior for every word form at random: its head is itself (0), the first word (1) or the last (2).

    This is the control task for dependency edges of Hewitt and Liang 2019, section 2.2.
    """
    forms = sorted({form for sentence in sentences for form in sentence.forms})
    drawn = np.random.default_rng(seed).integers(_CONTROL_BEHAVIORS, size=len(forms))
    return dict(zip(forms, drawn.tolist(), strict=True))


def control_heads(forms: Sequence[str], behaviors: dict[str, int]) -> list[int]:
    """Return the heads of a sentence's words in the control task, as word indices from 1."""
    return [(index, 1, len(forms))[behaviors[form]] for index, form in enumerate(forms, start=1)]


def is_scored(word: Word) -> bool:
    """Return True if a word counts for the score: punctuation does not, as is usual for Stanford Dependencies."""
    return word.relation != "punct"


def probe_inputs(
    sentences: Sequence[Sentence],
    sequences: Iterable[StoredSequence],
    vectors: KeyedVectors,
    behaviors: dict[str, int],
    device: torch.device,
    progress: Callable[[Iterable], Iterable] = iter,
) -> Iterator[ProbeInput]:
    """Yield the input of each sentence, holding one sentence in memory at a time.

    Raise ValueError if the numbers of sentences and sequences differ.
    """
    for sentence, sequence in zip(sentences, progress(sequences), strict=True):
        matrix = torch.from_numpy(embedding_matrix(vectors, sentence.forms)[0])
        words, dimensions = matrix.shape
        candidates = torch.zeros(len(WORD_COLUMNS), words + 1, dimensions)
        has_words = torch.zeros(len(WORD_COLUMNS), words + 1)
        for variant, columns in enumerate(WORD_COLUMNS.values()):
            candidates[variant, columns] = matrix
            has_words[variant, columns] = 1
        heads = [[word.head for word in sentence.words], control_heads(sentence.forms, behaviors)]
        yield ProbeInput(
            maps=map_features(torch.from_numpy(sequence.attention).to(device)),
            vectors=matrix.to(device),
            candidate_vectors=candidates.to(device),
            has_words=has_words.to(device),
            heads=torch.tensor(heads, device=device),
            scored=torch.tensor([is_scored(word) for word in sentence.words], device=device),
        )
